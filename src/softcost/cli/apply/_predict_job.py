"""The work behind ``softcost predict``."""

from typing import Any

import numpy as np
import pandas as pd

from softcost.cli.apply._writers import open_writer
from softcost.cli.console import BadInput, bad_input, failed_job, say, write_json
from softcost.cli.drift import Watch
from softcost.cli.stored_model import Riskiest, StoredModel, open_model, read_pieces
from softcost.costs import answer_indices
from softcost.files import STREAM, check_output, shown_name
from softcost.formatting import quoted_names
from softcost.tables import column, format_of, load_parquet

PREDICTION = "prediction"
EXPECTED = "expected_cost"
NEXT, MORE = "next_best", "next_best_costs_more"
_FORMULAS = tuple("=+-@\t\r")


def run(
    model: str,
    data: str,
    output: str,
    keep: tuple[str, ...],
    scores: bool,
    riskiest: int | None,
    rows_at_once: int | None,
    as_json: bool,
) -> None:
    """Predict piece by piece."""
    if riskiest is not None and not scores:
        raise BadInput("--riskiest needs scores: leave out --no-scores.")
    if output == STREAM and as_json:
        raise BadInput(
            "--json tells what was done on standard output, where the predictions go; "
            "give them a file with -o."
        )
    twice = [name for name in keep if keep.count(name) > 1]
    if twice:
        raise BadInput(f"--keep names {twice[0]!r} twice; name it once.")
    with bad_input():
        _check_output(output, model, data)
        stored = open_model(model)
    _warn_of_formulas(output, stored)
    counts = dict.fromkeys((str(name) for name in stored.answers.tolist()), 0)
    pieces = read_pieces(stored, data, rows_at_once, _not_features(stored, keep))
    watch = Watch(stored)
    doubtful = None if riskiest is None else Riskiest(riskiest)
    with failed_job(), open_writer(output, [model, data]) as write:
        for raw, X in pieces:
            with bad_input():
                kept = _kept_columns(raw, keep or _own_ids(stored, raw), data)
            frame = _with_predictions(kept, stored, X, scores)
            watch.see(X, frame[PREDICTION].to_numpy())
            for name, count in frame[PREDICTION].value_counts().items():
                counts[str(name)] += int(count)
            if doubtful is None:
                write(frame)
            else:
                doubtful.see(frame, stored)
        if doubtful is not None:
            write(doubtful.rows())
    warnings = watch.sentences()
    for sentence in warnings:
        say(f"warning: {sentence}")
    if as_json:
        write_json(
            {
                "model": model,
                "data": data,
                "output": output,
                "rows": sum(counts.values()),
                "predictions": counts,
                "warnings": warnings,
            }
        )


def _check_output(output: str, model: str, data: str) -> None:
    if output == STREAM:
        return
    format_ = format_of(output)
    if format_ == "libsvm":
        raise ValueError(f"{output} must be a CSV or Parquet file.")
    if format_ == "parquet":
        load_parquet(output)
    check_output(output, reads=[model, data])


def _warn_of_formulas(output: str, stored: StoredModel) -> None:
    """Labels are written as they are; a spreadsheet may compute what they say."""
    names = [str(name) for name in stored.answers.tolist()]
    odd = [name for name in names if name[:1] in _FORMULAS and not _is_number(name)]
    if odd and output != STREAM and format_of(output) != "parquet":
        say(
            f"warning: {quoted_names(odd)} may be a formula to a spreadsheet: open "
            f"{shown_name(output)} there as text."
        )


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _not_features(stored: StoredModel, keep: tuple[str, ...]) -> set[str]:
    target = stored.manifest["notes"].get("target")
    return {*keep} | ({target} if target else set())


def _own_ids(stored: StoredModel, raw: pd.DataFrame) -> tuple[str, ...]:
    """Columns that 'softcost fit' took for ids of the rows, where they are there."""
    ids = stored.manifest["notes"].get("ids", [])
    return tuple(name for name in ids if name in raw.columns)


def _kept_columns(
    raw: pd.DataFrame, keep: tuple[str, ...], path: str
) -> dict[str, np.ndarray]:
    return {name: column(raw, name, "--keep", path).to_numpy() for name in keep}


def _with_predictions(
    kept: dict[str, np.ndarray], stored: StoredModel, X: Any, scores: bool
) -> pd.DataFrame:
    """Kept columns, labels, and what each answer is expected to cost, or its score."""
    labels, found, expected = _predict(stored, X, scores)
    made: dict[str, Any] = {PREDICTION: labels.astype(str).astype(object)}
    names = stored.answers.tolist()
    if expected is not None:
        place = answer_indices(
            labels, stored.classes, stored.actions, argument="predictions"
        )
        made[EXPECTED] = expected[np.arange(len(labels)), place]
        made |= _next_best(stored, expected, place)
        for name, values in zip(names, expected.T, strict=True):
            made[f"{EXPECTED}_{name}"] = values
    elif found is not None:
        for name, values in zip(names, found.T, strict=True):
            made[f"score_{name}"] = values
    for name in kept:
        if name in made:
            raise BadInput(
                f"--keep {name!r} is a column that the output has already; rename it "
                "in DATA."
            )
    return pd.DataFrame(kept | made)


def _next_best(
    stored: StoredModel, expected: np.ndarray, place: np.ndarray
) -> dict[str, Any]:
    """The answer that would be next, and how much more it is expected to cost.

    So much dearer the given answer would have to be for another one to be given. A
    model with some softness does not decide by prices alone: then it may be negative.
    """
    every = np.arange(len(place))
    others = expected.copy()
    others[every, place] = np.inf
    second = others.argmin(axis=1)
    names = stored.answers[second].astype(str).astype(object)
    return {NEXT: names, MORE: others[every, second] - expected[every, place]}


def _predict(
    stored: StoredModel, X: Any, scores: bool
) -> tuple[np.ndarray, np.ndarray | None, np.ndarray | None]:
    """Labels, scores and expected costs; the latter two where there are any."""
    if len(X) == 0:
        none = np.empty((0, len(stored.answers))) if scores else None
        in_money = stored.knows_expected_costs()
        return stored.answers[:0], none, none if in_money else None
    with stored.refusing_rows():
        if not scores:
            return stored.predict(X), None, None
        labels, found = stored.predict_and_score(X)
        return labels, found, stored.expected_costs(X)
