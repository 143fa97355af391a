"""
Any scikit-learn learner
========================

A reduction turns prices into ordinary learning problems, so that any classifier with
sample weights, or any regressor, can solve them. Here one price list, one data set,
several reductions and learners.
"""

# %%
import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from softcost import (
    Costing,
    CostSensitiveOneVsOne,
    FilterTree,
    MetaCost,
    MinimumExpectedCost,
    OneSidedRegression,
    RegressionOneVsAll,
    StochasticEnsembleBoosting,
    WeightedAllPairs,
    ZhouLiuRescaling,
)
from softcost.costs import plain
from softcost.metrics import error_rate, mean_cost

X, y = load_digits(n_class=5, return_X_y=True)
X, X_new, y, y_new = train_test_split(X / 16, y, train_size=150, random_state=0)
prices = plain(5, rng=0)

# %%
# What is needed differs: weights, values, probabilities, or nothing but ``fit`` and
# ``predict``.
trees = ExtraTreesClassifier(30, random_state=0)
models = {
    "kernel machine, one-sided": OneSidedRegression(),
    "ridge, one-sided": OneSidedRegression(Ridge(alpha=0.1)),
    "trees, values": RegressionOneVsAll(ExtraTreesRegressor(30, random_state=0)),
    "ridge, pairs": CostSensitiveOneVsOne(RidgeClassifier()),
    "trees, pairs": WeightedAllPairs(trees),
    "naive Bayes, tournament": FilterTree(GaussianNB()),
    "tree, rescaled": ZhouLiuRescaling(DecisionTreeClassifier(random_state=0)),
    "trees, probabilities": MinimumExpectedCost(trees),
    "trees, relabelled": MetaCost(trees, n_resamples=10),
    "neighbours, drawn": Costing(KNeighborsClassifier(), n_draws=5),
    "trees, boosted": StochasticEnsembleBoosting(
        DecisionTreeClassifier(max_depth=4), n_rounds=15
    ),
}
results = {}
for name, model in models.items():
    model.set_params(cost_matrix=prices, softness=0.3, random_state=0)
    answer = model.fit(X, y).predict(X_new)
    results[name] = (
        error_rate(y_new, answer),
        mean_cost(y_new, answer, cost_matrix=prices),
    )
    print(f"{name:26} error {results[name][0]:.3f}  cost {results[name][1]:.3f}")

# %%
# From the cheapest to the dearest, on a logarithmic scale.
names = sorted(results, key=lambda name: -results[name][1])
figure, axes = plt.subplots(1, 2, figsize=(8, 4.5), sharey=True, layout="constrained")
for ax, column, label in zip(axes, (1, 0), ("cost per digit", "error"), strict=True):
    values = [results[name][column] for name in names]
    ax.hlines(names, min(values) / 1.5, values, color="lightgrey")
    ax.plot(values, names, "o")
    ax.set(xscale="log", xlabel=label)
    ax.set_xticks([0.01, 0.03, 0.1, 0.3], ["0.01", "0.03", "0.1", "0.3"])
    ax.minorticks_off()
figure.suptitle("150 rows to learn from, 751 to predict")
plt.show()
