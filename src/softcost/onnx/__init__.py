"""Export models to ONNX: one graph from raw columns to label and expected costs.

The graph computes in double precision wherever softcost does, so labels agree. Trees
are TreeEnsemble nodes with double thresholds, kernels are matrix products, and the
decision ``argmin p C`` is part of the graph, with the costs C as an input.

`to_onnx` needs the package onnx, which is optional and imported when it is called.
"""

from typing import Any

from softcost._extras import install_hint
from softcost.onnx.graph_inputs import table_inputs

__all__ = ["NotExportable", "table_inputs", "to_onnx"]


class NotExportable(ValueError):
    """A model, or a part of it, that `to_onnx` does not support.

    See Also
    --------
    to_onnx : Lists what it supports.

    Examples
    --------
    >>> import softcost
    >>> softcost.to_onnx(softcost.FilterTree())
    Traceback (most recent call last):
    softcost.onnx.NotExportable: A FilterTree cannot be exported to ONNX. ...
    """


def to_onnx(model: Any, *, require_costs: bool = False) -> Any:
    """Export a fitted model as one ONNX graph.

    The graph needs no Python and no softcost: any runtime of ONNX evaluates it, for
    instance onnxruntime in C++, Java, C# or JavaScript. It contains the encoding of
    raw columns, the model and the decision.

    Inputs are one vector per column of the training table, if the model encodes raw
    tables: doubles for numbers (NaN if missing) and durations (in hours), strings for
    words and Booleans ("" if missing), and seconds since 1970 as doubles for dates.
    `table_inputs` makes them from a raw table. Other models have a single input ``X``
    of doubles, shape (n, n_features).

    If the model is a `MinimumExpectedCost`, as the default blend is, ``costs`` is an
    input of shape (1, K, A) or (n, K, A): costs by true class and answer for all rows,
    or for each row. Its default is the model's cost matrix.

    Outputs are ``label``, and for a `MinimumExpectedCost` ``probabilities`` (n, K) and
    ``expected_costs`` (n, A), else ``scores`` (n, A), the larger the better.

    Parameters
    ----------
    model : estimator
        A fitted `SoftCostClassifierCV`, `MinimumExpectedCost`, `OneSidedRegression`,
        `RegressionOneVsAll`, `CostSensitiveOneVsOne`, `WeightedAllPairs` or
        `ZhouLiuRescaling`, or a pipeline that ends with one.
    require_costs : bool, default=False
        Make ``costs`` an ordinary input, without a default. Some runtimes, such as
        onnxruntime for JavaScript, ignore an input that has a default.

    Returns
    -------
    onnx.ModelProto
        Save it with ``onnx.save``.

    Raises
    ------
    NotExportable
        A ValueError: the model or a part of it is not supported.

    See Also
    --------
    softcost.onnx.table_inputs : The inputs for the rows of a raw table.
    softcost.persistence.save : A model file that Python loads.

    Examples
    --------
    >>> import numpy as np
    >>> import softcost
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> prices = [[0, 1, 5], [1, 0, 5], [9, 9, 0]]
    >>> model = softcost.MinimumExpectedCost(cost_matrix=prices).fit(X, y)
    >>> graph = softcost.to_onnx(model)
    >>> [output.name for output in graph.graph.output]
    ['label', 'probabilities', 'expected_costs']
    """
    try:
        from softcost.onnx.model_graph import exported
    except ModuleNotFoundError as error:
        raise ImportError(
            f"to_onnx needs the package onnx: {install_hint('onnx')}."
        ) from error
    return exported(model, require_costs)
