"""The command group: finds a command, runs it, ends with a documented exit code."""

import sys
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from softcost._version import __version__
from softcost.cli.console import (
    EPILOG,
    FAULT,
    OK,
    BadInput,
    JobFailed,
    discard_output,
    exhausted_resource,
    exit_with,
    prepare_streams,
)
from softcost.errors import InputError, command_line_names

COMMANDS = {
    "demo": (
        "softcost.cli.demo:demo",
        "Show the main job on bundled data, in seconds.",
    ),
    "fit": (
        "softcost.cli.fit:fit",
        "Train on a table and a price list, and choose on the trade-off.",
    ),
    "predict": (
        "softcost.cli.predict:predict",
        "Predict the rows of a table with a model.",
    ),
    "evaluate": (
        "softcost.cli.evaluate:evaluate",
        "Measure a model on rows whose classes are known.",
    ),
    "monitor": (
        "softcost.cli.monitor:monitor",
        "Compare the cost of a model in use with its expected cost.",
    ),
    "explain": (
        "softcost.cli.explain:explain",
        "Show how much each column saves, or explain one prediction.",
    ),
    "compare": (
        "softcost.cli.compare:compare",
        "Compare two models on rows whose classes are known.",
    ),
    "choose": (
        "softcost.cli.choose:choose",
        "Choose another model of the trade-off, without training again.",
    ),
    "page": (
        "softcost.cli.page:page",
        "Write the explorer page of a model.",
    ),
    "serve": (
        "softcost.cli.serve:serve",
        "Answer rows over HTTP: JSON in, predictions and costs out.",
    ),
    "export": (
        "softcost.cli.export:export",
        "Export a model as an ONNX graph, which runs without Python.",
    ),
    "costs": (
        "softcost.cli.costs:costs",
        "Make a price list, or check one.",
    ),
    "datasets": (
        "softcost.cli.datasets:datasets",
        "List the data sets and their sources.",
    ),
    "doctor": (
        "softcost.cli.doctor:doctor",
        "Check this machine: versions, threads, directories, data.",
    ),
    "reproduce": (
        "softcost.cli.reproduce:reproduce",
        "Rerun the paper's tables and figures, beside the published numbers.",
    ),
}


class LazyGroup(click.Group):
    """Commands by name, imported on first use.

    Parameters
    ----------
    commands_by_name : mapping of str to (target, summary)
        Where each command is, as ``"module:attribute"``, and its line in the help,
        so that the help needs no import. A test holds the line to the command's
        own docstring.
    """

    def __init__(
        self,
        *args: Any,
        commands_by_name: Mapping[str, tuple[str, str]],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.commands_by_name = commands_by_name

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names, in the order of the table."""
        return list(self.commands_by_name)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of this name."""
        if cmd_name not in self.commands_by_name:
            return None
        module, attribute = self.commands_by_name[cmd_name][0].split(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which one was perhaps meant."""
        name = args[0]
        if name not in self.commands_by_name and not name.startswith("-"):
            near = get_close_matches(name, self.commands_by_name, n=1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            raise click.UsageError(f"There is no command {name!r}{hint}.", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the list of commands from the table, without importing them."""
        rows = [(name, line) for name, (_, line) in self.commands_by_name.items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; a reader that closes the pipe early is not an error."""
        try:
            with command_line_names():
                result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            discard_output()
            return OK
        return result

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run, and end the process with a documented exit code.

        An unexpected exception is a fault of softcost: Python prints its traceback, to
        which a sentence is added, and exits with code 1.
        """
        result = None
        if standalone_mode:
            prepare_streams()
        try:
            result = super().main(
                args, prog_name, complete_var, standalone_mode=False, **extra
            )
        except InputError as error:
            if not standalone_mode:
                raise
            sys.exit(exit_with(BadInput(str(error))))
        except (click.ClickException, click.Abort) as error:
            if not standalone_mode:
                raise
            sys.exit(exit_with(error))
        except Exception as error:
            if not standalone_mode:
                raise
            reason = exhausted_resource(error)
            if reason:
                discard_output()
                sys.exit(exit_with(JobFailed(reason)))
            error.add_note(FAULT)
            raise
        if not standalone_mode:
            return result
        sys.exit(result if isinstance(result, int) else OK)


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
    """Multiclass classification that minimises the cost of mistakes."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
