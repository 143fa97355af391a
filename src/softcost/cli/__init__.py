"""The command line: parse, call, exit code.

Every command is a module of its own, imported when the command is called, so
that ``softcost --help`` costs next to nothing. To add one, add a line here.
"""

import click

from softcost._version import __version__
from softcost.cli._errors import EPILOG
from softcost.cli._group import LazyGroup

COMMANDS = {
    "demo": (
        "softcost.cli._demo:demo",
        "Show the main job on bundled data, in seconds.",
    ),
    "fit": (
        "softcost.cli._fit:fit",
        "Train on a table and a price list, and choose on the trade-off.",
    ),
    "predict": (
        "softcost.cli._predict:predict",
        "Predict the rows of a table with a model.",
    ),
    "evaluate": (
        "softcost.cli._evaluate:evaluate",
        "Measure a model on rows whose classes are known.",
    ),
    "costs": (
        "softcost.cli._costs:costs",
        "Make a price list, or check one.",
    ),
    "datasets": (
        "softcost.cli._datasets:datasets",
        "List the data sets, and where each would come from.",
    ),
    "doctor": (
        "softcost.cli._doctor:doctor",
        "Check this machine: versions, threads, directories, data.",
    ),
    "reproduce": (
        "softcost.cli._reproduce:reproduce",
        "Rerun the paper's tables and figures, beside the printed numbers.",
    ),
    "report": (
        "softcost.cli._report:report",
        "Write tables, figures and verdicts from a file of results.",
    ),
}


@click.group(
    cls=LazyGroup,
    commands_by_name=COMMANDS,
    invoke_without_command=True,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="softcost")
@click.pass_context
def main(context: click.Context) -> None:
    """Multiclass classification where mistakes have different prices."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
