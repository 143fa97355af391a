"""Schemas of scikit-learn's linear models, and of parameters that are objects."""

import numpy as np

from softcost.models._array_kinds import (
    Shapes,
    numbers,
)
from softcost.models._common_kinds import (
    CLASS_WEIGHT,
    COUNT,
    ESTIMATOR,
    FLAG,
    JOBS,
    NUMBER,
    PLAIN,
    POSITIVE,
    SEED,
    VERBOSE,
)
from softcost.models._errors import Refused
from softcost.models._kinds import (
    Real,
    Record,
    Text,
    Whole,
    either,
    maybe,
)
from softcost.models._schema import FEATURES, Type
from softcost.models._values import Labels


def _check_logistic(record: Record) -> None:
    if record.fitted is None:
        return
    rows, classes = record.dims["rows"], record.dims["K"]
    if classes < 2 or rows != (1 if classes == 2 else classes):
        raise Refused("coef_: not one row for each class")


def _check_ridge(record: Record) -> None:
    if record.fitted is None:
        return
    coef, intercept = record.fitted["coef_"], record.fitted["intercept_"]
    sizes = (coef.shape[0],) if coef.ndim == 2 else ()
    if np.shape(intercept) not in ((), sizes):
        raise Refused("intercept_: not one for each target")


_COEF = Shapes((numbers("d"), numbers("targets", "d")))
_SOLVER = Text()

LINEAR_TYPES = [
    Type(
        "sklearn.linear_model:Ridge",
        {"alpha": PLAIN, "fit_intercept": FLAG, "copy_X": FLAG,
         "max_iter": maybe(Whole(1)), "tol": POSITIVE, "solver": _SOLVER,
         "positive": FLAG, "random_state": SEED},
        FEATURES | {
            "coef_": _COEF, "intercept_": either(NUMBER, numbers("targets")),
            "n_iter_": PLAIN, "solver_": _SOLVER,
        },
        frozenset({"feature_names_in_", "solver_", "n_iter_"}),
        check=_check_ridge,
    ),
    Type(
        "sklearn.linear_model:LogisticRegression",
        {"penalty": maybe(Text()), "C": POSITIVE, "l1_ratio": maybe(Real(0, 1)),
         "dual": FLAG, "tol": POSITIVE, "fit_intercept": FLAG,
         "intercept_scaling": NUMBER, "class_weight": CLASS_WEIGHT,
         "random_state": SEED, "solver": _SOLVER, "max_iter": COUNT,
         "multi_class": Text(), "verbose": VERBOSE, "warm_start": FLAG,
         "n_jobs": JOBS},
        FEATURES | {
            "classes_": Labels("K"), "coef_": numbers("rows", "d"),
            "intercept_": numbers("rows"), "n_iter_": PLAIN,
        },
        frozenset({"feature_names_in_", "n_iter_"}),
        check=_check_logistic,
    ),
    Type(
        "sklearn.frozen:FrozenEstimator",
        {"estimator": ESTIMATOR},
        {},
        frozenset(),
        take=lambda value: {},
    ),
    *(
        Type(f"sklearn.model_selection:{name}", dict.fromkeys(fields, PLAIN),
             unkept=frozenset({"cvargs", "cv"}), take=lambda value: {})
        for name, fields in {
            "KFold": ("n_splits", "shuffle", "random_state"),
            "StratifiedKFold": ("n_splits", "shuffle", "random_state"),
            "GroupKFold": ("n_splits", "shuffle", "random_state"),
            "StratifiedGroupKFold": ("n_splits", "shuffle", "random_state"),
            "ShuffleSplit": ("n_splits", "test_size", "train_size", "random_state"),
            "StratifiedShuffleSplit": (
                "n_splits", "test_size", "train_size", "random_state"),
        }.items()
    ),
]  # fmt: skip
