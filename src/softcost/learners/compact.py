"""Compact forms of fitted classifiers: their probabilities without their overhead.

For a single row, nearly all of a classifier's time is validation, joblib and Python. A
compact form holds flat arrays and evaluates them in compiled code, without threads. A
row's result does not depend on the batch: sums have a fixed order, see
`softcost.solvers.scoring`.

Forms exist for exact types only, since a subclass may predict differently. They are
built at the first prediction and kept as long as the classifier. Whatever a form does
not cover (sparse rows, tables, infinite numbers, odd settings) goes to the
classifier's own ``predict_proba``, which also raises the errors.

Labels are those of the classifiers themselves. Sums over trees are equal to the bit;
probabilities differ in the last bits, as products and exponentials round differently.
"""

from collections.abc import Callable
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

Outputs = Callable[[NDArray[np.float64]], NDArray[np.float64] | None]


class CompactForm(NamedTuple):
    """The probabilities of a fitted classifier as a function of plain rows.

    Attributes
    ----------
    outputs : callable
        From C-contiguous rows (n, n_features) without infinities to probabilities
        (n, K) of ``classes_``; None for rows that the classifier has to handle itself.
    allow_nan : bool
        Whether rows may have missing values.
    """

    outputs: Outputs
    allow_nan: bool


class Recipe(NamedTuple):
    """How to make the form of a type.

    Attributes
    ----------
    parts : callable
        The fitted attributes that a classifier's form is made of. The form is made
        again when one of them has become another object.
    build : callable
        The form; None if a setting is not covered. It must not hold the classifier.
    """

    parts: Callable[[Any], tuple[Any, ...]]
    build: Callable[[Any], CompactForm | None]


class PlainRows(NamedTuple):
    """Rows for compact forms: a C-contiguous array of float64 without infinities."""

    X: NDArray[np.float64]
    has_nan: bool

    @classmethod
    def of(cls, X: Any) -> "PlainRows | None":
        """The same rows; None if they are not an array of finite numbers and NaN."""
        if type(X) is not np.ndarray or X.ndim != 2 or X.dtype.kind not in "fiub":
            return None
        rows = np.require(X, np.float64, ["C", "A", "W"])
        if np.isfinite(rows).all():
            return cls(rows, False)
        return None if np.isinf(rows).any() else cls(rows, True)


_recipes: dict[str, Recipe] = {}
_forms: "WeakKeyDictionary[Any, tuple[tuple[Any, ...], CompactForm | None]]"
_forms = WeakKeyDictionary()


def register(name: str, parts: Callable[[Any], tuple[Any, ...]]) -> Callable[..., Any]:
    """Register a function that makes the compact form of one type.

    Parameters
    ----------
    name : str
        Module and name of the type, so it is not imported before it is used.
    parts : callable
        See `Recipe`.

    Returns
    -------
    callable
        A decorator for the function.
    """

    def decorate(build: Callable[[Any], CompactForm | None]) -> Any:
        _recipes[name] = Recipe(parts, build)
        return build

    return decorate


def registered_types() -> list[str]:
    """Module and name of every type with compact forms."""
    return sorted(_recipes)


def compact_form(model: Any) -> CompactForm | None:
    """The compact form of a fitted classifier; None if it has none.

    Parameters
    ----------
    model : classifier
        Fitted.

    Returns
    -------
    CompactForm or None
    """
    recipe = _recipe_of(model)
    if recipe is None:
        return None
    parts = recipe.parts(model)
    cached = _forms.get(model)
    if cached is not None and _same(cached[0], parts):
        return cached[1]
    form = recipe.build(model)
    _forms[model] = parts, form
    return form


def _recipe_of(model: Any) -> Recipe | None:
    kind = type(model)
    return _recipes.get(f"{kind.__module__}.{kind.__qualname__}")


