"""
Cheap or accurate: the paper's first picture
============================================

Two overlapping classes of points in the plane. Taking a point of class 2 for class 1
costs thirty times as much as the other mistake. Every straight line is a classifier,
and its error and its cost are known exactly: no line is best at both, and lines that
give up a little of one gain a lot of the other.
"""

# %%
# The points, and the prices of the two mistakes.
import matplotlib.pyplot as plt
import numpy as np

from softcost.datasets import artificial_line_rates, load, make_artificial
from softcost.metrics import pareto_mask

X, y = make_artificial(400, random_state=0)
prices = load("artificial").cost_matrix
print(prices)

# %%
# All lines: the direction phi and the offset b. `artificial_line_rates` gives what each
# of them does to the whole population, so that nothing here depends on a sample.
phi, b = np.meshgrid(np.linspace(0, 2 * np.pi, 91), np.linspace(-3, 3, 61))
rates = artificial_line_rates(phi.ravel(), b.ravel())
points = np.column_stack([rates.error, rates.cost])
on_front = pareto_mask(points)
cheapest, most_accurate = rates.cost.argmin(), rates.error.argmin()
for name, line in (("cheapest", cheapest), ("most accurate", most_accurate)):
    print(f"{name:14} cost {rates.cost[line]:.3f}  error {rates.error[line]:.3f}")

# %%
# Left the data with the two extreme lines, right all lines: those that no other line
# beats in both cost and error are the front. Soft cost-sensitive classification walks
# along it.
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
for label, marker in (("1", "o"), ("2", "^")):
    rows = y.astype(str) == label
    left.scatter(*X[rows].T, s=14, marker=marker, label=f"class {label}", alpha=0.7)
across = np.array([X.min() - 1, X.max() + 1])
for line, colour, name in (
    (cheapest, "tab:red", "cheapest"),
    (most_accurate, "tab:green", "most accurate"),
):
    direction = np.array([np.cos(phi.ravel()[line]), np.sin(phi.ravel()[line])])
    along = np.array([-direction[1], direction[0]])
    ends = b.ravel()[line] * direction + np.outer(8 * np.array([-1, 1]), along)
    left.plot(*ends.T, color=colour, label=name)
left.set(
    xlim=(X[:, 0].min() - 0.5, X[:, 0].max() + 0.5),
    ylim=(X[:, 1].min() - 0.5, X[:, 1].max() + 0.5),
    title="points and two lines",
)
left.legend(loc="lower left")
right.scatter(*points.T, s=3, color="0.75", label="all lines")
right.scatter(*points[on_front].T, s=12, color="tab:purple", label="front")
right.set(xlabel="error", ylabel="cost", title="what lines cost and how often they err")
right.legend(loc="upper left")
plt.show()
