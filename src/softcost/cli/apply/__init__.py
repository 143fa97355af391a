"""Using models: ``softcost predict``, ``evaluate``, ``compare`` and ``serve``."""

from softcost.cli.apply._compare import compare
from softcost.cli.apply._evaluate import evaluate
from softcost.cli.apply._predict import predict
from softcost.cli.apply._serve import serve

__all__ = ["compare", "evaluate", "predict", "serve"]
