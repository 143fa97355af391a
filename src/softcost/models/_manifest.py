"""What a model file says of itself, in plain JSON."""

import hashlib
import math
import platform
from typing import Any

import numpy as np
import pandas as pd
import scipy
import sklearn
import skops

from softcost._version import __version__
from softcost.costs import check_cost_matrix, resolve_classes
from softcost.models._archive import ESTIMATOR, ModelFileError

FORMAT = 1


def json_value(value: Any) -> Any:
    """A value as strict JSON; what JSON does not have, in words.

    Examples
    --------
    >>> json_value({"C": np.float64(2), "bad": float("nan"), "kind": int})
    {'C': 2.0, 'bad': None, 'kind': "<class 'int'>"}
    """
    if isinstance(value, np.ndarray):
        return [json_value(one) for one in value.tolist()]
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
        return {str(key): json_value(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return " ".join(repr(value).split())


def describe_model(model: Any, estimator: bytes, notes: dict | None) -> dict[str, Any]:
    """The manifest of a fitted model."""
    last = final_step(model)
    classes = getattr(last, "classes_", None)
    return {
        "format": FORMAT,
        "softcost": __version__,
        "made_with": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "pandas": pd.__version__,
            "scikit-learn": sklearn.__version__,
            "scipy": scipy.__version__,
            "skops": skops.__version__,
        },
        "model": type_name(model),
        "final": type_name(last),
        "classes": json_value(classes),
        "features": _features(model),
        "costs": _costs(last, classes),
        "softness": json_value(_softness(last)),
        "params": json_value(
            getattr(last, "best_params_", None) or last.get_params(False)
        ),
        "tradeoff": json_value(getattr(last, "tradeoff_", None)),
        "notes": json_value(notes or {}),
        "checksums": {ESTIMATOR: hashlib.sha256(estimator).hexdigest()},
    }


def check_manifest(manifest: dict[str, Any], estimator: bytes, path: Any) -> None:
    """Refuse what this version cannot read."""
    version = manifest.get("format")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise ModelFileError(f"{path} is not a softcost model: it names no format.")
    if version > FORMAT:
        raise ModelFileError(
            f"{path} has format {version}, written by softcost "
            f"{manifest.get('softcost', '?')}, and this version, {__version__}, reads "
            f"formats up to {FORMAT}: upgrade softcost."
        )
    sums = manifest.get("checksums")
    if not isinstance(sums, dict) or sums.get(ESTIMATOR) != (
        hashlib.sha256(estimator).hexdigest()
    ):
        raise ModelFileError(
            f"{path} is damaged: its estimator does not match its checksum; get an "
            "intact copy."
        )


def final_step(model: Any) -> Any:
    """The last step of a pipeline, or the model itself."""
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


def _costs(last: Any, classes: Any) -> Any:
    """The matrix in the order of the classes; "by example"; None for 0 and 1."""
    if getattr(last, "costs_by_example_", False):
        return "by example"
    inner = getattr(last, "reduction", None)
    matrix = getattr(last, "cost_matrix", None)
    given = getattr(last, "classes", None)
    if matrix is None and inner is not None:
        matrix, given = inner.cost_matrix, inner.classes
    if matrix is None or classes is None:
        return None
    known = resolve_classes(classes, classes=given, cost_matrix=matrix)
    order = np.argsort(known, kind="stable")
    return json_value(check_cost_matrix(matrix, known)[np.ix_(order, order)])
