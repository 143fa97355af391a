"""``softcost predict``: a label and scores for every row."""

import click

from softcost.cli.console import check_files


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
    from softcost.cli.apply._predict_job import run

    run(model, data, output, keep, not no_scores, riskiest, rows_at_once, as_json)
