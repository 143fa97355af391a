"""Fit one method of `automl.py` and write its predictions.

    python benchmarks/automl_methods.py METHOD FOLDER

``FOLDER`` has ``table.csv`` and ``task.json``: the target, the training and test rows,
the classes, the cost matrix, the time limit in seconds and the seed. The method writes
``probabilities.npy`` of shape (test rows, classes), ``decisions.npy`` if it decides by
itself, and ``measured.json``. At the top this file imports only numpy and pandas, so it
runs in the environment of every method.

Time limits and latencies are processor time, so they do not depend on what else the
machine does: before a method is imported, ``time.time`` and ``time.perf_counter``
become clocks of this process. It has one thread and starts no others.
"""

import importlib
import json
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

LATENCY_REPEATS = 15
BATCH_ROWS = 1000


class Task:
    """A table with its split and costs.

    Attributes
    ----------
    X_train, X_test : DataFrame
        Raw columns, as ``pandas.read_csv`` reads them.
    y_train : array of str
    labels : array of int
        Class numbers of the training rows.
    classes : list of str
        Sorted.
    costs : array of shape (K, K)
    seconds : float
        Time limit of the fit.
    seed : int
    """

    def __init__(self, folder):
        task = json.loads((folder / "task.json").read_text())
        table = pd.read_csv(folder / "table.csv", low_memory=False)
        labels = table.pop(task["target"]).astype(str).to_numpy()
        self.X_train = table.iloc[task["train"]].reset_index(drop=True)
        self.X_test = table.iloc[task["test"]].reset_index(drop=True)
        self.y_train = labels[task["train"]]
        self.classes = task["classes"]
        self.labels = np.searchsorted(self.classes, self.y_train)
        self.costs = np.array(task["costs"])
        self.seconds, self.seed = task["seconds"], task["seed"]

    def word_columns(self):
        """Names of the columns that do not hold numbers."""
        return [
            name
            for name, kind in self.X_train.dtypes.items()
            if not pd.api.types.is_numeric_dtype(kind)
        ]

    def ordered(self, probabilities, labels):
        """Probabilities with a column for every class, in the order of `classes`."""
        names = [str(label) for label in labels]
        frame = pd.DataFrame(np.asarray(probabilities), columns=names)
        return frame.reindex(columns=self.classes, fill_value=0.0).to_numpy()


class Deadline:
    """The time limit of a fit, also as a callback of CatBoost."""

    def __init__(self, seconds):
        self.end = time.process_time() + seconds

    def has_passed(self):
        return time.process_time() > self.end

    def after_iteration(self, info):
        """Whether CatBoost goes on."""
        return not self.has_passed()


def constant(task):
    """The class shares of the training rows."""
    shares = np.bincount(task.labels, minlength=len(task.classes)) / len(task.labels)
    return lambda X: np.tile(shares, (len(X), 1)), {}


def logistic(task):
    """Logistic regression on scaled numbers and one-hot encoded words."""
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    words = task.word_columns()
    numbers = [name for name in task.X_train if name not in words]
    fill = SimpleImputer(
        strategy="median", add_indicator=True, keep_empty_features=True
    )
    encode = OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=5)
    columns = make_column_transformer(
        (make_pipeline(fill, StandardScaler()), numbers), (encode, words)
    )
    model = make_pipeline(columns, LogisticRegression(max_iter=2000))
    model.fit(task.X_train.astype(dict.fromkeys(words, object)), task.labels)
    labels = [task.classes[k] for k in model.classes_]

    def predict(X):
        X = X.astype(dict.fromkeys(words, object))
        return task.ordered(model.predict_proba(X), labels)

    return predict, {}


def lightgbm(task):
    """LightGBM tuned by random search with early stopping.

    Each setting is fitted on three folds, which also stop it. The best setting by mean
    log loss is fitted on all rows, with the mean number of rounds.
    """
    from lightgbm import LGBMClassifier, early_stopping
    from sklearn.model_selection import StratifiedKFold

    deadline = Deadline(0.85 * task.seconds)  # the rest is for the last fit
    encode = _categories(task)
    X, y = encode(task.X_train), task.labels
    folds = list(StratifiedKFold(3, shuffle=True, random_state=task.seed).split(X, y))
    rng = np.random.default_rng(task.seed)
    best, tried = (np.inf, {}, 100), 0
    while not tried or not deadline.has_passed():
        params = _lightgbm_defaults(task) if not tried else _drawn(rng, len(y))
        losses, rounds = [], []
        for train, held in folds:
            model = LGBMClassifier(
                n_estimators=2000,
                n_jobs=1,
                random_state=task.seed,
                verbose=-1,
                **params,
            )
            model.fit(
                X.iloc[train],
                y[train],
                eval_set=[(X.iloc[held], y[held])],
                callbacks=[early_stopping(30, verbose=False)],
            )
            scores = model.best_score_["valid_0"]
            losses.append(next(iter(scores.values())))
            rounds.append(model.best_iteration_)
            if tried and deadline.has_passed():
                break
        else:
            best = min(best, (np.mean(losses), params, np.mean(rounds)), key=_loss)
            tried += 1
    _, params, rounds = best
    model = LGBMClassifier(
        n_estimators=max(1, round(float(rounds))),
        n_jobs=1,
        random_state=task.seed,
        verbose=-1,
        **params,
    ).fit(X, y)
    labels = [task.classes[k] for k in model.classes_]

    def predict(X):
        return task.ordered(model.predict_proba(encode(X)), labels)

    return predict, {"settings": tried}