def _same(some: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
    return len(some) == len(others) and all(
        a is b for a, b in zip(some, others, strict=True)
    )


def compact_probabilities(
    model: Any, rows: PlainRows | None
) -> NDArray[np.float64] | None:
    """Probabilities by a classifier's compact form; None if they are not covered.

    Parameters
    ----------
    model : classifier
        Fitted.
    rows : PlainRows or None
        From `PlainRows.of`.

    Returns
    -------
    array of shape (n, K) or None
        In the order of ``classes_``.
    """
    if rows is None or len(rows.X) == 0:
        return None
    form = compact_form(model)
    if (
        form is None
        or (rows.has_nan and not form.allow_nan)
        or rows.X.shape[1] != model.n_features_in_
    ):
        return None
    return form.outputs(rows.X)


def blended(
    members: NDArray[np.float64],
    weights: NDArray[np.float64],
    shares: NDArray[np.float64],
    inverse_temperature: float,
) -> NDArray[np.float64]:
    """Probabilities of a blend, by the formula of `BlendedClassifier`.

    Parameters
    ----------
    members : array of shape (n_members, n, K)
        Probabilities of the members.
    weights, shares : arrays of shape (n_members,)
        Weights, and smoothing.
    inverse_temperature : float

    Returns
    -------
    array of shape (n, K)
    """
    from softcost.solvers.scoring import blend_rows

    out = np.empty(members.shape[1:])
    blend_rows(members, weights, shares, float(inverse_temperature), out)
    return out


def _unnamed(model: Any) -> bool:
    """Whether a model was fitted to an array: otherwise it warns about an array."""
    return not hasattr(model, "feature_names_in_")


# Linear classifiers and pipelines.


@register(
    "sklearn.linear_model._logistic.LogisticRegression",
    lambda model: (model.coef_, model.intercept_),
)
def _logistic_form(model: Any) -> CompactForm | None:
    how = getattr(model, "multi_class", "auto")
    if (
        not _unnamed(model)
        or how not in ("auto", "deprecated")
        or (model.solver == "liblinear" and len(model.classes_) > 2)
    ):
        return None
    from softcost.solvers.scoring import linear_outputs, sigmoid_rows, softmax_rows

    coef = np.array(model.coef_.T, np.float64, order="C")
    intercept = np.zeros(coef.shape[1]) + model.intercept_

    def outputs(X: NDArray[np.float64]) -> NDArray[np.float64]:
        scores = np.empty((len(X), coef.shape[1]))
        linear_outputs(X, coef, intercept, scores)
        if scores.shape[1] > 1:
            softmax_rows(scores, 1.0)
            return scores
        out = np.empty((len(X), 2))
        sigmoid_rows(scores, out)
        return out

    return CompactForm(outputs, allow_nan=False)


def _step_parts(pipeline: Any) -> tuple[Any, ...]:
    parts: tuple[Any, ...] = ()
    for _, step in pipeline.steps:
        recipe = _recipe_of(step)
        parts += (step,) if recipe is None else (step, *recipe.parts(step))
    return parts


@register("sklearn.pipeline.Pipeline", _step_parts)
def _pipeline_form(pipeline: Any) -> CompactForm | None:
    last = pipeline.steps[-1][1]
    recipe = _recipe_of(last)
    form = None if recipe is None else recipe.build(last)
    if form is None or not _unnamed(pipeline) or pipeline.memory is not None:
        return None
    transforms, allow_nan = [], form.allow_nan
    for _, step in reversed(pipeline.steps[:-1]):
        kind = f"{type(step).__module__}.{type(step).__qualname__}"
        if kind == "softcost.tables.dense_features.DenseFeatures":
            allow_nan = True
            transforms.append(step.transform)
        elif kind == "sklearn.preprocessing._data.StandardScaler":
            transforms.append(_standardise(step))
        elif step is not None and step != "passthrough":
            return None
    transforms.reverse()

    def outputs(X: NDArray[np.float64]) -> NDArray[np.float64] | None:
        for transform in transforms:
            X = transform(X)
        return form.outputs(X)

    return CompactForm(outputs, allow_nan)


def _standardise(scaler: Any) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    mean = scaler.mean_ if scaler.with_mean else None
    scale = scaler.scale_ if scaler.with_std else None

    def transform(X: NDArray[np.float64]) -> NDArray[np.float64]:
        X = X.copy() if mean is None else X - mean
        return X if scale is None else X / scale

    return transform


# Trees.


class _Nodes(NamedTuple):
    """The nodes of several trees, tree by tree; a leaf is its own child.

    Flags and sets are those of `softcost.solvers.scoring.Trees`.
    """

    sizes: NDArray[Any]  # nodes of each tree
    feature: NDArray[Any]
    threshold: NDArray[Any]
    left: NDArray[Any]  # counted over all trees
    right: NDArray[Any]
    flag: NDArray[Any]
    value: NDArray[Any]
    bounds: NDArray[Any] | None = None
    sets: NDArray[Any] | None = None

    def flattened(self) -> Any:
        """The same trees as `softcost.solvers.scoring.Trees`."""
        from softcost.solvers.scoring import MISSING_LEFT, Trees

        roots = np.cumsum(self.sizes) - self.sizes
        tree = np.repeat(np.arange(len(roots)), self.sizes)
        depths = np.zeros(len(roots), np.int32)
        level, levels = roots, [roots]
        while True:
            parents = level[self.left[level] != level]
            if not len(parents):
                break
            depths[tree[parents]] = len(levels)
            level = np.stack([self.left[parents], self.right[parents]], axis=1).ravel()
            levels.append(level)
        # Tree by tree, and there level by level: siblings stay side by side.
        order = np.concatenate(levels)
        order = order[np.argsort(tree[order], kind="stable")]
        place = np.empty(len(order), np.int32)
        place[order] = np.arange(len(order))
        is_leaf = (self.left == np.arange(len(self.left)))[order]
        bounds, sets = np.zeros(0, np.int32), np.zeros(0, np.uint32)
        if self.bounds is not None and self.sets is not None:
            bounds = self.bounds[order].astype(np.int32).ravel()
            sets = self.sets.astype(np.uint32)
        return Trees(
            roots.astype(np.int32),
            depths,
            self.feature[order].astype(np.int32),
            np.where(is_leaf, np.inf, self.threshold[order]),
            place[self.left[order]],
            np.where(is_leaf, MISSING_LEFT, self.flag[order]).astype(np.uint8),
            bounds,
            sets,
            np.ascontiguousarray(self.value[order], np.float64),
        )


def _sklearn_nodes(trees: list[Any]) -> _Nodes:
    """The nodes of `sklearn.tree`'s ``tree_``."""
    sizes = np.array([tree.node_count for tree in trees])
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    every = np.arange(len(first))

    def of_all(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(tree, name) for tree in trees])

    is_leaf = of_all("children_left") < 0
    return _Nodes(
        sizes,
        np.where(is_leaf, 0, of_all("feature")),
        of_all("threshold"),
        np.where(is_leaf, every, of_all("children_left") + first),
        np.where(is_leaf, every, of_all("children_right") + first),
        of_all("missing_go_to_left") != 0,  # MISSING_LEFT is 1
        of_all("value")[:, 0, :],
    )


