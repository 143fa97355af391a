"""Estimators of scikit-learn without a schema, stored with skops behind an allowlist.

A file in skops' format names a class and a loader for every object. skops does not
check that the two match, and builds objects whose C code trusts their numbers. So
before skops opens a file, all pairs are compared with a list: plain containers, arrays
of numbers, and estimators that predict with numpy alone. With these, wrong numbers
raise or give wrong predictions, and nothing worse. Other types are loaded only if the
user names them.
"""

import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import Any
from zipfile import ZIP_STORED

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from softcost.persistence.archive import (
    UNREADABLE,
    NotCovered,
    Refused,
    opened_zip,
    parse_json,
    read_array,
)

# skops cannot store tables and boosters, so `pack` replaces them. It copies an
# estimator only as far as it holds such values, and leaves the original unchanged.
# Training data are dropped if ``__getstate__`` drops them, metadata requests because
# only fitting uses them.


class PackedFrame:
    """A pandas frame as arrays.

    Parameters
    ----------
    columns : list of arrays
    names, index : lists
        Names of the columns, and of the rows.
    """

    def __init__(self, columns: list[Any], names: list[Any], index: list[Any]) -> None:
        self.columns = columns
        self.names = names
        self.index = index

    def unpacked(self) -> pd.DataFrame:
        numbered = dict(enumerate(self.columns))
        frame = pd.DataFrame(numbered, index=_index(self.index))
        frame.columns = pd.Index(self.names)
        return frame


class PackedSeries:
    """A pandas series as an array."""

    def __init__(self, values: Any, name: Any, index: list[Any]) -> None:
        self.values = values
        self.name = name
        self.index = index

    def unpacked(self) -> pd.Series:
        return pd.Series(self.values, index=_index(self.index), name=self.name)


class PackedBooster:
    """A LightGBM booster as its model text, which has all digits."""

    def __init__(self, text: str):
        self.text = text

    def unpacked(self) -> Any:
        try:
            from lightgbm import Booster
        except ImportError:
            raise ImportError(
                "the model holds LightGBM trees: pip install lightgbm."
            ) from None
        return Booster(model_str=self.text)


PACKED = (PackedFrame, PackedSeries, PackedBooster)


def pack(value: Any) -> Any:
    """Replace tables and boosters, anywhere inside an estimator."""
    return _rebuilt(value, _packed, {})


def unpack(value: Any) -> Any:
    """Put tables and boosters back."""
    return _rebuilt(value, _unpacked, {})


def _packed(value: Any) -> Any:
    if isinstance(value, pd.DataFrame):
        columns = [_array(value.iloc[:, j]) for j in range(value.shape[1])]
        return PackedFrame(columns, list(value.columns), _names(value.index))
    if isinstance(value, pd.Series):
        return PackedSeries(_array(value), value.name, _names(value.index))
    if type(value).__name__ == "Booster" and hasattr(value, "model_to_string"):
        return PackedBooster(value.model_to_string(num_iteration=-1))
    return value


def _unpacked(value: Any) -> Any:
    return value.unpacked() if isinstance(value, PACKED) else value


def _array(column: pd.Series) -> np.ndarray:
    values = column.to_numpy()
    return values if values.dtype.kind in "biuf" else values.astype(object)


def _names(index: pd.Index) -> list:
    numbered = isinstance(index, pd.RangeIndex) and (index.start, index.step) == (0, 1)
    return [len(index)] if numbered else [None, *index.tolist()]


def _index(names: list) -> pd.Index:
    return pd.RangeIndex(names[0]) if names[0] is not None else pd.Index(names[1:])


def _rebuilt(value: Any, change: Callable[[Any], Any], memo: dict[int, Any]) -> Any:
    """A copy with parts changed; what is shared stays shared.

    Looks into lists, tuples, dicts, estimators and softcost's own objects.
    """
    if id(value) in memo:
        return memo[id(value)][1]
    changed = change(value)
    if changed is value:
        changed = _copied(value, change, memo)
    memo[id(value)] = value, changed  # with the value, so that its id stays taken
    return changed


def _copied(value: Any, change: Callable[[Any], Any], memo: dict[int, Any]) -> Any:
    kind: Any = type(value)
    if kind is list:
        return [_rebuilt(part, change, memo) for part in value]
    if kind is dict:
        return {key: _rebuilt(part, change, memo) for key, part in value.items()}
    if isinstance(value, tuple):
        parts = [_rebuilt(part, change, memo) for part in value]
        return kind(*parts) if hasattr(value, "_fields") else tuple(parts)
    ours = kind.__module__.partition(".")[0] == "softcost" and hasattr(
        value, "__dict__"
    )
    if not (ours or isinstance(value, BaseEstimator)) or isinstance(value, type):
        return value
    state = value.__getstate__() if hasattr(value, "__getstate__") else None
    copy = kind.__new__(kind)
    for name, part in vars(value).items():
        has_state = not isinstance(state, dict) or name in state
        if has_state and name != "_metadata_request":
            copy.__dict__[name] = _rebuilt(part, change, memo)
    return copy


SKOPS = "skops"
OLDEST = (0, 16)  # before, modules named in a file were imported before its audit

