"""Training data that have been checked once, and parts of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from softcost.costs import RowCosts


def is_raw(X: Any) -> bool:
    """Whether X is a sequence of texts or dicts, for learners that read such.

    Examples
    --------
    >>> is_raw(["a text", "another"]), is_raw([[1.0, 2.0]])
    (True, False)
    """
    if getattr(X, "ndim", 1) != 1 or not hasattr(X, "__len__") or len(X) == 0:
        return False
    first = X.iloc[0] if hasattr(X, "iloc") else X[0]
    return isinstance(first, str | bytes | Mapping)


@dataclass(frozen=True)
class TrainingData:
    """What input validation makes of the arguments of ``fit``.

    Attributes
    ----------
    X : array, sparse matrix or table of n rows
        The rows.
    rows : RowCosts
        Labels, costs and weights of the rows.
    features : dict
        ``n_features_in_`` and ``feature_names_in_``, where X has them.
    pairwise : bool
        Whether X is a kernel matrix: its columns are rows, too.

    See Also
    --------
    Reduction : A cost-sensitive classifier made of other learners.
    softcost.costs.RowCosts : The labels, costs and weights.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> from softcost.reductions import RegressionOneVsAll
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), ["a", "b", "b"]
    >>> model = RegressionOneVsAll(Ridge(), cost_matrix=[[0, 2], [8, 0]])
    >>> data = model.check_data(X, y)
    >>> data.part(np.array([0, 2])).rows.in_users_units
    array([[0., 2.],
           [8., 0.]])
    """

    X: Any
    rows: RowCosts
    features: dict[str, Any] = field(default_factory=dict)
    pairwise: bool = False

    def part(self, chosen: NDArray[np.intp]) -> "TrainingData":
        """Some of the rows, as if only these had been given.

        Parameters
        ----------
        chosen : array of int
            Numbers of rows.

        Returns
        -------
        TrainingData
            Not checked again.
        """
        X = self.rows_to_predict(chosen, chosen)
        return replace(self, X=X, rows=self.rows.part(chosen))

    def rows_to_predict(self, chosen: NDArray[np.intp], train: NDArray[np.intp]) -> Any:
        """Some rows of X, as a model of the training rows wants to see them.

        Parameters
        ----------
        chosen : array of int
            Numbers of the rows to predict.
        train : array of int
            Numbers of the training rows; they matter where X is a kernel matrix.

        Returns
        -------
        rows
            Of the type of X.
        """
        if self.pairwise:
            return np.asarray(self.X)[np.ix_(chosen, train)]
        return _safe_indexing(self.X, chosen)


def refuse_strangers(rows: RowCosts) -> None:
    """Refuse columns of costs that are no label of any row: they would be predicted."""
    strange = np.flatnonzero(np.bincount(rows.y, minlength=rows.n_classes) == 0)
    if len(strange):
        names = ", ".join(repr(name) for name in rows.classes[strange[:6]].tolist())
        raise ValueError(
            f"costs has columns that no row of y is labelled with, {names}: drop them, "
            "or pass classes= with every class if they are classes, actions= if not."
        )
