"""
Which bacterium is it? Prices set by physicians
===============================================

Taking a dangerous species for a harmless one delays treatment; the other way round
costs a dose of antibiotics. `SERS_COSTS` has the published prices for ten species. The
spectra here are SYNTHETIC: `make_sers` draws curves that look like surface-enhanced
Raman spectra.
"""

# %%
# Read a row of the matrix: the patient has *that*, and the columns are what we say.
import matplotlib.pyplot as plt
import numpy as np

from softcost import (
    CostMatrixDisplay,
    OneSidedRegression,
    SoftCostClassifierCV,
    TradeoffDisplay,
)
from softcost.costs import SERS_COSTS, is_consistent
from softcost.datasets import make_sers
from softcost.metrics import mean_cost

CostMatrixDisplay.from_matrix(SERS_COSTS)
plt.show()
print("Could weights by class stand for these prices?", is_consistent(SERS_COSTS))

# %%
X, y = make_sers(200, random_state=0)
search = SoftCostClassifierCV(
    OneSidedRegression(), cost_matrix=SERS_COSTS, random_state=0
).fit(X, y)
TradeoffDisplay.from_estimator(search)
plt.show()

# %%
# What patients pay for: the most expensive kinds of mistakes of the regular and the
# chosen model, from held-out predictions.
for name, row in search.reference_rows().items():
    counts = search.confusion_[row].sum(axis=0)
    paid = counts * search.cost_matrix_
    true, said = np.unravel_index(paid.argmax(), paid.shape)
    print(
        f"{name:8} pays {paid.sum() / counts.sum():.3f} a patient, most of it for "
        f"{search.classes_[true]} taken for {search.classes_[said]} "
        f"({int(counts[true, said])} times)"
    )

# %%
# A word of caution. The chosen row is the least of many estimates, and 200 spectra are
# few: expect new patients to cost more than its estimate says.
X_new, y_new = make_sers(100, random_state=1)
cost = mean_cost(y_new, search.predict(X_new), cost_matrix=SERS_COSTS)
print(f"estimated {-search.best_score_:.3f} a patient, on new ones {cost:.3f}")
