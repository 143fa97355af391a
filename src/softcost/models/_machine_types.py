"""Schemas of the machines that are linear in their features, and what makes them."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from softcost.models._array_kinds import Array, whole_numbers
from softcost.models._common_kinds import POSITIVE, SEED, word_or
from softcost.models._errors import Refused
from softcost.models._kinds import Kind, Part, Record, Whole, bind, one_of
from softcost.models._own_types import (
    NAMED,
    make_with_machines,
    take_machines_of,
)
from softcost.models._schema import FEATURES, Type
from softcost.models._values import Labels

_KERNELS = ("perceptron", "stump", "laplacian", "exponential", "rbf", "linear")


@dataclass(frozen=True)
class Shape:
    """What must agree between solutions and the learner that made them.

    Attributes
    ----------
    makers : tuple of str
        Types of learners that make such machines.
    features : int or None
        How many features they take; None where any number will do.
    kernel : str
        ``"linear"`` for those without a kernel.
    """

    makers: tuple[str, ...]
    features: int | None
    kernel: str


def shape_of(machines: Record) -> Shape:
    """What a record of machines, of either type, was made for."""
    found = machines.fitted or {}
    if machines.type == "Machines":
        features = None if found["vectors"] is None else machines.dims["d"]
        return Shape(("KernelSVC", "OneSidedSVR"), features, found["kernel"])
    model, features = found["model"], machines.dims["d"]
    if model.type == "LinearModels":
        return Shape(("LinearClassifier", "OneSidedLinear"), features, "linear")
    makers = ("NystroemClassifier", "OneSidedNystroem")
    return Shape(makers, features, model.fitted["kernel"])


def _check_linear_machines(record: Record) -> None:
    assert record.fitted is not None
    model = record.fitted["model"]
    bind(record.dims, "m", model.dims["m"])
    bind(record.dims, "d", model.dims["d"])


def _make_value(kind: Any, params: dict, fitted: dict | None) -> Any:
    return kind(**(fitted or {}))


def _take_landmarks(value: Any) -> dict[str, Any]:
    space = value.space
    return {
        "kernel": space.kernel.name, "gamma": space.kernel.gamma,
        "centre": space.centre, "vectors": space.vectors, "coef": value.coef,
    }  # fmt: skip


def _check_landmarks(record: Record) -> None:
    if record.dims["landmarks"] < 1:
        raise Refused("vectors: no landmarks")
    bind(record.dims, "rows", record.dims["landmarks"] + 1)


def _make_landmarks(kind: Any, params: dict, fitted: dict | None) -> Any:
    """Without the basis, which only a fit needs."""
    assert fitted is not None
    module = import_module("softcost.linear._landmarks")
    kernel = module.Kernel(fitted["kernel"], float(fitted["gamma"]))
    vectors, coef = fitted["vectors"], fitted["coef"]
    basis = np.empty((len(coef), 0))
    return kind(module.Landmarks(kernel, fitted["centre"], vectors, basis), coef)


def _check_learner(record: Record) -> None:
    if record.fitted is None:
        return
    machines = record.fitted["_machines"]
    shape = shape_of(machines)
    if record.type not in shape.makers:
        raise Refused("_machines: not of this learner")
    if shape.kernel != record.params.get("kernel", shape.kernel):
        raise Refused("kernel: not that of its machines")
    bind(record.dims, "d", machines.dims["d"])
    classes = record.dims.get("K")
    bind(record.dims, "m", machines.dims["m"])
    bind(record.dims, "m", 1 if classes in (None, 2) else classes)


def _learner(name: str, params: dict[str, Kind], extra: dict[str, Kind]) -> Type:
    return Type(
        f"softcost.linear:{name}", params,
        FEATURES | {"_machines": Part(["LinearMachines"])} | extra, NAMED,
        check=_check_learner, take=take_machines_of, make=make_with_machines,
    )  # fmt: skip


_LINEAR: dict[str, Kind] = {"C": POSITIVE, "tol": POSITIVE, "max_iter": Whole(1)}
_NYSTROEM = _LINEAR | {
    "kernel": one_of(*_KERNELS), "n_landmarks": Whole(1),
    "gamma": word_or(POSITIVE, "scale", "auto"), "cache_size": POSITIVE,
    "random_state": SEED,
}  # fmt: skip
_LOSS: dict[str, Kind] = {"loss": one_of("squared_hinge", "logistic")}
_CLASSES: dict[str, Kind] = {"classes_": Labels("K")}

MACHINE_TYPES = [
    Type(
        "softcost.linear._space:LinearModels", {},
        # The intercept is NaN where no row had a weight.
        {"coef": Array("f8", ("d", "m")),
         "intercept": Array("f8", ("m",), finite=False)},
        make=_make_value,
    ),
    Type(
        "softcost.linear._landmarks:LandmarkModels", {},
        {"kernel": one_of(*_KERNELS), "gamma": POSITIVE, "centre": Array("f8", ("d",)),
         "vectors": Array("f4", ("landmarks", "d")),
         "coef": Array("f8", ("rows", "m"), finite=False)},
        check=_check_landmarks, take=_take_landmarks, make=_make_landmarks,
    ),
    Type(
        "softcost.linear._machines:LinearMachines", {},
        {"model": Part(["LinearModels", "LandmarkModels"]),
         "certificate": Array("f8", ("m",), finite=False),
         "gap": Array("f8", ("m",), finite=False), "steps": whole_numbers("m")},
        check=_check_linear_machines, make=_make_value,
    ),
    _learner("OneSidedLinear", _LINEAR, {}),
    _learner("LinearClassifier", _LINEAR | _LOSS, _CLASSES),
    _learner("OneSidedNystroem", _NYSTROEM, {}),
    _learner("NystroemClassifier", _NYSTROEM | _LOSS, _CLASSES),
]  # fmt: skip
