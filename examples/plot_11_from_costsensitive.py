"""
From costsensitive to softcost
==============================

The package `costsensitive` has reductions with costs by example. This page says what
they are called here. Its constructors take the learner, and its ``fit`` takes the
features and the costs: ``WeightedAllPairs(LogisticRegression()).fit(X, C)``. Here
labels are given, too, so that the error can be measured, softened towards and shown.

====================================  ===============================================
`costsensitive`                       `softcost`
====================================  ===============================================
``WeightedAllPairs``                  `softcost.WeightedAllPairs`
``FilterTree``                        `softcost.FilterTree`
``RegressionOneVsRest``               `softcost.RegressionOneVsAll`
``WeightedOneVsRest``                 no counterpart; see `softcost.OneSidedRegression`
``CostProportionateClassifier``       `softcost.Costing`
``fit(X, C)``                         ``fit(X, y, costs=C)``
====================================  ===============================================
"""

# %%
# Costs by example, as you have them already.
import matplotlib.pyplot as plt
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from softcost import SoftCostClassifierCV, SoftnessCurveDisplay, WeightedAllPairs
from softcost.costs import as_cost_vectors, raw_cost_vectors

X, y = load_iris(return_X_y=True)
C = raw_cost_vectors(y, cost_matrix=[[0, 1, 5], [1, 0, 5], [9, 9, 0]])
print(C[[0, 50, 100]])

# %%
# The same model. ``y`` need not be the cheapest class of each row, but mostly is.
model = WeightedAllPairs(LogisticRegression(max_iter=1000)).fit(X, y, costs=C)
print("mean cost of its predictions:", -model.score(X, y, costs=C))

# %%
# What you gain: softness, chosen by cross-validation, and the trade-off.
search = SoftCostClassifierCV(
    WeightedAllPairs(LogisticRegression(max_iter=1000)),
    param_grid={"C": [1.0]},
    softness=6,
).fit(X, y, costs=C)
SoftnessCurveDisplay.from_estimator(search)
plt.show()

# %%
# What learners see are canonical vectors: the least price of each row is zero.
print(as_cost_vectors(y, costs=C + 7)[[0, 50, 100]])
