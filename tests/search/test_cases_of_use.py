"""What users of scikit-learn do: one table of (what, how, expectation).

``how`` is a function of the rows; the expectation says what becomes of its result.
"""

import copy
from dataclasses import dataclass
from functools import partial
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import (
    ColumnTransformer,
    TransformedTargetRegressor,
    make_column_selector,
)
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingClassifier,
    VotingClassifier,
)
from sklearn.exceptions import NotFittedError
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectKBest, SequentialFeatureSelector
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import (
    accuracy_score,
    confusion_matrix,
    get_scorer,
    make_scorer,
)
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    HalvingRandomSearchCV,
    KFold,
    LeaveOneGroupOut,
    PredefinedSplit,
    RandomizedSearchCV,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    TunedThresholdClassifierCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
    train_test_split,
    validation_curve,
)
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    StandardScaler,
)
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.svm import SVC, SVR
from sklearn.utils import estimator_html_repr

from softcost import (
    Costing,
    CostSensitiveOneVsOne,
    FilterTree,
    KernelSVC,
    MetaCost,
    MinimumExpectedCost,
    OneSidedRegression,
    OneSidedSVR,
    RegressionOneVsAll,
    SoftCostClassifierCV,
    StochasticEnsembleBoosting,
    WeightedAllPairs,
    ZhouLiuRescaling,
)
from softcost.metrics import cost_scorer, mean_cost

PRICES = np.array([[0, 1, 5], [1, 0, 5], [9, 9, 0.0]])
LOGISTIC = LogisticRegression(max_iter=1000)


@dataclass
class Rows:
    X: Any
    y: Any
    names: Any
    costs: Any
    two: Any  # labels of two classes


@pytest.fixture(scope="module")
def rows():
    X, y = load_iris(return_X_y=True)
    X, y = X[::2].copy(), y[::2].copy()
    costs = PRICES[y] * np.random.default_rng(0).uniform(1, 2, (len(y), 1))
    return Rows(X, y, np.array(["ant", "bee", "cow"])[y], costs, (y == 2).astype(int))


# --- expectations ---------------------------------------------------------------------


def same(result):
    """Two results are equal."""
    one, other = result
    np.testing.assert_allclose(
        np.asarray(one, float), np.asarray(other, float), rtol=1e-5, atol=1e-6
    )


def equal(result):
    """Two results are the same labels."""
    assert np.asarray(result[0]).tolist() == np.asarray(result[1]).tolist()


def right(result):
    """Predictions are mostly the true labels."""
    predicted, true = result
    assert np.mean(np.asarray(predicted) == np.asarray(true)) > 0.8


def cheap(result):
    """Scores, minus mean costs, are better than those of a constant answer."""
    scores = np.atleast_1d(np.asarray(result, float))
    assert np.all(scores <= 0)
    assert np.mean(scores) > -2.0


def true(result):
    assert result


class refused:
    """One sentence that matches."""

    def __init__(self, match, error=(TypeError, ValueError)):
        self.match, self.error = match, error


# --- makers ---------------------------------------------------------------------------


def pairs(learner=LOGISTIC, **params):
    return CostSensitiveOneVsOne(learner, cost_matrix=PRICES, **params)


def probable(**params):
    return MinimumExpectedCost(LOGISTIC, cost_matrix=PRICES, **params)


def search(reduction=None, **params):
    reduction = CostSensitiveOneVsOne(LOGISTIC) if reduction is None else reduction
    settings = {"cost_matrix": PRICES, "softness": 2, "cv": 2, "param_grid": {}}
    return SoftCostClassifierCV(reduction, **(settings | params))


def learnt(model, r, **params):
    """Predictions of the rows learnt from, and the truth."""
    return model.fit(r.X, r.y, **params).predict(r.X), r.y


CASES: list[tuple[str, Any, Any]] = []


def case(what, how, expectation):
    CASES.append((what, how, expectation))


# --- forms of X -----------------------------------------------------------------------


def shuffled_index(X):
    return pd.DataFrame(X, index=np.random.default_rng(1).permutation(len(X)))


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


FORMS = {
    "list": lambda X: X.tolist(),
    "tuple": lambda X: tuple(map(tuple, X)),
    "float32": lambda X: X.astype(np.float32),
    "columns first": np.asfortranarray,
    "strides": lambda X: np.repeat(X, 2, axis=0)[::2],
    "read only": read_only,
    "object": lambda X: X.astype(object),
    "pandas": pd.DataFrame,
    "pandas, shuffled index": shuffled_index,
    "pandas, named": lambda X: pd.DataFrame(X, columns=list("abcd")),
    "pandas, nullable": lambda X: pd.DataFrame(X).astype("Float64"),
    "polars": lambda X: pl.DataFrame(X, schema=list("abcd"), orient="row"),
    "csr": sparse.csr_matrix,
    "csc": sparse.csc_matrix,
    "coo": sparse.coo_matrix,
    "lil": sparse.lil_matrix,
    "dok": sparse.dok_matrix,
    "bsr": sparse.bsr_matrix,
    "csr array": sparse.csr_array,
    "coo array": sparse.coo_array,
}


def in_form(make, form, r):
    X = FORMS[form](r.X)
    plain, given = make().fit(r.X, r.y), make().fit(X, r.y)
    return given.decision_function(X), plain.decision_function(r.X)


