"""The conventions of a scikit-learn estimator, where prices are involved."""

import pickle
from unittest import SkipTest

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from softcost.testing._suite import (
    CENTRES,
    MATRIX,
    agree,
    claim,
    data,
    example_costs,
    fitted,
    make,
    refuses,
    register,
    same,
)


@register()
def check_inputs_are_unchanged(estimator):
    X, y = data()
    given = [X, y, MATRIX.copy(), np.linspace(0.5, 1, len(y))]
    before = [value.copy() for value in given]
    for value in given:
        value.setflags(write=False)
    model = make(estimator, cost_matrix=given[2])
    model.fit(X, y, sample_weight=given[3]).predict(X)
    model.score(X, y, sample_weight=given[3])
    for value, old in zip(given, before, strict=True):
        np.testing.assert_array_equal(value, old, err_msg="inputs should stay as given")
    claim(model.get_params()["cost_matrix"] is given[2], "cost_matrix was replaced")


@register("example_costs")
def check_costs_are_unchanged(estimator):
    X, y = data()
    costs = example_costs(X, y)
    before = costs.copy()
    model = fitted(estimator, costs=costs)
    model.score(X, y, costs=costs)
    np.testing.assert_array_equal(costs, before, err_msg="costs should stay as given")
    costs.setflags(write=False)
    same(model, fitted(estimator, costs=costs), "read-only costs should do")


@register()
def check_jobs_do_not_change_bits(estimator):
    if "n_jobs" not in estimator.get_params(deep=False):
        raise SkipTest("the estimator has no n_jobs")
    X, _ = data()
    one, two = (fitted(estimator, cost_matrix=MATRIX, n_jobs=n) for n in (1, 2))
    same(one, two, "results should not depend on n_jobs", X)


@register()
def check_repeated_fit(estimator):
    X, y = data()
    model = fitted(estimator, cost_matrix=MATRIX)
    same(model, fitted(estimator, cost_matrix=MATRIX), "fits should be repeatable", X)
    again = pickle.loads(pickle.dumps(model)).fit(X[:, ::-1], y).fit(X, y)
    same(model, again, "a fit should forget the fits before", X)


@register()
def check_pickle(estimator):
    X, _ = data()
    model = fitted(estimator, cost_matrix=MATRIX)
    same(model, pickle.loads(pickle.dumps(model)), "pickling should change nothing", X)


@register()
def check_parameters(estimator):
    X, y = data()
    model = clone(estimator).set_params(cost_matrix=MATRIX, classes=[0, 1, 2, 3])
    kept = model.get_params(deep=False)
    claim(kept["cost_matrix"] is MATRIX, "set_params should keep the object as it is")
    np.testing.assert_array_equal(clone(model).get_params()["cost_matrix"], MATRIX)
    model.fit(X, y)
    for name, value in model.get_params(deep=False).items():
        claim(value is kept[name], f"fit should not replace the parameter {name}")


@register()
def check_weight_zero_is_absence(estimator):
    X, y = data()
    weight = np.where(np.arange(len(y)) % 5, 1.0, 0.0)
    kept = weight > 0
    # What is left out would be misleading.
    wrong = np.where(kept, y, 2)
    model = make(estimator, cost_matrix=MATRIX, classes=range(4))
    with_zeros = clone(model).fit(X, wrong, sample_weight=weight)
    without = clone(model).fit(X[kept], y[kept], sample_weight=weight[kept])
    message = "rows of weight zero should be as if absent"
    agree(with_zeros, without, message)
    np.testing.assert_allclose(
        with_zeros.decision_function(X),
        without.decision_function(X),
        rtol=1e-6,
        atol=1e-6,
        err_msg=message,
    )


@register("example_costs")
def check_costs_of_weight_zero_are_absent(estimator):
    X, y = data()
    kept = np.arange(len(y)) % 5 > 0
    costs = np.where(kept[:, None], 1.0, 100.0) * example_costs(X, y)
    model = make(estimator, classes=range(4))
    with_zeros = clone(model).fit(X, y, costs=costs, sample_weight=kept.astype(float))
    without = clone(model).fit(X[kept], y[kept], costs=costs[kept])
    np.testing.assert_allclose(
        with_zeros.decision_function(X),
        without.decision_function(X),
        rtol=1e-6,
        atol=1e-6,
        err_msg="costs of rows of weight zero should not count, not even their size",
    )


