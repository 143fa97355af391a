"""
Intrusion detection: rare attacks, a public price list
======================================================

The KDD Cup of 1999 asked for network attacks to be found and published what each
mistake costs. Here the prices are the published ones and the traffic is made up: four
of five connections are normal, the worst attacks are one in a hundred.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from softcost import CostSensitiveOneVsOne, SoftCostClassifierCV
from softcost.costs import KDD99_COSTS
from softcost.metrics import measure

names = np.array(["normal", "probe", "dos", "u2r", "r2l"])
X, y = make_classification(
    3000, 12, n_informative=8, n_classes=5, n_clusters_per_class=1,
    weights=[0.8, 0.1, 0.07, 0.01, 0.02], class_sep=1.0, random_state=3,
)  # fmt: skip
X, X_new, y, y_new = train_test_split(
    X, names[y], test_size=0.5, stratify=y, random_state=0
)
print(KDD99_COSTS)

# %%
# A table of prices goes by its labels, so that the order of rows and columns does not
# matter.
learner = make_pipeline(StandardScaler(), LogisticRegression(max_iter=500))
search = SoftCostClassifierCV(
    CostSensitiveOneVsOne(learner),
    cost_matrix=KDD99_COSTS,
    softness=[0, 0.25, 0.5, 0.75, 1],
    param_grid={"logisticregression__C": [0.1, 10]},
    cv=3,
).fit(X, y)

# %%
# `measure` gives all measures of one set of predictions.
answers = {
    "always normal": np.full(len(y_new), "normal"),
    "logistic regression": learner.fit(X, y).predict(X_new),
    "chosen": search.predict(X_new),
}
found = {
    name: measure(y_new, answer, cost_matrix=KDD99_COSTS)
    for name, answer in answers.items()
}
for name, values in found.items():
    print(f"{name:20} cost {values['cost']:.3f}  error {values['error']:.3f}")

# %%
figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
width = 0.27
for place, (name, answer) in enumerate(answers.items()):
    recall = [np.mean(answer[y_new == attack] == attack) for attack in names]
    ax.bar(np.arange(5) + (place - 1) * width, recall, width, label=name)
ax.set_xticks(range(5), names)
ax.set(ylabel="found", title="share of each kind that is found")
ax.legend()
plt.show()
