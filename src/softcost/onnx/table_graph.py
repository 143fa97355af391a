"""Raw columns to codes, and codes to features: encoders and transformers."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from onnx import TensorProto
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    RobustScaler,
    StandardScaler,
)

from softcost.onnx.graph import ML, Graph, Operand, refused, tensor
from softcost.tables import KINDS, DenseFeatures, TableEncoder
from softcost.tables.cells import MISSING, read_number
from softcost.tables.kinds import Date, Duration, Number, Text, Words

COSTS = "costs"
OUTPUTS = ("label", "probabilities", "expected_costs", "scores")
_DAY = 86_400
_YEARS = ("1800-01-01", "2200-01-01")  # as `softcost.tables` reads dates
# Robustly scaled values beyond this are at their bounds; its square is finite.
_FAR = 1e100


# Transformers: from features to features.


def _scaled(graph: Graph, step: Any, x: str) -> str:
    kind = type(step)
    if kind is MinMaxScaler:
        scaled = graph.op("Add", graph.op("Mul", x, step.scale_), step.min_)
        if step.clip:
            low, high = (float(end) for end in step.feature_range)
            scaled = graph.op("Min", graph.op("Max", scaled, low), high)
        return scaled
    centre = {StandardScaler: "mean_", RobustScaler: "center_"}.get(kind)
    middle = getattr(step, centre) if centre else None
    uses_centre = getattr(step, "with_mean", getattr(step, "with_centering", False))
    if middle is not None and uses_centre:
        x = graph.op("Sub", x, np.asarray(middle, np.float64))
    scale = getattr(step, "scale_", None)
    return x if scale is None else graph.op("Div", x, np.asarray(scale, np.float64))


def _imputed(graph: Graph, step: SimpleImputer, x: str) -> str:
    numeric = step.statistics_.dtype.kind == "f"
    if step.add_indicator or not numeric or step.missing_values is not np.nan:
        raise refused(
            "SimpleImputer with an indicator, or for values other than NaN",
            "Use softcost.tables.DenseFeatures.",
        )
    kept = ~np.isnan(step.statistics_)
    if not kept.all():
        x = graph.columns(x, np.flatnonzero(kept))
    return graph.op("Where", graph.op("IsNaN", x), step.statistics_[kept], x)


def _projected(graph: Graph, step: PCA, x: str) -> str:
    matrix = step.components_.T
    if step.whiten:
        matrix = matrix / np.sqrt(step.explained_variance_)
    return graph.op("MatMul", graph.op("Sub", x, step.mean_), matrix)


def dense_features(graph: Graph, step: DenseFeatures, x: str) -> str:
    """As `DenseFeatures.transform`."""
    parts, indicators = [], []
    if len(step.number_columns_):
        values = graph.columns(x, step.number_columns_)
        missing = graph.op("IsNaN", values)
        parts.append(graph.op("Where", missing, step.fill_, values))
        if len(step.indicators_):
            indicators = [graph.cast(graph.columns(missing, step.indicators_))]
    if len(step.encoded_columns_):
        rows = _table_rows(graph, x, step.encoded_columns_, step.encoded_sizes_)
        ends = np.cumsum(step.encoded_sizes_) - step.encoded_sizes_
        found = graph.op("Gather", step.encodings_, graph.op("Add", rows, ends), axis=0)
        parts.append(graph.op("Reshape", found, np.array([0, -1])))
    outputs = []
    if parts:
        z = graph.op("Sub", graph.joined(parts), step.scaling_[0])
        z = graph.op("Mul", z, step.scaling_[1])
        if step.scaling == "robust":
            near = graph.op("Min", graph.op("Max", z, -_FAR), _FAR)
            third = graph.op("Div", near, 3.0)
            size = graph.op("Add", graph.op("Mul", third, third), 1.0)
            z = graph.op("Div", near, graph.op("Sqrt", size))
        outputs.append(z)
    outputs += indicators
    if len(step.one_hot_columns_):
        rows = _table_rows(graph, x, step.one_hot_columns_, step.one_hot_sizes_)
        outputs += _one_hot(graph, step, rows)
    return graph.joined(outputs)


def _one_hot(graph: Graph, step: DenseFeatures, rows: str) -> list[str]:
    """For each column of words, the rows of a table with a one at most."""
    outputs = []
    start = step.scaling_.shape[1] + len(step.indicators_)
    tables = np.split(step.places_, np.cumsum(step.one_hot_sizes_)[:-1])
    for number, places in enumerate(tables):
        width = max(int(places.max()) + 1 - start, 1)  # a constant has one of zeros
        table = np.zeros((len(places), width))
        some = np.flatnonzero(places >= 0)
        table[some, places[some] - start] = 1.0
        outputs.append(graph.op("Gather", table, graph.columns(rows, number), axis=0))
        start += width
    return outputs


def _table_rows(graph: Graph, x: str, columns: Any, sizes: Any) -> str:
    """Rows of categories in their tables: unseen, the codes from 0, missing."""
    codes, sizes = graph.columns(x, columns), np.asarray(sizes, np.float64)
    missing = graph.op("IsNaN", codes)
    inside = graph.op("Less", codes, sizes - 2)
    rows = graph.op("Add", codes, 1.0)
    rows = graph.op("Where", inside, rows, 0.0)
    rows = graph.op("Max", rows, 0.0)
    rows = graph.op("Where", missing, sizes - 1, rows)
    return graph.cast(rows, TensorProto.INT64)


_TRANSFORMERS: dict[type, Callable[[Graph, Any, str], str]] = {
    StandardScaler: _scaled,
    MinMaxScaler: _scaled,
    MaxAbsScaler: _scaled,
    RobustScaler: _scaled,
    SimpleImputer: _imputed,
    PCA: _projected,
    DenseFeatures: dense_features,
}


def transformed(graph: Graph, steps: list[Any], x: str) -> str:
    """The output of some transformers, one after the other."""
    for step in steps:
        if step is None or isinstance(step, str):  # "passthrough"
            continue
        if type(step) not in _TRANSFORMERS:
            raise refused(
                f"The step {type(step).__name__}",
                "Use a scaler, SimpleImputer, PCA, DenseFeatures or TableEncoder.",
            )
        x = _TRANSFORMERS[type(step)](graph, step, x)
    return x


# Raw columns.


def input_names(encoder: TableEncoder) -> dict[str, str]:
    """A name for each column, unlike those of the graph's other inputs and outputs."""
    taken = {COSTS, *OUTPUTS}
    return {
        name: f"{name} (column)" if name in taken or not name else name
        for name in encoder.kinds_
    }


