"""The paper: ``softcost reproduce``."""

from softcost.cli.study._pages import pages
from softcost.cli.study._reproduce import reproduce

reproduce.add_command(pages)

__all__ = ["reproduce"]
