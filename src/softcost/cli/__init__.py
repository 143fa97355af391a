"""The command line: one module per command, with its options and its output.

`main` is the command group. A command's module is imported when the command is called,
and imports the library inside the function, so every ``--help`` is fast. The work
itself is in `softcost.workflow` and other packages of the library; `console` has what
commands share: exit codes, messages, tables, progress.

To add a command, add a module here, and a line to ``COMMANDS`` in `main`.
"""

from softcost.cli.main import COMMANDS, main

__all__ = ["COMMANDS", "main"]
