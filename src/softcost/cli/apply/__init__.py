"""Using models: to answer, to measure and compare them, to choose others of them."""

from softcost.cli.apply._choose import choose
from softcost.cli.apply._compare import compare
from softcost.cli.apply._evaluate import evaluate
from softcost.cli.apply._explain import explain
from softcost.cli.apply._page import page
from softcost.cli.apply._predict import predict
from softcost.cli.apply._serve import serve

__all__ = ["choose", "compare", "evaluate", "explain", "page", "predict", "serve"]
