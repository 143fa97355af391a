"""Settings that fail, and searches that the user interrupts."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import FitFailedWarning
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from softcost import CostSensitiveOneVsOne, MinimumExpectedCost, SoftCostClassifierCV
from softcost.svm import KernelSVC

X, Y = load_iris(return_X_y=True)
PRICES = [[0, 1, 5], [1, 0, 5], [9, 9, 0]]


class Failing(LogisticRegression):
    """Raises an error or an interrupt for some values of C."""

    error = ValueError("C is unlucky")

    def fit(self, X, y, sample_weight=None):
        if self.C == 13:
            raise self.error
        return super().fit(X, y, sample_weight)


class Interrupted(Failing):
    error = KeyboardInterrupt()


def searched(learner, **params):
    return SoftCostClassifierCV(
        MinimumExpectedCost(learner), cost_matrix=PRICES, softness=2, cv=2,
        param_grid={"C": [1.0, 2.0, 13.0, 14.0]}, **params,
    )  # fmt: skip


def test_an_error_ends_the_search_by_default():
    with pytest.raises(ValueError, match="unlucky"):
        searched(Failing(max_iter=1000)).fit(X, Y)


def test_settings_that_fail_are_left_out():
    search = searched(Failing(max_iter=1000), error_score=np.nan)
    with pytest.warns(FitFailedWarning, match="unlucky"):
        search.fit(X, Y)
    assert sorted(set(search.tradeoff_["C"])) == [1.0, 2.0, 14.0]
    (failed,) = search.skipped_.to_dict("records")
    assert (failed["params"], failed["why"]) == ("C=13.0", "ValueError: C is unlucky")
    others = searched(LogisticRegression(max_iter=1000))
    others.set_params(param_grid={"C": [1.0, 2.0, 14.0]}).fit(X, Y)
    np.testing.assert_allclose(search.tradeoff_["cost"], others.tradeoff_["cost"])
    np.testing.assert_array_equal(search.predict(X), others.predict(X))


def test_if_every_setting_fails_the_error_is_raised():
    search = searched(Failing(), error_score=np.nan)
    with pytest.raises(ValueError, match="unlucky"):
        search.set_params(param_grid={"C": [13.0]}).fit(X, Y)


def test_without_errors_nothing_is_skipped():
    search = searched(LogisticRegression(max_iter=1000), error_score=np.nan).fit(X, Y)
    assert len(search.skipped_) == 0
    assert len(search.tradeoff_) == 8


class SometimesFailing(KernelSVC):
    """A learner with a path that fails if the path has some value."""

    def open_path(self, X, tests, values, softness, *, threads=1):
        if 13.0 in values:
            raise ValueError("C is unlucky")
        return super().open_path(X, tests, values, softness, threads=threads)


def test_settings_of_a_path_fail_by_themselves():
    families = [
        ("bayes", MinimumExpectedCost(GaussianNB())),
        ("kernel", CostSensitiveOneVsOne(SometimesFailing())),
    ]
    search = SoftCostClassifierCV(
        families, cost_matrix=PRICES, softness=2, cv=2, error_score=np.nan,
        param_grid={"kernel": {"C": [1.0, 13.0, 20.0]}},
    )  # fmt: skip
    with pytest.warns(FitFailedWarning, match="unlucky"):
        search.fit(X, Y)
    assert search.skipped_["params"].tolist() == ["C=13.0"]
    kernel = search.tradeoff_[search.tradeoff_["family"] == "kernel"]
    assert sorted(set(kernel["C"])) == [1.0, 20.0]


def test_an_interrupt_leaves_the_finished_candidates():
    search = searched(Interrupted(max_iter=1000), error_score=np.nan)
    with pytest.raises(KeyboardInterrupt):
        search.fit(X, Y)
    assert [params["C"] for params in search.cv_results_["params"]] == [1, 1, 2, 2]
    assert not hasattr(search, "best_estimator_")
    assert len(search.skipped_) == 2
    search.choose("cost")
    assert search.predict(X).shape == Y.shape
