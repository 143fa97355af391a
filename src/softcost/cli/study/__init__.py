"""The paper: ``softcost reproduce`` and ``softcost report``."""

from softcost.cli.study._report import report
from softcost.cli.study._reproduce import reproduce

__all__ = ["report", "reproduce"]
