"""What cannot be right is refused, with a word about what is wrong."""

import numpy as np
import pandas as pd
from sklearn.exceptions import NotFittedError

from softcost.testing._suite import (
    CENTRES,
    MATRIX,
    data,
    example_costs,
    fitted,
    make,
    refuses,
    register,
)


def _bad_matrices():
    for bad in (np.nan, np.inf, -1.0):
        matrix = MATRIX.copy()
        matrix[0, 2] = bad
        yield bad, matrix


@register()
def check_bad_matrix_is_refused(estimator):
    for bad, matrix in _bad_matrices():
        what = f"cost_matrix with {bad}"
        refuses(what, "cost_matrix", fitted, estimator, cost_matrix=matrix)


@register("example_costs")
def check_bad_costs_are_refused(estimator):
    _, y = data()
    for bad, matrix in _bad_matrices():
        refuses(f"costs with {bad}", "costs", fitted, estimator, costs=matrix[y])


@register()
def check_matrix_of_wrong_size_is_refused(estimator):
    for matrix in (MATRIX[:3, :3], MATRIX[:3], MATRIX[0]):
        what = f"cost_matrix of shape {matrix.shape} for 4 classes"
        refuses(what, "cost_matrix", fitted, estimator, cost_matrix=matrix)


@register("example_costs")
def check_costs_of_wrong_size_are_refused(estimator):
    _, y = data()
    for costs in (MATRIX[y][:, :3], MATRIX[y][:-1], MATRIX):
        what = f"costs of shape {costs.shape} for {len(y)} rows and 4 classes"
        refuses(what, "costs", fitted, estimator, costs=costs)


@register()
def check_both_kinds_of_costs_are_refused(estimator):
    _, y = data()
    both = {"cost_matrix": MATRIX, "costs": MATRIX[y]}
    refuses("cost_matrix together with costs", "cost_matrix", fitted, estimator, **both)


@register("no example_costs")
def check_example_costs_are_refused(estimator):
    costs = example_costs(*data())
    refuses("costs by example", "cost_matrix", fitted, estimator, costs=costs)


@register("example_costs")
def check_true_label_must_be_cheapest(estimator):
    _, y = data()
    what = "costs that make another class cheaper than the true one"
    refuses(what, "costs", fitted, estimator, costs=MATRIX[(y + 1) % 4])


@register("example_costs")
def check_other_index_is_refused(estimator):
    X, y = data()
    labels = pd.Series(y)
    table = pd.DataFrame(MATRIX[y], columns=range(4)).iloc[::-1]
    what = "a table of costs whose rows are in another order than those of y"
    refuses(what, "index", make(estimator).fit, X, labels, costs=table)


@register("softness")
def check_softness_out_of_range_is_refused(estimator):
    for bad in (-0.1, 1.1, np.nan, "half", None):
        params = {"softness": bad, "cost_matrix": MATRIX}
        refuses(f"softness={bad!r}", "softness", fitted, estimator, **params)


@register()
def check_unfitted_says_so(estimator):
    for method in ("predict", "decision_function"):
        try:
            getattr(make(estimator), method)(CENTRES)
        except NotFittedError:
            continue
        raise AssertionError(f"{method} before fit should raise NotFittedError")
