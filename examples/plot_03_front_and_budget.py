"""
The front, and the cheapest model within an error budget
========================================================

One search gives many models. Which one is right is not a question of mathematics:
perhaps at most fourteen predictions of a hundred may be wrong, whatever they cost.
Choosing again needs no new search.
"""

# %%
import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import minmax_scale

from softcost import (
    Budget,
    OneSidedRegression,
    SoftCostClassifierCV,
    Tolerance,
    TradeoffDisplay,
)
from softcost.metrics import hypervolume

X, y = load_wine(return_X_y=True)
X = minmax_scale(X)[:, :4]  # four features leave something to trade
X, X_new, y, y_new = train_test_split(X, y, test_size=0.4, stratify=y, random_state=1)
prices = [[0, 1, 1], [6, 0, 3], [20, 8, 0]]

search = SoftCostClassifierCV(
    OneSidedRegression(), cost_matrix=prices, cv=10, random_state=0
).fit(X, y)
columns = ["softness", "C", "cost", "error", "g_mean"]
print(search.tradeoff_.query("on_front")[columns].round(3).to_string())

# %%
# Three rules on the same table. Names in the legend are the rows that every report
# shows.
figure, all_axes = plt.subplots(1, 3, figsize=(15, 4.2), layout="constrained")
for ax, rule in zip(
    all_axes, ("cost", Budget(error=0.14), Tolerance(cost=0.25)), strict=True
):
    search.choose(rule)
    TradeoffDisplay.from_estimator(search, ax=ax, error_bars=False)
    ax.set_title(str(rule))
    row = search.tradeoff_.loc[search.best_index_]
    print(f"{rule!s:22} cost {row['cost']:.3f}  error {row['error']:.3f}")
plt.show()

# %%
# Between two candidates lies a third: answer with the first for some rows, with the
# second for the others. `mix` finds the cheapest pair whose expected error keeps to the
# budget.
pair = search.mix(max_error=0.14)
print(f"the first of two answers with probability {pair.probability:.2f}")
print(f"cost on new rows {-pair.score(X_new, y_new):.3f}")

# %%
# One number for a whole front: the area that it dominates.
points = search.tradeoff_[["error", "cost"]].to_numpy()
print(f"hypervolume {hypervolume(points, ref=[1.0, 20.0]):.2f}")
