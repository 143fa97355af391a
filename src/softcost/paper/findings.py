"""All that a store says about a target, beside the published values."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import pi

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar

from softcost.datasets import artificial_line_rates, info, make_artificial
from softcost.paper.anomalies import UNEXPLAINED
from softcost.paper.comparison import (
    agreement,
    error_costs,
    mark_best,
    near,
    outside,
    significance,
)
from softcost.paper.planning import (
    BALANCED,
    FAMILIES,
    GRIDS,
    PLAIN,
    SAMPLES,
    TARGETS,
    Request,
)
from softcost.paper.summary import (
    published_class_sizes,
    published_symbols,
    select,
    summarize,
)

_OTHER_DATA = ("sers",)  # synthetic here: no number of ours should be the published one
CLOSEST = ("OVA", "OVO", "OSR", "soft-OSR", "CSOVO", "soft-CSOVO")


def findings_of(rows: pd.DataFrame, target: str) -> dict[str, pd.DataFrame] | None:
    """Tables, tests and agreement of a target.

    Parameters
    ----------
    rows : DataFrame
        All rows of a store.
    target : str
        One of `TARGETS`.

    Returns
    -------
    dict of DataFrame, or None where the store has none of its algorithms
        ``table`` (`summarize`, `mark_best`, ``near``, and ``as_in_paper``: whether
        the data and the kind of costs are the paper's), ``tests`` (`significance`,
        with ``published`` answers and ``as_in_paper``), ``agreement`` and ``outside``,
        the last about data and costs as in the paper.

    See Also
    --------
    read_rows : All cells of a store, or of a file that was exported from one.
    verdicts : Every claim of the paper: our count, the published one, chance, a
        verdict.

    Examples
    --------
    >>> import tempfile
    >>> from softcost.paper import findings_of, read_rows, reproduce
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = f"{folder}/results.sqlite"
    ...     _ = reproduce(
    ...         "inconsistent", store, datasets=["iris"], algorithms=["OVA"], runs=2
    ...     )
    ...     rows = read_rows(store)
    >>> findings = findings_of(rows, "inconsistent")
    >>> list(findings)
    ['table', 'tests', 'agreement', 'outside']
    >>> findings_of(rows, "sers") is None
    True
    """
    request, cells = select(rows, target, "both")
    if not cells["family"].isin(FAMILIES).any():
        return None
    sampled = _sampled(cells)
    table = mark_best(summarize(cells, request))
    table["as_in_paper"] = _as_in_paper(table, request, sampled)
    if target in _OTHER_DATA:
        table = table.assign(as_in_paper=False, difference=float("nan"))
    table["near"] = near(table)
    tests = _tests(cells, request, sampled)
    if target in _OTHER_DATA:
        tests = tests.assign(as_in_paper=False, published=None)
    same = table[table["as_in_paper"]]
    return {
        "table": table,
        "tests": tests,
        "agreement": _agreements(table, target),
        "outside": outside(same, target, _with_ova(rows, request)),
    }


def _as_in_paper(frame: pd.DataFrame, request: Request, sampled: set[str]) -> pd.Series:
    target = request.target
    whole = set(target.datasets) - sampled
    places = zip(frame["dataset"], frame["costs"], strict=True)
    return pd.Series(
        [name in whole and costs in target.kinds_of(name) for name, costs in places],
        frame.index,
        dtype=bool,
    )


def _sampled(cells: pd.DataFrame) -> set[str]:
    """Data sets of which a smaller part was used than by the paper."""
    least = cells[cells["rows"].notna()].groupby("dataset")["rows"].min()
    return {str(name) for name, n in least.items() if n != SAMPLES.get(str(name))}


def _with_ova(rows: pd.DataFrame, request: Request) -> pd.DataFrame:
    """A table that has OVA under the costs of a target."""
    benchmark = request.target.costs == TARGETS["inconsistent"].costs
    name = "inconsistent" if benchmark else request.target.name
    same_costs, cells = select(rows, name)
    return summarize(cells, same_costs)


def _tests(cells: pd.DataFrame, request: Request, sampled: set[str]) -> pd.DataFrame:
    target = request.target
    tests = significance(cells, target.pairs, target.metrics)
    symbols = published_symbols()
    symbols = symbols[symbols["target"] == target.name].drop(columns="target")
    symbols = symbols.rename(columns={"soft": "algorithm"})
    place = ["metric", "dataset", "algorithm", "versus"]
    tests = tests.merge(symbols, on=place, how="left")
    tests["as_in_paper"] = _as_in_paper(tests, request, sampled)
    tests["published"] = tests["published"].where(tests["as_in_paper"])
    order = {name: n for n, name in enumerate(request.datasets)}
    rank = 2 * tests["dataset"].map(order) + ~tests["as_in_paper"]
    return tests.loc[rank.sort_values(kind="stable").index].reset_index(drop=True)


def _agreements(table: pd.DataFrame, target: str) -> pd.DataFrame:
    """Agreement over all cells, on balanced sets, and with costs of the other kind.

    The twelve sets without rare classes, where costs do not hang on a few examples,
    and the algorithms whose every detail is known say most about whether this is the
    paper's method.
    """
    as_in_paper = table["as_in_paper"]
    parts = {"all": table[as_in_paper]}
    if target in ("inconsistent", "consistent"):
        closest = table["dataset"].isin(BALANCED) & table["algorithm"].isin(CLOSEST)
        name = f"{', '.join(CLOSEST)} on {', '.join(BALANCED)}"
        parts[name] = table[as_in_paper & closest]
    other = table["dataset"].isin(PLAIN) & (table["costs"] == "class-ratio")
    if other.any():
        parts["costs by class sizes, where the paper's were plain"] = table[other]
    frames = [
        agreement(part, ["metric"]).assign(what=what) for what, part in parts.items()
    ]
    return pd.concat(frames, ignore_index=True)


def class_sizes() -> pd.DataFrame:
    """The published class distributions, and whether our data sets have the same.

    Returns
    -------
    DataFrame
        Columns dataset, rows, features, sizes, same.
    """
    table = published_class_sizes()
    datasets = [info(name) for name in table["dataset"]]
    same = [
        (dataset.rows, dataset.features, sorted(dataset.class_counts.values()))
        == (row["rows"], row["features"], sorted(row["sizes"]))
        for dataset, row in zip(datasets, table.to_dict("records"), strict=True)
    ]
    return table.assign(same=same)


def readings(rows: pd.DataFrame, target: str = "inconsistent") -> pd.DataFrame | None:
    """The paper's lambda read as C and as 1/C, where a store has both.

    Returns
    -------
    DataFrame or None
        Columns dataset, costs, algorithm, metric, unit, published_mean, published_se,
        balanced (whether the set has no rare class), and for each reading, with the
        ending ``_c`` or ``_inverse``: runs, mean, se, difference, near.
    """
    tables = []
    for grid in GRIDS:
        request, cells = select(rows, target, grid=grid)
        if not cells["family"].isin(FAMILIES).any():
            return None
        table = summarize(cells, request)
        table["near"] = near(table)
        tables.append(table[table["algorithm"].isin(request.algorithms)])
    keys = ["dataset", "costs", "algorithm", "metric", "unit"]
    keys += ["published_mean", "published_se"]
    both = tables[0].merge(tables[1], on=keys, suffixes=("_c", "_inverse"))
    return both.assign(balanced=both["dataset"].isin(BALANCED))


# Summary statistics for the first page of a report.


_MAIN = ("inconsistent", "consistent")
_FAR = 2.0  # standard errors


@dataclass(frozen=True)
class Overview:
    """What the first page tells.

    Attributes
    ----------
    near : DataFrame
        How many means of the closest algorithms on sets without rare classes are
        within two combined standard errors: columns what ("tables", "rule" for costs
        by class sizes on all sets, "all runs"), target, metric, within, cells.
    error_costs : DataFrame
        What an error of OVA costs: columns target, dataset, costs, ours, published,
        ratio (published to ours), other (whether they differ clearly), and of its
        error: error, published_error, near.
    open_cells : DataFrame
        Columns target, dataset, cells: means that are far off without explanation.
    """

    near: pd.DataFrame
    error_costs: pd.DataFrame
    open_cells: pd.DataFrame


def overview(
    found: Mapping[str, Mapping[str, pd.DataFrame] | None], everything: pd.DataFrame
) -> Overview:
    """Summarise the findings of a report.

    Parameters
    ----------
    found : dict of target to findings, or None where it was not run
    everything : DataFrame
        All rows of the store, with the runs that the tables leave out.
    """
    main = {name: part for name in _MAIN if (part := found.get(name)) is not None}
    near, costs, open_cells = [], [], []
    for name, part in main.items():
        table = part["table"]
        as_in_paper = table[table["as_in_paper"]]
        near.append(_near(as_in_paper, "tables", name))
        near.append(_near(_by_rule(table), "rule", name))
        if everything["run"].max() >= table["runs"].max():
            more = findings_of(everything, name)
            if more is not None:
                wider = more["table"]
                near.append(_near(wider[wider["as_in_paper"]], "all runs", name))
        costs.append(_error_costs(as_in_paper).assign(target=name))
    for name, found_part in found.items():
        if found_part is not None:
            far = found_part["outside"]
            counts = far[far["explanation"] == UNEXPLAINED].groupby("dataset").size()
            open_cells.append(counts.reset_index(name="cells").assign(target=name))
    return Overview(_joined(near), _joined(costs), _joined(open_cells))


def _joined(frames: list[pd.DataFrame]) -> pd.DataFrame:
    full = [frame for frame in frames if len(frame)]
    return pd.concat(full, ignore_index=True) if full else pd.DataFrame()


def _near(table: pd.DataFrame, what: str, target: str) -> pd.DataFrame:
    closest = table["dataset"].isin(BALANCED) & table["algorithm"].isin(CLOSEST)
    return agreement(table[closest], ["metric"]).assign(what=what, target=target)


def _by_rule(table: pd.DataFrame) -> pd.DataFrame:
    """Costs by class sizes on all sets, as the paper's rule says; or nothing."""
    by_size = table[table["costs"] == "class-ratio"]
    return by_size if set(PLAIN) <= set(by_size["dataset"]) else table.iloc[:0]


