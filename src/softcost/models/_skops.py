"""Other estimators of scikit-learn, through skops, behind a short list.

A file in skops' format names, for every object, its class and what makes it (the
loader). skops does not ask whether the two go together, and makes objects whose C code
trusts their numbers. So before skops sees a file, all pairs are compared with a list:
plain containers, arrays of numbers, and estimators that predict with numpy alone, so
that wrong numbers raise or give wrong answers, and nothing worse. Everything else is
loaded only where the user names it.
"""

import json
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from typing import Any
from zipfile import ZIP_STORED

from softcost.models._archive import UNREADABLE, opened_zip
from softcost.models._arrays import read_array
from softcost.models._errors import NotCovered, Refused
from softcost.models._json import parse_json
from softcost.models._pack import PACKED, pack, unpack

SKOPS = "skops"
_OLDEST = (0, 16)  # before, modules named in a file were imported before its audit

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
# They predict, or transform, with numpy alone, and open nothing.
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


# Tables and boosters inside of what the user trusts.
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

    if tuple(int(part) for part in skops.__version__.split(".")[:2]) < _OLDEST:
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
            if any(one.compress_type != ZIP_STORED for one in infos):
                raise Refused("a part is compressed")
            if sum(one.file_size for one in infos) > len(content):
                raise Refused("a part is larger than its file")
            schema = parse_json(file.read("schema.json"), len(content))
            arrays = {one.filename for one in infos} - {"schema.json"}
            if not trusted:
                for name in arrays:
                    read_array(file.read(name), by_columns=True)
    except UNREADABLE:
        raise Refused("a part cannot be read") from None
    try:
        nodes = list(_nodes(schema))
    except RecursionError:
        raise Refused("a part is nested too deeply") from None
    unknown = sorted({_refused(node, trusted) for node in nodes} - {""})
    if unknown:
        raise Refused(
            f"of a type that is not allowed, {', '.join(unknown[:3])}; whoever trusts "
            "the maker of the file names it: load(path, trusted=[...])"
        )
    # skops reads an object that occurs again (of the same id) once.
    pairs = {
        (str(node["file"]), str(node.get("__id__"))) for node in nodes if "file" in node
    }
    files = {file for file, _ in pairs}
    if len(files) < len(pairs) or not files <= arrays:
        raise Refused("an array is named twice, or is not there")


def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    """All descriptions of objects, wherever they are."""
    if isinstance(value, list):
        for one in value:
            yield from _nodes(one)
    elif isinstance(value, dict):
        if "__loader__" in value or "__class__" in value:
            yield value
        for one in value.values():
            yield from _nodes(one)


def _refused(node: dict[str, Any], trusted: Sequence[str]) -> str:
    """The name of a class that is not to be made; "" for one that is."""
    loader, name = (
        node.get("__loader__"),
        f"{node.get('__module__')}.{node.get('__class__')}",
    )
    if loader == "JsonNode":
        return "" if _is_plain_json(node) else name
    if name in trusted or (trusted and name in _PACKED):
        return ""
    if loader in _PLAIN and name in _PLAIN[loader]:
        return ""
    return "" if loader == "ObjectNode" and name in listed() else name


def _is_plain_json(node: dict[str, Any]) -> bool:
    try:
        value = json.loads(node["content"])
    except (KeyError, TypeError, ValueError, RecursionError):
        return False
    return value is None or isinstance(value, str | int | float | bool)


@cache
def listed() -> frozenset[str]:
    """Full names of the estimators of the list, as this version has them."""
    found = set()
    for module, names in ESTIMATORS.items():
        home = import_module(module)
        kinds = [getattr(home, name) for name in names if hasattr(home, name)]
        found |= {f"{kind.__module__}.{kind.__name__}" for kind in kinds}
    return frozenset(found)
