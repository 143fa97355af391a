"""
Probabilities and the Bayes decision, or a reduction?
=====================================================

If the probabilities of the classes were known, the cheapest answer would be the class
of least expected cost. Learners give estimates, and their faults are multiplied by
large prices. Calibration helps; a reduction needs no probabilities at all.
"""

# %%
import matplotlib.pyplot as plt
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

from softcost import CostSensitiveOneVsOne, MinimumExpectedCost
from softcost.metrics import compare, error_rate, mean_cost

X, y = make_classification(
    4000, 10, n_informative=5, n_redundant=5, n_classes=3, random_state=0
)
prices = [[0, 1, 1], [10, 0, 1], [30, 5, 0]]

# %%
# Naive Bayes takes redundant features for independent evidence and is far too sure of
# itself.
models = {
    "naive Bayes, as it is": MinimumExpectedCost(GaussianNB()),
    "naive Bayes, calibrated": MinimumExpectedCost(
        GaussianNB(), calibration="isotonic"
    ),
    "logistic regression": MinimumExpectedCost(LogisticRegression()),
    "one-versus-one": CostSensitiveOneVsOne(LogisticRegression()),
}
costs = {name: [] for name in models}
errors = {name: [] for name in models}
for run in range(8):
    train, test, y_train, y_test = train_test_split(X, y, random_state=run)
    for name, model in models.items():
        answer = model.set_params(cost_matrix=prices).fit(train, y_train).predict(test)
        costs[name].append(mean_cost(y_test, answer, cost_matrix=prices))
        errors[name].append(error_rate(y_test, answer))

# %%
# Are differences more than chance? `compare` tests them on the same splits.
for name in models:
    found = compare(costs[name], costs["naive Bayes, as it is"])
    print(f"{name:24} difference {found.difference:6.2f}, p = {found.p_value:.4f}")

# %%
figure, ax = plt.subplots(figsize=(7, 3.8), layout="constrained")
for name in models:
    ax.scatter(errors[name], costs[name], label=name, s=22)
ax.set(xlabel="error", ylabel="cost", title="eight splits")
ax.legend()
plt.show()

# %%
# What is expected of every answer can be looked at, and softness changed after
# training.
model = models["naive Bayes, calibrated"]
print(model.expected_costs(test[:3]).round(2))
print(model.set_params(softness=1.0).predict(test[:3]), "are the most probable classes")