for form in FORMS:
    kernel = partial(OneSidedRegression, cost_matrix=PRICES)
    case(f"X as {form}, kernel machine", partial(in_form, kernel, form), same)
    if form not in ("tuple", "list"):
        case(f"X as {form}, logistic", partial(in_form, probable, form), "close")


# --- forms of y -----------------------------------------------------------------------

LABELS = {
    "list": lambda r: r.y.tolist(),
    "int8": lambda r: r.y.astype(np.int8),
    "uint8": lambda r: r.y.astype(np.uint8),
    "negative": lambda r: r.y - 5,
    "floats": lambda r: r.y.astype(float),
    "text": lambda r: r.names,
    "objects": lambda r: r.names.astype(object),
    "Series": lambda r: pd.Series(r.names, index=np.arange(len(r.y))[::-1]),
    "categories": lambda r: pd.Series(r.names, dtype="category"),
    "nullable": lambda r: pd.Series(r.y, dtype="Int64"),
    "polars": lambda r: pl.Series(r.names),
}


def with_labels(make, form, r):
    y = LABELS[form](r)
    predicted = make().fit(r.X, y).predict(r.X)
    plain = make().fit(r.X, r.y).predict(r.X)
    true_names = np.unique(np.asarray(y))
    return np.searchsorted(true_names, predicted), plain


for form in LABELS:
    case(f"y as {form}", partial(with_labels, pairs, form), equal)
    case(f"y as {form}, searched", partial(with_labels, search, form), equal)


# --- forms of costs -------------------------------------------------------------------

NAMES = ["ant", "bee", "cow"]
PRICE_LISTS = {
    "lists": PRICES.tolist(),
    "integers": PRICES.astype(int),
    "float32": PRICES.astype(np.float32),
    "table": pd.DataFrame(PRICES, NAMES, NAMES),
    "table in another order": pd.DataFrame(PRICES, NAMES, NAMES).iloc[
        [2, 0, 1], [1, 2, 0]
    ],
    "dict": {
        true: dict(zip(NAMES, row, strict=True))
        for true, row in zip(NAMES, PRICES.tolist(), strict=True)
    },
}


def priced(prices, r):
    model = CostSensitiveOneVsOne(LOGISTIC, cost_matrix=prices).fit(r.X, r.names)
    plain = CostSensitiveOneVsOne(LOGISTIC, cost_matrix=PRICES).fit(r.X, r.y)
    return model.decision_function(r.X), plain.decision_function(r.X)


for form, prices in PRICE_LISTS.items():
    case(f"prices as {form}", partial(priced, prices), same)


def by_example(form, r):
    plain = CostSensitiveOneVsOne(LOGISTIC).fit(r.X, r.names, costs=r.costs)
    model = CostSensitiveOneVsOne(LOGISTIC).fit(r.X, r.names, costs=form(r.costs))
    return model.decision_function(r.X), plain.decision_function(r.X)


for what, form in {
    "lists": lambda costs: costs.tolist(),
    "a table": lambda costs: pd.DataFrame(costs, columns=NAMES),
    "a shuffled table": lambda costs: pd.DataFrame(costs, columns=NAMES)[NAMES[::-1]],
    "float32": lambda costs: costs.astype(np.float32),
}.items():
    case(f"costs by example as {what}", partial(by_example, form), "close")


# --- pipelines and frames -------------------------------------------------------------


def frame(r):
    table = pd.DataFrame(r.X, columns=list("abcd"))
    return table.assign(kind=np.where(r.X[:, 0] > 5.8, "big", "small"))


def columns(r, out="default", last=None):
    encode = ColumnTransformer(
        [
            ("numbers", StandardScaler(), ["a", "b", "c", "d"]),
            ("words", OneHotEncoder(sparse_output=False), ["kind"]),
        ]
    ).set_output(transform=out)
    model = make_pipeline(encode, last or pairs())
    return model.fit(frame(r), r.y).predict(frame(r)), r.y


def selected(r):
    encode = ColumnTransformer(
        [("words", OrdinalEncoder(), make_column_selector(dtype_exclude="number"))],
        remainder="passthrough",
    )
    return make_pipeline(encode, search()).fit(frame(r), r.y).predict(frame(r)), r.y


def inside(*steps):
    """Steps inside the learner: they are fitted anew for every subproblem."""
    return lambda r: learnt(pairs(make_pipeline(*steps, LOGISTIC)), r)


def with_holes(model, r):
    X = r.X.copy()
    X[::7, 1] = np.nan
    return model.fit(X, r.y).predict(X), r.y


def names_kept(r):
    model = search().fit(frame(r)[list("abcd")], r.y)
    return (
        model.feature_names_in_,
        model.best_estimator_.feature_names_in_,
    )


