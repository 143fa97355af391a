"""LIBSVM files: a column for the label, and one for each feature by its number."""

import io
from collections.abc import Iterator
from typing import Any

import pandas as pd

LIBSVM_TARGET = "label"
_MOST_CELLS = 2e8  # of a LIBSVM file, written out


def libsvm_pieces(
    path: str, rows: int | None, n_features: int | None
) -> Iterator[pd.DataFrame]:
    """The rows of a LIBSVM file, some at a time; all at once for None."""
    with open(path, "rb") as file:
        while True:
            lines = file.readlines() if rows is None else _some_lines(file, rows)
            if not lines:
                return
            yield _libsvm_frame(path, b"".join(lines), n_features)


def _some_lines(file: Any, rows: int) -> list[bytes]:
    return [line for _, line in zip(range(rows), file, strict=False)]


def _libsvm_frame(path: str, text: bytes, n_features: int | None) -> pd.DataFrame:
    from sklearn.datasets import load_svmlight_file

    try:
        X, y = load_svmlight_file(
            io.BytesIO(text), n_features=n_features, zero_based=False
        )
    except (ValueError, IndexError, OverflowError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise ValueError(f"{path} is not a LIBSVM file ({reason}).") from None
    if X.shape[0] * X.shape[1] > _MOST_CELLS:
        raise ValueError(
            f"{path} has {X.shape[0]} x {X.shape[1]} cells, too many for a table; "
            "reduce its features, or use the Python library with a sparse matrix."
        )
    names = [str(number) for number in range(1, X.shape[1] + 1)]
    frame = pd.DataFrame(X.toarray(), columns=names)
    labels = [str(int(label)) if label == int(label) else str(label) for label in y]
    frame.insert(0, LIBSVM_TARGET, pd.Series(labels, dtype=object))
    return frame
