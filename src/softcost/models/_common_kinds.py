"""Kinds that many schemas share."""

from softcost.models._errors import Refused
from softcost.models._kinds import (
    Flag,
    Kind,
    Nothing,
    Part,
    Real,
    Record,
    Whole,
    either,
    maybe,
    one_of,
)
from softcost.models._values import Plain

FLAG: Kind = Flag()
COUNT: Kind = Whole(0)
POSITIVE: Kind = Real(0)
NUMBER: Kind = Real()
PLAIN: Kind = Plain()
# What has a schema and is no estimator: it would not check the rows that it is given.
ESTIMATOR: Kind = Part(
    but=(
        "Tree", "Machines", "LinearMachines", "LinearModels", "LandmarkModels",
        "FittedModels", "LeastCost", "LeastError", "MaxOfBoth",
        "Budget", "Tolerance", "KFold", "StratifiedKFold", "GroupKFold",
        "StratifiedGroupKFold", "ShuffleSplit", "StratifiedShuffleSplit",
    )
)  # fmt: skip
# Prediction may start as many threads.
JOBS: Kind = maybe(Whole(-256, 256))
SEED: Kind = PLAIN
VERBOSE: Kind = either(Flag(), Whole(0, 1000))
CLASS_WEIGHT: Kind = PLAIN
NOTHING: Kind = Nothing()


def word_or(kind: Kind, *words: str) -> Kind:
    """One of some words, or a value of a kind."""
    return either(one_of(*words), kind)


def n_features(record: Record | None) -> int | None:
    """How many features a part takes; None where it does not say."""
    if record is None or record.fitted is None:
        return None
    if record.type == "Pipeline":
        steps = [step for _, step in record.params["steps"] if isinstance(step, Record)]
        return n_features(steps[0]) if steps else None
    if record.type in WRAPPERS and "d" not in record.dims:
        return n_features(record.params.get("estimator"))
    return record.dims.get("d")


WRAPPERS = ("FrozenEstimator", "CalibratedClassifierCV")


def is_fitted(record: Record) -> bool:
    """Whether a part can predict, as far as its schema tells."""
    if record.type == "Pipeline":
        steps = [step for _, step in record.params["steps"] if isinstance(step, Record)]
        return bool(steps) and all(map(is_fitted, steps))
    if record.type == "FrozenEstimator":
        inner = record.params.get("estimator")
        return isinstance(inner, Record) and is_fitted(inner)
    return record.fitted is not None or record.type in ("skops", "OneClass", "Constant")


def require_fitted(record: object, features: int | None, what: str) -> None:
    """Refuse a part that cannot predict, or not from so many features."""
    if not isinstance(record, Record) or not is_fitted(record):
        raise Refused(f"{what}: not fitted")
    own = n_features(record)
    if own is not None and features is not None and own != features:
        raise Refused(f"{what}: it takes {own} features, not {features}")
