"""Schemas of softcost's own estimators, and of what they are made of.

Names of private modules and attributes are spelled here as text: what a file format
has to know of other packages, it knows in this module, and a test fits, saves and
loads every estimator there is.
"""

from dataclasses import fields
from importlib import import_module
from typing import Any

import numpy as np

from softcost.models._array_kinds import (
    Array,
    whole_numbers,
)
from softcost.models._common_kinds import (
    COUNT,
    ESTIMATOR,
    JOBS,
    NUMBER,
    PLAIN,
    POSITIVE,
    SEED,
    require_fitted,
    word_or,
)
from softcost.models._errors import NotCovered, Refused
from softcost.models._kinds import (
    Kind,
    ListOf,
    Part,
    Real,
    Record,
    Whole,
    bind,
    maybe,
    one_of,
)
from softcost.models._lightgbm import Booster, make_booster
from softcost.models._schema import FEATURES, Type, made
from softcost.models._values import Labels

NAMED = frozenset({"feature_names_in_"})
_KERNELS = (
    "perceptron", "stump", "laplacian", "exponential", "rbf", "linear", "precomputed",
)  # fmt: skip
_CERTIFICATE = {
    "intercept": "f8", "violation": "f8", "dual_gap": "f8", "objective": "f8",
    "steps": "i8", "converged": "b1",
}  # fmt: skip


def _private(module: str, name: str) -> Any:
    return getattr(import_module(f"softcost.{module}"), name)


def _take_machines(value: Any) -> dict[str, Any]:
    kernel = value.kernel
    found = {
        "kernel": kernel.name, "gamma": kernel.gamma, "megabytes": kernel.megabytes,
        "centre": kernel.centre, "support": value.support, "vectors": value.vectors,
        "coef": value.coef, "intercept": value.intercept, "offset": value.offset,
    }  # fmt: skip
    names = {one.name for one in fields(_private("solvers.smo", "Solution"))}
    if names != {"beta", *_CERTIFICATE}:
        raise NotCovered("machines with a certificate of another form")
    for name, dtype in _CERTIFICATE.items():
        found[f"certificate_{name}"] = np.array(
            [getattr(one, name) for one in value.solutions], dtype
        )
    return found


def _check_machines(record: Record) -> None:
    found = record.fitted or {}
    if (found["vectors"] is None) != (found["kernel"] == "precomputed"):
        raise Refused("vectors: they go with every kernel but a precomputed one")
    if found["centre"] is not None and found["vectors"] is None:
        raise Refused("centre: there is nothing to take it off")


def _make_machines(kind: Any, params: dict, fitted: dict | None) -> Any:
    assert fitted is not None
    columns = {name: fitted.pop(f"certificate_{name}") for name in _CERTIFICATE}
    solution = _private("solvers.smo", "Solution")
    rows = zip(*(one.tolist() for one in columns.values()), strict=True)
    solutions = tuple(
        solution(beta=np.empty(0), **dict(zip(columns, row, strict=True)))
        for row in rows
    )
    kernel = _private("svm._machines", "KernelSpec")(
        fitted.pop("kernel"),
        float(fitted.pop("gamma")),
        fitted.pop("megabytes"),
        fitted.pop("centre"),
    )
    return kind(kernel=kernel, solutions=solutions, **fitted)


MACHINES = Type(
    "softcost.svm._machines:Machines",
    {},
    {
        "kernel": one_of(*_KERNELS), "gamma": POSITIVE, "megabytes": POSITIVE,
        "centre": maybe(Array("f8", ("d",))), "support": whole_numbers("n"),
        "vectors": maybe(Array("f4", ("n", "d"))), "coef": Array("f8", ("n", "m")),
        "intercept": Array("f8", ("m",), finite=False),
        "offset": Array("f8", ("m",), finite=False),
        **{
            f"certificate_{name}": Array(dtype, ("m",), finite=False)
            for name, dtype in _CERTIFICATE.items()
        },
    },
    check=_check_machines,
    take=_take_machines,
    make=_make_machines,
)  # fmt: skip

_KERNEL_PARAMS = {
    "kernel": one_of(*_KERNELS), "C": POSITIVE,
    "gamma": word_or(POSITIVE, "scale", "auto"), "tol": POSITIVE,
    "cache_size": POSITIVE, "max_iter": Whole(-1),
}  # fmt: skip


def take_machines_of(value: Any) -> dict[str, Any] | None:
    """What a learner keeps beside its machines, and they; None before a fit."""
    own = vars(value)
    if "_machines" not in own:
        return None
    names = ("n_features_in_", "feature_names_in_", "classes_", "_machines")
    return {name: own[name] for name in names if name in own}


