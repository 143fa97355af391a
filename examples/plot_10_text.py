"""
Text: a quick answer to tickets
===============================

Sparse features and linear machines. Tickets go to billing, support or security; a
security report that waits in another queue is expensive. The texts are made up of
words, so that nothing needs to be downloaded.
"""

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import train_test_split

from softcost import (
    LinearClassifier,
    OneSidedLinear,
    OneSidedRegression,
    SoftCostClassifierCV,
    TradeoffDisplay,
)

rng = np.random.default_rng(0)
common = "please help my account today the again since week cannot"
topics = {
    "billing": "invoice refund charge card amount paid twice price tax",
    "support": "error install screen crash slow update button version",
    "security": "password leak login attack stolen strange access",
}


def some(words, number):
    return [str(word) for word in rng.choice(words.split(), number)]


names = rng.choice(list(topics), 3000, p=[0.5, 0.44, 0.06])
others = rng.choice(list(topics), 3000)
texts = [
    " ".join(some(common, 9) + some(topics[own], 2) + some(topics[other], 2))
    for own, other in zip(names, others, strict=True)
]
print(names[0], "|", texts[0])

# %%
# Prices as a table, by name: rows are the true queue.
prices = pd.DataFrame(
    [[0, 1, 4], [1, 0, 4], [60, 60, 0]], index=list(topics), columns=list(topics)
)
train, test, y, y_test = train_test_split(texts, names, stratify=names, random_state=0)
words = TfidfVectorizer().fit(train)
X, X_test = words.transform(train), words.transform(test)
print(f"{X.shape[0]} texts, {X.shape[1]} words, {X.nnz} entries")

# %%
# `OneSidedLinear` solves all classes, softness values and values of C of a fold
# together.
search = SoftCostClassifierCV(
    OneSidedRegression(OneSidedLinear()), cost_matrix=prices, cv=3
).fit(X, y)
TradeoffDisplay.from_estimator(search)
plt.show()

# %%
regular = LinearClassifier(C=search.best_params_["C"]).fit(X, y)
for name, answer in (
    ("regular", regular.predict(X_test)),
    ("chosen", search.predict(X_test)),
):
    waiting = np.sum((y_test == "security") & (answer != "security"))
    print(f"{name:8} security reports in another queue: {waiting}")
