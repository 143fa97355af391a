"""Schemas of scikit-learn's neighbours, calibration and constant answers."""

from typing import Any

import numpy as np

from softcost.models._array_kinds import (
    numbers,
    whole_numbers,
)
from softcost.models._common_kinds import (
    ESTIMATOR,
    FLAG,
    JOBS,
    NOTHING,
    PLAIN,
    SEED,
    require_fitted,
)
from softcost.models._errors import NotCovered, Refused
from softcost.models._kinds import (
    ListOf,
    Real,
    Record,
    Text,
    Whole,
    bind,
    either,
    length,
    maybe,
    one_of,
)
from softcost.models._schema import FEATURES, Type, made
from softcost.models._tree_types import NAMED
from softcost.models._values import Labels

_METRICS = one_of("minkowski", "euclidean", "manhattan", "chebyshev")


def _take_neighbours(value: Any) -> dict[str, Any] | None:
    if not hasattr(value, "_fit_X"):
        return None
    names = {"classes_", "n_features_in_", "feature_names_in_"}
    out = {name: getattr(value, name) for name in names if hasattr(value, name)}
    return out | {"rows": value._fit_X, "y": value._y}


def _check_neighbours(record: Record) -> None:
    if record.fitted is None or "classes_" not in record.fitted:
        return
    labels = record.fitted["y"]
    if len(np.unique(labels)) != record.dims["K"] or labels.max() >= record.dims["K"]:
        raise Refused("y: not the numbers of the classes")


def _make_neighbours(kind: Any, params: dict, fitted: dict | None) -> Any:
    """Fitted again to the same rows, which gives the same neighbours."""
    value = made(kind, params, None)
    if fitted is None:
        return value
    labels = fitted["y"]
    value.fit(
        fitted["rows"], fitted["classes_"][labels] if "classes_" in fitted else labels
    )
    if "feature_names_in_" in fitted:
        value.feature_names_in_ = fitted["feature_names_in_"]
    return value


def _neighbours(name: str, classes: bool) -> Type:
    labels = {"classes_": Labels("K"), "y": whole_numbers("n")}
    return Type(
        f"sklearn.neighbors:{name}",
        {"n_neighbors": Whole(1), "weights": one_of("uniform", "distance"),
         "algorithm": one_of("auto", "ball_tree", "kd_tree", "brute"),
         "leaf_size": Whole(1), "p": Real(1), "metric": _METRICS,
         "metric_params": NOTHING, "n_jobs": JOBS},
        FEATURES | {"rows": numbers("n", "d")}
        | (labels if classes else {"y": numbers("n")}),
        NAMED, check=_check_neighbours, take=_take_neighbours, make=_make_neighbours,
    )  # fmt: skip


def _take_calibrated(value: Any) -> dict[str, Any] | None:
    if not hasattr(value, "calibrated_classifiers_"):
        return None
    members = value.calibrated_classifiers_
    kinds = {type(one).__name__ for part in members for one in part.calibrators}
    if kinds != {"_SigmoidCalibration"}:
        raise NotCovered("a calibration that is not sigmoid")
    names = ("classes_", "n_features_in_", "feature_names_in_")
    out = {name: getattr(value, name) for name in names if hasattr(value, name)}
    curves = [[(one.a_, one.b_) for one in part.calibrators] for part in members]
    return out | {
        "members": [part.estimator for part in members],
        "curves": np.array(curves, float),
    }


def _check_calibrated(record: Record) -> None:
    if record.fitted is None:
        return
    classes = record.dims["K"]
    bind(record.dims, "calibrators", 1 if classes == 2 else classes)
    for member in record.fitted["members"]:
        require_fitted(member, record.dims.get("d"), "members")


def _make_calibrated(kind: Any, params: dict, fitted: dict | None) -> Any:
    value = made(kind, params, None)
    if fitted is None:
        return value
    from sklearn.calibration import _CalibratedClassifier, _SigmoidCalibration

    members = []
    for estimator, curves in zip(
        fitted.pop("members"), fitted.pop("curves"), strict=True
    ):
        calibrators = [
            made(_SigmoidCalibration, {}, {"a_": a, "b_": b}) for a, b in curves
        ]
        members.append(
            _CalibratedClassifier(
                estimator, calibrators, classes=fitted["classes_"], method="sigmoid"
            )
        )
    value.__dict__.update(fitted, calibrated_classifiers_=members)
    return value


def _check_constant(record: Record) -> None:
    """Refuse answers of another shape, which would be repeated for every row."""
    constant: Any = record.params.get("constant")
    if np.size(constant) != 1:
        raise Refused("constant: not one answer")
    if record.get("sparse_output_"):
        raise Refused("sparse_output_: not of one answer")


_GUESSES = one_of("most_frequent", "prior", "stratified", "uniform", "constant")

OTHER_TYPES = [
    Type(
        "sklearn.dummy:DummyClassifier",
        {"strategy": _GUESSES, "random_state": SEED, "constant": PLAIN},
        FEATURES | {
            "_strategy": _GUESSES, "sparse_output_": FLAG, "n_outputs_": Whole(1, 1),
            "classes_": Labels("K"), "n_classes_": length("K"),
            "class_prior_": numbers("K", least=0),
        },
        NAMED | {"n_features_in_"},
        check=_check_constant,
    ),
    Type(
        "sklearn.dummy:DummyRegressor",
        {"strategy": one_of("mean", "median", "quantile", "constant"),
         "constant": PLAIN, "quantile": maybe(Real(0, 1))},
        FEATURES | {"n_outputs_": Whole(1, 1), "constant_": numbers(1, 1)},
        NAMED | {"n_features_in_"},
        check=_check_constant,
    ),
    _neighbours("KNeighborsClassifier", True),
    _neighbours("KNeighborsRegressor", False),
    Type(
        "sklearn.calibration:CalibratedClassifierCV",
        {"estimator": maybe(ESTIMATOR), "method": Text(), "cv": PLAIN, "n_jobs": JOBS,
         "ensemble": either(FLAG, one_of("auto"))},
        FEATURES | {
            "classes_": Labels("K"), "members": ListOf(ESTIMATOR, "members"),
            "curves": numbers("members", "calibrators", 2),
        },
        NAMED | {"n_features_in_"},
        check=_check_calibrated,
        take=_take_calibrated,
        make=_make_calibrated,
    ),
]  # fmt: skip
