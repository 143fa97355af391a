"""A model behind HTTP on this machine: ``softcost serve``."""

from softcost.service.app import run

__all__ = ["run"]
