"""Price lists: ``softcost costs template`` and ``softcost costs check``."""

from softcost.cli.costs._commands import costs

__all__ = ["costs"]