def _forest_form(model: Any) -> CompactForm | None:
    if not _unnamed(model) or model.n_outputs_ != 1 or len(model.classes_) < 2:
        return None
    from softcost.solvers.scoring import add_tree_values

    members = getattr(model, "estimators_", [model])
    trees = _sklearn_nodes([member.tree_ for member in members]).flattened()
    n_classes, n_trees = len(model.classes_), len(members)

    def outputs(X: NDArray[np.float64]) -> NDArray[np.float64] | None:
        with np.errstate(over="ignore"):
            single = X.astype(np.float32)
        if np.isinf(single).any():
            return None
        out = np.zeros((len(X), n_classes))
        add_tree_values(single.astype(np.float64), trees, out)
        out /= n_trees
        return out

    return CompactForm(outputs, allow_nan=model.__sklearn_tags__().input_tags.allow_nan)


for _name in ("RandomForestClassifier", "ExtraTreesClassifier"):
    register(
        f"sklearn.ensemble._forest.{_name}",
        lambda model: (model.estimators_, model.estimators_[-1]),  # a warm start adds
    )(_forest_form)
for _name in ("DecisionTreeClassifier", "ExtraTreeClassifier"):
    register(f"sklearn.tree._classes.{_name}", lambda model: (model.tree_,))(
        _forest_form
    )


def booster_form(booster: Any) -> CompactForm | None:
    """The probabilities of a LightGBM booster for two or more classes.

    Parameters
    ----------
    booster : lightgbm.Booster

    Returns
    -------
    CompactForm or None
        None for another objective or for settings that are not covered: linear trees,
        zero as a missing value.
    """
    head, _, body = booster.model_to_string().partition("\nTree=")
    fields = _fields(head)
    n_outputs = int(fields["num_class"])
    objective = fields.get("objective", "")
    if objective not in ("binary sigmoid:1", f"multiclass num_class:{n_outputs}"):
        return None
    if "average_output" in head or not body:
        return None
    texts = body.partition("\nend of trees")[0].split("\nTree=")
    nodes = _lightgbm_nodes([_fields(text) for text in texts])
    if nodes is None:
        return None
    from softcost.solvers.scoring import add_tree_values, sigmoid_rows, softmax_rows

    trees = nodes.flattened()

    def outputs(X: NDArray[np.float64]) -> NDArray[np.float64]:
        scores = np.zeros((len(X), n_outputs))
        add_tree_values(X, trees, scores)
        if n_outputs > 1:
            softmax_rows(scores, 1.0)
            return scores
        out = np.empty((len(X), 2))
        sigmoid_rows(scores, out)
        return out

    return CompactForm(outputs, allow_nan=True)


