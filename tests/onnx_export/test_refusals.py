"""What cannot be exported is refused in one sentence, with a remedy."""

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMClassifier
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import SVC, SVR

import softcost
from softcost import (
    Costing,
    CostSensitiveOneVsOne,
    FilterTree,
    KernelSVC,
    MetaCost,
    MinimumExpectedCost,
    OneSidedRegression,
    SoftCostClassifierCV,
    StochasticEnsembleBoosting,
)
from softcost.tables import TableEncoder

pytest.importorskip("onnx", reason="export needs its extra")
# LightGBM 4.5 with scikit-learn 1.6.
pytestmark = [
    pytest.mark.filterwarnings("ignore:'force_all_finite' was renamed:FutureWarning"),
    pytest.mark.filterwarnings("ignore:The LGBM:DeprecationWarning"),
]

COSTS = np.array([[0, 1, 4], [2, 0, 3], [8, 5, 0.0]])


class OtherLogistic(LogisticRegression):
    """A subclass, which may predict otherwise."""


def rows(n=90):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3
    return rng.normal(size=(n, 3)) + y[:, None], y


def fitted(model):
    return model.fit(*rows())


def mec(learner, **params):
    return lambda: fitted(MinimumExpectedCost(learner, cost_matrix=COSTS, **params))


def lightgbm(**params):
    return mec(LGBMClassifier(n_estimators=2, n_jobs=1, verbose=-1, **params))


def reduction(cls, *args, **params):
    return lambda: fitted(cls(*args, cost_matrix=COSTS, **params))


def zeros_are_missing():
    X, y = rows()
    X[::4] = 0
    learner = LGBMClassifier(n_estimators=2, n_jobs=1, verbose=-1, zero_as_missing=True)
    return MinimumExpectedCost(learner).fit(X, y)


def categories():
    X, y = rows()
    X[:, 0] = np.arange(len(X)) % 4
    learner = HistGradientBoostingClassifier(max_iter=2, categorical_features=[0])
    return MinimumExpectedCost(learner).fit(X, y)


def precomputed():
    X, y = rows()
    return CostSensitiveOneVsOne(KernelSVC(kernel="precomputed")).fit(X @ X.T, y)


def mixture():
    search = SoftCostClassifierCV(
        OneSidedRegression(), cost_matrix=COSTS, cv=2, random_state=0
    )
    return fitted(search).mix(search.tradeoff_["error"].median())


def free_text():
    X, y = rows()
    words = [f"order {n} came {n % 7} days late" for n in range(len(X))]
    table = pd.DataFrame({"size": X[:, 0], "remark": words})
    encoder = TableEncoder({"size": "number", "remark": "text"})
    return make_pipeline(encoder, MinimumExpectedCost()).fit(table, y)


def texts():
    _, y = rows()
    learner = make_pipeline(CountVectorizer(), LogisticRegression())
    return MinimumExpectedCost(learner).fit([f"word{k} other" for k in y], y)


def column_transformer():
    step = make_column_transformer((StandardScaler(), [0, 1]))
    return fitted(make_pipeline(step, MinimumExpectedCost()))


def pandas_categories():
    X, y = rows()
    table = pd.DataFrame({"a": X[:, 0], "b": pd.Categorical(list("xyz") * 30)})
    learner = LGBMClassifier(n_estimators=2, n_jobs=1, verbose=-1, min_child_samples=5)
    return MinimumExpectedCost(learner).fit(table, y)


REFUSED = {
    "A FilterTree": reduction(FilterTree),
    "A MetaCost": reduction(MetaCost, random_state=0),
    "A Costing": reduction(Costing, LogisticRegression(), random_state=0),
    "A StochasticEnsembleBoosting": reduction(
        StochasticEnsembleBoosting, n_rounds=2, random_state=0
    ),
    "A RandomizedPair": mixture,
    "A LogisticRegression": lambda: fitted(LogisticRegression()),
    "Probabilities of GaussianNB": mec(GaussianNB()),
    "Probabilities of KNeighborsClassifier": mec(KNeighborsClassifier()),
    "Probabilities of GradientBoostingClassifier": mec(
        GradientBoostingClassifier(n_estimators=2)
    ),
    "Probabilities of OtherLogistic": mec(OtherLogistic()),
    "The decision function of SVC": reduction(CostSensitiveOneVsOne, SVC()),
    "The regressor SVR": reduction(OneSidedRegression, SVR()),
    "The step PolynomialFeatures": mec(
        make_pipeline(PolynomialFeatures(), LogisticRegression(max_iter=1000))
    ),
    "The step ColumnTransformer": column_transformer,
    "SimpleImputer with an indicator, or for values other than NaN": mec(
        make_pipeline(SimpleImputer(add_indicator=True), LogisticRegression())
    ),
    "calibration='isotonic'": mec(LogisticRegression(), calibration="isotonic"),
    "A precomputed kernel": precomputed,
    "A model of texts, or of rows without columns": texts,
    "The column 'remark' of free text": free_text,
    "HistGradientBoostingClassifier with categorical features": categories,
    "LightGBM with linear trees": lightgbm(linear_tree=True, min_child_samples=5),
    "LightGBM with a random forest": lightgbm(
        boosting_type="rf", bagging_fraction=0.5, bagging_freq=1
    ),
    "LightGBM with the objective 'multiclassova'": lightgbm(objective="multiclassova"),
    "LightGBM with zero_as_missing": zeros_are_missing,
    "LightGBM with categories of pandas": pandas_categories,
}


@pytest.mark.parametrize("what", list(REFUSED))
def test_refused_in_one_sentence_with_a_remedy(what):
    from softcost.onnx import NotExportable

    model = REFUSED[what]()
    with pytest.raises(NotExportable) as caught:
        softcost.to_onnx(model)
    sentence, remedy = str(caught.value).split(" cannot be exported to ONNX. ")
    assert sentence == what
    assert remedy.startswith(("Use ", "Export ", "Pass ", "Choose ", "Leave "))
    assert remedy.endswith(".")


def test_models_must_be_fitted():
    with pytest.raises(NotFittedError):
        softcost.to_onnx(MinimumExpectedCost())
    with pytest.raises(NotFittedError):
        softcost.to_onnx(SoftCostClassifierCV())


def test_graphs_of_others_have_no_columns():
    from onnx import helper

    from softcost.onnx import table_inputs

    graph = helper.make_model(helper.make_graph([], "empty", [], []))
    with pytest.raises(ValueError, match="not exported by softcost"):
        table_inputs(graph, rows()[0])