for what, how, expectation in [
    (
        "a pipeline around",
        lambda r: learnt(make_pipeline(StandardScaler(), pairs()), r),
        right,
    ),
    (
        "a pipeline around a search",
        lambda r: learnt(make_pipeline(PCA(3), search()), r),
        right,
    ),
    (
        "a pipeline around the kernel machine",
        lambda r: learnt(
            make_pipeline(MinMaxScaler(), OneSidedRegression(cost_matrix=PRICES)), r
        ),
        right,
    ),
    (
        "a union of features",
        lambda r: learnt(
            make_pipeline(
                FeatureUnion([("a", PCA(2)), ("b", SelectKBest(k=2))]), pairs()
            ),
            r,
        ),
        right,
    ),
    (
        "a function as a step",
        lambda r: learnt(make_pipeline(FunctionTransformer(np.log1p), pairs()), r),
        right,
    ),
    ("steps inside the learner", inside(StandardScaler(), PCA(3)), right),
    ("bins inside the learner", inside(KBinsDiscretizer(3, strategy="uniform")), right),
    ("a passthrough inside the learner", inside("passthrough"), right),
    (
        "a pipeline without its first step",
        lambda r: learnt(
            Pipeline([("a", StandardScaler()), ("b", pairs())]).set_params(
                a="passthrough"
            ),
            r,
        ),
        right,
    ),
    ("columns of a frame", columns, right),
    ("columns of a frame, pandas out", partial(columns, out="pandas"), right),
    (
        "a scaler, polars out",
        lambda r: learnt(
            make_pipeline(StandardScaler().set_output(transform="polars"), search()), r
        ),
        right,
    ),
    ("columns of a frame, then a search", lambda r: columns(r, last=search()), right),
    (
        "columns of a frame, pandas out, then a search",
        lambda r: columns(r, "pandas", search()),
        right,
    ),
    (
        "columns of a frame inside the learner",
        lambda r: (
            pairs(
                make_pipeline(
                    ColumnTransformer(
                        [("w", OneHotEncoder(), ["kind"])], remainder="passthrough"
                    ),
                    LOGISTIC,
                )
            )
            .fit(frame(r), r.y)
            .predict(frame(r)),
            r.y,
        ),
        right,
    ),
    ("columns chosen by type", selected, right),
    (
        "holes, imputed before",
        lambda r: with_holes(make_pipeline(SimpleImputer(), pairs()), r),
        right,
    ),
    (
        "holes, imputed inside",
        lambda r: with_holes(pairs(make_pipeline(SimpleImputer(), LOGISTIC)), r),
        right,
    ),
    (
        "holes, left to trees",
        lambda r: with_holes(
            pairs(HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=3)), r
        ),
        right,
    ),
    (
        "holes, refused by the kernel machine",
        lambda r: with_holes(OneSidedRegression(), r),
        refused("NaN"),
    ),
    (
        "holes, searched",
        lambda r: with_holes(
            search(CostSensitiveOneVsOne(make_pipeline(SimpleImputer(), LOGISTIC))), r
        ),
        right,
    ),
    ("names of features", names_kept, equal),
    (
        "names of features in another order",
        lambda r: (
            search().fit(frame(r)[list("abcd")], r.y).predict(frame(r)[list("dcba")])
        ),
        refused("feature names"),
    ),
    (
        "text, list",
        lambda r: (
            pairs(make_pipeline(TfidfVectorizer(), LOGISTIC))
            .fit(r.names.tolist(), r.y)
            .predict(r.names.tolist()),
            r.y,
        ),
        right,
    ),
    (
        "text, Series",
        lambda r: (
            search(CostSensitiveOneVsOne(make_pipeline(TfidfVectorizer(), LOGISTIC)))
            .fit(pd.Series(r.names), r.y)
            .predict(pd.Series(r.names)),
            r.y,
        ),
        right,
    ),
    (
        "text, transformed before",
        lambda r: (
            make_pipeline(TfidfVectorizer(), pairs())
            .fit(r.names, r.y)
            .predict(r.names),
            r.y,
        ),
        right,
    ),
]:
    case(what, how, expectation)


# --- searches and meta-estimators around ----------------------------------------------

GRID = {"softness": [0.0, 1.0]}


def searched(cls, **params):
    def how(r):
        found = cls(pairs(), GRID, cv=2, scoring=cost_scorer(PRICES), **params)
        return found.fit(r.X, r.y).best_score_

    return how


def routed(make):
    def how(r):
        with config_context(enable_metadata_routing=True):
            return make(r)

    return how


def halved(cls, **params):
    return searched(cls, min_resources=30, random_state=0, **params)


