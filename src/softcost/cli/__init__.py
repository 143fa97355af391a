"""The command line: parse, call, exit code.

Commands are in folders by what they do (``train``, ``apply``, ``costs``, ``study``,
``machine``), each imported when it is called. A command's own module only parses and
imports its work inside the function, so that every ``--help`` costs next to nothing.
What commands share is in ``console`` (imports nothing slow), ``inputs`` (files of the
user) and ``results``. A folder's ``__init__`` says what others may use.

To add a command, add its module to a folder, and a line here.
"""

import click

from softcost._version import __version__
from softcost.cli.command_group import LazyGroup
from softcost.cli.console import EPILOG

COMMANDS = {
    "demo": (
        "softcost.cli.train:demo",
        "Show the main job on bundled data, in seconds.",
    ),
    "fit": (
        "softcost.cli.train:fit",
        "Train on a table and a price list, and choose on the trade-off.",
    ),
    "predict": (
        "softcost.cli.apply:predict",
        "Predict the rows of a table with a model.",
    ),
    "evaluate": (
        "softcost.cli.apply:evaluate",
        "Measure a model on rows whose classes are known.",
    ),
    "explain": (
        "softcost.cli.apply:explain",
        "Tell what each column saves, in the units of the prices.",
    ),
    "compare": (
        "softcost.cli.apply:compare",
        "Compare two models on rows whose classes are known.",
    ),
    "choose": (
        "softcost.cli.apply:choose",
        "Take another model of a trade-off, without training again.",
    ),
    "page": (
        "softcost.cli.apply:page",
        "Write the explorer page of a model.",
    ),
    "serve": (
        "softcost.cli.apply:serve",
        "Answer rows over HTTP: JSON in, answers with expected costs out.",
    ),
    "costs": (
        "softcost.cli.costs:costs",
        "Make a price list, or check one.",
    ),
    "datasets": (
        "softcost.cli.machine:datasets",
        "List the data sets, and where each would come from.",
    ),
    "doctor": (
        "softcost.cli.machine:doctor",
        "Check this machine: versions, threads, directories, data.",
    ),
    "reproduce": (
        "softcost.cli.study:reproduce",
        "Rerun the paper's tables and figures, beside the published numbers.",
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
