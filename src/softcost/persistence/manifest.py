"""The manifest: a description of the model in plain JSON, readable without it."""

import hashlib
import math
import platform
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
import scipy
import sklearn

from softcost._version import __version__
from softcost.costs import class_costs
from softcost.persistence.archive import Members, ModelFileError

FORMAT = 2


def json_value(value: Any) -> Any:
    """A value as strict JSON; what JSON does not have, in words.

    Parameters
    ----------
    value : object
        Anything.

    Returns
    -------
    dict, list, str, float, int, bool or None
        What ``json.dumps(..., allow_nan=False)`` takes.

    See Also
    --------
    describe : Read the manifest of a model file, without the model.

    Examples
    --------
    >>> import numpy as np
    >>> from softcost.persistence import json_value
    >>> json_value({"C": np.float64(2), "bad": float("nan"), "kind": int})
    {'C': 2.0, 'bad': None, 'kind': "<class 'int'>"}
    """
    if isinstance(value, np.ndarray):
        return [json_value(item) for item in value.tolist()]
    if isinstance(value, np.generic):
        return json_value(value.item())
    if isinstance(value, pd.DataFrame):
        return {
            "columns": [json_value(name) for name in value.columns],
            "rows": [
                [json_value(cell) for cell in row] for row in value.to_numpy(object)
            ],
        }
    if isinstance(value, dict):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return " ".join(repr(value).split())


def made_with() -> dict[str, str]:
    """The versions of what models are made with."""
    return {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "pandas": pd.__version__,
        "scikit-learn": sklearn.__version__,
        "scipy": scipy.__version__,
        "skops": version("skops"),
    }


def describe_model(
    model: Any, members: Mapping[str, bytes], notes: dict[Any, Any] | None
) -> dict[str, Any]:
    """The manifest of a fitted model."""
    last = final_step(model)
    classes = getattr(last, "classes_", None)
    answers = getattr(last, "actions_", classes)
    return {
        "format": FORMAT,
        "softcost": __version__,
        "made_with": made_with(),
        "model": type_name(model),
        "final": type_name(last),
        "classes": json_value(classes),
        "actions": json_value(answers),
        "features": _features(model),
        "costs": _costs(last, classes, answers),
        "softness": json_value(_softness(last)),
        "params": json_value(
            getattr(last, "best_params_", None) or last.get_params(False)
        ),
        "tradeoff": json_value(getattr(last, "tradeoff_", None)),
        "notes": json_value(notes or {}),
        "checksums": {
            name: hashlib.sha256(content).hexdigest()
            for name, content in members.items()
        },
    }


def check_manifest(members: Members, path: Any) -> None:
    """Refuse what this version cannot read, and a manifest of another form."""
    manifest = members.manifest
    number = manifest.get("format")
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise ModelFileError(
            f"{path} is not a softcost model: its manifest has no format number."
        )
    by = str(manifest.get("softcost", "?"))[:40]
    if number > FORMAT:
        raise ModelFileError(
            f"{path} has format {str(number)[:20]}, written by softcost {by}, and this "
            f"version, {__version__}, reads formats up to {FORMAT}: upgrade softcost."
        )
    if number < FORMAT:
        raise ModelFileError(
            f"{path} has format {number}, written by softcost {by} before its first "
            "release, which is no longer supported: refit the model."
        )
    if manifest.get("checksums") != members.digests:
        raise ModelFileError(
            f"{path} is damaged: its members do not match their checksums; get an "
            "intact copy."
        )
    for name, fits in _FORM.items():
        if name not in manifest or not fits(manifest[name]):
            raise ModelFileError(
                f"{path} is not a softcost model: {name!r} in its manifest is invalid."
            )
    check_costs(manifest, path)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**31


def _are_labels(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(label, str | int | float) for label in value
    )


def are_features(value: Any) -> bool:
    if not isinstance(value, dict) or set(value) != {"count", "names", "dtypes"}:
        return False
    count, names, dtypes = value["count"], value["names"], value["dtypes"]
    if names is not None and not (
        isinstance(names, list) and all(map(_is_text, names)) and len(names) == count
    ):
        return False
    kinds = isinstance(dtypes, dict) and all(map(_is_text, dtypes.values()))
    return kinds and (count is None or _is_count(count))


def is_table(value: Any) -> bool:
    if value is None:
        return True
    if not isinstance(value, dict) or set(value) != {"columns", "rows"}:
        return False
    columns, rows = value["columns"], value["rows"]
    return (
        isinstance(columns, list)
        and isinstance(rows, list)
        and all(isinstance(row, list) and len(row) == len(columns) for row in rows)
    )


