"""The schema of a calibration: curves from scores to probabilities."""

from importlib import import_module
from typing import Any

import numpy as np

from softcost.models._array_kinds import Array, whole_numbers
from softcost.models._common_kinds import POSITIVE
from softcost.models._errors import Refused
from softcost.models._kinds import ListOf, Record, bind, maybe, one_of
from softcost.models._schema import Type, made


def _take_calibration(value: Any) -> dict[str, Any]:
    found = {"method": value.method, "present": value.present, "beta": None}
    if value.method == "temperature":
        return found | {"beta": value.model.beta_, "curves": []}
    (member,) = value.model.calibrated_classifiers_
    return found | {"curves": [_curve(one) for one in member.calibrators]}


def _curve(calibrator: Any) -> np.ndarray:
    """Slope and intercept of a sigmoid, or the steps of an isotonic curve."""
    if hasattr(calibrator, "a_"):
        return np.array([[calibrator.a_], [calibrator.b_]], float)
    steps = (calibrator.X_thresholds_, calibrator.y_thresholds_)
    return np.array(steps, float)


def _check_calibration(record: Record) -> None:
    found = record.fitted or {}
    present, curves = found["present"], found["curves"]
    if len(present) < 2 or (np.diff(present) <= 0).any():
        raise Refused("present: not two or more numbers of classes in their order")
    if (found["beta"] is None) == (found["method"] == "temperature"):
        raise Refused("beta: it goes with a temperature, and only with one")
    wanted = len(present) if len(present) > 2 else 1
    bind({}, 0 if found["method"] == "temperature" else wanted, len(curves))
    for curve in curves:
        if found["method"] == "sigmoid":
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
    known = steps | {"increasing_": True}
    value = made(IsotonicRegression, {"out_of_bounds": "clip"}, known)
    value._build_f(x, y)
    return value


def _make_calibration(kind: Any, params: dict, fitted: dict | None) -> Any:
    from sklearn.calibration import CalibratedClassifierCV, _CalibratedClassifier

    assert fitted is not None
    home = import_module(kind.__module__)
    method, present = fitted["method"], fitted["present"]
    if method == "temperature":
        model = made(home.TemperatureScaling, {}, {"beta_": float(fitted["beta"])})
        return kind(method, present, model)
    scores = home.GivenScores(len(present))
    curves = [_made_curve(method, curve) for curve in fitted["curves"]]
    member = _CalibratedClassifier(
        scores, curves, classes=scores.classes_, method=method
    )
    learnt = {"classes_": scores.classes_, "calibrated_classifiers_": [member]}
    model = made(
        CalibratedClassifierCV, {"estimator": scores, "method": method}, learnt
    )
    return kind(method, present, model)


CALIBRATION = Type(
    "softcost.reductions._calibration:Calibration",
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
)
