"""From columns of numbers and words to features."""

from collections.abc import Mapping
from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder

from softcost.tables.cells import Kind
from softcost.tables.columns import feature_kinds
from softcost.tables.infer import MOST_WORDS

EMPTY = "(missing)"


def make_encoder(kinds: Mapping[str, Kind]) -> ColumnTransformer:
    """Fill empty cells, one-hot encode words, scale numbers to [0, 1].

    An empty cell of words is a value of its own, an empty number the median. Dates
    have been made numbers when they were read: that needs no transformer, so that what
    a model file holds stays a handful of scikit-learn's types with schemas of ours. A
    value
    that was not there when the model was fitted has no feature.
    """
    features = feature_kinds(kinds)
    numbers = [name for name, kind in features.items() if kind == "number"]
    words = [name for name, kind in features.items() if kind == "nominal"]
    steps: list[tuple[str, Any, list[str]]] = []
    if numbers:
        filled = SimpleImputer(strategy="median", keep_empty_features=True)
        scaled = Pipeline([("fill", filled), ("scale", MinMaxScaler())])
        steps.append(("numbers", scaled, numbers))
    if words:
        filled = SimpleImputer(
            strategy="constant", fill_value=EMPTY, keep_empty_features=True
        )
        encoded = OneHotEncoder(
            handle_unknown="ignore", sparse_output=False, max_categories=MOST_WORDS
        )
        steps.append(
            ("words", Pipeline([("fill", filled), ("encode", encoded)]), words)
        )
    return ColumnTransformer(steps)