for what, how, expectation in [
    ("GridSearchCV around", searched(GridSearchCV), cheap),
    ("RandomizedSearchCV around", searched(RandomizedSearchCV, n_iter=2), cheap),
    ("HalvingGridSearchCV around", halved(HalvingGridSearchCV), cheap),
    ("HalvingRandomSearchCV around", halved(HalvingRandomSearchCV), cheap),
    (
        "GridSearchCV around a pipeline",
        lambda r: (
            GridSearchCV(
                make_pipeline(StandardScaler(), pairs()),
                {"costsensitiveonevsone__learner__C": [0.1, 1]},
                cv=2,
            )
            .fit(r.X, r.y)
            .best_score_
        ),
        cheap,
    ),
    (
        "GridSearchCV by accuracy",
        lambda r: (
            GridSearchCV(pairs(), GRID, cv=2, scoring="accuracy")
            .fit(r.X, r.y)
            .best_score_
            > 0.8
        ),
        true,
    ),
    (
        "GridSearchCV by several measures",
        lambda r: (
            GridSearchCV(
                pairs(),
                GRID,
                cv=2,
                scoring={"cost": cost_scorer(PRICES), "acc": "accuracy"},
                refit="cost",
            )
            .fit(r.X, r.y)
            .best_score_
        ),
        cheap,
    ),
    (
        "GridSearchCV over learners",
        lambda r: (
            GridSearchCV(pairs(), {"learner": [LOGISTIC, KernelSVC()]}, cv=2)
            .fit(r.X, r.y)
            .best_score_
        ),
        cheap,
    ),
    (
        "GridSearchCV with costs by example",
        routed(
            lambda r: (
                GridSearchCV(CostSensitiveOneVsOne(LOGISTIC), GRID, cv=2)
                .fit(r.X, r.y, costs=r.costs)
                .best_score_
                <= 0
            )
        ),
        true,
    ),
    ("cross_val_score", lambda r: cross_val_score(pairs(), r.X, r.y, cv=2), cheap),
    (
        "cross_val_score of a search",
        lambda r: cross_val_score(search(), r.X, r.y, cv=2),
        cheap,
    ),
    (
        "cross_val_predict",
        lambda r: (cross_val_predict(pairs(), r.X, r.y, cv=2), r.y),
        right,
    ),
    (
        "cross_val_predict of scores",
        lambda r: (
            cross_val_predict(
                pairs(), r.X, r.y, cv=2, method="decision_function"
            ).argmax(axis=1),
            r.y,
        ),
        right,
    ),
    (
        "cross_val_predict of probabilities",
        lambda r: (
            cross_val_predict(probable(), r.X, r.y, cv=2, method="predict_proba").sum(
                axis=1
            ),
            np.ones(len(r.y)),
        ),
        same,
    ),
    (
        "cross_validate, several measures",
        lambda r: (
            cross_validate(search(), r.X, r.y, cv=2, scoring=["accuracy", "f1_macro"])[
                "test_accuracy"
            ].min()
            > 0.8
        ),
        true,
    ),
    (
        "cross_validate, return_estimator",
        lambda r: (
            cross_validate(pairs(), r.X, r.y, cv=2, return_estimator=True)["estimator"][
                0
            ].classes_.tolist()
            == [0, 1, 2]
        ),
        true,
    ),
    (
        "cross_validate with costs by example",
        routed(
            lambda r: (
                cross_validate(
                    CostSensitiveOneVsOne(LOGISTIC),
                    r.X,
                    r.y,
                    cv=2,
                    params={"costs": r.costs},
                )["test_score"].max()
                <= 0
            )
        ),
        true,
    ),
    (
        "learning_curve",
        lambda r: learning_curve(
            pairs(),
            r.X,
            r.y,
            cv=2,
            train_sizes=[0.5, 1.0],
            shuffle=True,
            random_state=0,
        )[2],
        cheap,
    ),
    (
        "validation_curve",
        lambda r: validation_curve(
            pairs(), r.X, r.y, param_name="softness", param_range=[0, 1], cv=2
        )[1],
        cheap,
    ),
    (
        "permutation_test_score",
        lambda r: permutation_test_score(
            pairs(), r.X, r.y, cv=2, n_permutations=3, random_state=0
        )[0],
        cheap,
    ),
    (
        "permutation_importance",
        lambda r: (
            permutation_importance(
                pairs().fit(r.X, r.y), r.X, r.y, n_repeats=2, random_state=0
            ).importances_mean.shape
            == (4,)
        ),
        true,
    ),
    (
        "partial_dependence of two classes",
        lambda r: (
            partial_dependence(
                CostSensitiveOneVsOne(LOGISTIC).fit(r.X, r.two),
                r.X,
                [0],
                response_method="decision_function",
                grid_resolution=3,
            )["average"].shape
            == (1, 3)
        ),
        true,
    ),
    (
        "features chosen by score",
        lambda r: (
            SequentialFeatureSelector(pairs(), n_features_to_select=1, cv=2)
            .fit(r.X, r.y)
            .get_support()
            .sum()
            == 1
        ),
        true,
    ),
    (
        "train_test_split",
        lambda r: learnt(
            pairs(),
            Rows(
                *train_test_split(r.X, r.y, random_state=0, stratify=r.y)[0::2],
                None,
                None,
                None,
            ),
        ),
        right,
    ),
    (
        "calibration around",
        lambda r: learnt(CalibratedClassifierCV(pairs(), cv=2), r),
        right,
    ),
    (
        "calibration around, isotonic",
        lambda r: learnt(CalibratedClassifierCV(pairs(), cv=2, method="isotonic"), r),
        right,
    ),
    (
        "calibration around a frozen one",
        lambda r: learnt(
            CalibratedClassifierCV(FrozenEstimator(pairs().fit(r.X, r.y))), r
        ),
        right,
    ),
    (
        "calibration inside",
        lambda r: learnt(
            MinimumExpectedCost(
                CalibratedClassifierCV(SVC(), cv=2, ensemble=False), cost_matrix=PRICES
            ),
            r,
        ),
        right,
    ),
    (
        "a vote of reductions",
        lambda r: learnt(VotingClassifier([("a", pairs()), ("b", probable())]), r),
        right,
    ),
    (
        "a vote of probabilities",
        lambda r: learnt(VotingClassifier([("b", probable())], voting="soft"), r),
        right,
    ),
    (
        "a vote with a search",
        lambda r: learnt(VotingClassifier([("a", search()), ("b", LOGISTIC)]), r),
        right,
    ),
    (
        "a stack of reductions",
        lambda r: learnt(StackingClassifier([("a", pairs())], LOGISTIC, cv=2), r),
        right,
    ),
    (
        "a reduction on top of a stack",
        lambda r: learnt(StackingClassifier([("a", LOGISTIC)], pairs(), cv=2), r),
        right,
    ),
    (
        "bagging around",
        lambda r: learnt(BaggingClassifier(pairs(), n_estimators=2, random_state=0), r),
        right,
    ),
    (
        "bagging around a search",
        lambda r: learnt(
            BaggingClassifier(search(), n_estimators=2, random_state=0), r
        ),
        right,
    ),
    (
        "boosting around",
        lambda r: learnt(
            AdaBoostClassifier(
                MinimumExpectedCost(LOGISTIC), n_estimators=2, random_state=0
            ),
            r,
        ),
        right,
    ),
    (
        "one against the rest around",
        lambda r: learnt(
            OneVsRestClassifier(CostSensitiveOneVsOne(KernelSVC(C=10))), r
        ),
        right,
    ),
    (
        "one against one around",
        lambda r: learnt(OneVsOneClassifier(CostSensitiveOneVsOne(LOGISTIC)), r),
        right,
    ),
    (
        "several targets around",
        lambda r: (
            MultiOutputClassifier(CostSensitiveOneVsOne(LOGISTIC))
            .fit(r.X, np.c_[r.y, r.two])
            .predict(r.X)[:, 0],
            r.y,
        ),
        right,
    ),
    (
        "self-training around",
        lambda r: (
            SelfTrainingClassifier(MinimumExpectedCost(LOGISTIC))
            .fit(r.X, np.where(np.arange(75) % 5, r.y, -1))
            .predict(r.X),
            r.y,
        ),
        right,
    ),
    (
        "a tuned threshold around",
        lambda r: (
            TunedThresholdClassifierCV(
                CostSensitiveOneVsOne(LOGISTIC),
                cv=2,
                thresholds=100,
                scoring=cost_scorer([[0, 1], [3, 0]]),
            )
            .fit(r.X, r.two)
            .predict(r.X),
            r.two,
        ),
        right,
    ),
    (
        "a fixed threshold around",
        lambda r: (
            FixedThresholdClassifier(CostSensitiveOneVsOne(LOGISTIC), threshold=0.0)
            .fit(r.X, r.two)
            .predict(r.X),
            r.two,
        ),
        right,
    ),
    (
        "a scorer by name",
        lambda r: (
            get_scorer("balanced_accuracy")(pairs().fit(r.X, r.y), r.X, r.y) > 0.8
        ),
        true,
    ),
    (
        "a scorer of one's own",
        lambda r: make_scorer(accuracy_score)(search().fit(r.X, r.y), r.X, r.y) > 0.8,
        true,
    ),
    (
        "roc_auc by scores",
        lambda r: (
            get_scorer("roc_auc")(
                CostSensitiveOneVsOne(LOGISTIC).fit(r.X, r.two), r.X, r.two
            )
            > 0.8
        ),
        true,
    ),
    (
        "roc_auc by probabilities",
        lambda r: get_scorer("roc_auc_ovr")(probable().fit(r.X, r.y), r.X, r.y) > 0.8,
        true,
    ),
    (
        "confusion_matrix",
        lambda r: (
            np.trace(confusion_matrix(r.y, pairs().fit(r.X, r.y).predict(r.X))) > 60
        ),
        true,
    ),
    (
        "score is minus mean_cost",
        lambda r: (
            search().fit(r.X, r.y).score(r.X, r.y),
            -mean_cost(r.y, search().fit(r.X, r.y).predict(r.X), cost_matrix=PRICES),
        ),
        same,
    ),
]:
    case(what, how, expectation)


