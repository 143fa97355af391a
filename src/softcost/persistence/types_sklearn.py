"""Schemas of scikit-learn's estimators, except trees and boosting."""

from itertools import pairwise
from typing import Any

import numpy as np

from softcost.persistence.archive import NotCovered, Refused
from softcost.persistence.schema import (
    CLASS_WEIGHT,
    COUNT,
    ESTIMATOR,
    FEATURES,
    FLAG,
    JOBS,
    NAMED,
    NOTHING,
    NUMBER,
    PLAIN,
    POSITIVE,
    SEED,
    VERBOSE,
    Labels,
    ListOf,
    Real,
    Record,
    Shapes,
    Text,
    Tuple,
    Type,
    Whole,
    bind,
    either,
    length,
    made,
    maybe,
    n_features,
    numbers,
    one_of,
    require_fitted,
    whole_numbers,
)
from softcost.persistence.types_trees import check_category_values
from softcost.tables import KINDS, DenseFeatures, TableEncoder, TextComponents
from softcost.tables.kinds import feature_kinds

_STEP = either(one_of("passthrough", "drop"), ESTIMATOR)
_OUTPUT = {"_sklearn_output_config": PLAIN}
_NAMED = frozenset({"feature_names_in_", "_sklearn_output_config"})


def _check_pipeline(record: Record) -> None:
    """Steps take what the step before gives, as far as both say."""
    steps = [step for _, step in record.params["steps"] if isinstance(step, Record)]
    for before, step in pairwise(steps):
        width, wanted = n_outputs(before), n_features(step)
        if width is not None and wanted is not None and width != wanted:
            raise Refused(f"{step.type} takes {wanted} features, not {width}")


def n_outputs(record: Record) -> int | None:
    """How many columns a transformer gives; None where it does not say."""
    if record.type in ("MinMaxScaler", "StandardScaler", "SimpleImputer"):
        return n_features(record)
    if record.type in ("ColumnTransformer", "OneHotEncoder"):
        return record.dims.get("outputs")
    if record.type == "DenseFeatures":
        return record.get("n_outputs_")
    if record.type == "TableEncoder":
        inner = record.get("features_") or record.get("transformer_")
        return record.dims.get("codes") if inner is None else n_outputs(inner)
    if record.type == "Pipeline":
        steps = [step for _, step in record.params["steps"] if isinstance(step, Record)]
        return n_outputs(steps[-1]) if steps else None
    return None


# Loading lists the numbers of all columns, and a file can claim any number of them.
_MOST_UNNAMED = 10**6
# Columns are referred to by name or by number.
_COLUMNS = either(ListOf(Text()), ListOf(Whole(0, 2**31)))
_TRANSFORMER = Tuple((Text(), _STEP, _COLUMNS))


def _take_columns(value: Any) -> dict[str, Any] | None:
    if not hasattr(value, "transformers_"):
        return None
    if value.remainder != "drop" or value.transformer_weights is not None:
        raise NotCovered("a ColumnTransformer with a remainder or with weights")
    steps = [step for step in value.transformers_ if step[0] != "remainder"]
    widths = [value.output_indices_[name] for name, _, _ in steps]
    return {
        "n_features_in_": value.n_features_in_,
        **_names_of(value),
        "steps": steps,
        "widths": np.array([place.stop - place.start for place in widths], np.int64),
        "sparse_output_": value.sparse_output_,
    }


def _names_of(value: Any) -> dict[str, Any]:
    names = getattr(value, "feature_names_in_", None)
    config = vars(value).get("_sklearn_output_config")
    out = {} if names is None else {"feature_names_in_": names}
    return out if config is None else out | {"_sklearn_output_config": config}


