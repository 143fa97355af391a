"""
Hand the doubtful cases to a person
===================================

A reject option is one more column of prices.

Two classes overlap; a miss costs 9, a false alarm 5, and asking a person costs 1
whatever is true. With the true probabilities the cheapest answer is Chow's rule: ask
where both risks exceed the price of asking. Learnt models come close to what that
costs, and the share that they answer themselves is the coverage.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression

from softcost import (
    CostSensitiveOneVsOne,
    FilterTree,
    MinimumExpectedCost,
    OneSidedRegression,
    SoftCostClassifierCV,
)
from softcost.metrics import measure

names = ["healthy", "ill"]
prices = pd.DataFrame(
    [[0, 5, 1], [9, 0, 1]], index=names, columns=[*names, "ask a person"]
)


def patients(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    ill = rng.uniform(size=n) < 0.4
    return (rng.normal(size=n) + 2.0 * ill)[:, None], np.array(names)[ill.astype(int)]


def told(what: str, answers: np.ndarray) -> float:
    found = measure(y_new, answers, cost_matrix=prices)
    print(
        f"{what:24} cost {found['cost']:.3f}  coverage {found['coverage']:6.1%}"
        f"  error among the answered {found['error_answered']:6.1%}"
    )
    return found["cost"]


X, y = patients(4000, seed=1)
X_new, y_new = patients(20_000, seed=2)

second = 0.4 * norm.pdf(X_new[:, 0], 2.0)
p = second / (second + 0.6 * norm.pdf(X_new[:, 0]))
risks = np.column_stack([9 * p, 5 * (1 - p)])
chow = np.array(names)[risks.argmin(axis=1)].astype(object)
chow[risks.min(axis=1) > 1] = "ask a person"

# %%
# What each way of answering costs on rows that no model has seen.
best = told("Chow's rule", chow)
told("always ask", np.full(len(y_new), "ask a person"))
for model in (
    MinimumExpectedCost(LogisticRegression()),
    CostSensitiveOneVsOne(LogisticRegression()),
    FilterTree(LogisticRegression(), order=["healthy", "ask a person", "ill"]),
):
    model.set_params(cost_matrix=prices).fit(X, y)
    cost = told(type(model).__name__, model.predict(X_new))
    assert cost < 1.1 * best

# %%
# One-sided regression does not aim at expected costs: it asks less than it should.
few = slice(None, 400)
search = SoftCostClassifierCV(
    OneSidedRegression(), cost_matrix=prices, softness=3, param_grid={"C": [1, 16]}
).fit(X[few], y[few])
told("OneSidedRegression (400)", search.predict(X_new))

# %%
# Chow's rule asks where even the smaller risk exceeds the price of asking.
order = np.argsort(X_new[:, 0])
figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
for name, risk in zip(names, risks[order].T, strict=True):
    ax.plot(X_new[order, 0], risk, label=f"expected cost of answering {name}")
ax.axhline(1, color="black", linestyle=":", label="price of asking a person")
asked = X_new[chow == "ask a person", 0]
ax.axvspan(asked.min(), asked.max(), color="0.9", label="asked")
ax.set(xlabel="measurement", ylabel="expected cost", ylim=(0, 5.2), xlim=(-3, 5))
ax.legend()
plt.show()