# --- learners and reductions ----------------------------------------------------------

FOREST = RandomForestClassifier(n_estimators=3, random_state=0)
for what, model in {
    "an ensemble": pairs(FOREST),
    "a search": pairs(GridSearchCV(LOGISTIC, {"C": [0.1, 1]}, cv=2)),
    "a search by log loss": probable().set_params(
        learner=GridSearchCV(LOGISTIC, {"C": [0.1, 1]}, cv=2, scoring="neg_log_loss")
    ),
    "a randomised search": pairs(
        RandomizedSearchCV(LOGISTIC, {"C": [0.1, 1]}, n_iter=2, cv=2)
    ),
    "a search over a pipeline": pairs(
        GridSearchCV(
            make_pipeline(StandardScaler(), LOGISTIC),
            {"logisticregression__C": [0.1, 1]},
            cv=2,
        )
    ),
    "a vote": pairs(VotingClassifier([("a", LOGISTIC), ("b", FOREST)])),
    "a vote of pipelines": pairs(
        VotingClassifier([("a", make_pipeline(StandardScaler(), LOGISTIC))])
    ),
    "a stack": pairs(StackingClassifier([("a", FOREST)], LOGISTIC, cv=2)),
    "a calibrated pipeline": pairs(
        CalibratedClassifierCV(make_pipeline(StandardScaler(), SVC()), cv=2)
    ),
    "another reduction": pairs(Costing(SVC(), random_state=0)),
    "regressors": RegressionOneVsAll(
        RandomForestRegressor(5, random_state=0), cost_matrix=PRICES
    ),
    "regressors without weights": RegressionOneVsAll(
        KNeighborsRegressor(), cost_matrix=PRICES
    ),
    "one-sided ridge": OneSidedRegression(Ridge(0.1), cost_matrix=PRICES),
    "one-sided SVR": OneSidedRegression(SVR(C=10), cost_matrix=PRICES),
    "one-sided kernel ridge": OneSidedRegression(
        KernelRidge(kernel="rbf"), cost_matrix=PRICES
    ),
    "one-sided pipeline": OneSidedRegression(
        make_pipeline(StandardScaler(), SVR(C=10)), cost_matrix=PRICES
    ),
    "one-sided transformed target": OneSidedRegression(
        TransformedTargetRegressor(SVR(C=10), transformer=StandardScaler()),
        cost_matrix=PRICES,
    ),
    "one-sided search": OneSidedRegression(
        GridSearchCV(SVR(), {"C": [10]}, cv=2), cost_matrix=PRICES
    ),
    "one-sided kernel machine": OneSidedRegression(
        OneSidedSVR(kernel="rbf", C=10), cost_matrix=PRICES
    ),
    "weighted all pairs": WeightedAllPairs(LOGISTIC, cost_matrix=PRICES),
    "rescaling": ZhouLiuRescaling(LOGISTIC, cost_matrix=PRICES),
    "filter tree in an order": FilterTree(
        LOGISTIC, order=[1, 2, 0], cost_matrix=PRICES
    ),
    "MetaCost": MetaCost(LOGISTIC, n_resamples=3, random_state=0, cost_matrix=PRICES),
    "costing": Costing(SVC(), cost_matrix=PRICES, random_state=0),
    "stochastic ensembles": StochasticEnsembleBoosting(
        n_rounds=5, cost_matrix=PRICES, random_state=0
    ),
}.items():
    case(f"learner: {what}", lambda r, model=model: learnt(clone(model), r), right)
    if what in ("a search", "a vote of pipelines", "one-sided pipeline", "rescaling"):
        case(
            f"searched: {what}",
            lambda r, model=model: learnt(search(clone(model)), r),
            right,
        )