def _check_columns(record: Record) -> None:
    if record.fitted is None:
        return
    names = record.get("feature_names_in_")
    known_names = None if names is None else set(names.tolist())
    if known_names is None and record.dims["d"] > _MOST_UNNAMED:
        raise Refused(f"n_features_in_: more than {_MOST_UNNAMED} without names")
    for (name, step, columns), width in zip(
        record.fitted["steps"], record.fitted["widths"].tolist(), strict=True
    ):
        for column in columns:
            inside = (
                column < record.dims["d"]
                if isinstance(column, int)
                else column in (known_names or ())
            )
            if not inside:
                raise Refused(f"{name[:40]}: no column {str(column)[:40]!r}")
        if isinstance(step, Record):
            require_fitted(step, len(columns), name[:40])
            n_given = n_outputs(step)
            if n_given is not None and n_given != width:
                raise Refused(f"{name[:40]}: it gives {n_given} features, not {width}")
    record.dims["outputs"] = int(record.fitted["widths"].sum())


def _make_columns(cls: Any, params: dict, fitted: dict | None) -> Any:
    """Places of columns follow from the steps.

    Jobs of a ColumnTransformer are processes, which no file may start.
    """
    value = made(cls, params | {"n_jobs": None}, None)
    if fitted is None:
        return value
    names = fitted.get("feature_names_in_")
    order = {} if names is None else {name: i for i, name in enumerate(names.tolist())}
    steps, places, start = fitted.pop("steps"), {}, 0
    for (name, _, _), width in zip(steps, fitted.pop("widths").tolist(), strict=True):
        places[name] = slice(start, start + width)
        start += width
    places["remainder"] = slice(0, 0)
    inputs = {
        name: [order.get(column, column) for column in cols] for name, _, cols in steps
    }
    taken = {place for columns in inputs.values() for place in columns}
    rest = [place for place in range(fitted["n_features_in_"]) if place not in taken]
    last = [("remainder", "drop", rest)] if rest else []
    value.__dict__.update(
        fitted,
        transformers_=[*steps, *last],
        output_indices_=places,
        _columns=[columns for _, _, columns in steps],
        _transformer_to_input_indices=inputs | {"remainder": rest},
        _remainder=("remainder", "drop", rest),
    )
    return value


def _take_imputer(value: Any) -> dict[str, Any] | None:
    if not hasattr(value, "statistics_"):
        return None
    if value.indicator_ is not None:
        raise NotCovered("a SimpleImputer with an indicator")
    return {
        "n_features_in_": value.n_features_in_,
        **_names_of(value),
        "statistics_": value.statistics_,
        "fit_dtype": value._fit_dtype.str[1:],
        "fill_dtype": np.dtype(getattr(value, "_fill_dtype", value._fit_dtype)).str[1:],
    }


def _check_imputer(record: Record) -> None:
    statistics = record.get("statistics_")
    if record.fitted is not None and (
        not isinstance(statistics, np.ndarray)
        or statistics.shape != (record.dims["d"],)
    ):
        raise Refused("statistics_: not one for each feature")


def _make_imputer(cls: Any, params: dict, fitted: dict | None) -> Any:
    if fitted is not None:
        fitted["_fit_dtype"] = np.dtype(fitted.pop("fit_dtype"))
        fitted["_fill_dtype"] = np.dtype(fitted.pop("fill_dtype"))
        fitted["indicator_"] = None
    return made(cls, params, fitted)


_DTYPES = one_of("f8", "f4", "O", "i8", "i4")


def _take_encoder(value: Any) -> dict[str, Any] | None:
    if not hasattr(value, "categories_"):
        return None
    if value.drop is not None or np.dtype(value.dtype) != np.float64:
        raise NotCovered("a OneHotEncoder that drops, or of another type than float64")
    count = len(value.categories_)
    grouped = getattr(value, "_default_to_infrequent_mappings", [None] * count)
    return {
        "n_features_in_": value.n_features_in_,
        **_names_of(value),
        "categories_": value.categories_,
        "groups": list(grouped),
    }


def _groups_rare(params: dict[str, Any]) -> bool:
    names = ("max_categories", "min_frequency")
    return any(params.get(name) is not None for name in names)


