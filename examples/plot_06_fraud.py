"""
Fraud: every payment has its own prices
=======================================

A missed fraud costs what was paid; asking a customer about an honest payment costs two
euros. So prices differ by example: they go to ``fit(X, y, costs=...)``, one row per
payment, one column per class.
"""

# %%
# Made-up payments. Column 0 is the price of letting the payment pass, column 1 of
# blocking it.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import RandomForestClassifier

from softcost import Budget, CostSensitiveOneVsOne, SoftCostClassifierCV
from softcost.metrics import error_rate, mean_cost

rng = np.random.default_rng(0)


def payments(n):
    amount = rng.lognormal(4, 1.2, n)
    hour, distance = rng.uniform(0, 24, n), rng.exponential(1, n)
    risk = -4.2 + 0.35 * np.log(amount) + 1.1 * distance - 0.05 * hour
    fraud = (rng.uniform(size=n) < 1 / (1 + np.exp(-risk))).astype(int)
    costs = np.zeros((n, 2))
    costs[fraud == 1, 0] = amount[fraud == 1]
    costs[fraud == 0, 1] = 2.0
    return np.column_stack([np.log(amount), hour, distance]), fraud, costs


X, y, costs = payments(3000)
X_new, y_new, costs_new = payments(6000)

# %%
forest = RandomForestClassifier(80, min_samples_leaf=10, random_state=0)
search = SoftCostClassifierCV(
    CostSensitiveOneVsOne(forest),
    softness=[0, 0.01, 0.02, 0.04, 0.1, 1],
    param_grid={"min_samples_leaf": [10]},
    cv=3,
).fit(X, y, costs=costs)
print(search.tradeoff_[["softness", "cost", "error"]].round(4).to_string(index=False))

# %%
# Costs of new payments are only needed to say what the answers cost. The cheapest model
# asks about half of all payments. If that is too much, set a budget: at most one wrong
# answer in five.
cheapest = search.predict(X_new)
search.choose(Budget(error=0.2))
answers = {
    "let all pass": np.zeros(len(y_new), int),
    "forest": forest.fit(X, y).predict(X_new),
    "cheapest": cheapest,
    "in the budget": search.predict(X_new),
}
for name, answer in answers.items():
    print(
        f"{name:13} {mean_cost(y_new, answer, costs=costs_new):6.2f} euros a payment, "
        f"wrong {error_rate(y_new, answer):.1%}"
    )

# %%
# Large payments are asked about at a smaller risk.
figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
for name in ("forest", "in the budget", "cheapest"):
    blocked = answers[name] == 1
    bins = np.quantile(X_new[:, 0], np.linspace(0, 1, 11))
    group = np.clip(np.digitize(X_new[:, 0], bins) - 1, 0, 9)
    share = [blocked[group == part].mean() for part in range(10)]
    ax.plot(np.exp((bins[1:] + bins[:-1]) / 2), share, marker="o", label=name)
ax.set(xscale="log", xlabel="amount in euros", ylabel="share of payments asked about")
ax.legend()
plt.show()