def _error_costs(table: pd.DataFrame) -> pd.DataFrame:
    costs = error_costs(table)
    errors = table[(table["algorithm"] == "OVA") & (table["metric"] == "error")]
    errors = errors.rename(
        columns={"mean": "error", "published_mean": "published_error"}
    )
    columns = ["dataset", "costs", "error", "published_error", "near"]
    costs = costs.merge(errors[columns], on=["dataset", "costs"])
    costs["ratio"] = np.exp(costs["log_ratio"])
    costs["other"] = costs["log_ratio"].abs() > _FAR * costs["se"]
    return costs.drop(columns=["log_ratio", "se"])


# The paper's two introductory figures: all lines on two Gaussian classes, and their
# Pareto front.


_LARGEST = 30.0
_ALPHAS = (0.0, 0.25, 0.5, 0.75, 0.9, 1.0)
_BEST_ANGLE = pi / 4  # along the line through the two means


def artificial_points(n_samples: int = 400) -> pd.DataFrame:
    """Examples of the two classes: columns x1, x2, label.

    Parameters
    ----------
    n_samples : int, default=400
        How many.

    Returns
    -------
    DataFrame
        One row per example.

    See Also
    --------
    artificial_lines : Exact error and cost of lines in all directions.
    softcost.datasets.make_artificial : The same as arrays.

    Examples
    --------
    >>> from softcost.paper import artificial_points
    >>> artificial_points(5)["label"].value_counts().to_dict()
    {'1': 3, '2': 2}
    """
    X, y = make_artificial(n_samples, random_state=0)
    return pd.DataFrame({"x1": X[:, 0], "x2": X[:, 1], "label": y})