def _check_encoder(record: Record) -> None:
    """Groups are the columns of rare values: all in the last column."""
    if record.fitted is None:
        return
    total = 0
    for words, group in zip(
        record.fitted["categories_"], record.fitted["groups"], strict=True
    ):
        check_category_values(words, "categories_")
        if group is None:
            total += len(words)
            continue
        # Bounded first: the numbers up to that of the last group are counted.
        if len(group) != len(words) or group.max() >= len(words) \
                or (np.bincount(group) == 0).any():  # fmt: skip
            raise Refused("groups: not one for each category")
        if not _groups_rare(record.params):  # it would count categories one by one
            raise Refused("groups: the encoder does not group rare categories")
        total += int(group.max()) + 1
    record.dims["outputs"] = total


def _make_encoder(cls: Any, params: dict, fitted: dict | None) -> Any:
    value = made(cls, params, None)
    if fitted is None:
        return value
    groups, categories = fitted.pop("groups"), fitted["categories_"]
    rare = [
        None if group is None else np.flatnonzero(group == group.max())
        for group in groups
    ]
    value.__dict__.update(
        fitted,
        _infrequent_enabled=_groups_rare(params),
        _infrequent_indices=rare,
        _default_to_infrequent_mappings=groups,
        _drop_idx_after_grouping=None,
        drop_idx_=None,
        _n_features_outs=[
            len(words) if group is None else int(group.max()) + 1
            for words, group in zip(categories, groups, strict=True)
        ],
    )
    return value


def _check_table_encoder(record: Record) -> None:
    if record.fitted is None:
        return
    kinds, names = record.fitted["kinds_"], record.fitted["feature_names_in_"].tolist()
    if not isinstance(kinds, dict) or not kinds:
        raise Refused("kinds_: not what columns hold")
    for name, kind in kinds.items():
        if not isinstance(name, str) or not isinstance(kind, str) or kind not in KINDS:
            raise Refused(f"kinds_: no kind {str(kind)[:40]!r}")
    if not set(kinds) <= set(names):
        raise Refused("feature_names_in_: not the names of the columns")
    missing = record.params.get("missing", ())
    if not isinstance(missing, list | tuple) or not all(
        isinstance(word, str) for word in missing
    ):
        raise Refused("missing: not words")
    typed: list[str] = list(feature_kinds(kinds).values())
    record.dims["codes"] = len(typed)
    if "transformer_" in record.fitted:
        _check_former_transformer(record, feature_kinds(kinds))
        return
    if not {"categories_", "ranges_", "texts_"} <= set(record.fitted):
        raise Refused("categories_, ranges_ or texts_: missing")
    words, ranges = record.fitted["categories_"], record.fitted["ranges_"]
    texts = record.fitted["texts_"]
    lengths = {"nominal": len(words), "number": len(ranges), "text": len(texts)}
    if any(typed.count(kind) != length for kind, length in lengths.items()):
        raise Refused("categories_, ranges_ or texts_: not one for each column")
    is_word = _are_words(typed, texts)
    record.dims["codes"] = len(is_word)
    if (ranges[:, 0] > ranges[:, 1]).any():
        raise Refused("ranges_: not from the smallest to the largest")
    for column in words:
        if not _are_different_words(column):
            raise Refused("categories_: not different words")
    output = record.params.get("output", "features")
    inner = record.fitted.get("features_")
    if (output == "features") != (inner is not None):
        raise Refused("features_: not those of the output")
    if inner is not None:
        _check_inner_features(inner, words, is_word)


def _are_words(typed: list, texts: list) -> np.ndarray:
    """Which codes are words: one column for each number and word, several for text."""
    widths = []
    for part in texts:
        if not isinstance(part, Record) or part.type != "TextComponents":
            raise Refused("texts_: not TextComponents")
        require_fitted(part, None, "texts_")
        widths.append(part.dims["components"])
    width = iter(widths)
    return np.concatenate(
        [np.full(next(width) if kind == "text" else 1, kind == "nominal")
         for kind in typed]
    )  # fmt: skip