_PLAIN = {
    "DictNode": ("builtins.dict",),
    "ListNode": ("builtins.list",),
    "TupleNode": ("builtins.tuple",),
    "JsonNode": ("builtins.str",),
    "NdArrayNode": (
        "numpy.ndarray", "numpy.float64", "numpy.float32", "numpy.int64",
        "numpy.int32", "numpy.bool_", "numpy.bool", "numpy.str_",
    ),
    "TypeNode": (
        "builtins.str", "builtins.int", "builtins.float", "numpy.float64",
        "numpy.float32",
    ),
    "ObjectNode": (),
}  # fmt: skip
# They predict or transform with numpy alone, and open no files.
ESTIMATORS = {
    "sklearn.decomposition": ("PCA", "TruncatedSVD"),
    "sklearn.discriminant_analysis": (
        "LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis",
    ),
    "sklearn.linear_model": (
        "ARDRegression", "BayesianRidge", "ElasticNet", "HuberRegressor", "Lars",
        "Lasso", "LassoLars", "LinearRegression", "LogisticRegression",
        "Ridge", "RidgeClassifier", "SGDRegressor",
        "TheilSenRegressor", "RidgeCV", "LassoCV",
    ),
    "sklearn.naive_bayes": ("BernoulliNB", "ComplementNB", "GaussianNB",
                            "MultinomialNB"),
    "sklearn.neighbors": ("NearestCentroid",),
    "sklearn.pipeline": ("Pipeline",),
    "sklearn.preprocessing": (
        "LabelBinarizer", "MaxAbsScaler", "MinMaxScaler", "Normalizer",
        "PowerTransformer", "QuantileTransformer", "RobustScaler", "StandardScaler",
    ),
    "sklearn.svm": ("LinearSVC", "LinearSVR"),
}  # fmt: skip


# Allowed inside the types that the user trusts.
_PACKED = [f"{kind.__module__}.{kind.__name__}" for kind in PACKED]


def stored_skops(value: Any, trusted: Sequence[str]) -> bytes:
    """An estimator in skops' format, if it would be loaded again."""
    import skops.io

    try:
        content: bytes = skops.io.dumps(pack(value))
    except Exception as error:  # skops has exceptions of its own
        raise NotCovered(f"{type(value).__name__}: {error}") from None
    try:
        check_skops(content, trusted)
    except Refused as error:
        raise NotCovered(str(error)) from None
    return content


def restored_skops(content: bytes, trusted: Sequence[str]) -> Any:
    """The estimator of a content that was checked."""
    import skops
    import skops.io

    if tuple(int(part) for part in skops.__version__.split(".")[:2]) < OLDEST:
        raise Refused(f"skops {skops.__version__} is not safe: install 0.16 or newer")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=ResourceWarning)
        return unpack(
            skops.io.loads(content, trusted=[*sorted(listed()), *_PACKED, *trusted])
        )


def check_skops(content: bytes, trusted: Sequence[str]) -> None:
    """Refuse what is not on the list, and arrays that are not what they say."""
    try:
        with opened_zip(content) as file:
            infos = file.infolist()
            if any(info.compress_type != ZIP_STORED for info in infos):
                raise Refused("a member is compressed")
            if sum(info.file_size for info in infos) > len(content):
                raise Refused("a member is larger than its file")
            schema = parse_json(file.read("schema.json"), len(content))
            arrays = {info.filename for info in infos} - {"schema.json"}
            if not trusted:
                for name in arrays:
                    read_array(file.read(name), by_columns=True)
    except UNREADABLE:
        raise Refused("a member cannot be read") from None
    try:
        nodes = list(_nodes(schema))
    except RecursionError:
        raise Refused("a member is nested too deeply") from None
    unknown = sorted({refused_type(node, trusted) for node in nodes} - {""})
    if unknown:
        raise Refused(
            f"types that are not allowed, {', '.join(unknown[:3])}; if you trust "
            "the author of the file, pass load(path, trusted=[...])"
        )
    # skops reads an object that occurs again (of the same id) once.
    pairs = {
        (str(node["file"]), str(node.get("__id__"))) for node in nodes if "file" in node
    }
    files = {file for file, _ in pairs}
    if len(files) < len(pairs) or not files <= arrays:
        raise Refused("an array is referenced twice or missing")


def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    """All descriptions of objects, wherever they are."""
    if isinstance(value, list):
        for item in value:
            yield from _nodes(item)
    elif isinstance(value, dict):
        if "__loader__" in value or "__class__" in value:
            yield value
        for item in value.values():
            yield from _nodes(item)


def refused_type(node: dict[str, Any], trusted: Sequence[str]) -> str:
    """The name of a class that is not to be made; "" for one that is."""
    loader, name = (
        node.get("__loader__"),
        f"{node.get('__module__')}.{node.get('__class__')}",
    )
    if loader == "JsonNode":
        return "" if is_plain_json(node) else name
    if name in trusted or (trusted and name in _PACKED):
        return ""
    if loader in _PLAIN and name in _PLAIN[loader]:
        return ""
    return "" if loader == "ObjectNode" and name in listed() else name


def is_plain_json(node: dict[str, Any]) -> bool:
    try:
        value = json.loads(node["content"])
    except (KeyError, TypeError, ValueError, RecursionError):
        return False
    return value is None or isinstance(value, str | int | float | bool)


@cache
def listed() -> frozenset[str]:
    """Full names of the estimators of the list, as this version has them."""
    full_names = set()
    for module, names in ESTIMATORS.items():
        home = import_module(module)
        kinds = [getattr(home, name) for name in names if hasattr(home, name)]
        full_names |= {f"{kind.__module__}.{kind.__name__}" for kind in kinds}
    return frozenset(full_names)
