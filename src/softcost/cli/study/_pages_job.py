"""From a file of results to a report."""

from pathlib import Path

from softcost import paper
from softcost.cli.console import BadInput, bad_input


def write_pages(store: Path, directory: Path, runs: int) -> list[Path]:
    """Write the pages; what is wrong with the file is the user's bad input."""
    try:
        with bad_input():
            return paper.write_report(store, directory, runs=runs)
    except (ImportError, OSError) as error:
        raise BadInput(str(error)) from error