def _are_different_words(column: Any) -> bool:
    return (
        isinstance(column, np.ndarray)
        and column.ndim == 1
        and all(isinstance(word, str) for word in column.tolist())
        and len({*column.tolist()}) == len(column)
    )


def _check_inner_features(inner: Any, words: list, is_word: np.ndarray) -> None:
    """Features of the codes that an encoder makes."""
    if not isinstance(inner, Record) or inner.type != "DenseFeatures":
        raise Refused("features_: not DenseFeatures")
    require_fitted(inner, len(is_word), "features_")
    fitted = inner.fitted or {}
    lengths = dict(zip(np.flatnonzero(is_word).tolist(), map(len, words), strict=True))
    if {*fitted["number_columns_"].tolist()} & {*lengths}:
        raise Refused("features_: words as numbers")
    for name in ("one_hot", "encoded"):
        columns, sizes = fitted[f"{name}_columns_"], fitted[f"{name}_sizes_"]
        for column, size in zip(columns.tolist(), sizes.tolist(), strict=True):
            if column not in lengths or size > lengths[column] + 2:
                raise Refused(f"features_: {name}_sizes_ not of the categories")


def _check_former_transformer(record: Record, kinds: dict) -> None:
    """A ColumnTransformer, in files of earlier versions."""
    names = list(kinds)
    fitted = record.fitted or {}
    inner = fitted["transformer_"]
    if not isinstance(inner, Record) or inner.type != "ColumnTransformer":
        raise Refused("transformer_: not a ColumnTransformer")
    if {*fitted} & {"categories_", "ranges_", "features_", "texts_"}:
        raise Refused("transformer_: beside what replaces it")
    require_fitted(inner, len(names), "transformer_")
    own = inner.get("feature_names_in_")
    if own is None or own.tolist() != names:
        raise Refused("transformer_: not of the columns in kinds_")
    columns = {
        "numbers": [name for name, kind in kinds.items() if kind == "number"],
        "words": [name for name, kind in kinds.items() if kind != "number"],
    }
    last = {"numbers": "MinMaxScaler", "words": "OneHotEncoder"}
    expected = [
        (name, [("fill", "SimpleImputer"), (step, last[name])], columns[name])
        for name, step in (("numbers", "scale"), ("words", "encode"))
        if columns[name]
    ]
    steps = [
        (
            name,
            [(inside, part.type) for inside, part in step.params["steps"]]
            if isinstance(step, Record) and step.type == "Pipeline"
            else [],
            some,
        )
        for name, step, some in inner.fitted["steps"]  # type: ignore[index]
    ]
    if steps != expected:
        raise Refused("transformer_: not of 'softcost fit'")


def _make_table_encoder(kind: Any, params: dict, fitted: dict | None) -> Any:
    if fitted is None:
        return made(kind, params, None)
    transformer = fitted.pop("transformer_", None)
    encoder = made(kind, params, fitted | {"summary_": []})
    if transformer is not None:
        encoder.set_transformer(transformer)
    else:
        encoder.index_codes()
    return encoder


def _check_text_components(record: Record) -> None:
    if record.fitted is None:
        return
    terms = record.fitted["terms_"]
    if not _are_different_words(terms) or len(terms) != record.dims["terms"]:
        raise Refused("terms_: not different words")
    if record.dims["components"] < 1:
        raise Refused("components_: none")


def _make_text_components(cls: Any, params: dict, fitted: dict | None) -> Any:
    value = made(cls, params, fitted)
    if fitted is not None:
        value.prepare()
    return value


