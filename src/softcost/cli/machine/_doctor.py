"""``softcost doctor``: is this machine fit to work on?"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from softcost.cli.console import FAILED, print_table, write_json

if TYPE_CHECKING:
    from softcost.cli.machine._checks import Check

_STYLE = {"ok": "", "warn": "yellow", "fail": "red"}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Write strict JSON.")
@click.pass_context
def doctor(context: click.Context, as_json: bool) -> None:
    """Check this machine: versions, threads, directories, data.

    Every line is ok, warn or fail, the latter two with a remedy. Ends with exit
    code 1 where something fails.
    """
    from softcost.cli.machine._checks import all_checks

    checks = list(all_checks())
    if as_json:
        write_json(
            {"ok": not _failed(checks), "checks": [check.as_dict() for check in checks]}
        )
    else:
        print_table(
            [("", "left"), ("what", "left"), ("found", "left"), ("remedy", "left")],
            [(check.status, check.name, check.found, check.remedy) for check in checks],
            [_STYLE[check.status] for check in checks],
        )
    if _failed(checks):
        context.exit(FAILED)


def _failed(checks: Iterable["Check"]) -> bool:
    return any(check.status == "fail" for check in checks)
