"""The work behind ``softcost reproduce``: compute, and show the tables."""

import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from softcost import paper
from softcost.cli.console import (
    BadInput,
    JobFailed,
    bad_input,
    print_table,
    say,
    write_json,
)
from softcost.cli.study._records import records
from softcost.paper.result_tables import beside_table

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
        added = dict(paper.import_model(spec) for spec in add)
    result = _reproduce(
        _Progress(quiet), target, add=added, data_home=data_dir, **options
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


def _reproduce(progress: "_Progress", target: str, **options: Any) -> Any:
    """Plan and run.

    Before the first report of progress only the request, the data and the store are
    read and checked. After it, units that fail are recorded by themselves; an
    exception is a fault of ours, unless a file or a scheduler is out of reach.
    """
    if options["dask"] is not None and find_spec("distributed") is None:
        raise BadInput("--dask needs dask and distributed: pip install softcost[dask]")
    try:
        return paper.reproduce(target, progress=progress, **options)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise (JobFailed if progress.begun else BadInput)(str(error)) from error
    except (ValueError, TypeError) as error:
        if progress.planned:
            raise
        raise BadInput(str(error)) from error


class _Progress:
    """Lines on standard error, now and then; failures at once."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self.planned = self.begun = False
        self._started = time.monotonic()
        self._shown = 0.0
        self._known = 0

    def __call__(self, done: int, total: int, outcome: Any) -> None:
        if outcome is None:
            self.planned, self._known = True, done
            if not self.quiet:
                say(f"{total} units, {done} of them known")
            return
        self.begun = True
        if outcome.cells is None:
            say(f"failed: {outcome.unit}: {outcome.message}")
        now = time.monotonic()
        if self.quiet or (now - self._shown < _EVERY and done < total):
            return
        self._shown = now
        rest = (now - self._started) / max(done - self._known, 1) * (total - done)
        say(f"{done} of {total} units, {rest:.0f} s left")


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
    front = paper.artificial_front()
    if as_json:
        lines = paper.artificial_lines()
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