def _check_dense_features(record: Record) -> None:
    """Columns and places that are there, and tables of the right lengths."""
    if record.fitted is None:
        return
    fitted, dims = record.fitted, record.dims
    for name in ("number_columns_", "one_hot_columns_", "encoded_columns_"):
        columns = fitted[name]
        if len(columns) and columns.max() >= dims["d"]:
            raise Refused(f"{name}: no such column")
        if len({*columns.tolist()}) < len(columns):
            raise Refused(f"{name}: a column twice")
    if len(fitted["indicators_"]) > dims["numbers"] or (
        dims["indicators"] and fitted["indicators_"].max() >= dims["numbers"]
    ):
        raise Refused("indicators_: not of the numbers")
    for name, rows in (("one_hot_sizes_", "places"), ("encoded_sizes_", "encodings")):
        sizes = fitted[name]
        # Bounded first, so the sum cannot overflow.
        if len(sizes) and (sizes.min() < 2 or sizes.max() > dims[rows]):
            raise Refused(f"{name}: not lengths of tables")
        if int(sizes.sum()) != dims[rows]:
            raise Refused(f"{name}: not lengths of tables")
    if dims["targets"] < 1:
        raise Refused("encodings_: no frequency")
    if dims["scaled"] != dims["numbers"] + dims["encoded"] * dims["targets"]:
        raise Refused("scaling_: not one for each number")
    first = dims["scaled"] + dims["indicators"]
    places, width = fitted["places_"], fitted["n_outputs_"]
    if not first <= width <= first + len(places):
        raise Refused("n_outputs_: not the number of features")
    if len(places) and (
        places.max() >= width or ((places >= 0) & (places < first)).any()
    ):
        raise Refused("places_: no such feature")


_STEPS = ListOf(Tuple((Text(), _STEP)))
_SCALES = maybe(numbers("d"))

