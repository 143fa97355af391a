"""Published cost matrices, as labelled frames made when they are asked for.

pandas takes longer to import than the rest of this package, so nothing here imports
it before a matrix is wanted.
"""

from typing import Any

_SERS_CLASSES = ("Ab", "Ecoli", "HI", "KP", "LM", "Nm", "Psa", "Spn", "Sa", "GBS")
_SERS = (
    (0, 1, 10, 7, 9, 9, 5, 8, 9, 1),
    (3, 0, 10, 8, 10, 10, 5, 10, 10, 2),
    (10, 10, 0, 3, 2, 2, 10, 1, 2, 10),
    (7, 7, 3, 0, 4, 4, 6, 3, 3, 8),
    (8, 8, 2, 4, 0, 5, 8, 2, 1, 8),
    (3, 10, 9, 8, 6, 0, 8, 3, 6, 7),
    (7, 8, 10, 9, 9, 7, 0, 8, 9, 5),
    (6, 10, 7, 7, 4, 4, 9, 0, 4, 7),
    (7, 10, 6, 5, 1, 3, 9, 2, 0, 7),
    (2, 5, 10, 9, 8, 6, 5, 6, 8, 0),
)

_KDD99_CLASSES = ("normal", "probe", "dos", "u2r", "r2l")
_KDD99 = (
    (0, 1, 2, 2, 2),
    (1, 0, 2, 2, 2),
    (2, 1, 0, 2, 2),
    (3, 2, 2, 0, 2),
    (4, 2, 2, 2, 0),
)

_MATRICES = {
    "SERS_COSTS": (_SERS_CLASSES, _SERS),
    "KDD99_COSTS": (_KDD99_CLASSES, _KDD99),
}


def known_matrix(name: str) -> Any:
    """Return a published matrix, rows true and columns predicted, as a new frame.

    Parameters
    ----------
    name : {"SERS_COSTS", "KDD99_COSTS"}
        Ten bacteria by surface-enhanced Raman spectra, prices 0 to 10; or the five
        categories of connections of the KDD Cup 1999.

    Returns
    -------
    pandas.DataFrame of shape (n_classes, n_classes)
        Changing it changes no later one.
    """
    import pandas as pd

    classes, rows = _MATRICES[name]
    return pd.DataFrame(rows, index=list(classes), columns=list(classes), dtype=float)
