"""How the command line talks: errors, exit codes, tables, JSON, progress.

Nothing here imports a slow package before it is needed, so that every command's help
is there at once.
"""

from softcost.cli.console._errors import (
    BAD_INPUT,
    BUDGET_MISSED,
    EPILOG,
    FAILED,
    INTERRUPTED,
    OK,
    BadInput,
    BudgetMissed,
    JobFailed,
    bad_input,
    failed_job,
    say,
    say_note,
)
from softcost.cli.console._formatting import (
    format_cost,
    format_params,
    format_rate,
    format_saving,
    quoted_names,
)
from softcost.cli.console._group import LazyGroup
from softcost.cli.console._limits import read_recalls, read_tolerance
from softcost.cli.console._output import print_table, stdout_console, write_json
from softcost.cli.console._paths import (
    STREAM,
    check_files,
    existing_file,
    shown_name,
)
from softcost.cli.console._progress import show_progress
from softcost.cli.console._warnings import warnings_as_lines

__all__ = [
    "BAD_INPUT",
    "BUDGET_MISSED",
    "EPILOG",
    "FAILED",
    "INTERRUPTED",
    "OK",
    "STREAM",
    "BadInput",
    "BudgetMissed",
    "JobFailed",
    "LazyGroup",
    "bad_input",
    "check_files",
    "existing_file",
    "failed_job",
    "format_cost",
    "format_params",
    "format_rate",
    "format_saving",
    "print_table",
    "quoted_names",
    "read_recalls",
    "read_tolerance",
    "say",
    "say_note",
    "show_progress",
    "shown_name",
    "stdout_console",
    "warnings_as_lines",
    "write_json",
]
