"""``softcost predict``: a label and scores for every row."""

from typing import TYPE_CHECKING

import click

from softcost.cli.console import (
    BadInput,
    bad_input,
    check_files,
    failed_job,
    say,
    say_note,
    write_json,
)
from softcost.files import STREAM, check_output, shown_name
from softcost.formatting import quoted_names

if TYPE_CHECKING:
    import numpy as np
    from pandas import DataFrame

    from softcost.workflow.stored_model import StoredModel

_FORMULAS = tuple("=+-@\t\r")


@click.command()
@click.argument("model")
@click.argument("data")
@click.option(
    "-o",
    "--output",
    default="-",
    show_default=True,
    metavar="OUT",
    help="CSV (.csv, .csv.gz) or Parquet file; - for standard output.",
)
@click.option(
    "--keep",
    multiple=True,
    metavar="COL",
    help="Copy a column of DATA instead of the ids.",
)
@click.option("--no-scores", is_flag=True, help="Write labels only.")
@click.option(
    "--riskiest",
    type=click.IntRange(1),
    metavar="N",
    help="Only the N rows that are most in doubt, with their numbers, the worst first.",
)
@click.option(
    "--rows-at-once",
    type=click.IntRange(1),
    help="How many rows are in memory at a time; by default 20000, fewer of more than "
    "500 features.",
)
@click.option("--json", "as_json", is_flag=True, help="Tell what was done as JSON.")
def predict(
    model: str,
    data: str,
    output: str,
    keep: tuple[str, ...],
    no_scores: bool,
    riskiest: int | None,
    rows_at_once: int | None,
    as_json: bool,
) -> None:
    """Predict the rows of a table with a model.

    MODEL is a file that 'softcost fit --model' or softcost.save wrote; DATA a CSV,
    Excel, Parquet or LIBSVM file, or - for CSV on standard input. The output has the
    ids of the rows where the model knows of some, the label, and for every class what
    answering it is expected to cost, in the units of the prices, with the next best
    answer and how much more that one costs; where the model does not know that, a score
    (the larger the better). A row is in doubt where its answer is expected to cost much
    or, without expected costs, where the second best score comes near the best. Rows
    unlike those of the training are told of. Rows are read and written in pieces, so
    files may be larger than memory; an output file is there as a whole or not at all.
    """
    check_files(model, data)
    _run(model, data, output, keep, not no_scores, riskiest, rows_at_once, as_json)


def _run(
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
    from softcost.workflow.predictions import (
        PREDICTION,
        Riskiest,
        open_writer,
        with_predictions,
    )
    from softcost.workflow.stored_model import open_model, read_pieces

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
    pieces = read_pieces(
        stored, data, rows_at_once, _not_features(stored, keep), say_note
    )
    monitor = stored.drift_monitor()
    doubtful = None if riskiest is None else Riskiest(riskiest)
    with failed_job(), open_writer(output, [model, data]) as write:
        for raw, X in pieces:
            with bad_input():
                kept = _kept_columns(raw, keep or _own_ids(stored, raw), data)
            frame = with_predictions(kept, stored, X, scores)
            monitor.update(X, frame[PREDICTION].to_numpy())
            for name, count in frame[PREDICTION].value_counts().items():
                counts[str(name)] += int(count)
            if doubtful is None:
                write(frame)
            else:
                doubtful.see(frame, stored)
        if doubtful is not None:
            write(doubtful.rows())
    warnings = monitor.warnings()
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
    from softcost.tables.read import format_of, load_parquet

    if output == STREAM:
        return
    format_ = format_of(output)
    if format_ == "libsvm":
        raise ValueError(f"{output} must be a CSV or Parquet file.")
    if format_ == "parquet":
        load_parquet(output)
    check_output(output, reads=[model, data])


def _warn_of_formulas(output: str, stored: "StoredModel") -> None:
    """Labels are written as they are; a spreadsheet may compute what they say."""
    from softcost.tables.read import format_of

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


def _not_features(stored: "StoredModel", keep: tuple[str, ...]) -> set[str]:
    target = stored.manifest["notes"].get("target")
    return {*keep} | ({target} if target else set())


def _own_ids(stored: "StoredModel", raw: "DataFrame") -> tuple[str, ...]:
    """Columns that 'softcost fit' took for ids of the rows, where they are there."""
    ids = stored.manifest["notes"].get("ids", [])
    return tuple(name for name in ids if name in raw.columns)


def _kept_columns(
    raw: "DataFrame", keep: tuple[str, ...], path: str
) -> "dict[str, np.ndarray]":
    from softcost.tables.columns import column

    return {name: column(raw, name, "--keep", path).to_numpy() for name in keep}