COLUMN_TYPES = [
    Type(
        "sklearn.pipeline:Pipeline",
        {"steps": _STEPS, "transform_input": NOTHING, "memory": NOTHING,
         "verbose": FLAG},
        _OUTPUT,
        _NAMED,
        check=_check_pipeline,
        take=lambda value: {
            name: one for name, one in _names_of(value).items() if name in _OUTPUT
        },
    ),
    Type(
        "sklearn.compose:ColumnTransformer",
        {"transformers": ListOf(_TRANSFORMER), "remainder": one_of("drop"),
         "sparse_threshold": Real(0, 1), "n_jobs": JOBS,
         "transformer_weights": NOTHING, "verbose": FLAG,
         "verbose_feature_names_out": FLAG},
        FEATURES | _OUTPUT | {
            "steps": ListOf(_TRANSFORMER, "steps"),
            "widths": whole_numbers("steps"),
            "sparse_output_": FLAG,
        },
        _NAMED,
        check=_check_columns,
        take=_take_columns,
        make=_make_columns,
    ),
    Type(
        TableEncoder,
        {"kinds": PLAIN, "output": one_of("features", "codes"), "nominal": PLAIN,
         "number": PLAIN, "dates": PLAIN, "decimal": PLAIN, "missing": PLAIN,
         "drop": PLAIN},
        FEATURES | _OUTPUT | {
            "kinds_": PLAIN, "categories_": ListOf(PLAIN),
            "ranges_": numbers("numbers", 2), "features_": ESTIMATOR,
            "texts_": ListOf(ESTIMATOR),
            "transformer_": ESTIMATOR,  # of earlier versions, instead of these
        },
        frozenset({"_sklearn_output_config", "categories_", "ranges_", "features_",
                   "texts_", "transformer_"}),
        frozenset({"summary_", "categorical_features_", "_codes_by_word", "_columns",
                   "_code_names", "_parser"}),
        check=_check_table_encoder,
        make=_make_table_encoder,
    ),
    Type(
        TextComponents,
        {"n_components": Whole(1, 2**31)},
        _OUTPUT | {
            "terms_": PLAIN, "idf_": numbers("terms"),
            "components_": numbers("components", "terms"),
        },
        _NAMED,
        frozenset({"_vectorizer"}),
        check=_check_text_components,
        make=_make_text_components,
    ),
    Type(
        DenseFeatures,
        {"categorical_features": PLAIN, "scaling": one_of("range", "robust")},
        FEATURES | _OUTPUT | {
            "number_columns_": whole_numbers("numbers"), "fill_": numbers("numbers"),
            "indicators_": whole_numbers("indicators"),
            "scaling_": numbers(2, "scaled"),
            "one_hot_columns_": whole_numbers("one_hot"),
            "one_hot_sizes_": whole_numbers("one_hot"),
            "places_": whole_numbers("places", least=-1),
            "encoded_columns_": whole_numbers("encoded"),
            "encoded_sizes_": whole_numbers("encoded"),
            "encodings_": numbers("encodings", "targets"),
            "n_outputs_": Whole(0, 2**31),
        },
        _NAMED,
        check=_check_dense_features,
    ),
    Type(
        "sklearn.impute:SimpleImputer",
        {"missing_values": either(Real(finite=False), PLAIN),
         "add_indicator": FLAG, "keep_empty_features": FLAG,
         "strategy": one_of("mean", "median", "most_frequent", "constant"),
         "fill_value": PLAIN, "copy": FLAG},
        FEATURES | _OUTPUT | {
            "statistics_": PLAIN, "fit_dtype": _DTYPES, "fill_dtype": _DTYPES,
        },
        _NAMED,
        check=_check_imputer,
        take=_take_imputer,
        make=_make_imputer,
    ),
    Type(
        "sklearn.preprocessing:OneHotEncoder",
        {"categories": PLAIN, "sparse_output": FLAG,
         "handle_unknown": one_of(
             "ignore", "error", "infrequent_if_exist", "warn"),
         "drop": NOTHING, "min_frequency": PLAIN, "max_categories": PLAIN,
         "feature_name_combiner": one_of("concat")},
        FEATURES | _OUTPUT | {
            "categories_": ListOf(PLAIN, "d"),
            "groups": ListOf(maybe(whole_numbers("*")), "d"),
        },
        _NAMED,
        check=_check_encoder,
        take=_take_encoder,
        make=_make_encoder,
    ),
    Type(
        "sklearn.preprocessing:MinMaxScaler",
        {"feature_range": Tuple((NUMBER, NUMBER)), "copy": FLAG, "clip": FLAG},
        FEATURES | _OUTPUT | {
            "n_samples_seen_": COUNT,
            **dict.fromkeys(
                ("scale_", "min_", "data_min_", "data_max_", "data_range_"),
                numbers("d", finite=False),
            ),
        },
        _NAMED,
    ),
    Type(
        "sklearn.preprocessing:StandardScaler",
        {"with_mean": FLAG, "with_std": FLAG, "copy": FLAG},
        FEATURES | _OUTPUT | {
            "n_samples_seen_": PLAIN, "mean_": _SCALES, "var_": _SCALES,
            "scale_": _SCALES,
        },
        _NAMED,
    ),
]  # fmt: skip


# Linear models, and cross-validation splitters, which are parameters of a search.


def _check_logistic(record: Record) -> None:
    if record.fitted is None:
        return
    rows, classes = record.dims["rows"], record.dims["K"]
    if classes < 2 or rows != (1 if classes == 2 else classes):
        raise Refused("coef_: not one row for each class")


def _make_logistic(cls: Any, params: dict, fitted: dict | None) -> Any:
    """A model whose coefficients lie in memory as those of a fit.

    Matrix products depend on the order of memory in their last bits, and these
    solvers leave the coefficients of several classes in the order of Fortran.
    """
    solvers = ("lbfgs", "newton-cg", "newton-cholesky")
    if fitted is not None and params.get("solver", "lbfgs") in solvers:
        fitted = {**fitted, "coef_": np.asfortranarray(fitted["coef_"])}
    return made(cls, params, fitted)