# --- splits, weights, classes ---------------------------------------------------------


def split(cv, groups=False):
    def how(r):
        order = np.random.default_rng(0).permutation(len(r.y))
        given = {"groups": order % 4} if groups else {}
        found = search(cv=cv).fit(r.X[order], r.y[order], **given)
        return found.predict(r.X), r.y

    return how


for what, cv, groups in [
    ("KFold", KFold(2), False),
    ("StratifiedKFold", StratifiedKFold(2, shuffle=True, random_state=0), False),
    (
        "RepeatedStratifiedKFold",
        RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=0),
        False,
    ),
    ("ShuffleSplit", ShuffleSplit(2, random_state=0), False),
    ("TimeSeriesSplit", TimeSeriesSplit(2), False),
    ("GroupKFold", GroupKFold(2), True),
    ("LeaveOneGroupOut", LeaveOneGroupOut(), True),
    ("StratifiedGroupKFold", StratifiedGroupKFold(2), True),
    ("PredefinedSplit", PredefinedSplit(np.arange(75) % 2), False),
    ("a list of folds", [(np.arange(0, 75, 2), np.arange(1, 75, 2))], False),
]:
    case(f"folds by {what}", split(cv, groups), right)


def without_a_class(model, r):
    kept = r.y != 1
    model.set_params(classes=[0, 1, 2])
    return model.fit(r.X[kept], r.y[kept]).predict(r.X[kept]), r.y[kept]


def weighted(make, r):
    times = np.arange(len(r.y)) % 3
    one = make().fit(r.X, r.y, sample_weight=times)
    other = make().fit(r.X.repeat(times, axis=0), r.y.repeat(times))
    return one.decision_function(r.X), other.decision_function(r.X)


def lone(r):
    model = CostSensitiveOneVsOne(LOGISTIC).fit(r.X, np.zeros(len(r.y), int))
    return model.predict(r.X), np.zeros(len(r.y))


for what, how, expectation in [
    (
        "two classes, numbers",
        lambda r: (
            CostSensitiveOneVsOne(LOGISTIC, cost_matrix=[[0, 1], [3, 0]])
            .fit(r.X, r.two)
            .predict(r.X),
            r.two,
        ),
        right,
    ),
    (
        "two classes, booleans",
        lambda r: (
            CostSensitiveOneVsOne(LOGISTIC).fit(r.X, r.two == 1).predict(r.X),
            r.two == 1,
        ),
        right,
    ),
    (
        "two classes, text, searched",
        lambda r: (
            search(cost_matrix=None).fit(r.X, np.where(r.two, "y", "n")).predict(r.X),
            np.where(r.two, "y", "n"),
        ),
        right,
    ),
    (
        "two classes have one score",
        lambda r: (
            FilterTree(LOGISTIC).fit(r.X, r.two).decision_function(r.X).shape == (75,)
        ),
        true,
    ),
    ("a class is missing", lambda r: without_a_class(pairs(), r), right),
    ("a class is missing in a search", lambda r: without_a_class(search(), r), right),
    (
        "a class is missing in probabilities",
        lambda r: without_a_class(probable(), r),
        right,
    ),
    ("one class only", lone, equal),
    (
        "one row of a class",
        lambda r: learnt(
            pairs(),
            Rows(np.r_[r.X[:50], r.X[-1:]], np.r_[r.y[:50], 2], None, None, None),
        ),
        right,
    ),
    (
        "weights count like copies",
        partial(weighted, partial(pairs, LogisticRegression(tol=1e-8, max_iter=9999))),
        "close",
    ),
    (
        "weights as a list",
        lambda r: learnt(pairs(), r, sample_weight=[1.0] * len(r.y)),
        right,
    ),
    (
        "weights as a Series",
        lambda r: learnt(search(), r, sample_weight=pd.Series(np.ones(len(r.y)))),
        right,
    ),
    (
        "weights of integers",
        lambda r: learnt(pairs(), r, sample_weight=np.full(len(r.y), 2)),
        right,
    ),
    (
        "costs by example, searched",
        lambda r: learnt(search(cost_matrix=None), r, costs=r.costs),
        right,
    ),
    ("balanced errors", lambda r: learnt(search(error_weight="balanced"), r), right),
    (
        "rows with an index of their own",
        lambda r: (pairs().fit(shuffled_index(r.X), pd.Series(r.y)).predict(r.X), r.y),
        right,
    ),
]:
    case(what, how, expectation)


