"""Using a model: ``softcost predict`` and ``softcost evaluate``."""

from softcost.cli.apply._evaluate import evaluate
from softcost.cli.apply._predict import predict

__all__ = ["evaluate", "predict"]