def column_codes(graph: Graph, encoder: TableEncoder, names: Mapping[str, str]) -> str:
    """As `TableEncoder.encode` with ``output="codes"``."""
    parts: list[str] = []
    tokens = frozenset(encoder.missing)
    words = iter(encoder.categories_)
    for column_name, kind_name in encoder.kinds_.items():
        kind, name = KINDS[kind_name], names[column_name]
        if not isinstance(kind, Words | Date | Number | Duration):
            raise refused(
                f"The column {column_name!r} ({kind_name})", "Leave it out (drop)."
            )
        if isinstance(kind, Text):
            raise refused(
                f"The column {column_name!r} of free text",
                f"Leave it out (drop) or read it as words (nominal={column_name!r}).",
            )
        if isinstance(kind, Words):
            cells = graph.input(name, TensorProto.STRING, ["n"])
            codes = _word_codes(graph, cells, next(words), kind.boolean, tokens)
            parts.append(graph.as_column(codes))
            continue
        values = graph.as_column(graph.input(name, TensorProto.DOUBLE, ["n"]))
        if isinstance(kind, Date):
            parts += _date_parts(graph, values, kind.hours)
            continue
        if isinstance(kind, Number):
            coded = (read_number(token) for token in tokens)
            for number in sorted({n for n in coded if n is not None}):
                equal = graph.op("Equal", values, number)
                values = graph.op("Where", equal, np.nan, values)
        parts.append(values)
    return graph.joined(parts)


def _word_codes(
    graph: Graph, cells: str, words: Any, boolean: bool, tokens: frozenset[str]
) -> str:
    codes = {str(word): float(code) for code, word in enumerate(words.tolist())}
    if boolean:
        for text, word in _BOOLEAN_TEXTS.items():
            codes.setdefault(text, codes.get(word, -1.0))
    codes |= dict.fromkeys([*MISSING, *tokens], np.nan)
    return graph.op(
        "LabelEncoder",
        cells,
        domain=ML,
        keys_tensor=tensor(np.array(list(codes), object)),
        values_tensor=tensor(np.array(list(codes.values()))),
        default_tensor=tensor(np.array([-1.0])),
    )


_BOOLEAN_TEXTS = {
    form: word
    for text, word in (
        ("true", "True"), ("wahr", "True"), ("vrai", "True"),
        ("false", "False"), ("falsch", "False"), ("faux", "False"),
    )
    for form in (text, text.capitalize(), text.upper())
}  # fmt: skip


def _date_parts(graph: Graph, seconds: str, hours: bool) -> list[str]:
    """As `date_parts` of `softcost.tables`, from seconds since 1970.

    The calendar is Hinnant's ``civil_from_days``: whole numbers below 2^53, which
    doubles represent exactly.
    """
    first, last = (float(np.datetime64(day, "s").astype(np.int64)) for day in _YEARS)
    early = graph.op("Less", seconds, first)
    late = graph.op("GreaterOrEqual", seconds, last)
    outside = graph.op("Or", early, late)
    whole = graph.op("Where", outside, np.nan, graph.op("Floor", seconds))

    def quotient(x: str, divisor: float) -> str:
        return graph.op("Floor", graph.op("Div", x, float(divisor)))

    def minus(x: str, y: Operand, factor: float = 1.0) -> str:
        scaled = y if factor == 1 else graph.op("Mul", y, float(factor))
        return graph.op("Sub", x, scaled)

    def plus(x: str, y: Operand) -> str:
        return graph.op("Add", x, y)

    days = quotient(whole, _DAY)
    shifted = plus(days, 719_468.0)
    of_era = minus(shifted, quotient(shifted, 146_097), 146_097)
    leap = minus(plus(of_era, quotient(of_era, 36_524)), quotient(of_era, 1_460))
    year = quotient(minus(leap, quotient(of_era, 146_096)), 365)
    of_year = minus(of_era, year, 365)
    of_year = plus(minus(of_year, quotient(year, 4)), quotient(year, 100))
    fifths = plus(graph.op("Mul", of_year, 5.0), 2.0)
    month = quotient(fifths, 153)
    before = plus(graph.op("Mul", month, 153.0), 2.0)
    day = plus(minus(of_year, quotient(before, 5)), 1.0)
    wraps = graph.op("GreaterOrEqual", month, 10.0)
    turn = graph.op("Where", wraps, 9.0, -3.0)
    ahead = plus(days, 3.0)
    weekday = minus(ahead, quotient(ahead, 7), 7)  # Monday is 0
    moment = graph.op("Div", whole, float(_DAY)) if hours else days
    parts = [moment, minus(month, turn), day, weekday]
    if hours:
        clock = minus(whole, days, _DAY)
        parts.append(graph.op("Div", clock, 3600.0))
    return parts