def _check_ridge(record: Record) -> None:
    if record.fitted is None:
        return
    coef, intercept = record.fitted["coef_"], record.fitted["intercept_"]
    sizes = (coef.shape[0],) if coef.ndim == 2 else ()
    if np.shape(intercept) not in ((), sizes):
        raise Refused("intercept_: not one for each target")


_COEF = Shapes((numbers("d"), numbers("targets", "d")))
_SOLVER = Text()

LINEAR_TYPES = [
    Type(
        "sklearn.linear_model:Ridge",
        {"alpha": PLAIN, "fit_intercept": FLAG, "copy_X": FLAG,
         "max_iter": maybe(Whole(1)), "tol": POSITIVE, "solver": _SOLVER,
         "positive": FLAG, "random_state": SEED},
        FEATURES | {
            "coef_": _COEF, "intercept_": either(NUMBER, numbers("targets")),
            "n_iter_": PLAIN, "solver_": _SOLVER,
        },
        frozenset({"feature_names_in_", "solver_", "n_iter_"}),
        check=_check_ridge,
    ),
    Type(
        "sklearn.linear_model:LogisticRegression",
        {"penalty": maybe(Text()), "C": POSITIVE, "l1_ratio": maybe(Real(0, 1)),
         "dual": FLAG, "tol": POSITIVE, "fit_intercept": FLAG,
         "intercept_scaling": NUMBER, "class_weight": CLASS_WEIGHT,
         "random_state": SEED, "solver": _SOLVER, "max_iter": COUNT,
         "multi_class": Text(), "verbose": VERBOSE, "warm_start": FLAG,
         "n_jobs": JOBS},
        FEATURES | {
            "classes_": Labels("K"), "coef_": numbers("rows", "d"),
            "intercept_": numbers("rows"), "n_iter_": PLAIN,
        },
        frozenset({"feature_names_in_", "n_iter_"}),
        check=_check_logistic,
        make=_make_logistic,
    ),
    Type(
        "sklearn.frozen:FrozenEstimator",
        {"estimator": ESTIMATOR},
        {},
        frozenset(),
        take=lambda value: {},
    ),
    *(
        Type(f"sklearn.model_selection:{name}", dict.fromkeys(fields, PLAIN),
             unkept=frozenset({"cvargs", "cv"}), take=lambda value: {},
             is_estimator=False)
        for name, fields in {
            "KFold": ("n_splits", "shuffle", "random_state"),
            "StratifiedKFold": ("n_splits", "shuffle", "random_state"),
            "GroupKFold": ("n_splits", "shuffle", "random_state"),
            "StratifiedGroupKFold": ("n_splits", "shuffle", "random_state"),
            "ShuffleSplit": ("n_splits", "test_size", "train_size", "random_state"),
            "StratifiedShuffleSplit": (
                "n_splits", "test_size", "train_size", "random_state"),
        }.items()
    ),
]  # fmt: skip


# Neighbours, calibration and constant predictions.


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


def _make_neighbours(cls: Any, params: dict, fitted: dict | None) -> Any:
    """Fitted again to the same rows, which gives the same neighbours."""
    value = made(cls, params, None)
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
    kinds = {
        type(calibrator).__name__ for part in members for calibrator in part.calibrators
    }
    if kinds != {"_SigmoidCalibration"}:
        raise NotCovered("a calibration that is not sigmoid")
    names = ("classes_", "n_features_in_", "feature_names_in_")
    out = {name: getattr(value, name) for name in names if hasattr(value, name)}
    curves = [
        [(calibrator.a_, calibrator.b_) for calibrator in part.calibrators]
        for part in members
    ]
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


def _make_calibrated(cls: Any, params: dict, fitted: dict | None) -> Any:
    value = made(cls, params, None)
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

SKLEARN_TYPES = [*COLUMN_TYPES, *LINEAR_TYPES, *OTHER_TYPES]