# --- parameters, copies, jobs ---------------------------------------------------------


def jobs(r):
    with joblib.parallel_config("threading", n_jobs=2):
        parallel = search().fit(r.X, r.y)
    return parallel.decision_function(r.X), search().fit(r.X, r.y).decision_function(
        r.X
    )


def copied(copy_of, r):
    model = search().fit(r.X, r.y)
    return copy_of(model).predict(r.X), model.predict(r.X)


def through_a_file(model):
    import io

    buffer = io.BytesIO()
    joblib.dump(model, buffer)
    buffer.seek(0)
    return joblib.load(buffer)


for what, how, expectation in [
    (
        "clone has the same parameters",
        lambda r: str(clone(search()).get_params()) == str(search().get_params()),
        true,
    ),
    (
        "clone is not fitted",
        lambda r: clone(pairs().fit(r.X, r.y)).predict(r.X),
        refused("not fitted", NotFittedError),
    ),
    (
        "get_params reaches the learner",
        lambda r: search().get_params()["reduction__learner__C"] == 1.0,
        true,
    ),
    (
        "set_params reaches the learner",
        lambda r: (
            search()
            .set_params(
                reduction__learner=LogisticRegression(), reduction__learner__C=5
            )
            .reduction.learner.C
            == 5
        ),
        true,
    ),
    (
        "set_params of a name that is not there",
        lambda r: search().set_params(hardness=3),
        refused("hardness"),
    ),
    (
        "fit returns the model",
        lambda r: [model := pairs(), model.fit(r.X, r.y) is model][1],
        true,
    ),
    (
        "fit does not touch the learner",
        lambda r: hasattr(pairs().fit(r.X, r.y).learner, "coef_"),
        lambda result: true(not result),
    ),
    (
        "fit twice gives the same",
        lambda r: (
            search().fit(r.X, r.y).predict(r.X),
            search().fit(r.X, r.y).fit(r.X, r.y).predict(r.X),
        ),
        equal,
    ),
    (
        "another fit with other columns",
        lambda r: search().fit(r.X, r.y).fit(r.X[:, :2], r.y).n_features_in_ == 2,
        true,
    ),
    ("a deep copy predicts", partial(copied, copy.deepcopy), equal),
    ("a joblib file predicts", partial(copied, through_a_file), equal),
    ("threads of joblib", jobs, same),
    (
        "two threads of a path",
        lambda r: (
            OneSidedRegression(cost_matrix=PRICES, n_jobs=2)
            .fit(r.X, r.y)
            .decision_function(r.X),
            OneSidedRegression(cost_matrix=PRICES).fit(r.X, r.y).decision_function(r.X),
        ),
        same,
    ),
    (
        "a seed decides",
        lambda r: (
            pairs(FOREST.set_params(random_state=None), random_state=3)
            .fit(r.X, r.y)
            .decision_function(r.X),
            pairs(FOREST, random_state=3).fit(r.X, r.y).decision_function(r.X),
        ),
        same,
    ),
    (
        "a generator as a seed",
        lambda r: learnt(
            MetaCost(
                LOGISTIC,
                n_resamples=2,
                random_state=np.random.RandomState(0),
                cost_matrix=PRICES,
            ),
            r,
        ),
        right,
    ),
    (
        "a diagram",
        lambda r: "SoftCostClassifierCV" in estimator_html_repr(search().fit(r.X, r.y)),
        true,
    ),
    (
        "a short repr",
        lambda r: repr(pairs(softness=0.5)).startswith("CostSensitiveOneVsOne("),
        true,
    ),
    ("one row", lambda r: search().fit(r.X, r.y).predict(r.X[:1]).shape == (1,), true),
    (
        "cv_results_ is a table",
        lambda r: len(pd.DataFrame(search().fit(r.X, r.y).cv_results_)) == 2,
        true,
    ),
    (
        "best_params_ is a row of it",
        lambda r: [
            s := search(param_grid={"C": [0.1, 1]}).fit(r.X, r.y),
            s.best_params_ == s.cv_results_["params"][s.best_index_],
        ][1],
        true,
    ),
    (
        "a nested name in the grid",
        lambda r: (
            set(search(param_grid={"learner__C": [1]}).fit(r.X, r.y).best_params_)
            == {"softness", "learner__C"}
        ),
        true,
    ),
    (
        "a list of grids",
        lambda r: (
            len(search(param_grid=[{"C": [1]}, {"tol": [0.1]}]).fit(r.X, r.y).tradeoff_)
            == 4
        ),
        true,
    ),
    (
        "choose again",
        lambda r: search().fit(r.X, r.y).choose("max").predict(r.X[:2]).shape == (2,),
        true,
    ),
    (
        "without a refit",
        lambda r: hasattr(search(refit=False).fit(r.X, r.y), "predict"),
        lambda result: true(not result),
    ),
    (
        "probabilities where there are some",
        lambda r: (
            search(MinimumExpectedCost(LOGISTIC)).fit(r.X, r.y).predict_proba(r.X).shape
            == (75, 3)
        ),
        true,
    ),
    (
        "no probabilities where there are none",
        lambda r: hasattr(search(), "predict_proba"),
        lambda result: true(not result),
    ),
]:
    case(what, how, expectation)


