"""Schemas of softcost's learners and reductions, and of what they are made of.

A file stores fitted attributes under their names in the class, private ones as well.
So a class that renames an attribute must say so in ``renamed`` of its schema; a test
fits, saves and loads every estimator.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from inspect import signature
from typing import Any

import numpy as np

from softcost.learners import BoostedTrees, FittedModels
from softcost.learners.fitting import Constant
from softcost.linear import (
    LinearClassifier,
    NystroemClassifier,
    OneSidedLinear,
    OneSidedNystroem,
)
from softcost.linear.features import LinearModels
from softcost.linear.linear_machine import LinearMachines
from softcost.linear.nystroem import Kernel, LandmarkModels, Landmarks
from softcost.persistence.archive import NotCovered, Refused
from softcost.persistence.schema import (
    COUNT,
    ESTIMATOR,
    FEATURES,
    FLAG,
    JOBS,
    NAMED,
    NUMBER,
    PLAIN,
    POSITIVE,
    SEED,
    Answers,
    Array,
    Kind,
    Labels,
    ListOf,
    Part,
    Real,
    Record,
    Text,
    Tuple,
    Type,
    Whole,
    bind,
    made,
    maybe,
    numbers,
    one_of,
    require_fitted,
    whole_numbers,
    word_or,
)
from softcost.persistence.types_lightgbm import Booster, make_booster
from softcost.reductions import (
    CATALOGUE,
    BlendedClassifier,
    ClippedTargetRegressor,
    Costing,
    FilterTree,
    FlatReduction,
    MetaCost,
    MinimumExpectedCost,
    OneSidedBoosting,
    SoftmaxScores,
    StochasticEnsembleBoosting,
)
from softcost.reductions.base import OneClass
from softcost.reductions.calibration import (
    Calibration,
    GivenScores,
    TemperatureScaling,
)
from softcost.reductions.filter_tree import Node
from softcost.solvers.dual_problem import Solution
from softcost.solvers.kernel_functions import FEATURE_KERNELS, KERNELS
from softcost.svm import KernelSVC, OneSidedSVR
from softcost.svm.machines import KernelSpec, Machines

_FEATURE_KERNEL = one_of(*FEATURE_KERNELS)
_KERNEL = one_of(*KERNELS)
# One number for each machine: the fields of a `Solution` without its coefficients.
_CERTIFICATE = {
    "intercept": "f8", "violation": "f8", "dual_gap": "f8", "objective": "f8",
    "steps": "i8", "converged": "b1",
}  # fmt: skip


def _make_with_fitted(cls: Any, params: dict, fitted: dict | None) -> Any:
    """An object whose constructor takes what was learnt."""
    return cls(**(fitted or {}))


def _take_machines(value: Any) -> dict[str, Any]:
    kernel = value.kernel
    fitted = {
        "kernel": kernel.name, "gamma": kernel.gamma, "megabytes": kernel.megabytes,
        "centre": kernel.centre, "support": value.support, "vectors": value.vectors,
        "coef": value.coef, "intercept": value.intercept, "offset": value.offset,
    }  # fmt: skip
    names = {field.name for field in fields(Solution)}
    if names != {"beta", *_CERTIFICATE}:
        raise NotCovered("machines with a certificate of another form")
    for name, dtype in _CERTIFICATE.items():
        fitted[f"certificate_{name}"] = np.array(
            [getattr(solution, name) for solution in value.solutions], dtype
        )
    return fitted


def _check_machines(record: Record) -> None:
    fitted = record.fitted or {}
    if (fitted["vectors"] is None) != (fitted["kernel"] == "precomputed"):
        raise Refused("vectors: they go with every kernel but a precomputed one")
    if fitted["centre"] is not None and fitted["vectors"] is None:
        raise Refused("centre: there is nothing to take it off")


def _make_machines(cls: Any, params: dict, fitted: dict | None) -> Any:
    assert fitted is not None
    columns = {name: fitted.pop(f"certificate_{name}") for name in _CERTIFICATE}
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    solutions = tuple(
        Solution(beta=np.empty(0), **dict(zip(columns, row, strict=True)))
        for row in rows
    )
    kernel = KernelSpec(
        fitted.pop("kernel"),
        float(fitted.pop("gamma")),
        fitted.pop("megabytes"),
        fitted.pop("centre"),
    )
    return cls(kernel=kernel, solutions=solutions, **fitted)


MACHINES = Type(
    Machines,
    {},
    {
        "kernel": _KERNEL, "gamma": POSITIVE, "megabytes": POSITIVE,
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
    is_estimator=False,
)  # fmt: skip

_KERNEL_PARAMS = {
    "kernel": _KERNEL, "C": POSITIVE,
    "gamma": word_or(POSITIVE, "scale", "auto"), "tol": POSITIVE,
    "cache_size": POSITIVE, "max_iter": Whole(-1),
}  # fmt: skip


def take_machines_of(value: Any) -> dict[str, Any] | None:
    """What a learner keeps beside its machines, and they; None before a fit."""
    attributes = vars(value)
    if "_machines" not in attributes:
        return None
    names = (
        "n_features_in_", "feature_names_in_", "classes_", "_machines", "breaks_ties_",
    )  # fmt: skip
    return {name: attributes[name] for name in names if name in attributes}


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


def make_with_machines(
    cls: Any, params: dict[Any, Any], fitted: dict[Any, Any] | None
) -> Any:
    """A learner that finds its other attributes in its machines."""
    value = made(cls, params, None)
    if fitted is not None:
        machines = fitted.pop("_machines")
        value.__dict__.update(fitted)
        getattr(value, "_keep")(machines)  # noqa: B009 (private to another package)
    return value


def _kernel_machine(cls: type, extra: dict) -> Type:
    return Type(
        cls, _KERNEL_PARAMS, FEATURES | {"_machines": Part(["Machines"])} | extra,
        NAMED | {"breaks_ties_"}, check=_check_kernel_machine, take=take_machines_of,
        make=make_with_machines,
    )  # fmt: skip


def _check_one_sided_boosting(record: Record) -> None:
    if record.fitted is not None and record.fitted["booster_"] is not None:
        bind(record.dims, "d", record.dims["boosted"])
        if record.dims["boosted_classes"] != 1:
            raise Refused("booster_: the trees predict classes, not values")


def _check_boosted_trees(record: Record) -> None:
    if record.fitted is None:
        return
    if record.fitted["booster_"] is not None:
        bind(record.dims, "d", record.dims["boosted"])
        bind(record.dims, "K", record.dims["boosted_classes"])
    fallback = record.fitted["fallback_"]
    if fallback is not None:
        require_fitted(fallback, record.dims["d"], "fallback_")
        labels = np.asarray(fallback.get("classes_"))
        if (
            labels.dtype.kind != "i"
            or not np.isin(labels, np.arange(record.dims["K"])).all()
        ):
            raise Refused("fallback_: its classes are not numbers of classes")


def _make_boosting(cls: Any, params: dict, fitted: dict | None) -> Any:
    if fitted is not None:
        fitted["booster_"] = make_booster(fitted["booster_"])
    return made(cls, params, fitted)


def _check_clipped(record: Record) -> None:
    if record.fitted is not None:
        require_fitted(record.fitted["regressor_"], record.dims["d"], "regressor_")


def _take_one_class(value: Any) -> dict[str, Any]:
    return {"number": value.classes_[0]}


def _make_one_class(cls: Any, params: dict, fitted: dict | None) -> Any:
    assert fitted is not None
    return cls(fitted["number"])


def _take_value(value: Any) -> dict[str, Any]:
    return {"value": value.value}


LEARNER_TYPES = [
    MACHINES,
    _kernel_machine(KernelSVC, {"classes_": Labels("K"), "breaks_ties_": FLAG}),
    _kernel_machine(OneSidedSVR, {}),
    Type(
        OneSidedBoosting,
        {"n_estimators": COUNT, "learning_rate": POSITIVE, "num_leaves": COUNT,
         "min_child_samples": COUNT, "reg_lambda": POSITIVE, "n_jobs": JOBS},
        FEATURES | {"booster_": maybe(Booster()), "start_": NUMBER, "scale_": NUMBER},
        NAMED,
        check=_check_one_sided_boosting,
        make=_make_boosting,
    ),
    Type(
        BoostedTrees,
        {"n_estimators": COUNT, "learning_rate": POSITIVE, "num_leaves": COUNT,
         "min_child_samples": COUNT, "reg_lambda": POSITIVE, "colsample": Real(0, 1),
         "early_stopping": maybe(COUNT), "validation_fraction": Real(0, 1),
         "refit": FLAG,
         "categorical_features": PLAIN, "n_jobs": JOBS, "random_state": SEED},
        FEATURES | {
            "classes_": Labels("K"), "prior_": numbers("K"),
            "booster_": maybe(Booster()), "fallback_": maybe(ESTIMATOR),
            "n_iter_": Whole(0, 2**31),
        },
        NAMED,
        check=_check_boosted_trees,
        make=_make_boosting,
    ),
    Type(
        ClippedTargetRegressor,
        {"regressor": maybe(ESTIMATOR), "n_refits": COUNT},
        FEATURES | {"regressor_": ESTIMATOR, "losses_": ListOf(Real(0))},
        NAMED,
        check=_check_clipped,
    ),
    Type(
        Constant, {}, {"value": Real(finite=False)},
        take=_take_value, make=_make_with_fitted,
    ),
    Type(
        FittedModels, {},
        {"members": ListOf(ESTIMATOR, "m")}, make=_make_with_fitted,
        is_estimator=False,
    ),
    Type(
        OneClass, {}, {"number": Whole(0, 2**31)},
        take=_take_one_class, make=_make_one_class,
    ),
]  # fmt: skip


# Linear models, on the features themselves or on Nystroem's.


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
    fitted = machines.fitted or {}
    if machines.type == "Machines":
        features = None if fitted["vectors"] is None else machines.dims["d"]
        return Shape(("KernelSVC", "OneSidedSVR"), features, fitted["kernel"])
    model, features = fitted["model"], machines.dims["d"]
    if model.type == "LinearModels":
        return Shape(("LinearClassifier", "OneSidedLinear"), features, "linear")
    makers = ("NystroemClassifier", "OneSidedNystroem")
    return Shape(makers, features, model.fitted["kernel"])


def _check_linear_machines(record: Record) -> None:
    assert record.fitted is not None
    model = record.fitted["model"]
    bind(record.dims, "m", model.dims["m"])
    bind(record.dims, "d", model.dims["d"])


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


def _make_landmarks(cls: Any, params: dict, fitted: dict | None) -> Any:
    """Without the basis, which only a fit needs."""
    assert fitted is not None
    kernel = Kernel(fitted["kernel"], float(fitted["gamma"]))
    vectors, coef = fitted["vectors"], fitted["coef"]
    basis = np.empty((len(coef), 0))
    return cls(Landmarks(kernel, fitted["centre"], vectors, basis), coef)


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


def _learner(cls: type, params: dict[str, Kind], extra: dict[str, Kind]) -> Type:
    return Type(
        cls, params,
        FEATURES | {"_machines": Part(["LinearMachines"])} | extra, NAMED,
        check=_check_learner, take=take_machines_of, make=make_with_machines,
    )  # fmt: skip


_LINEAR: dict[str, Kind] = {"C": POSITIVE, "tol": POSITIVE, "max_iter": Whole(1)}
_NYSTROEM = _LINEAR | {
    "kernel": _FEATURE_KERNEL, "n_landmarks": Whole(1),
    "gamma": word_or(POSITIVE, "scale", "auto"), "cache_size": POSITIVE,
    "random_state": SEED,
}  # fmt: skip
_LOSS: dict[str, Kind] = {"loss": one_of("squared_hinge", "logistic")}
_CLASSES: dict[str, Kind] = {"classes_": Labels("K")}

MACHINE_TYPES = [
    Type(
        LinearModels, {},
        # The intercept is NaN where no row had a weight.
        {"coef": Array("f8", ("d", "m")),
         "intercept": Array("f8", ("m",), finite=False)},
        make=_make_with_fitted, is_estimator=False,
    ),
    Type(
        LandmarkModels, {},
        {"kernel": _FEATURE_KERNEL, "gamma": POSITIVE,
         "centre": Array("f8", ("d",)),
         "vectors": Array("f4", ("landmarks", "d")),
         "coef": Array("f8", ("rows", "m"), finite=False)},
        check=_check_landmarks, take=_take_landmarks, make=_make_landmarks,
        is_estimator=False,
    ),
    Type(
        LinearMachines, {},
        {"model": Part(["LinearModels", "LandmarkModels"]),
         "certificate": Array("f8", ("m",), finite=False),
         "gap": Array("f8", ("m",), finite=False), "steps": whole_numbers("m")},
        check=_check_linear_machines, make=_make_with_fitted, is_estimator=False,
    ),
    _learner(OneSidedLinear, _LINEAR, {}),
    _learner(LinearClassifier, _LINEAR | _LOSS, _CLASSES),
    _learner(OneSidedNystroem, _NYSTROEM, {}),
    _learner(NystroemClassifier, _NYSTROEM | _LOSS, _CLASSES),
]  # fmt: skip


# Reductions.


_SOLUTIONS = Part(["Machines", "LinearMachines", "FittedModels"])
_PARAMS = {
    "learner": maybe(ESTIMATOR), "cost_matrix": PLAIN, "classes": PLAIN,
    "actions": PLAIN, "softness": PLAIN, "error_weight": PLAIN, "action_error": PLAIN,
    "n_jobs": JOBS, "random_state": SEED,
}  # fmt: skip
MATRIX = Array("f8", ("K", "A"))
_FITTED = FEATURES | {
    "classes_": Labels("K"), "cost_scale_": Real(0), "costs_by_example_": FLAG,
    "_extra": Answers("E"), "_raw_matrix": maybe(MATRIX), "encoder_": ESTIMATOR,
}  # fmt: skip
# Prediction pairs every row with every class, and each pair has an indicator for every
# class, so memory grows with the square of the number of classes.
_MOST_PAIRED = 4000
# Missing if the training data had a single class; the encoder, unless X was a table.
_LEARNT = frozenset(
    {"n_features_in_", "solutions_", "estimator_", "_members", "encoder_"}
)

Check = Callable[[Record], None]


def _answering(check: Check) -> Check:
    """A check that knows how many answers there are: classes, and actions beyond."""

    def check_answers(record: Record) -> None:
        if record.fitted is not None:
            bind(record.dims, "A", record.dims["K"] + record.dims["E"])
            if (record.get("_raw_matrix") is None) != record.get("costs_by_example_"):
                raise Refused("_raw_matrix: it goes with prices by class")
        check(record)

    return check_answers


def check_solutions(
    solved: Any, record: Record, count: int, features: int | None
) -> None:
    """Refuse models of subproblems that do not fit: how many, and of what."""
    bind({}, count, solved.dims["m"])
    learner = record.params.get("learner")
    if solved.type == "FittedModels":
        for member in solved.fitted["members"]:
            require_fitted(member, features, "members")
        return
    shape = shape_of(solved)
    maker = "KernelSVC" if learner is None else learner.type
    if maker not in shape.makers:
        raise Refused("solutions_: machines that this learner does not make")
    if features is None:
        raise Refused("solutions_: machines, and no number of features")
    if shape.features is not None:
        bind({}, features, shape.features)
    kernel = "perceptron" if learner is None else learner.params.get("kernel")
    if kernel is not None and kernel != shape.kernel:
        raise Refused("solutions_: machines of another kernel")


def _flat(how_many: Callable[[int], int]) -> Check:
    def check(record: Record) -> None:
        if record.fitted is None or record.dims["K"] == 1:
            return
        solved = record.fitted.get("solutions_")
        if solved is None:
            raise Refused("solutions_: missing")
        check_solutions(
            solved, record, how_many(record.dims["A"]), record.dims.get("d")
        )

    return check


def _check_filter_tree(record: Record) -> None:
    """A tournament in which every answer plays, every winner plays once more."""
    if record.fitted is None or record.dims["K"] == 1:
        return
    nodes, solved = record.fitted.get("_nodes"), record.fitted.get("solutions_")
    if nodes is None or solved is None:
        raise Refused("solutions_: missing")
    sides = nodes[:, :2]
    wanted = [*range(-len(nodes) + 1, 0), *range(record.dims["A"])]
    if sorted(sides.ravel().tolist()) != wanted:
        raise Refused("_nodes: not a tournament of the answers")
    heights: list[int] = []
    for number, (left, right, height) in enumerate(nodes.tolist()):
        below = [heights[-1 - side] if side < 0 else 0 for side in (left, right)
                 if side >= -number]  # fmt: skip
        if len(below) < 2 or height != 1 + max(below):
            raise Refused("_nodes: a match before those that it needs")
        heights.append(height)
    counts = np.bincount(heights)[1:]
    if len(counts) != len(solved):
        raise Refused("solutions_: not one for each level")
    for count, level in zip(counts.tolist(), solved, strict=True):
        check_solutions(level, record, count, record.dims.get("d"))


def _take_filter_tree(value: Any) -> dict[str, Any] | None:
    fitted = _attributes(value, FILTER_TREE)
    if fitted is not None and "_nodes" in fitted:
        fitted["_nodes"] = np.array(
            [tuple(node) for node in fitted["_nodes"]], np.int64
        )
    return fitted


def _make_filter_tree(cls: Any, params: dict, fitted: dict | None) -> Any:
    value = made(cls, params, fitted)
    if fitted is not None and "_nodes" in fitted:
        value.__dict__["_nodes"] = [Node(*row) for row in fitted["_nodes"].tolist()]
    return value


def _attributes(value: Any, schema: Type) -> dict[str, Any] | None:
    attributes = vars(value)
    fitted = {name: attributes[name] for name in schema.fitted if name in attributes}
    return fitted or None


def _check_boosting(record: Record) -> None:
    """Models see pairs of a row and a class: features, indicators, perhaps products."""
    if record.fitted is None or record.dims["K"] == 1:
        return
    features, classes = record.dims["d"], record.dims["K"]
    if classes > _MOST_PAIRED:
        raise Refused(f"classes_: more than {_MOST_PAIRED}, in pairs with rows")
    how, learner = record.params.get("pair_features"), record.params.get("learner")
    width = features + classes
    for solved in record.fitted.get("solutions_", []):
        if solved.type == "FittedModels":
            check_solutions(solved, record, 1, None)
            continue
        linear = shape_of(solved).kernel == "linear"
        if how == "interact" or (how == "auto" and linear):
            width = features + classes + features * classes
        if learner is None:
            raise Refused("solutions_: machines that this learner does not make")
        check_solutions(solved, record, 1, width)


def _check_members(*names: str) -> Check:
    def check(record: Record) -> None:
        if record.fitted is None or record.dims["K"] == 1:
            return
        for name in names:
            if name not in record.fitted:
                raise Refused(f"{name}: missing")
            members = record.fitted[name]
            for member in members if isinstance(members, list) else [members]:
                require_fitted(member, record.dims.get("d"), name)
                _check_class_numbers(member, record)

    return check


def _check_class_numbers(member: Record, record: Record) -> None:
    """A learner of class numbers knows none beyond the classes."""
    columns = record.get("_columns")
    while member.type == "FrozenEstimator":
        member = member.params["estimator"]
    classes = member.get("classes_")
    if columns is not None:
        if classes is not None:
            bind({}, len(columns), len(classes))
        if len(columns) and columns.max() >= record.dims["K"]:
            raise Refused("_columns: no class of this number")
    elif member.type == "OneClass":
        classes = np.array([member.get("number")])
    if columns is None and classes is not None:
        whole = classes.dtype.kind in "iu"
        if not whole or classes.min() < 0 or classes.max() >= record.dims["K"]:
            raise Refused("classes_: not numbers of the classes")


def _check_expected(record: Record) -> None:
    """A calibration knows none but the classes; means go with costs by example."""
    _check_members("estimator_")(record)
    if record.fitted is None:
        return
    for name in ("_mean_costs", "_mean_scaled"):
        if (record.fitted[name] is None) == record.fitted["costs_by_example_"]:
            raise Refused(f"{name}: they go with costs by example")
    if "_row_scale" in record.fitted and not record.fitted["costs_by_example_"]:
        raise Refused("_row_scale: it goes with costs by example")
    prior = record.fitted.get("prior_")
    by_prior = record.params.get("decide_by") == "prior" and record.dims["K"] > 1
    if prior is None and by_prior:
        raise Refused("prior_: decide_by='prior' needs it")
    if prior is not None and ((prior < 0).any() or not np.isclose(prior.sum(), 1.0)):
        raise Refused("prior_: not probabilities")
    curves = record.get("_calibration")
    if curves is not None and curves.fitted["present"].max() >= record.dims["K"]:
        raise Refused("_calibration: no class of this number")


def _check_blend(record: Record) -> None:
    """Weights as `BlendedClassifier` learns them, and a model wherever one counts."""
    if record.fitted is None:
        return
    weights, smoothing = record.fitted["weights_"], record.fitted["smoothing_"]
    if (smoothing < 0).any() or not smoothing.sum() < 1:
        raise Refused("smoothing_: it is negative, or its sum is not below 1")
    if (weights < 0).any() or not np.isclose(weights.sum(), 1.0):
        raise Refused("weights_: they are negative, or their sum is not one")
    if record.fitted["inverse_temperature_"] <= 0:
        raise Refused("inverse_temperature_: it is not positive")
    counts = weights + smoothing > 0
    for counted, member in zip(counts, record.fitted["estimators_"], strict=True):
        if (member is None) == counted:
            raise Refused("estimators_: not one for each weight")
        if member is not None:
            require_fitted(member, record.dims.get("d"), "estimators_")
            _check_class_numbers(member, record)


def _check_scores(record: Record) -> None:
    """A fitted classifier of the same classes, with no answer beyond them."""
    if record.fitted is None:
        return
    member = record.fitted["estimator_"]
    require_fitted(member, record.dims.get("d"), "estimator_")
    if not np.array_equal(member.get("classes_"), record.fitted["classes_"]):
        raise Refused("classes_: not those of the classifier")
    if member.dims.get("E"):
        raise Refused("estimator_: it has answers beyond the classes")


FILTER_TREE = Type(
    FilterTree,
    _PARAMS | {"order": PLAIN},
    _FITTED | {
        "_nodes": Array("i8", ("matches", 3)), "solutions_": ListOf(_SOLUTIONS),
    },
    NAMED | _LEARNT | {"_nodes"},
    check=_answering(_check_filter_tree),
    take=_take_filter_tree,
    make=_make_filter_tree,
)  # fmt: skip


_TIES: dict[str, Any] = {"tie_break": one_of("margin", "first")}


def _flat_types() -> Iterator[Type]:
    """Flat reductions of the catalogue, which are all stored alike."""
    for entry in CATALOGUE.values():
        reduction = entry.load()
        if issubclass(reduction, FlatReduction):
            ties = _TIES if "tie_break" in signature(reduction).parameters else {}
            yield Type(
                reduction,
                _PARAMS | ties,
                _FITTED | {"solutions_": _SOLUTIONS},
                NAMED | _LEARNT,
                check=_answering(_flat(reduction().n_subproblems)),
            )


_MEMBERS = ListOf(ESTIMATOR)

REDUCTION_TYPES = [
    *_flat_types(),
    FILTER_TREE,
    Type(
        StochasticEnsembleBoosting,
        _PARAMS | {
            "n_rounds": COUNT, "pair_features": one_of("auto", "concat", "interact"),
        },
        _FITTED | {"solutions_": ListOf(_SOLUTIONS)},
        NAMED | _LEARNT,
        check=_answering(_check_boosting),
    ),
    Type(
        MetaCost,
        _PARAMS | {"n_resamples": COUNT, "use": one_of("all", "out", "in")},
        _FITTED | {"relabelled_": PLAIN, "estimator_": ESTIMATOR},
        NAMED | _LEARNT | {"relabelled_"},
        check=_answering(_check_members("estimator_")),
    ),
    Type(
        Costing,
        _PARAMS | {"n_draws": COUNT, "sampling": one_of("auto", "always")},
        _FITTED | {"_members": _MEMBERS},
        NAMED | _LEARNT,
        check=_answering(_check_members("_members")),
    ),
    Type(
        MinimumExpectedCost,
        _PARAMS | {
            "calibration": maybe(one_of("temperature", "isotonic", "sigmoid")),
            "decide_by": one_of("row", "prior"),
        },
        _FITTED | {
            "_error_weight": Array("f8", ("K",)), "_mean_costs": maybe(MATRIX),
            "_mean_scaled": maybe(MATRIX), "_row_scale": Real(0),
            "_columns": maybe(whole_numbers("known")),
            "estimator_": ESTIMATOR, "_calibration": maybe(Part(["Calibration"])),
            "prior_": Array("f8", ("K",)),
        },
        NAMED | _LEARNT | {"_columns", "_calibration", "_row_scale", "prior_"},
        check=_answering(_check_expected),
    ),
    Type(
        BlendedClassifier,
        {"estimators": ListOf(Tuple((Text(), ESTIMATOR))), "weights": PLAIN,
         "inverse_temperature": maybe(NUMBER), "smoothing": PLAIN, "cv": PLAIN,
         "n_jobs": JOBS, "random_state": SEED},
        FEATURES | {
            "classes_": Labels("K"), "weights_": Array("f8", ("m",)),
            "inverse_temperature_": NUMBER, "smoothing_": Array("f8", ("m",)),
            "estimators_": ListOf(maybe(ESTIMATOR), "m"),
        },
        NAMED | {"n_features_in_"},
        check=_check_blend,
        renamed={
            "power": "inverse_temperature", "power_": "inverse_temperature_",
            "doubt": "smoothing", "doubt_": "smoothing_",
        },
    ),
    Type(
        SoftmaxScores,
        {"classifier": ESTIMATOR, "sharpness": POSITIVE},
        FEATURES | {"estimator_": ESTIMATOR, "classes_": Labels("K")},
        NAMED | {"n_features_in_"},
        check=_check_scores,
    ),
]  # fmt: skip


# Calibration: curves from scores to probabilities.


def _take_calibration(value: Any) -> dict[str, Any]:
    fitted = {"method": value.method, "present": value.present, "beta": None}
    if value.method == "temperature":
        return fitted | {"beta": value.model.beta_, "curves": []}
    (member,) = value.model.calibrated_classifiers_
    return fitted | {
        "curves": [_curve(calibrator) for calibrator in member.calibrators]
    }


def _curve(calibrator: Any) -> np.ndarray:
    """Slope and intercept of a sigmoid, or the steps of an isotonic curve."""
    if hasattr(calibrator, "a_"):
        return np.array([[calibrator.a_], [calibrator.b_]], float)
    steps = (calibrator.X_thresholds_, calibrator.y_thresholds_)
    return np.array(steps, float)


def _check_calibration(record: Record) -> None:
    fitted = record.fitted or {}
    present, curves = fitted["present"], fitted["curves"]
    if len(present) < 2 or (np.diff(present) <= 0).any():
        raise Refused("present: not two or more numbers of classes in their order")
    if (fitted["beta"] is None) == (fitted["method"] == "temperature"):
        raise Refused("beta: it goes with a temperature, and only with one")
    wanted = len(present) if len(present) > 2 else 1
    bind({}, 0 if fitted["method"] == "temperature" else wanted, len(curves))
    for curve in curves:
        if fitted["method"] == "sigmoid":
            bind({}, 1, curve.shape[1])
        elif curve.shape[1] == 0 or (np.diff(curve) < 0).any():
            raise Refused("curves: not rising steps")


def _made_curve(method: str, curve: np.ndarray) -> Any:
    if method == "sigmoid":
        from sklearn.calibration import _SigmoidCalibration

        return made(_SigmoidCalibration, {}, {"a_": curve[0, 0], "b_": curve[1, 0]})
    from sklearn.isotonic import IsotonicRegression

    x, y = curve
    steps = {"X_thresholds_": x, "y_thresholds_": y, "X_min_": x[0], "X_max_": x[-1]}
    fitted = steps | {"increasing_": True}
    value = made(IsotonicRegression, {"out_of_bounds": "clip"}, fitted)
    value._build_f(x, y)
    return value


def _make_calibration(cls: Any, params: dict, fitted: dict | None) -> Any:
    from sklearn.calibration import CalibratedClassifierCV, _CalibratedClassifier

    assert fitted is not None
    method, present = fitted["method"], fitted["present"]
    if method == "temperature":
        model = made(TemperatureScaling, {}, {"beta_": float(fitted["beta"])})
        return cls(method, present, model)
    scores = GivenScores(len(present))
    curves = [_made_curve(method, curve) for curve in fitted["curves"]]
    member = _CalibratedClassifier(
        scores, curves, classes=scores.classes_, method=method
    )
    learnt = {"classes_": scores.classes_, "calibrated_classifiers_": [member]}
    model = made(
        CalibratedClassifierCV, {"estimator": scores, "method": method}, learnt
    )
    return cls(method, present, model)


CALIBRATION = Type(
    Calibration,
    {},
    {
        "method": one_of("temperature", "isotonic", "sigmoid"),
        "present": whole_numbers("present"),
        "beta": maybe(POSITIVE),
        "curves": ListOf(Array("f8", (2, "*"))),
    },
    check=_check_calibration,
    take=_take_calibration,
    make=_make_calibration,
    is_estimator=False,
)

SOFTCOST_TYPES = [*LEARNER_TYPES, *MACHINE_TYPES, *REDUCTION_TYPES, CALIBRATION]