def _fields(text: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


_CATEGORICAL, _DEFAULT_LEFT = 1, 2  # bits of LightGBM's decision_type
_MISSING_IS_ZERO, _MISSING_IS_NAN = 1, 2  # its next two bits


def _lightgbm_nodes(trees: list[dict[str, str]]) -> _Nodes | None:
    """The nodes of LightGBM's text; the leaves of a tree come after its splits."""
    from softcost.solvers.scoring import IN_SET, MISSING_LEFT

    def numbers(name: str, kind: Any = np.int64) -> NDArray[Any]:
        return np.array(" ".join(tree.get(name, "") for tree in trees).split(), kind)

    kind, threshold = numbers("decision_type"), numbers("threshold", np.float64)
    missing = (kind >> 2) & 3
    if numbers("is_linear").any() or (missing == _MISSING_IS_ZERO).any():
        return None
    n_leaves = numbers("num_leaves")
    sizes = 2 * n_leaves - 1
    first = np.cumsum(sizes) - sizes
    number = np.arange(sizes.sum()) - np.repeat(first, sizes)  # within its tree
    is_split = number < np.repeat(n_leaves - 1, sizes)

    def filled(values: NDArray[Any], at: NDArray[np.bool_]) -> NDArray[Any]:
        out = np.zeros((len(number), *values.shape[1:]), values.dtype)
        out[at] = values
        return out

    children = []
    for name in ("left_child", "right_child"):
        child, tree = numbers(name), np.repeat(np.arange(len(trees)), n_leaves - 1)
        child = np.where(child < 0, n_leaves[tree] - 2 - child, child) + first[tree]
        children.append(
            np.where(is_split, filled(child, is_split), np.arange(len(number)))
        )
    in_set = kind & _CATEGORICAL != 0
    # Without missing values in training, NaN counts as 0.
    left = np.where(missing == _MISSING_IS_NAN, kind & _DEFAULT_LEFT, threshold >= 0)
    flag = np.where(in_set, IN_SET, np.where(left != 0, MISSING_LEFT, 0))
    bounds = sets = None
    if in_set.any():
        sets = numbers("cat_threshold")
        bounds = filled(_set_bounds(trees, n_leaves - 1, in_set, threshold), is_split)
    return _Nodes(
        sizes,
        filled(numbers("split_feature"), is_split),
        filled(threshold, is_split),
        children[0],
        children[1],
        filled(flag, is_split),
        filled(numbers("leaf_value", np.float64), ~is_split)[:, np.newaxis],
        bounds,
        sets,
    )


def _set_bounds(
    trees: list[dict[str, str]],
    n_splits: NDArray[Any],
    in_set: NDArray[np.bool_],
    threshold: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Where the set of each split begins and ends among the words of all trees."""
    bounds = np.zeros((len(in_set), 2), np.int64)
    first_split = first_word = 0
    for tree, count in zip(trees, n_splits.tolist(), strict=True):
        ends = np.array(tree.get("cat_boundaries", "0").split(), np.int64)
        part = slice(first_split, first_split + count)
        place = threshold[part][in_set[part]].astype(np.int64)
        bounds[part][in_set[part]] = first_word + ends[place[:, None] + [0, 1]]
        first_split += count
        first_word += int(ends[-1])
    return bounds


@register("lightgbm.sklearn.LGBMClassifier", lambda model: (model.booster_,))
def _lightgbm_form(model: Any) -> CompactForm | None:
    # Its names are "Column_0", ... after a fit to an array.
    names = [f"Column_{number}" for number in range(model.n_features_in_)]
    if model.booster_.feature_name() != names or callable(model.objective):
        return None
    return booster_form(model.booster_)


_HISTOGRAMS = (
    "sklearn.ensemble._hist_gradient_boosting.gradient_boosting."
    "HistGradientBoostingClassifier"
)


@register(_HISTOGRAMS, lambda model: (model._predictors, model._predictors[-1]))
def _histogram_form(model: Any) -> CompactForm | None:
    if not _unnamed(model) or len(model.classes_) < 2:
        return None
    from softcost.solvers.scoring import add_tree_values, sigmoid_rows, softmax_rows

    trees = _histogram_nodes(model).flattened()
    encode = _ordinal_codes(model._preprocessor, model.is_categorical_)
    baseline = np.array(model._baseline_prediction, np.float64).ravel()

    def outputs(X: NDArray[np.float64]) -> NDArray[np.float64]:
        scores = np.tile(baseline, (len(X), 1))
        add_tree_values(encode(X), trees, scores)
        if scores.shape[1] > 1:
            softmax_rows(scores, 1.0)
            return scores
        out = np.empty((len(X), 2))
        sigmoid_rows(scores, out)
        return out

    return CompactForm(outputs, allow_nan=True)


def _histogram_nodes(model: Any) -> _Nodes:
    from softcost.solvers.scoring import IN_SET, INVERTED, MISSING_LEFT

    predictors = [tree for round_ in model._predictors for tree in round_]
    nodes = np.concatenate([tree.nodes for tree in predictors])
    sizes = np.array([len(tree.nodes) for tree in predictors])
    first = np.repeat(np.cumsum(sizes) - sizes, sizes)
    is_leaf, every = nodes["is_leaf"] != 0, np.arange(len(nodes))
    missing_left = nodes["missing_go_to_left"] != 0
    flag = np.where(missing_left, MISSING_LEFT, 0)
    bounds = sets = None
    in_set = (nodes["is_categorical"] != 0) & ~is_leaf
    if in_set.any():
        # Missing and unknown categories are in no set. Where they go left, the set is
        # that of the known categories that go right.
        flag[in_set] = np.where(missing_left[in_set], IN_SET | INVERTED, IN_SET)
        left_sets = [tree.raw_left_cat_bitsets for tree in predictors]
        n_sets = np.array([len(words) for words in left_sets])
        first_set = np.repeat(np.cumsum(n_sets) - n_sets, sizes)
        words = np.concatenate(left_sets)[(first_set + nodes["bitset_idx"])[in_set]]
        known, place = model._bin_mapper.make_known_categories_bitsets()
        others = known[place[nodes["feature_idx"][in_set]]] & ~words
        sets = np.where(missing_left[in_set][:, np.newaxis], others, words)
        bounds = np.zeros((len(nodes), 2), np.int64)
        starts = np.arange(len(sets)) * sets.shape[1]
        bounds[in_set] = np.stack([starts, starts + sets.shape[1]], axis=1)
        sets = sets.ravel()
    return _Nodes(
        sizes,
        np.where(is_leaf, 0, nodes["feature_idx"]),
        nodes["num_threshold"],
        np.where(is_leaf, every, nodes["left"] + first),
        np.where(is_leaf, every, nodes["right"] + first),
        flag,
        nodes["value"][:, np.newaxis],
        bounds,
        sets,
    )


def _ordinal_codes(
    preprocessor: Any, categorical: Any
) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """What scikit-learn's boosting does first: categories as codes, in front."""
    if preprocessor is None:
        return lambda X: X
    encoder = preprocessor.named_transformers_["encoder"]
    categories = [
        np.array([value for value in values if value == value], np.float64)
        for values in encoder.categories_
    ]
    columns = np.concatenate(
        [np.flatnonzero(categorical), np.flatnonzero(~categorical)]
    )

    def encode(X: NDArray[np.float64]) -> NDArray[np.float64]:
        codes = np.ascontiguousarray(X[:, columns])
        for column, values in enumerate(categories):
            cells = codes[:, column]
            place = np.minimum(np.searchsorted(values, cells), len(values) - 1)
            codes[:, column] = np.where(values[place] == cells, place, np.nan)
        return codes

    return encode


@register(
    "softcost.learners.boosted_trees.BoostedTrees",
    lambda model: (model.booster_, model.fallback_, model.prior_),
)
def _boosted_form(model: Any) -> CompactForm | None:
    if not _unnamed(model):
        return None
    n_classes, prior = len(model.classes_), model.prior_
    if model.fallback_ is not None:
        fallback = _histogram_form(model.fallback_)
        if fallback is None:
            return None
        columns = model.fallback_.classes_.astype(np.intp)

        def scattered(X: NDArray[np.float64]) -> NDArray[np.float64]:
            out = np.zeros((len(X), n_classes))
            out[:, columns] = fallback.outputs(X)
            return out

        return CompactForm(scattered, allow_nan=True)
    if model.booster_ is None:
        return CompactForm(lambda X: np.tile(prior, (len(X), 1)), allow_nan=True)
    form = booster_form(model.booster_)
    if form is None or n_classes == 2:
        return form

    def normalised(X: NDArray[np.float64]) -> NDArray[np.float64] | None:
        raw = form.outputs(X)
        return None if raw is None else raw / raw.sum(axis=1, keepdims=True)

    return CompactForm(normalised, allow_nan=True)