_FORM: dict[str, Callable[[Any], bool]] = {
    "softcost": _is_text,
    "made_with": lambda value: (
        isinstance(value, dict) and all(map(_is_text, value.values()))
    ),
    "model": _is_text,
    "final": _is_text,
    "classes": lambda value: value is None or _are_labels(value),
    "actions": lambda value: value is None or _are_labels(value),
    "features": are_features,
    "costs": lambda value: value in (None, "by example") or isinstance(value, list),
    "softness": lambda value: True,
    "params": lambda value: isinstance(value, dict),
    "tradeoff": is_table,
    "notes": lambda value: isinstance(value, dict),
}


def check_costs(manifest: dict[str, Any], path: Any) -> None:
    """A matrix has a finite price for every class and answer."""
    matrix, classes = manifest["costs"], manifest["classes"]
    if not isinstance(matrix, list):
        return
    answers = manifest["actions"] or ()
    fits = len(matrix) == len(classes or ()) and all(
        isinstance(row, list)
        and len(row) == len(answers)
        and all(type(cost) in (int, float) and abs(cost) < 1e300 for cost in row)
        for row in matrix
    )
    if not fits:
        raise ModelFileError(
            f"{path} is not a softcost model: 'costs' in its manifest is invalid."
        )


def says_what_it_is(manifest: dict[str, Any], model: Any) -> bool:
    """Whether types, answers, features and prices of a manifest are the model's."""
    last = final_step(model)
    try:
        classes = getattr(last, "classes_", None)
        answers = getattr(last, "actions_", classes)  # which parameters may spoil
        described = {
            "classes": json_value(classes),
            "actions": json_value(answers),
            "features": _features(model),
            "costs": _costs(last, classes, answers),
        }
    except (ValueError, TypeError, AttributeError, KeyError, IndexError):
        return False
    return (
        _names_type_of(manifest["model"], model)
        and _names_type_of(manifest["final"], last)
        and all(manifest[name] == item for name, item in described.items())
    )


def _names_type_of(full_name: str, value: Any) -> bool:
    """Whether a full name is that of an object's class.

    Modules between the package and the class may have other names in another version,
    as scikit-learn's private modules have, too.
    """
    package, class_name = full_name.partition(".")[0], full_name.rpartition(".")[2]
    kind = type(value)
    return (package, class_name) == (kind.__module__.partition(".")[0], kind.__name__)


def final_step(model: Any) -> Any:
    """The last step of a pipeline, or the model itself.

    Parameters
    ----------
    model : estimator
        Also a pipeline in a pipeline.

    Returns
    -------
    estimator
        What predicts in the end.

    See Also
    --------
    softcost.learners.last_step : The same for learners.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from softcost import OneSidedRegression
    >>> from softcost.persistence import final_step
    >>> final_step(make_pipeline(StandardScaler(), OneSidedRegression()))
    OneSidedRegression()
    """
    steps = getattr(model, "steps", None)
    return final_step(steps[-1][1]) if steps else model


def type_name(value: Any) -> str:
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _softness(last: Any) -> Any:
    if hasattr(last, "best_softness_"):
        return last.best_softness_
    return getattr(last, "softness", None)


def _features(model: Any) -> dict[str, Any]:
    """Number, names and, behind a column transformer, kinds of the features."""
    first = model.steps[0][1] if hasattr(model, "steps") else model
    names = getattr(first, "feature_names_in_", None)
    dtypes: dict[str, str] = {}
    for _, transformer, columns in getattr(first, "transformers_", []):
        if isinstance(columns, list) and not isinstance(transformer, str):
            dtypes |= {str(name): _dtype(transformer) for name in columns}
    count = getattr(first, "n_features_in_", None)
    return {"count": json_value(count), "names": json_value(names), "dtypes": dtypes}


def _dtype(transformer: Any) -> str:
    steps = getattr(transformer, "steps", [("", transformer)])
    words = any(type(step).__name__.endswith("Encoder") for _, step in steps)
    return "str" if words else "float64"


def _costs(last: Any, classes: Any, answers: Any) -> Any:
    """The matrix by class and answer; "by example"; None for 0 and 1."""
    if getattr(last, "costs_by_example_", False):
        return "by example"
    matrix = getattr(last, "cost_matrix", None)
    labels = getattr(last, "classes", None)
    for inner in getattr(last, "given_reductions", list)():  # alike in all families
        if matrix is None:
            matrix, labels = inner.cost_matrix, inner.classes
    if matrix is None or classes is None:
        return None
    extra = answers[len(classes) :]
    return json_value(class_costs(matrix, classes, classes=labels, extra=extra))