@register()
def check_score_is_minus_mean_cost(estimator):
    X, y = data()
    matrix = MATRIX + 2  # being right is not free either
    model = fitted(estimator, cost_matrix=matrix)
    paid = matrix[y, model.predict(X)]
    weight = np.linspace(0, 1, len(y))
    np.testing.assert_allclose(model.score(X, y), -paid.mean(), rtol=1e-12)
    np.testing.assert_allclose(
        model.score(X, y, sample_weight=weight), -np.average(paid, weights=weight)
    )
    accuracy = fitted(estimator)
    wrong = np.mean(accuracy.predict(X) != y)
    np.testing.assert_allclose(accuracy.score(X, y), -wrong, err_msg="without costs")


@register("example_costs")
def check_score_with_example_costs(estimator):
    X, y = data()
    costs = example_costs(X, y)
    model = fitted(estimator, costs=costs)
    paid = costs[np.arange(len(y)), model.predict(X)]
    np.testing.assert_allclose(model.score(X, y, costs=costs), -paid.mean())
    refuses("a score without the costs it needs", "costs", model.score, X, y)


@register()
def check_decision_function(estimator):
    X, _ = data()
    model = fitted(estimator, cost_matrix=MATRIX)
    scores = model.decision_function(X)
    claim(scores.shape == (len(X), 4), "scores should have one column per class")
    np.testing.assert_array_equal(
        model.predict(X),
        model.classes_[scores.argmax(axis=1)],
        "the class with the largest score should be predicted",
    )


@register()
def check_frames(estimator):
    X, y = data()
    frame = pd.DataFrame(X, columns=["a", "b", "c"], index=np.arange(len(y)) + 5)
    labels = pd.Series(y, index=frame.index)
    model = make(estimator, cost_matrix=MATRIX).fit(frame, labels)
    np.testing.assert_array_equal(model.feature_names_in_, ["a", "b", "c"])
    claim(model.n_features_in_ == 3, "n_features_in_ should be 3")
    np.testing.assert_array_equal(
        model.predict(frame),
        fitted(estimator, cost_matrix=MATRIX).predict(X),
        "a table should be as good as an array",
    )
    refuses("another column order", "feature", model.predict, frame[["c", "b", "a"]])


@register()
def check_sparse(estimator):
    if not estimator.__sklearn_tags__().input_tags.sparse:
        raise SkipTest("the estimator does not take sparse X")
    X, y = data()
    for form in (sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix):
        model = make(estimator, cost_matrix=MATRIX).fit(form(X), y)
        np.testing.assert_array_equal(
            model.predict(form(CENTRES)),
            fitted(estimator, cost_matrix=MATRIX).predict(CENTRES),
            "sparse rows should be as good as dense ones",
        )


@register("example_costs")
def check_costs_are_routed_to_folds(estimator):
    X, y = data()
    costs = example_costs(X, y)
    folds = list(KFold(3).split(X))
    model = make(estimator, classes=range(4))
    with config_context(enable_metadata_routing=True):
        found = cross_validate(
            model, X, y, cv=folds, params={"costs": costs}, error_score="raise"
        )["test_score"]
    for (train, test), score in zip(folds, found, strict=True):
        own = clone(model).fit(X[train], y[train], costs=costs[train])
        expected = own.score(X[test], y[test], costs=costs[test])
        np.testing.assert_allclose(score, expected, err_msg="costs should be routed")


@register("example_costs")
def check_costs_are_routed_through_pipelines(estimator):
    X, y = data()
    costs = example_costs(X, y)
    with config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(StandardScaler(), make(estimator))
        found = pipeline.fit(X, y, costs=costs).score(X, y, costs=costs)
    scaled = StandardScaler().fit_transform(X)
    model = make(estimator).fit(scaled, y, costs=costs)
    expected = model.score(scaled, y, costs=costs)
    np.testing.assert_allclose(found, expected, err_msg="costs should be routed")
