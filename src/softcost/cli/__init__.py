"""The command line: parse, call, exit code."""

import click

from softcost._version import __version__


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="softcost")
def main() -> None:
    """Multiclass classification where mistakes have different prices."""