def _check_kernel_machine(record: Record) -> None:
    if record.fitted is None:
        return
    machines = record.fitted["_machines"]
    _same_features(machines, record.dims["d"])
    if machines.fitted["kernel"] != record.params.get("kernel", "perceptron"):
        raise Refused("kernel: not that of its machines")
    classes = record.dims.get("K")
    bind(record.dims, "m", machines.dims["m"])
    bind(record.dims, "m", 1 if classes is None else classes * (classes - 1) // 2)


def _same_features(machines: Record, features: int) -> None:
    if machines.fitted and machines.fitted["vectors"] is not None:
        bind({"d": features}, "d", machines.dims["d"])


def make_with_machines(kind: Any, params: dict, fitted: dict | None) -> Any:
    """A learner that finds its other attributes in its machines."""
    value = made(kind, params, None)
    if fitted is not None:
        machines = fitted.pop("_machines")
        value.__dict__.update(fitted)
        getattr(value, "_keep")(machines)  # noqa: B009 (private to another package)
    return value


def _kernel_machine(place: str, extra: dict) -> Type:
    return Type(
        place, _KERNEL_PARAMS, FEATURES | {"_machines": Part(["Machines"])} | extra,
        NAMED, check=_check_kernel_machine, take=take_machines_of,
        make=make_with_machines,
    )  # fmt: skip


def _check_boosting(record: Record) -> None:
    if record.fitted is not None and record.fitted["booster_"] is not None:
        bind(record.dims, "d", record.dims["boosted"])


def _make_boosting(kind: Any, params: dict, fitted: dict | None) -> Any:
    if fitted is not None:
        fitted["booster_"] = make_booster(fitted["booster_"])
    return made(kind, params, fitted)


def _check_clipped(record: Record) -> None:
    if record.fitted is not None:
        require_fitted(record.fitted["regressor_"], record.dims["d"], "regressor_")


def _take_one_class(value: Any) -> dict[str, Any]:
    return {"number": value.classes_[0]}


def _make_one_class(kind: Any, params: dict, fitted: dict | None) -> Any:
    assert fitted is not None
    return kind(fitted["number"])


def _take_value(value: Any) -> dict[str, Any]:
    return {"value": value.value}


def _make_value(kind: Any, params: dict, fitted: dict | None) -> Any:
    return kind(**(fitted or {}))


def _check_pair(record: Record) -> None:
    for name in ("first", "second"):
        require_fitted(record.params.get(name), None, name)


_RULES: dict[str, dict[str, Kind]] = {
    "LeastCost": {},
    "LeastError": {},
    "MaxOfBoth": {},
    "Budget": {
        "error": maybe(Real(0, 1)), "weighted_error": maybe(Real(0)),
        "cost": maybe(Real(0)), "normalized_cost": maybe(Real(0)),
        "g_mean": maybe(Real(0, 1)), "coverage": maybe(Real(0, 1)), "recall": PLAIN,
        "confidence": maybe(Real(0, 1)),
    },
    "Tolerance": {"cost": word_or(Real(0), "1se")},
}  # fmt: skip

LEARNER_TYPES = [
    MACHINES,
    _kernel_machine("softcost.svm:KernelSVC", {"classes_": Labels("K")}),
    _kernel_machine("softcost.svm:OneSidedSVR", {}),
    Type(
        "softcost.reductions:OneSidedBoosting",
        {"n_estimators": COUNT, "learning_rate": POSITIVE, "num_leaves": COUNT,
         "min_child_samples": COUNT, "reg_lambda": POSITIVE, "n_jobs": JOBS},
        FEATURES | {"booster_": maybe(Booster()), "start_": NUMBER, "scale_": NUMBER},
        NAMED,
        check=_check_boosting,
        make=_make_boosting,
    ),
    Type(
        "softcost.reductions:ClippedTargetRegressor",
        {"regressor": maybe(ESTIMATOR), "n_refits": COUNT},
        FEATURES | {"regressor_": ESTIMATOR, "losses_": ListOf(Real(0))},
        NAMED,
        check=_check_clipped,
    ),
    Type(
        "softcost.learners._fitting:Constant", {}, {"value": Real(finite=False)},
        take=_take_value, make=_make_value,
    ),
    Type(
        "softcost.learners:FittedModels", {},
        {"members": ListOf(ESTIMATOR, "m")}, make=_make_value,
    ),
    Type(
        "softcost.reductions._multiclass:OneClass", {}, {"number": Whole(0, 2**31)},
        take=_take_one_class, make=_make_one_class,
    ),
    Type(
        "softcost.soft:RandomizedPair",
        {"first": ESTIMATOR, "second": ESTIMATOR, "probability": Real(0, 1),
         "random_state": SEED},
        {}, check=_check_pair, take=lambda value: {},
    ),
    *(
        Type(f"softcost.selection:{name}", kinds, take=lambda value: {})
        for name, kinds in _RULES.items()
    ),
]  # fmt: skip
