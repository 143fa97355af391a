"""Using models: ``softcost predict``, ``evaluate`` and ``compare``."""

from softcost.cli.apply._compare import compare
from softcost.cli.apply._evaluate import evaluate
from softcost.cli.apply._predict import predict

__all__ = ["compare", "evaluate", "predict"]
