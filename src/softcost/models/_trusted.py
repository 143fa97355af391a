"""Types that a model file may hold, beside those that skops knows to be harmless.

skops makes an object of a type only if the type is known to it (scikit-learn's public
estimators, numpy's and scipy's arrays) or named here. Nothing else is ever made, and
no pickle is read.
"""

from softcost.reductions import CATALOGUE

_SOFTCOST = {
    "learners._fitting": ("Constant", "FittedModels", "OnColumns"),
    "linear._classifier": ("LinearClassifier",),
    "linear._landmarks": ("Kernel", "LandmarkModels", "Landmarks"),
    "linear._machines": ("Machines",),
    "linear._nystroem": ("NystroemClassifier", "OneSidedNystroem"),
    "linear._one_sided": ("OneSidedLinear",),
    "linear._space": ("LinearModels",),
    "models._pack": ("PackedBooster", "PackedFrame", "PackedSeries"),
    "reductions._clipped": ("ClippedTargetRegressor",),
    "reductions._filter_tree": ("Node",),
    "reductions._multiclass": ("OneClass",),
    "reductions._one_sided_boosting": ("OneSidedBoosting",),
    "selection._rules": (
        "Budget",
        "LeastCost",
        "LeastError",
        "MaxOfBoth",
        "Tolerance",
    ),
    "soft._mix": ("RandomizedPair",),
    "soft._search": ("SoftCostClassifierCV",),
    "solvers.smo": ("Solution",),
    "svm._kernel_svc": ("KernelSVC",),
    "svm._machines": ("KernelSpec", "Machines"),
    "svm._one_sided_svr": ("OneSidedSVR",),
}

_OTHERS = (
    "collections.OrderedDict",
    "collections.defaultdict",
    "lightgbm.sklearn.LGBMClassifier",
    "lightgbm.sklearn.LGBMRegressor",
    "numpy.dtype",
    "numpy.random.mtrand.RandomState",
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
    "sklearn.metrics._dist_metrics.EuclideanDistance64",
    "sklearn.neighbors._ball_tree.BallTree",
    "sklearn.neighbors._kd_tree.KDTree",
    "sklearn.tree._tree.Tree",
)

TRUSTED = frozenset(
    [
        *(entry.path for entry in CATALOGUE.values()),
        *(
            f"softcost.{module}.{name}"
            for module, names in _SOFTCOST.items()
            for name in names
        ),
        *_OTHERS,
    ]
)
