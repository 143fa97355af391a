"""``softcost reproduce pages``: the pages of a file of results."""

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
@click.option(
    "--runs",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    metavar="N",
    help="Use the first N runs, where there are more.",
)
def pages(store: Path, directory: Path, runs: int) -> None:
    """Write tables, figures and verdicts from a file of results.

    STORE is what 'softcost reproduce' keeps its results in, or what 'softcost
    reproduce export' wrote of them (.csv or .csv.gz). The report is Markdown (start at
    README.md) and HTML (index.html): tables in the paper's form, ours beside the
    published numbers, significance, figures, and which of the paper's claims hold.
    Algorithms added with --add are in it, too.
    """
    from softcost.cli.study._pages_job import write_pages

    files = write_pages(store, directory, runs)
    say(f"{len(files)} files; open {directory / 'index.html'}")
