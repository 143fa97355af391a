"""``softcost datasets``: what there is, and where it would come from."""

from pathlib import Path
from typing import Any

import click

from softcost.cli.console import print_table, write_json
from softcost.datasets import info, list_datasets, locate

_PLACE = {"OpenML": "{text}, at first use", "missing": "missing: {text}"}
_STYLE = {"OpenML": "dim", "missing": "yellow"}


@click.command()
@click.option(
    "--data-dir",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Look here first; then in the directory named by SOFTCOST_DATA.",
)
@click.option("--json", "as_json", is_flag=True, help="Write strict JSON.")
def datasets(data_dir: Path | None, as_json: bool) -> None:
    """List the data sets and their sources.

    No file is opened. A set is checked against the registry when it is loaded.
    """
    found = [_facts(name, data_dir) for name in list_datasets()]
    if as_json:
        write_json({"datasets": found})
        return
    columns = [
        ("name", "left"),
        ("rows", "right"),
        ("features", "right"),
        ("classes", "right"),
        ("from", "left"),
    ]
    print_table(
        columns,
        [
            (
                entry["name"],
                str(entry["rows"]),
                str(entry["features"]),
                str(len(entry["classes"])),
                _PLACE.get(entry["source"], "{text}").format(text=entry["where"]),
            )
            for entry in found
        ],
        [_STYLE.get(entry["source"], "") for entry in found],
    )


def _facts(name: str, data_dir: Path | None) -> dict[str, Any]:
    entry = info(name)
    source = locate(name, data_dir)
    return {
        "name": name,
        "title": entry.title,
        "rows": entry.rows,
        "features": entry.features,
        "classes": dict(entry.class_counts),
        "openml": list(entry.openml),
        "licence": entry.licence,
        "source": source.kind,
        "where": source.text,
    }
