"""How the command line talks: errors, exit codes, tables, JSON, progress.

Nothing here imports a slow package before it is needed, so that every command's help
is there at once.
"""

from softcost.cli.console._errors import (
    BAD_INPUT,
    EPILOG,
    FAILED,
    INTERRUPTED,
    OK,
    BadInput,
    JobFailed,
    bad_input,
    say,
    trained,
)
from softcost.cli.console._group import LazyGroup
from softcost.cli.console._output import print_table, stdout_console, write_json
from softcost.cli.console._paths import STREAM, check_place, existing, shown_name
from softcost.cli.console._progress import shown_progress
from softcost.cli.console._warnings import spoken_warnings
from softcost.cli.console._words import amount, percent, share, short, some

__all__ = [
    "BAD_INPUT",
    "EPILOG",
    "FAILED",
    "INTERRUPTED",
    "OK",
    "STREAM",
    "BadInput",
    "JobFailed",
    "LazyGroup",
    "amount",
    "bad_input",
    "check_place",
    "existing",
    "percent",
    "print_table",
    "say",
    "share",
    "short",
    "shown_name",
    "shown_progress",
    "some",
    "spoken_warnings",
    "stdout_console",
    "trained",
    "write_json",
]