def artificial_lines(n_angles: int = 60, n_offsets: int = 81) -> pd.DataFrame:
    """Exact error and cost of lines in all directions.

    Parameters
    ----------
    n_angles, n_offsets : int
        Normals at ``n_angles`` directions around the circle, which gives every line
        both orientations, and offsets from -3 to 3.

    Returns
    -------
    DataFrame
        Columns phi, b, p12, p21, error, cost.

    See Also
    --------
    artificial_front : The best line for every softness, with raw costs and with costs /
        30.
    artificial_points : Examples of the two classes: columns x1, x2, label.

    Examples
    --------
    >>> from softcost.paper import artificial_lines
    >>> lines = artificial_lines()
    >>> print(f"{lines.error.min():.2f} {lines.cost.min():.2f}")
    0.13 0.29
    """
    phi, b = np.meshgrid(
        np.linspace(0, 2 * pi, n_angles, endpoint=False) + _BEST_ANGLE,
        np.linspace(-3, 3, n_offsets),
        indexing="ij",
    )
    rates = artificial_line_rates(phi.ravel(), b.ravel())
    return pd.DataFrame({"phi": phi.ravel(), "b": b.ravel(), **rates._asdict()})


def artificial_front(softness: tuple[float, ...] = _ALPHAS) -> pd.DataFrame:
    """The best line for every softness, with raw costs and with costs / 30.

    Softness only has a meaning together with a scale of costs: with the cost of 30
    a small softness does little, with costs divided by 30 it does much.

    Parameters
    ----------
    softness : tuple of float
        At which to find the best line.

    Returns
    -------
    DataFrame
        Columns scale ("raw" or "divided"), softness, b, error, cost.

    See Also
    --------
    artificial_lines : Exact error and cost of lines in all directions.
    softcost.datasets.artificial_line_rates : Error and cost of a line.

    Examples
    --------
    >>> from softcost.paper import artificial_front
    >>> artificial_front((0.5,)).round(4).values.tolist()
    [['raw', 0.5, 0.144, 0.2171, 0.2973], ['divided', 0.5, 0.5797, 0.141, 0.8305]]
    """
    rows = []
    for scale, divisor in (("raw", 1.0), ("divided", _LARGEST)):
        for value in softness:

            def mixture(b: float, value: float = value, divisor: float = divisor):
                rates = artificial_line_rates(_BEST_ANGLE, b)
                return (1 - value) * rates.cost / divisor + value * rates.error

            # Unimodal between the first line of the front and the last.
            best = minimize_scalar(
                mixture, bounds=(-0.5, 1.2), method="bounded", options={"xatol": 1e-9}
            ).x
            rates = artificial_line_rates(_BEST_ANGLE, best)
            rows.append((scale, value, best, float(rates.error), float(rates.cost)))
    return pd.DataFrame(rows, columns=["scale", "softness", "b", "error", "cost"])
