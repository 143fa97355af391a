"""Learners of other libraries inside softcost: what works, and what to do otherwise.

Every learner is fitted in three reductions and in a search, with weights, clones and
worker processes, and its model is saved and loaded. Libraries that are not installed
are left out.

    pip install skorch torch catboost xgboost scikeras tensorflow
    python benchmarks/foreign_learners.py \\
        [--output benchmarks/results/foreign_learners.json]

Prints the table of the guide (docs/guide/extending.md). Exits with 1 if something fails
without advice.
"""

import argparse
import os
import sys
import tempfile
import warnings

import numpy as np
from common import write_json
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier

import softcost
from softcost import (
    Costing,
    CostSensitiveOneVsOne,
    MinimumExpectedCost,
    SoftCostClassifierCV,
)

PRICES = np.array([[0, 1, 5], [2, 0, 5], [9, 8, 0]])


class InContext(ClassifierMixin, BaseEstimator):
    """In the style of TabPFN: fit stores rows, predict does the work, no weights."""

    def __init__(self, n_estimators=4):
        self.n_estimators = n_estimators

    def fit(self, X, y):
        self.classes_, self.X_, self.y_ = np.unique(y), np.asarray(X), np.asarray(y)
        return self

    def predict_proba(self, X):
        model = KNeighborsClassifier(self.n_estimators).fit(self.X_, self.y_)
        return model.predict_proba(X)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def skorch_net(n_outputs):
    import torch
    from skorch import NeuralNetClassifier

    torch.manual_seed(0)
    layers = [torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, n_outputs)]
    return NeuralNetClassifier(
        torch.nn.Sequential(*layers),
        criterion=torch.nn.CrossEntropyLoss,
        max_epochs=60,
        lr=0.3,
        train_split=None,
        verbose=0,
    )


def keras_net(n_outputs):
    import keras
    from scikeras.wrappers import KerasClassifier

    def network():
        layers = [keras.layers.Input((4,)), keras.layers.Dense(16, "relu")]
        layers.append(keras.layers.Dense(n_outputs, "softmax"))
        return keras.Sequential(layers)

    loss = "sparse_categorical_crossentropy"
    return KerasClassifier(network, loss=loss, epochs=20, verbose=0)


def catboost(n_outputs):
    from catboost import CatBoostClassifier

    return CatBoostClassifier(iterations=10, verbose=0, allow_writing_files=False)


def xgboost(n_outputs):
    from xgboost import XGBClassifier

    return XGBClassifier(n_estimators=10)


def in_context(n_outputs):
    return InContext()


LEARNERS = {
    "skorch (PyTorch)": skorch_net,
    "TabPFN-style": in_context,
    "CatBoost": catboost,
    "XGBoost": xgboost,
    "scikeras (Keras)": keras_net,
}
WEIGHTS = "use MinimumExpectedCost, or Costing(learner, sampling='always')"
# What to do where something does not work: (learner, check) and advice.
ADVICE = {
    ("skorch (PyTorch)", "weights"): WEIGHTS,
    ("TabPFN-style", "weights"): WEIGHTS,
    ("skorch (PyTorch)", "save"): "save the network itself; or trusted=[...]",
    ("scikeras (Keras)", "save"): "save the network itself; or trusted=[...]",
    ("TabPFN-style", "save"): "trusted=[...]",
}


def rows():
    """Scaled float32 features, since networks need them."""
    X, y = load_iris(return_X_y=True)
    return ((X - X.mean(axis=0)) / X.std(axis=0)).astype(np.float32), y


def check_probabilities(make):
    X, y = rows()
    model = MinimumExpectedCost(make(3), cost_matrix=PRICES, random_state=0).fit(X, y)
    expected = (model.estimator_.predict_proba(X) @ PRICES).argmin(axis=1)
    assert np.mean(model.predict(X) == expected) > 0.99
    assert -model.score(X, y) < 1


def check_weights(make):
    """Pairs of classes with weights that differ."""
    X, y = rows()
    CostSensitiveOneVsOne(make(2), cost_matrix=PRICES, random_state=0).fit(X, y)


def check_sampling(make):
    X, y = rows()
    learner = Costing(make(2), sampling="always", n_draws=2, random_state=0)
    model = CostSensitiveOneVsOne(learner, cost_matrix=PRICES, random_state=0)
    assert -model.fit(X, y).score(X, y) < 1.5


def check_search(make):
    X, y = rows()
    search = SoftCostClassifierCV(
        MinimumExpectedCost(make(3)),
        cost_matrix=PRICES,
        softness=[0.0, 1.0],
        cv=3,
        random_state=0,
    )
    assert len(search.fit(X, y).tradeoff_) == 2


def check_save(make):
    X, y = rows()
    model = MinimumExpectedCost(make(3), cost_matrix=PRICES, random_state=0).fit(X, y)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model")
        softcost.save(model, path)
        np.testing.assert_array_equal(softcost.load(path).predict(X), model.predict(X))


CHECKS = {
    "probabilities": check_probabilities,
    "weights": check_weights,
    "sampling": check_sampling,
    "search": check_search,
    "save": check_save,
}


def outcome(learner, check):
    """The empty string if it works, otherwise what to do, or the error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            CHECKS[check](LEARNERS[learner])
    except ImportError:
        raise
    except Exception as error:  # any failure is reported
        message = f"{type(error).__name__}: {error}".replace("\n", " ")[:200]
        return ADVICE.get((learner, check), f"NO ADVICE: {message}")
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--output", help="JSON file to write")
    options = parser.parse_args()
    results = {}
    print("| learner |", " | ".join(CHECKS), "|")
    print("|---" * (len(CHECKS) + 1) + "|")
    for learner in LEARNERS:
        try:
            results[learner] = {check: outcome(learner, check) for check in CHECKS}
        except ImportError as error:
            print(f"{learner}: not installed ({error.name})", file=sys.stderr)
            continue
        cells = [text or "works" for text in results[learner].values()]
        print(f"| {learner} |", " | ".join(cells), "|", flush=True)
    if options.output:
        packages = ("softcost", "scikit-learn", "torch", "skorch", "catboost",
                    "xgboost-cpu", "scikeras", "tensorflow")  # fmt: skip
        write_json(options.output, packages, results)
    texts = [text for row in results.values() for text in row.values()]
    return int(any(text.startswith("NO ADVICE") for text in texts))


if __name__ == "__main__":
    sys.exit(main())
