"""``softcost predict``: a label and scores for every row."""

from typing import TYPE_CHECKING, Any

import click

from softcost.cli.console import (
    BadInput,
    bad_input,
    check_files,
    decimal_option,
    failed_job,
    say,
    say_note,
    table_options,
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
    help="Copy a column of DATA instead of the ids. Repeatable.",
)
@click.option("--keep-all", is_flag=True, help="Copy all columns of DATA.")
@click.option("--no-scores", is_flag=True, help="Write labels only.")
@click.option(
    "--top",
    type=click.IntRange(1),
    metavar="N",
    help="Write only the N most expensive uncertain rows, the most expensive first.",
)
@click.option(
    "--rows-at-once",
    type=click.IntRange(1),
    help="Rows in memory at a time [default: 20000, or fewer above 500 features].",
)
@click.option(
    "--cost",
    multiple=True,
    metavar="FORMULA",
    help="Decide by other costs by row, e.g. 'fn = 0.75 * balance'. Repeatable.",
)
@click.option(
    "--cost-columns",
    metavar="PREFIX",
    help="Decide by cost matrices in columns called PREFIX and true>predicted, or for "
    "two classes PREFIX and tn, fp, fn, tp.",
)
@click.option(
    "--positive",
    metavar="CLASS",
    help="Positive class of tn, fp, fn and tp [default: the rarer class].",
)
@table_options()
@decimal_option
@click.option("--json", "as_json", is_flag=True, help="Print a summary as JSON.")
def predict(
    model: str,
    data: str,
    output: str,
    keep: tuple[str, ...],
    keep_all: bool,
    no_scores: bool,
    top: int | None,
    rows_at_once: int | None,
    cost: tuple[str, ...],
    cost_columns: str | None,
    positive: str | None,
    as_json: bool,
    **reading: Any,
) -> None:
    """Predict the rows of a table with a model.

    MODEL is a file that 'softcost fit --model' or softcost.save wrote. DATA is a CSV,
    Excel, Parquet or LIBSVM file, or - for CSV on standard input.

    The output has the number of each row (1 is the first below the header), its ids if
    the model has any, the prediction, and the expected cost of every answer, with the
    next best answer and how much more it costs. Models without expected costs have
    scores instead (larger is better). --top ranks rows by the expected cost of the
    prediction, or by the margin between the two best scores.

    softcost warns if rows differ from the training data. Rows are read and written in
    blocks, so files may be larger than memory. An output file is written completely or
    not at all.
    """
    check_files(model, data)
    if keep_all and keep:
        raise BadInput("--keep-all copies all columns; leave out --keep.")
    columns = None if keep_all else keep
    scores = not no_scores
    costs = (cost, cost_columns, positive)
    _run(
        model,
        data,
        output,
        columns,
        scores,
        top,
        rows_at_once,
        costs,
        as_json,
        reading,
    )


def _run(
    model: str,
    data: str,
    output: str,
    keep: tuple[str, ...] | None,
    scores: bool,
    top: int | None,
    rows_at_once: int | None,
    costs: tuple[tuple[str, ...], str | None, str | None],
    as_json: bool,
    reading: dict[str, Any],
) -> None:
    """Predict piece by piece; ``keep`` is None for all columns."""
    from softcost.workflow.predictions import (
        PREDICTION,
        MostExpensive,
        open_writer,
        with_predictions,
    )
    from softcost.workflow.stored_model import ReadOptions, open_model, read_pieces

    if top is not None and not scores:
        raise BadInput("--top needs scores: leave out --no-scores.")
    if output == STREAM and as_json:
        raise BadInput(
            "--json prints to standard output, where the predictions go; write them to "
            "a file with -o."
        )
    twice = [name for name in keep or () if keep and keep.count(name) > 1]
    if twice:
        raise BadInput(f"--keep names {twice[0]!r} twice; name it once.")
    with bad_input():
        _check_output(output, model, data)
        stored = _with_costs(open_model(model), *costs)
    _warn_of_formulas(output, stored)
    counts = dict.fromkeys((str(name) for name in stored.answers.tolist()), 0)
    pieces = read_pieces(
        stored,
        data,
        rows_at_once,
        _not_features(stored, keep or ()),
        say_note,
        ReadOptions(**reading),
    )
    monitor = stored.drift_monitor()
    doubtful = None if top is None else MostExpensive(top)
    first_row = 0
    with failed_job(), open_writer(output, [model, data]) as write:
        for raw, X, matrices in pieces:
            with bad_input():
                names = tuple(raw.columns) if keep is None else keep
                kept = _kept_columns(raw, names or _own_ids(stored, raw), data)
            frame = with_predictions(kept, stored, X, scores, matrices, first_row)
            first_row += len(frame)
            monitor.update(X, frame[PREDICTION].to_numpy())
            for name, count in frame[PREDICTION].value_counts().items():
                counts[str(name)] += int(count)
            if doubtful is None:
                write(frame)
            else:
                doubtful.update(frame, stored)
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


def _with_costs(
    stored: "StoredModel",
    formulas: tuple[str, ...],
    columns: str | None,
    positive: str | None,
) -> "StoredModel":
    """The model with the costs by row that the options name."""
    if formulas and columns is not None:
        raise ValueError("give --cost FORMULA or --cost-columns PREFIX, not both.")
    if formulas:
        return stored.with_formulas(formulas, positive)
    if columns is not None:
        return stored.with_cost_columns(columns, positive)
    return stored


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
