"""The work behind ``softcost reproduce``: compute, and show the tables."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from softcost import experiments
from softcost.cli.console import bad_input, print_table, say, write_json
from softcost.cli.study._records import records
from softcost.report import beside_table

_EVERY = 10.0  # seconds between lines of progress


def run_target(
    target: str,
    *,
    add: tuple[str, ...],
    as_json: bool,
    quiet: bool,
    data_dir: Path | None,
    **options: Any,
) -> bool:
    """Rerun a target and show it; whether all of its units could be computed."""
    with bad_input():
        added = dict(experiments.import_model(spec) for spec in add)
        result = experiments.reproduce(
            target,
            add=added,
            data_home=data_dir,
            progress=_progress(quiet),
            **options,
        )
    if as_json:
        write_json(
            {
                "target": target,
                "executed": result.executed,
                "failed": [
                    {"unit": str(unit), "message": message}
                    for unit, message in result.failed
                ],
                "rows": records(result.table),
            }
        )
    else:
        _print_tables(result.table)
    if result.failed:
        unit, message = result.failed[0]
        say(
            f"{len(result.failed)} units failed, the first of them {unit}: {message}. "
            "The same command tries them again."
        )
    return not result.failed


def _progress(quiet: bool) -> Callable[[int, int, Any], None]:
    """Lines on standard error, now and then; failures at once."""
    started, shown, begun = time.monotonic(), [0.0], [0]

    def show(done: int, total: int, outcome: Any) -> None:
        if outcome is None:
            begun[0] = done
            if not quiet:
                say(f"{total} units, {done} of them known")
            return
        if outcome.cells is None:
            say(f"failed: {outcome.unit}: {outcome.message}")
        now = time.monotonic()
        if quiet or (now - shown[0] < _EVERY and done < total):
            return
        shown[0] = now
        rest = (now - started) / max(done - begun[0], 1) * (total - done)
        say(f"{done} of {total} units, {rest:.0f} s left")

    return show


def _print_tables(table: Any) -> None:
    """Tables of two metrics each: one line per data set and algorithm."""
    metrics = list(dict.fromkeys(table["metric"]))
    for start in range(0, len(metrics), 2):
        _print_table(table[table["metric"].isin(metrics[start : start + 2])])


def _print_table(table: Any) -> None:
    shown = beside_table(table)
    lines: list[Any] = []
    before = None
    for row in shown.rows:
        place = row[:2]
        lines.append(["", "", *row[2:]] if place == before else row)
        before = place
    print_table([(column.heading, column.align) for column in shown.columns], lines)


def run_artificial(as_json: bool) -> None:
    """Show the introductory figures."""
    front = experiments.artificial_front()
    if as_json:
        lines = experiments.artificial_lines()
        write_json({"front": records(front), "lines": records(lines)})
        return
    print_table(
        [("costs", "left")]
        + [(name, "right") for name in ("softness", "offset", "error", "cost")],
        [
            (
                str(row["scale"]),
                f"{row['softness']:g}",
                *(f"{row[name]:.5f}" for name in ("b", "error", "cost")),
            )
            for row in front.to_dict("records")
        ],
    )
