"""A model behind HTTP on this machine: ``softcost serve``."""

from softcost.cli.apply.service._run import run

__all__ = ["run"]
