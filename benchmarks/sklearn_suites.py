"""scikit-learn's checks of estimators, for every reduction with many learners.

``sklearn.utils.estimator_checks`` is run for every reduction of the catalogue with its
default learner and with learners of scikit-learn, and for every public learner. The
tests run a part of this (``tests/conventions``). Every failure needs a reason:

- *learner*: the same check fails for the learner alone, so scikit-learn's own estimator
  does not keep this convention (for instance ``SVC`` and ``RandomForestClassifier``
  with weights instead of repeated rows);
- a reason of `REASONS`, for a reduction that cannot keep a convention.

    python benchmarks/sklearn_suites.py [--reductions csovo,mec] [--checks weight] \\
        [--output benchmarks/results/sklearn_suites.json]

Prints each failure with its reason, then counts. Exits with 1 if one has no reason.
"""

import argparse
import sys
import warnings
from collections import Counter
from unittest import SkipTest

from common import write_json
from sklearn.base import BaseEstimator, is_classifier
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
)
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC, SVR, LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import estimator_checks_generator

import softcost
from softcost.reductions import CATALOGUE, Reduction

CLASSIFIERS = [
    LogisticRegression(),
    DecisionTreeClassifier(max_depth=3, random_state=0),
    RandomForestClassifier(5, random_state=0),
    HistGradientBoostingClassifier(max_iter=5),
    GaussianNB(),
    SVC(),
    LinearSVC(),
]
REGRESSORS = [
    Ridge(),
    DecisionTreeRegressor(max_depth=3, random_state=0),
    HistGradientBoostingRegressor(max_iter=5),
    SVR(),
    LinearRegression(),
]
PACKAGES = ("softcost", "scikit-learn", "numpy")
# (reduction, part of the check's name, reason)
REASONS = [
    (
        "metacost",
        "sample_weight_equivalence",
        "bootstrap samples of weighted rows and of repeated rows are different draws",
    ),
    (
        "gbse",
        "sample_weight_equivalence",
        "HistGradientBoosting limits leaves by rows (min_samples_leaf=20), not by "
        "weight; with min_samples_leaf=1 the check passes",
    ),
]


def name_of(check):
    """The name of a check with its parameters."""
    function = getattr(check, "func", check)
    keywords = getattr(check, "keywords", {})
    return "-".join([function.__name__, *(f"{k}={v}" for k, v in keywords.items())])


def subjects(names):
    """(label, name in the catalogue or "", estimator, learner or None)."""
    for name, entry in CATALOGUE.items():
        if names and name not in names:
            continue
        yield name, name, entry.load()(), None
        regresses = entry.needs in ("one-sided", "regressor")
        for learner in REGRESSORS if regresses else CLASSIFIERS:
            if entry.needs == "probabilities" and not hasattr(learner, "predict_proba"):
                continue
            yield f"{name}, {learner}", name, entry.load()(learner), learner
    if names:
        return
    for public in softcost.__all__:
        cls = getattr(softcost, public)
        if not (isinstance(cls, type) and issubclass(cls, BaseEstimator)):
            continue
        if not issubclass(cls, Reduction | softcost.SoftCostClassifierCV):
            yield public, "", cls(), None


def failures_of(estimator, part):
    """The number of checks that ran, and the message of each failure, by its name."""
    failed, number = {}, 0
    for instance, check in estimator_checks_generator(estimator):
        name = name_of(check)
        if part not in name:
            continue
        number += 1
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check(instance)
        except SkipTest:  # for instance without SCIPY_ARRAY_API
            number -= 1
        except Exception as error:  # any failure is reported
            failed[name] = f"{type(error).__name__}: {error}".replace("\n", " ")[:200]
    return number, failed


def reason_of(name, check, learner, of_learner):
    """Why a check fails; "" if there is no known reason."""
    if learner is not None and check in of_learner:
        return "learner"
    for reduction, part, reason in REASONS:
        if name == reduction and part in check:
            return reason
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--reductions", type=lambda text: text.split(","), default=[])
    parser.add_argument("--checks", default="", help="part of the checks' names")
    parser.add_argument("--output", help="JSON file to write")
    options = parser.parse_args()
    total, reasons, of_learners, results = 0, Counter(), {}, []
    for label, name, estimator, learner in subjects(options.reductions):
        number, failed = failures_of(estimator, options.checks)
        total += number
        if failed and learner is not None and str(learner) not in of_learners:
            of_learners[str(learner)] = failures_of(learner, options.checks)[1]
        for check, message in failed.items():
            of_learner = of_learners.get(str(learner), {})
            reason = reason_of(name, check, learner, of_learner)
            reasons[reason or "no reason"] += 1
            print(f"{label}: {check}: {reason or 'NO REASON: ' + message}", flush=True)
            failed[check] = reason or f"no reason: {message}"
        kind = "classifier" if is_classifier(estimator) else "regressor"
        print(f"{label} ({kind}): {number - len(failed)} of {number} pass", flush=True)
        results.append({"estimator": label, "checks": number, "failures": failed})
    print(f"{total - reasons.total()} of {total} checks pass")
    for reason, count in reasons.most_common():
        print(f"{count:5d}  {reason}")
    if options.output:
        counts = {"checks": total, "failures": dict(reasons.most_common())}
        write_json(options.output, PACKAGES, {"counts": counts, "estimators": results})
    return int(reasons["no reason"] > 0)


if __name__ == "__main__":
    sys.exit(main())
