"""Multiclass classification that minimises the cost of mistakes.

Public names are imported when they are first used, so that ``import softcost``
and ``softcost --help`` cost next to nothing.
"""

from typing import TYPE_CHECKING

from softcost._lazy import lazy_names
from softcost._version import __version__

if TYPE_CHECKING:
    from softcost import (
        costs,
        datasets,
        learners,
        linear,
        metrics,
        mlflow,
        onnx,
        paper,
        persistence,
        reductions,
        report,
        search,
        svm,
        tables,
        testing,
        workflow,
    )
    from softcost.linear import (
        LinearClassifier,
        NystroemClassifier,
        OneSidedLinear,
        OneSidedNystroem,
    )
    from softcost.onnx import to_onnx
    from softcost.persistence import load, save
    from softcost.reductions import (
        Costing,
        CostSensitiveOneVsOne,
        FilterTree,
        MetaCost,
        MinimumExpectedCost,
        OneSidedBoosting,
        OneSidedRegression,
        RegressionOneVsAll,
        StochasticEnsembleBoosting,
        WeightedAllPairs,
        ZhouLiuRescaling,
    )
    from softcost.report import (
        CostCurveDisplay,
        CostMatrixDisplay,
        NetBenefitDisplay,
        SoftnessCurveDisplay,
        TradeoffDisplay,
    )
    from softcost.search import (
        Budget,
        LeastCost,
        MaxOfBoth,
        SoftCostClassifierCV,
        Tolerance,
    )
    from softcost.svm import KernelSVC, OneSidedSVR

__all__ = [
    "Budget",
    "CostCurveDisplay",
    "CostMatrixDisplay",
    "CostSensitiveOneVsOne",
    "Costing",
    "FilterTree",
    "KernelSVC",
    "LeastCost",
    "LinearClassifier",
    "MaxOfBoth",
    "MetaCost",
    "MinimumExpectedCost",
    "NetBenefitDisplay",
    "NystroemClassifier",
    "OneSidedBoosting",
    "OneSidedLinear",
    "OneSidedNystroem",
    "OneSidedRegression",
    "OneSidedSVR",
    "RegressionOneVsAll",
    "SoftCostClassifierCV",
    "SoftnessCurveDisplay",
    "StochasticEnsembleBoosting",
    "Tolerance",
    "TradeoffDisplay",
    "WeightedAllPairs",
    "ZhouLiuRescaling",
    "__version__",
    "costs",
    "datasets",
    "learners",
    "linear",
    "load",
    "metrics",
    "mlflow",
    "onnx",
    "paper",
    "persistence",
    "reductions",
    "report",
    "save",
    "search",
    "svm",
    "tables",
    "testing",
    "to_onnx",
    "workflow",
]

if not TYPE_CHECKING:
    _PACKAGES = (
        "costs", "datasets", "learners", "linear", "metrics", "mlflow", "onnx",
        "paper", "persistence", "reductions", "report", "search", "svm", "tables",
        "testing", "workflow",
    )  # fmt: skip
    _FROM = {
        "linear": (
            "LinearClassifier", "NystroemClassifier", "OneSidedLinear",
            "OneSidedNystroem",
        ),
        "onnx": ("to_onnx",),
        "persistence": ("load", "save"),
        "report": (
            "CostCurveDisplay", "CostMatrixDisplay", "NetBenefitDisplay",
            "SoftnessCurveDisplay", "TradeoffDisplay",
        ),
        "search": (
            "Budget", "LeastCost", "MaxOfBoth", "SoftCostClassifierCV", "Tolerance",
        ),
        "svm": ("KernelSVC", "OneSidedSVR"),
    }  # fmt: skip
    # What is left are reductions.
    _known = {*_PACKAGES, *(name for names in _FROM.values() for name in names)}
    _FROM["reductions"] = tuple(set(__all__) - _known - {"__version__"})
    __getattr__, __dir__ = lazy_names(
        "softcost",
        {f"softcost.{name}": names for name, names in _FROM.items()},
        modules=_PACKAGES,
    )
