"""Training data that have been checked once, and parts of them."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from softcost.costs import RowCosts


@dataclass(frozen=True)
class TrainingData:
    """What input validation makes of the arguments of ``fit``.

    Attributes
    ----------
    X : array, sparse matrix or table of n rows
    rows : RowCosts
        Labels, costs and weights of the rows.
    features : dict
        ``n_features_in_`` and ``feature_names_in_``, where X has them.
    """

    X: Any
    rows: RowCosts
    features: dict[str, Any] = field(default_factory=dict)

    def part(self, chosen: NDArray[np.intp]) -> "TrainingData":
        """Some of the rows, as if only these had been given."""
        X = _safe_indexing(self.X, chosen)
        return replace(self, X=X, rows=self.rows.part(chosen))