# --- refusals -------------------------------------------------------------------------

for what, how, match in [
    ("several targets", lambda r: pairs().fit(r.X, np.c_[r.y, r.y]), "1d array|multi"),
    (
        "several targets, searched",
        lambda r: search().fit(r.X, np.c_[r.y, r.y]),
        "1d array|multi",
    ),
    ("numbers that are no labels", lambda r: pairs().fit(r.X, r.X[:, 0]), "continuous"),
    ("no labels", lambda r: pairs().fit(r.X, None), "requires y"),
    (
        "labels with holes",
        lambda r: pairs().fit(r.X, np.where(r.y == 1, np.nan, r.y)),
        "NaN|missing",
    ),
    ("too few labels", lambda r: pairs().fit(r.X, r.y[:-1]), "inconsistent numbers"),
    (
        "a flat X",
        lambda r: OneSidedRegression().fit(r.X[:, 0], r.y),
        "1D array|2D array",
    ),
    (
        "infinite numbers",
        lambda r: OneSidedRegression().fit(r.X + np.inf, r.y),
        "infinity|NaN",
    ),
    (
        "complex numbers",
        lambda r: OneSidedRegression().fit(r.X * 1j, r.y),
        "[Cc]omplex",
    ),
    (
        "words in X",
        lambda r: OneSidedRegression().fit(r.names[:, None], r.y),
        "could not convert|string",
    ),
    (
        "other columns to predict",
        lambda r: pairs().fit(r.X, r.y).predict(r.X[:, :2]),
        "features",
    ),
    (
        "weights below zero",
        lambda r: pairs().fit(r.X, r.y, sample_weight=-np.ones(75)),
        "sample_weight|[Nn]egative",
    ),
    (
        "too few weights",
        lambda r: pairs().fit(r.X, r.y, sample_weight=np.ones(3)),
        "sample_weight",
    ),
    (
        "prices of another shape",
        lambda r: CostSensitiveOneVsOne(LOGISTIC, cost_matrix=np.eye(2)).fit(r.X, r.y),
        "cost_matrix",
    ),
    (
        "prices with holes",
        lambda r: CostSensitiveOneVsOne(LOGISTIC, cost_matrix=PRICES * np.nan).fit(
            r.X, r.y
        ),
        "cost_matrix",
    ),
    ("prices twice", lambda r: pairs().fit(r.X, r.y, costs=r.costs), "cost_matrix"),
    (
        "too few costs",
        lambda r: CostSensitiveOneVsOne(LOGISTIC).fit(r.X, r.y, costs=r.costs[:5]),
        "costs",
    ),
    ("softness above one", lambda r: pairs(softness=1.5).fit(r.X, r.y), "softness"),
    ("softness twice", lambda r: search(softness=[0, 0]).fit(r.X, r.y), "softness"),
    ("one fold", lambda r: search(cv=1).fit(r.X, r.y), "cv|n_splits|fold"),
    (
        "more folds than rows",
        lambda r: search(cv=999).fit(r.X, r.y),
        "cv|n_splits|fold|split",
    ),
    (
        "a parameter nobody has",
        lambda r: search(param_grid={"depth": [1]}).fit(r.X, r.y),
        "depth",
    ),
    (
        "a rule nobody knows",
        lambda r: search(criterion="cheapest").fit(r.X, r.y),
        "criterion",
    ),
    (
        "a learner without weights",
        lambda r: pairs(KNeighborsRegressor()).fit(r.X, r.y),
        "weights",
    ),
    (
        "a learner instead of a reduction",
        lambda r: search(LOGISTIC).fit(r.X, r.y),
        "reduction",
    ),
    (
        "a learner without probabilities",
        lambda r: MinimumExpectedCost(SVC()).fit(r.X, r.y),
        "predict_proba",
    ),
    (
        "sparse rows for the default of expectations",
        lambda r: MinimumExpectedCost().fit(sparse.csr_matrix(r.X), r.y),
        "sparse",
    ),
    (
        "a label that prices do not know",
        lambda r: CostSensitiveOneVsOne(
            LOGISTIC, cost_matrix=pd.DataFrame(PRICES, NAMES, NAMES)
        ).fit(r.X, r.y),
        "labels",
    ),
    (
        "groups that are needed",
        lambda r: search(cv=GroupKFold(2)).fit(r.X, r.y),
        "groups",
    ),
    (
        "costs by example that the score lacks",
        lambda r: (
            CostSensitiveOneVsOne(LOGISTIC).fit(r.X, r.y, costs=r.costs).score(r.X, r.y)
        ),
        "costs is missing",
    ),
]:
    case(f"refused: {what}", how, refused(match))


@pytest.mark.parametrize(
    ("how", "expectation"),
    [pytest.param(how, expectation, id=what) for what, how, expectation in CASES],
)
def test_case(how, expectation, rows):
    if isinstance(expectation, refused):
        with pytest.raises(expectation.error, match=expectation.match):
            how(rows)
    elif expectation == "close":  # solved by the learner itself, to its own tolerance
        one, other = how(rows)
        np.testing.assert_allclose(one, other, rtol=0.02, atol=0.02)
    else:
        expectation(how(rows))


def test_the_table_is_long_and_has_nothing_twice():
    names = [what for what, _, _ in CASES]
    assert len(set(names)) == len(names) >= 150