def _loss(candidate):
    return candidate[0]


def _lightgbm_defaults(task):
    return {"learning_rate": 0.1, "min_child_samples": min(20, len(task.labels) // 20)}


def _drawn(rng, n_rows):
    """A random setting of LightGBM."""
    return {
        "learning_rate": float(10 ** rng.uniform(-2, -0.7)),
        "num_leaves": int(2 ** rng.uniform(2, 7)),
        "min_child_samples": int(min(2 ** rng.uniform(1, 7), n_rows / 20) + 1),
        "subsample": float(rng.uniform(0.5, 1)),
        "subsample_freq": 1,
        "colsample_bytree": float(rng.uniform(0.4, 1)),
        "reg_lambda": float(10 ** rng.uniform(-2, 2)),
        "cat_smooth": float(10 ** rng.uniform(0, 2)),
    }


def _categories(task):
    """A function that makes words categories of the training rows."""
    kinds = {
        name: pd.CategoricalDtype(sorted(set(task.X_train[name].dropna().astype(str))))
        for name in task.word_columns()
    }

    def encode(X):
        columns = {}
        for number, name in enumerate(X):
            column = X[name]
            if name in kinds:
                text = column.astype(object).map(str, na_action="ignore")
                column = text.astype(kinds[name])
            columns[f"x{number}"] = column
        return pd.DataFrame(columns)

    return encode


def catboost(task):
    """CatBoost with its defaults, stopped by a tenth of the rows."""
    from catboost import CatBoostClassifier
    from sklearn.model_selection import train_test_split

    words = task.word_columns()

    def text(X):
        filled = X[words].astype(object).where(X[words].notna(), "(missing)")
        return X.assign(**{name: filled[name].astype(str) for name in words})

    X = text(task.X_train)
    rare = np.bincount(task.labels)[task.labels] < 2
    train, held = train_test_split(
        np.flatnonzero(~rare),
        test_size=0.1,
        random_state=task.seed,
        stratify=task.labels[~rare] if _enough(task.labels[~rare]) else None,
    )
    train = np.concatenate([train, np.flatnonzero(rare)])
    model = CatBoostClassifier(
        loss_function="MultiClass",
        cat_features=words,
        thread_count=1,
        random_seed=task.seed,
        od_type="Iter",
        od_wait=50,
        verbose=False,
        allow_writing_files=False,
    )
    model.fit(
        X.iloc[train],
        task.labels[train],
        eval_set=(X.iloc[held], task.labels[held]),
        callbacks=[Deadline(task.seconds)],
    )
    labels = [task.classes[int(k)] for k in model.classes_]

    def predict(X):
        return task.ordered(model.predict_proba(text(X), thread_count=1), labels)

    return predict, {"rounds": int(model.tree_count_)}


def _enough(labels):
    """Whether a tenth of the rows can be stratified."""
    sizes = np.bincount(labels)
    return len(labels) // 10 >= len(sizes[sizes > 0])


def flaml(task):
    """FLAML with its default estimators, by log loss."""
    from flaml import AutoML

    model = AutoML()
    model.fit(
        task.X_train,
        task.labels,
        task="classification",
        metric="log_loss",
        time_budget=task.seconds,
        n_jobs=1,
        seed=task.seed,
        verbose=0,
        log_file_name="",
    )
    labels = [task.classes[int(k)] for k in model.classes_]
    about = {"estimator": model.best_estimator}
    return lambda X: task.ordered(model.predict_proba(X), labels), about


def _autogluon(task, preset):
    """AutoGluon with a preset, by log loss."""
    from autogluon.tabular import TabularPredictor

    folder = tempfile.mkdtemp(prefix="autogluon-")
    target = "target"
    while target in task.X_train:
        target += "_"
    predictor = TabularPredictor(
        label=target,
        path=folder,
        eval_metric="log_loss",
        problem_type="binary" if len(task.classes) == 2 else "multiclass",
        verbosity=0,
    )
    predictor.fit(
        task.X_train.assign(**{target: task.y_train}),
        presets=preset,
        time_limit=task.seconds,
        num_cpus=1,
        num_gpus=0,
        dynamic_stacking=False,
        ag_args_ensemble={"fold_fitting_strategy": "sequential_local"},
    )
    predictor.persist()
    board = predictor.leaderboard()
    about = {"models": sorted(board["model"]), "chosen": predictor.model_best}

    def predict(X):
        probabilities = predictor.predict_proba(X)
        return task.ordered(probabilities, probabilities.columns)

    return predict, about


def autogluon_medium(task):
    return _autogluon(task, "medium_quality")


def autogluon_best(task):
    return _autogluon(task, "best_quality")


def softcost(task):
    """The default on the raw table."""
    from softcost import SoftCostClassifierCV

    prices = pd.DataFrame(task.costs, task.classes, task.classes)
    search = SoftCostClassifierCV(cost_matrix=prices, random_state=task.seed, n_jobs=1)
    search.fit(task.X_train, task.y_train)
    return _search(task, search, lambda X: X)


def previous(task):
    """The default before it accepted raw tables, after the command line's encoding."""
    from softcost import SoftCostClassifierCV
    from softcost.tables import TableEncoder

    prices = pd.DataFrame(task.costs, task.classes, task.classes)
    encoder = TableEncoder()
    X = encoder.fit_transform(task.X_train, task.y_train)
    search = SoftCostClassifierCV(cost_matrix=prices, random_state=task.seed, n_jobs=1)
    search.fit(X, task.y_train)
    return _search(task, search, encoder.transform)


def _search(task, search, encode):
    about = {"chosen": str(search.best_params_.get("family", ""))}

    def predict(X):
        return task.ordered(search.predict_proba(encode(X)), search.classes_)

    predict.decide = lambda X: search.predict(encode(X))
    return predict, about


METHODS = {
    "softcost": softcost,
    "previous": previous,
    "autogluon-medium": autogluon_medium,
    "autogluon-best": autogluon_best,
    "flaml": flaml,
    "lightgbm": lightgbm,
    "catboost": catboost,
    "logistic": logistic,
    "constant": constant,
}
# Imported before the clock of a fit starts.
MODULES = {
    "softcost": ("softcost.search", "lightgbm"),
    "previous": ("softcost.search", "softcost.tables"),
    "autogluon-medium": ("autogluon.tabular",),
    "autogluon-best": ("autogluon.tabular",),
    "flaml": ("flaml", "flaml.automl"),
    "lightgbm": ("lightgbm", "sklearn.model_selection"),
    "catboost": ("catboost", "sklearn.model_selection"),
    "logistic": ("sklearn.compose", "sklearn.pipeline", "sklearn.linear_model"),
    "constant": (),
}


def processor_seconds():
    """Processor time of this process and of those that it has waited for."""
    return sum(
        used.ru_utime + used.ru_stime
        for used in map(
            resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )
    )


def count_processor_time():
    """Let the clocks that AutoML systems use for time limits count processor time."""
    start = time.time() - time.process_time()
    time.time = lambda: start + time.process_time()
    time.perf_counter = time.process_time


def latency(answer, X, n_rows):
    """Median milliseconds to answer some rows."""
    seconds = []
    for start in range(LATENCY_REPEATS):
        rows = X.iloc[(np.arange(n_rows) + start) % len(X)]
        began = time.process_time()
        answer(rows)
        seconds.append(time.process_time() - began)
        if sum(seconds) > 10:
            break
    return 1000 * float(np.median(seconds))


def main():
    method, folder = sys.argv[1], Path(sys.argv[2])
    task = Task(folder)
    count_processor_time()
    for module in MODULES[method]:
        importlib.import_module(module)
    used = processor_seconds()
    predict, about = METHODS[method](task)
    about["fit_cpu_seconds"] = processor_seconds() - used
    decide = getattr(predict, "decide", None)
    if decide is not None:
        decisions = np.searchsorted(task.classes, np.asarray(decide(task.X_test), str))
        np.save(folder / "decisions.npy", decisions)
    np.save(folder / "probabilities.npy", predict(task.X_test))
    answer = decide or (lambda X: (predict(X) @ task.costs).argmin(axis=1))
    about["one_row_ms"] = latency(answer, task.X_test, 1)
    about["thousand_rows_ms"] = latency(answer, task.X_test, BATCH_ROWS)
    (folder / "measured.json").write_text(json.dumps(about))


if __name__ == "__main__":
    main()
