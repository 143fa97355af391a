"""
Errors weighted by class
========================

Weighted one-vs-all and one-versus-one: no prices, errors weighted by class.

The reductions without costs are their regular siblings, OVA and OVO. With a sample
weight per class they are weighted OVA and weighted OVO, the usual answer to classes
of very different sizes. For the pairwise reduction the same comes from softness 1 and
``error_weight="balanced"``; for one-sided regression that is another algorithm.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import minmax_scale

from softcost import CostSensitiveOneVsOne, OneSidedRegression
from softcost.costs import error_weights
from softcost.metrics import error_rate, weighted_error

X, y = make_classification(
    1500, 8, n_informative=5, n_classes=3, weights=[0.85, 0.1, 0.05], random_state=0
)
X, X_new, y, y_new = train_test_split(
    minmax_scale(X), y, test_size=0.5, random_state=0, stratify=y
)
weights = error_weights(y, "balanced", [0, 1, 2])

figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
for reduction in (OneSidedRegression(), CostSensitiveOneVsOne()):
    name = type(reduction).__name__
    for kind, sample_weight in (("regular", None), ("weighted", weights[y])):
        predicted = reduction.fit(X, y, sample_weight=sample_weight).predict(X_new)
        error = error_rate(y_new, predicted)
        by_class = weighted_error(y_new, predicted)
        ax.scatter(error, by_class, label=f"{name}, {kind}")
        print(f"{name:22} {kind:9} error {error:.3f}  weighted error {by_class:.3f}")
ax.set(xlabel="error", ylabel="error weighted by class")
ax.legend()
plt.show()

by_samples = CostSensitiveOneVsOne().fit(X, y, sample_weight=weights[y])
by_errors = CostSensitiveOneVsOne(softness=1.0, error_weight="balanced").fit(X, y)
assert np.array_equal(
    by_samples.decision_function(X_new), by_errors.decision_function(X_new)
)
