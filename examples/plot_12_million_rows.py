"""
A million rows
==============

Kernel machines are for thousands of rows. Linear machines, plain or on kernel features
of a few landmarks, go through millions: one search solves all classes, values of
softness and values of C of a fold in a few passes over the data. To keep this page
quick it is built with fewer rows; set ``SOFTCOST_EXAMPLE_ROWS=1000000`` for the real
thing.
"""

# %%
import os

import matplotlib.pyplot as plt
import numpy as np

from softcost import (
    NystroemClassifier,
    OneSidedLinear,
    OneSidedNystroem,
    OneSidedRegression,
    SoftCostClassifierCV,
)

n = int(os.environ.get("SOFTCOST_EXAMPLE_ROWS", 60_000))
rng = np.random.default_rng(0)
X = rng.normal(size=(n, 6)).astype(np.float32)
height = X[:, 0] + X[:, 1] ** 2 - 0.5 * X[:, 2] + 0.3 * rng.normal(size=n)
y = np.digitize(height, [0.2, 1.6, 3.2])
prices = [[0, 1, 4, 9], [2, 0, 1, 4], [8, 2, 0, 1], [18, 8, 2, 0]]
print(f"{n} rows, classes of {np.bincount(y)} rows")

# %%
# Two learners with a path, on the same folds.
figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for name, learner in (
    ("linear", OneSidedLinear()),
    ("100 landmarks", OneSidedNystroem(n_landmarks=100, random_state=0)),
):
    search = SoftCostClassifierCV(
        OneSidedRegression(learner),
        cost_matrix=prices,
        softness=[0, 0.25, 0.5, 1],
        param_grid={"C": [1.0]},
        cv=3,
    ).fit(X, y)
    table = search.tradeoff_
    ax.plot(table["error"], table["cost"], marker="o", label=name)
    print(
        f"{name:14} cost {table['cost'].min():.3f} at softness {search.best_softness_}"
    )
ax.set(xlabel="error", ylabel="cost per row", title="softness from 0 to 1")
ax.legend()
plt.show()

# %%
# The classifier on the same features, for reductions to pairs, or by itself.
model = NystroemClassifier(n_landmarks=100, random_state=0).fit(X[:20_000], y[:20_000])
print(f"error without prices {np.mean(model.predict(X[-5000:]) != y[-5000:]):.3f}")
