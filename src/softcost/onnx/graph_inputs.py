"""The inputs of an exported graph, from a raw table."""

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcost.tables import KINDS
from softcost.tables.columns import as_frame, column, plain_cells
from softcost.tables.kinds import Date, Words

NOTES = "softcost"  # the key of the metadata


def table_inputs(model: Any, X: Any) -> dict[str, NDArray[Any]]:
    """The inputs of an exported graph for the rows of a raw table.

    Cells are read as `softcost.tables.TableEncoder` reads them: numbers as people
    write them, dates as seconds since 1970, words without blanks around them.

    Parameters
    ----------
    model : onnx.ModelProto or onnxruntime.InferenceSession
        What `to_onnx` returned, or a session with it.
    X : DataFrame of shape (n, n_columns), or array
        A raw table with the columns of the training table. For a model without named
        columns, an array of shape (n, n_features).

    Returns
    -------
    dict of str and ndarray
        The argument of ``InferenceSession.run``.

    See Also
    --------
    to_onnx : Exports the graph.

    Examples
    --------
    >>> import pandas as pd
    >>> from sklearn.pipeline import make_pipeline
    >>> from softcost import MinimumExpectedCost, to_onnx
    >>> from softcost.onnx import table_inputs
    >>> from softcost.tables import TableEncoder
    >>> table = pd.DataFrame({"size": ["1", "2", "8", "9"], "city": list("abab")})
    >>> model = make_pipeline(TableEncoder(), MinimumExpectedCost())
    >>> graph = to_onnx(model.fit(table, list("xxyy")))
    >>> table_inputs(graph, pd.DataFrame({"size": ["1.5 %"], "city": [" b "]}))
    {'size': array([1.5]), 'city': array(['b'], dtype=object)}
    """
    if hasattr(model, "get_modelmeta"):
        properties = model.get_modelmeta().custom_metadata_map
    else:
        properties = {entry.key: entry.value for entry in model.metadata_props}
    if NOTES not in properties:
        raise ValueError("model was not exported by softcost.to_onnx: export it again.")
    notes = json.loads(properties[NOTES])
    if "columns" not in notes:
        return {"X": np.ascontiguousarray(X, dtype=np.float64)}
    frame, tokens = as_frame(X), frozenset(notes["missing"])
    inputs = {}
    for name, (column_name, kind_name) in notes["columns"].items():
        kind = KINDS[kind_name]
        cells = plain_cells(column(frame, column_name, "the model's column", "X"))
        typed, wrong = kind.read(cells, tokens)
        if wrong.any():
            at = int(wrong.argmax())
            raise ValueError(
                f"column {column_name!r} of X holds {cells.iloc[at]!r} in row {at + 1},"
                f" where the model needs {kind.needed_for(cells.iloc[at])}; correct it,"
                " or leave it empty."
            )
        if isinstance(kind, Words):
            typed = np.array([w if isinstance(w, str) else "" for w in typed], object)
        elif isinstance(kind, Date):
            seconds = typed.astype(np.int64).astype(np.float64)
            typed = np.where(np.isnat(typed), np.nan, seconds)
        inputs[name] = typed
    return inputs
