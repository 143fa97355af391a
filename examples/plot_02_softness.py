"""
What softness does to cost and error
====================================

A bank reads digits on cheques. A euro paid too much is lost; a euro paid too little
costs ten cents, as the customer calls. `SoftCostClassifierCV` trains one-sided
regression on mixtures of these prices and the plain error; softness 0 sees the prices
only, softness 1 the errors only.
"""

# %%
# The price of reading digit *t* as *p*: rows are true, columns predicted.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from softcost import (
    CostMatrixDisplay,
    OneSidedRegression,
    SoftCostClassifierCV,
    SoftnessCurveDisplay,
)
from softcost.metrics import error_rate, mean_cost

X, y = load_digits(return_X_y=True)
X, X_new, y, y_new = train_test_split(X, y, train_size=400, stratify=y, random_state=0)
true, predicted = np.mgrid[:10, :10]
prices = np.where(predicted > true, predicted - true, 0.1 * (true - predicted))
CostMatrixDisplay.from_matrix(prices)
plt.show()

# %%
# Eleven values of softness, five of C, five folds. The curve shows the cheapest C at
# each softness.
search = SoftCostClassifierCV(
    OneSidedRegression(), cost_matrix=prices, random_state=0
).fit(X, y)
display = SoftnessCurveDisplay.from_estimator(search)
plt.show()

# %%
# The same on digits that no model has seen. Hard learning fits the few large prices and
# pays for it.
for name, row in search.reference_rows().items():
    answer = search.candidate(row).predict(X_new)
    cost = mean_cost(y_new, answer, cost_matrix=prices)
    softness = search.tradeoff_["softness"][row]
    print(
        f"{name:8} softness {softness:.1f}  cost {cost:.3f} euros a digit  "
        f"error {error_rate(y_new, answer):.1%}"
    )
