"""The work behind ``softcost predict``."""

from typing import Any

import numpy as np
import pandas as pd

from softcost.cli.apply._model_file import StoredModel, open_model, pieces
from softcost.cli.apply._writers import open_writer
from softcost.cli.console import (
    STREAM,
    BadInput,
    bad_input,
    check_writable,
    trained,
    write_json,
)
from softcost.cli.inputs import column, format_of

PREDICTION = "prediction"
EXPECTED = "expected_cost"


def run(
    model: str,
    data: str,
    output: str,
    keep: tuple[str, ...],
    scores: bool,
    rows_at_once: int,
    as_json: bool,
) -> None:
    """Predict piece by piece."""
    if output == STREAM and as_json:
        raise BadInput(
            "--json tells what was done on standard output, where the predictions go; "
            "give them a file with -o."
        )
    with bad_input():
        if output != STREAM:
            if format_of(output) == "libsvm":
                raise ValueError(f"{output} must be a CSV or Parquet file.")
            check_writable(output)
        stored = open_model(model)
    counts = dict.fromkeys((str(name) for name in stored.classes.tolist()), 0)
    with trained(), open_writer(output) as write:
        for raw, X in pieces(stored, data, rows_at_once, _not_features(stored, keep)):
            frame = predicted_frame(stored, raw, X, keep, scores, data)
            for name, count in frame[PREDICTION].value_counts().items():
                counts[str(name)] += int(count)
            write(frame)
    if as_json:
        write_json(
            {
                "model": model,
                "data": data,
                "output": output,
                "rows": sum(counts.values()),
                "predictions": counts,
            }
        )


def _not_features(stored: StoredModel, keep: tuple[str, ...]) -> set[str]:
    target = stored.manifest["notes"].get("target")
    return {*keep} | ({target} if target else set())


def predicted_frame(
    stored: StoredModel,
    raw: pd.DataFrame,
    X: Any,
    keep: tuple[str, ...],
    scores: bool,
    path: str,
) -> pd.DataFrame:
    """Kept columns, labels, scores and the expected cost of the label."""
    columns: dict[str, Any] = {}
    for name in keep:
        columns[name] = column(raw, name, "--keep", path).to_numpy()
    labels, found, expected = stored.classes[:0], None, None
    if len(raw) == 0:
        found = np.empty((0, len(stored.classes))) if scores else None
    elif scores:
        labels, found = stored.predict_and_score(X)
        expected = stored.expected_costs(X)
    else:
        labels = stored.predict(X)
    columns[PREDICTION] = labels.astype(str).astype(object)
    if found is not None:
        for name, values in zip(stored.classes.tolist(), found.T, strict=True):
            columns[f"score_{name}"] = values
    if expected is not None:
        place = np.searchsorted(stored.classes, labels)
        columns[EXPECTED] = expected[np.arange(len(labels)), place]
    made = 1 + (expected is not None) + (0 if found is None else found.shape[1])
    if len(columns) < len(keep) + made:
        raise ValueError(
            f"--keep names a column twice, or one called {PREDICTION!r} or "
            "'score_...', which the output has already; rename it in DATA."
        )
    return pd.DataFrame(columns)
