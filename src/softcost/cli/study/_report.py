"""``softcost report``: the pages of a file of results."""

from pathlib import Path

import click

from softcost.cli.console import say


@click.command()
@click.argument("store", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "-o",
    "--output",
    "directory",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    metavar="DIR",
    help="Directory of the report; made where it does not exist.",
)
def report(store: Path, directory: Path) -> None:
    """Write tables, figures and verdicts from a file of results.

    STORE is what 'softcost reproduce' keeps its results in, or a CSV of them from
    'softcost reproduce export'. The report is Markdown (start at index.md) and HTML
    (index.html): tables in the paper's form, ours beside the printed numbers,
    significance, figures, and which of the paper's claims hold. Algorithms added
    with --add are in it, too.
    """
    from softcost.cli.study._report_job import write_report

    files = write_report(store, directory)
    say(f"{len(files)} files; open {directory / 'index.html'}")
