"""
Boosted trees and kernel machines with sides
============================================

One-sided regression asks a prediction to be low enough, or high enough, but not exact.
Two learners can be asked that: a kernel machine and boosted trees.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np

from softcost import KernelSVC, OneSidedBoosting, OneSidedSVR

rng = np.random.default_rng(0)
X = np.sort(rng.uniform(0, 10, 120))[:, None]
y = np.sin(X[:, 0]) + 0.3 * rng.normal(size=120)
side = np.where(rng.uniform(size=120) < 0.5, 1, -1)

# %%
# Above (-1) or below (+1) is all that is asked; between them the learner is free.
figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
for value, marker, text in ((1, "v", "at most"), (-1, "^", "at least")):
    rows = side == value
    ax.scatter(X[rows, 0], y[rows], marker=marker, s=20, label=f"{text} this")
for model in (OneSidedSVR(C=10), OneSidedBoosting(n_estimators=60)):
    fitted = model.fit(X, y, side=side).predict(X)
    ax.plot(X[:, 0], fitted, label=type(model).__name__)
    violated = np.maximum(side * (fitted - y), 0)
    print(f"{type(model).__name__:17} mean violation {violated.mean():.3f}")
ax.legend()
plt.show()

# %%
# The classifier beside it votes by pairs, and every solution comes with a certificate.
machine = KernelSVC(C=4).fit(X, np.digitize(y, [-0.5, 0.5]))
print("largest duality gap", f"{machine.dual_gap_.max():.1e}", machine.converged_)
