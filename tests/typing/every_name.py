"""A user's program with every public name, for type checkers: see test_types.py."""

from pathlib import Path
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import softcost
from softcost import (
    Budget,
    CostCurveDisplay,
    Costing,
    CostMatrixDisplay,
    CostSensitiveOneVsOne,
    FilterTree,
    KernelSVC,
    LeastCost,
    LinearClassifier,
    MaxOfBoth,
    MetaCost,
    MinimumExpectedCost,
    NetBenefitDisplay,
    NystroemClassifier,
    OneSidedBoosting,
    OneSidedLinear,
    OneSidedNystroem,
    OneSidedRegression,
    OneSidedSVR,
    RegressionOneVsAll,
    SoftCostClassifierCV,
    SoftnessCurveDisplay,
    StochasticEnsembleBoosting,
    Tolerance,
    TradeoffDisplay,
    WeightedAllPairs,
    ZhouLiuRescaling,
    __version__,
    costs,
    datasets,
    learners,
    linear,
    load,
    metrics,
    mlflow,
    onnx,
    paper,
    persistence,
    reductions,
    report,
    save,
    search,
    svm,
    tables,
    testing,
    to_onnx,
    workflow,
)

PRICES = [[0, 1, 5], [1, 0, 5], [9, 9, 0]]


def search_and_use(X: NDArray[np.float64], y: NDArray[np.int64], file: Path) -> float:
    search = SoftCostClassifierCV(
        OneSidedRegression(OneSidedSVR(kernel="rbf", gamma=0.5)),
        cost_matrix=PRICES,
        softness=[0.0, 0.5, 1.0],
        param_grid={"C": [1, 10]},
        criterion=Budget(error=0.05),
        keep_data=True,
    )
    search.fit(X, y, sample_weight=np.ones(len(y)))
    assert_type(search.predict(X), NDArray[Any])
    assert_type(search.decision_function(X), NDArray[np.float64])
    assert_type(search.score(X, y), float)
    for rule in (LeastCost(), MaxOfBoth(), Tolerance(cost=0.1), "cost"):
        search.choose(rule)
    pair = search.mix(max_error=0.1)
    assert_type(pair.predict(X), NDArray[Any])
    model = search.candidate(0)
    assert_type(model.predict(X), NDArray[Any])
    assert_type(model.estimators_, list[Any])
    TradeoffDisplay.from_estimator(search)
    SoftnessCurveDisplay.from_estimator(search)
    CostMatrixDisplay.from_estimator(search)
    save(search, file)
    load(file)
    return metrics.mean_cost(y, search.predict(X), cost_matrix=PRICES)


def every_reduction() -> list[reductions.Reduction]:
    return [
        CostSensitiveOneVsOne(KernelSVC(C=2.0), tie_break="first", softness=0.5),
        CostSensitiveOneVsOne(LinearClassifier(C=2.0, loss="logistic")),
        CostSensitiveOneVsOne(NystroemClassifier(n_landmarks=10, random_state=0)),
        WeightedAllPairs(classes=["a", "b"]),
        FilterTree(order=["b", "a"], cost_matrix=PRICES),
        MetaCost(n_resamples=3, use="out", random_state=0),
        Costing(n_draws=3, sampling="always"),
        MinimumExpectedCost(error_weight="balanced"),
        OneSidedRegression(OneSidedBoosting(n_estimators=10, reg_lambda=0.1)),
        OneSidedRegression(OneSidedLinear(C=2.0)),
        OneSidedRegression(OneSidedNystroem("rbf", gamma=0.5, n_landmarks=10)),
        RegressionOneVsAll(n_jobs=2),
        StochasticEnsembleBoosting(n_rounds=3, pair_features="concat"),
        ZhouLiuRescaling(cost_matrix={"a": {"a": 0, "b": 1}, "b": {"a": 2, "b": 0}}),
    ]


def other_packages(X: NDArray[np.float64], y: NDArray[np.int64]) -> None:
    prices = costs.check_cost_matrix(PRICES)
    costs.soften(prices[y], y, 0.5)
    X, y = datasets.make_artificial(30, random_state=0)
    metrics.cost_scorer(cost_matrix=PRICES)
    learners.kind_of(KernelSVC())
    linear.OneSidedLinear()
    svm.OneSidedSVR().fit(X, y)
    with search.progress_to(lambda done, total: print(done, total)):
        SoftCostClassifierCV(OneSidedRegression()).fit(X, y)
    testing.check_cost_estimator(RegressionOneVsAll())
    tables.TableEncoder(nominal=["a"], output="codes")
    tables.DenseFeatures([True, False])
    tables.TextComponents(5)
    workflow.FitOptions("rows.csv", "class", max_error=0.1)
    onnx.table_inputs(to_onnx(MinimumExpectedCost().fit(X, y)), X)
    mlflow.log_model(MinimumExpectedCost().fit(X, y), X, metrics={"cost": 0.5})
    print(search.CRITERIA, persistence.ModelFileError, report.ExplorerData)
    print(paper.TARGETS, __version__, softcost.__all__)
    print(CostCurveDisplay, NetBenefitDisplay, onnx.to_onnx is to_onnx)
