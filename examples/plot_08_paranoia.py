"""
Emphasis and paranoia
=====================

Make one mistake a million times as expensive as the others, and hard cost-sensitive
learning sees nothing else: it calls everything by the name of the expensive class. A
little softness keeps the other classes apart, at no or little cost.
"""

# %%
# Whatever is not called class 2 when it is class 2 becomes u times as expensive.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split

from softcost import OneSidedRegression
from softcost.costs import balanced, emphasized, is_consistent
from softcost.metrics import error_rate, g_mean, recall_product

X, y = load_iris(return_X_y=True)
X, X_new, y, y_new = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
even = 1.0 - np.eye(3)
print(emphasized(even, 1000, rows=[2]))

# %%
factors = 10.0 ** np.arange(7)
errors = {}
for softness in (0.0, 0.1, 0.5, 1.0):
    errors[softness] = []
    for u in factors:
        prices = emphasized(even, u, rows=[2])
        model = OneSidedRegression(cost_matrix=prices, softness=softness)
        answer = model.fit(X, y).predict(X_new)
        errors[softness].append(error_rate(y_new, answer))
    kept = recall_product(y_new, answer)
    print(
        f"softness {softness:.1f}, at u = {u:.0e}: error {errors[softness][-1]:.3f}, "
        f"G-mean {g_mean(y_new, answer):.3f}, product of recalls {kept:.3f}"
    )

# %%
figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
for softness, values in errors.items():
    ax.semilogx(factors, values, marker="o", label=f"softness {softness:.1f}")
ax.set(xlabel="how much more class 2 costs", ylabel="error on new flowers")
ax.legend()
plt.show()

# %%
# Prices may also be divided by class sizes, so that a large class does not outweigh the
# others.
print(balanced(even, [100, 10, 1]))
print(is_consistent(emphasized(even, 1000, rows=[2])))
