"""Training: ``softcost fit``, and the same on bundled data as ``softcost demo``."""

from softcost.cli.train._demo import demo
from softcost.cli.train._fit import fit

__all__ = ["demo", "fit"]
