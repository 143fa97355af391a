"""The classes of a table."""

import numpy as np

from softcost.tables import Tell, column, read_labels, read_table, silent

_MANY = 50  # classes, or one row in two a class: perhaps not a column of classes


def class_counts(data: str, target: str, tell: Tell = silent) -> dict[str, int]:
    """How many rows each class has."""
    raw = read_table(data, tell)
    labels = read_labels(column(raw, target, "--target", data), "--target", data)
    names, counts = np.unique(labels, return_counts=True)
    if len(names) < 2:
        raise ValueError(
            f"--target {target!r} has one class only, {str(names[0])!r}; there is no "
            "mistake to price."
        )
    if len(names) > max(_MANY, len(labels) // 2):
        raise ValueError(
            f"--target {target!r} has {len(names)} different values in {len(labels)} "
            "rows, too many for classes; name the column with the classes."
        )
    return dict(zip(names.tolist(), counts.tolist(), strict=True))
