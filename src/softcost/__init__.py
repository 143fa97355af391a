"""Multiclass classification where mistakes have different prices.

Public names are imported when they are first used, so that ``import softcost``
and ``softcost --help`` cost next to nothing.
"""

from importlib import import_module
from typing import Any

from softcost._version import __version__

_SUBPACKAGES = (
    "costs", "datasets", "metrics", "models", "paper", "reductions", "report", "soft",
    "svm", "testing",
)  # fmt: skip

_NAMES_OF = {
    "softcost.models": ("load", "save"),
    "softcost.reductions": (
        "CostSensitiveOneVsOne",
        "Costing",
        "FilterTree",
        "MetaCost",
        "MinimumExpectedCost",
        "OneSidedBoosting",
        "OneSidedRegression",
        "RegressionOneVsAll",
        "StochasticEnsembleBoosting",
        "WeightedAllPairs",
        "ZhouLiuRescaling",
    ),
    "softcost.report": (
        "CostMatrixDisplay",
        "SoftnessCurveDisplay",
        "TradeoffDisplay",
    ),
    "softcost.soft": ("SoftCostClassifierCV",),
    "softcost.svm": ("KernelSVC", "OneSidedSVR"),
}
_HOME_OF = {name: home for home, names in _NAMES_OF.items() for name in names}

__all__ = ["__version__", *_SUBPACKAGES, *_HOME_OF]


def __getattr__(name: str) -> Any:
    if name in _SUBPACKAGES:
        return import_module(f"softcost.{name}")
    if name in _HOME_OF:
        return getattr(import_module(_HOME_OF[name]), name)
    raise AttributeError(f"module 'softcost' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
