"""Plan, run what is not there yet, summarise."""

import hashlib
import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import pandas as pd

from softcost.paper.findings import summarize
from softcost.paper.run import (
    Outcome,
    Request,
    Store,
    Unit,
    cell_key,
    execute,
    load_data,
    make_request,
    plan,
)

Progress = Callable[[int, int, Outcome | None], None]


@dataclass(frozen=True)
class Reproduction:
    """What `reproduce` returns.

    Attributes
    ----------
    request : Request
        What was asked for.
    table : DataFrame
        Ours beside the published numbers, see `summarize`.
    cells : DataFrame
        One row per cell.
    executed : int
        Units computed now; the others were in the store.
    failed : list of (Unit, message)
        Units that raised an error; the next run tries them again.

    See Also
    --------
    reproduce : Rerun a table or figure of the paper, from where the store has got to.

    Examples
    --------
    >>> import tempfile
    >>> from softcost.paper import reproduce
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     parts = dict(datasets=["iris"], algorithms=["OVA"], runs=1)
    ...     first = reproduce("inconsistent", f"{folder}/results.sqlite", **parts)
    ...     again = reproduce("inconsistent", f"{folder}/results.sqlite", **parts)
    >>> first.executed, again.executed  # the second time all is there
    (1, 0)
    """

    request: Request
    table: pd.DataFrame
    cells: pd.DataFrame
    executed: int
    failed: list[tuple[Unit, str]]


def reproduce(
    target: str,
    store: Any,
    *,
    datasets: Sequence[str] | None = None,
    algorithms: Sequence[str] | None = None,
    runs: int = 20,
    matrices: str = "paper",
    max_rows: int | None = None,
    grid: str = "C",
    jobs: int = 1,
    dask: str | None = None,
    data_home: Any = None,
    add: Mapping[str, Any] | None = None,
    cache_size: float | None = None,
    progress: Progress = lambda done, total, outcome: None,
) -> Reproduction:
    """Rerun a table or figure of the paper, from where the store has got to.

    Parameters
    ----------
    target : str
        One of `TARGETS`.
    store : path-like
        File of results; made where it does not exist.
    datasets, algorithms : sequence of str, default=None
        A part of what the paper shows, or other data sets.
    runs : int, default=20
        How many.
    matrices : {"paper", "class-ratio", "both"}, default="paper"
        How benchmark costs are drawn on the eight sets where the paper's can only
        have been drawn without class sizes: so, with class sizes, or both.
    max_rows : int, default=None
        Use a random sample of larger sets.
    grid : {"C", "1/C"}, default="C"
        How the paper's lambda is read: as the C of support vector machines, which is
        its convention here, or as 1/C.
    jobs : int, default=1
        Processes on this machine. Results do not depend on it.
    dask : str, default=None
        Address of a Dask scheduler, used instead of ``jobs``.
    data_home : path-like, default=None
        Directory with the data files.
    add : mapping of name to estimator, default=None
        Other classifiers, as further rows. One that has a parameter ``cost_matrix``,
        ``classes`` or ``random_state`` that is None gets that of the run.
    cache_size : float, default=None
        Memory for kernel values in megabytes, for each of the jobs; by default what
        the kernel machines take, 2000. Results do not depend on it.
    progress : callable, default does nothing
        Called with (done, total, outcome or None).

    Returns
    -------
    Reproduction
        The table, its cells, and what failed.

    See Also
    --------
    Store : A file of results.
    summarize : One row per data set, kind of costs, algorithm and metric.
    write_report : Read results, compare them with the published values, write the
        pages.

    Examples
    --------
    >>> import tempfile, os
    >>> from softcost.paper import reproduce
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = reproduce(
    ...         "inconsistent", os.path.join(folder, "results.sqlite"),
    ...         datasets=["iris"], algorithms=["OVA", "OSR"], runs=2,
    ...     )
    >>> result.table[["algorithm", "metric", "runs"]].values.tolist()[:2]
    [['OVA', 'cost', 2], ['OVA', 'error', 2]]
    """
    added = dict(add or {})
    request = make_request(
        target,
        datasets,
        algorithms,
        runs=runs,
        matrices=matrices,
        max_rows=max_rows,
        grid=grid,
        added=[(name, made_of(model)) for name, model in added.items()],
    )
    if jobs < 1:
        raise ValueError(f"jobs={jobs!r} must be at least 1.")
    if cache_size is not None and not cache_size > 0:
        raise ValueError(f"cache_size={cache_size!r} must be positive: megabytes.")
    home = None if data_home is None else str(data_home)
    units = plan(request, facts(request.datasets, home))
    failed: list[tuple[Unit, str]] = []
    with Store(store) as results:
        missing = results.missing(units)
        done = len(units) - len(missing)
        progress(done, len(units), None)
        outcomes = execute(
            missing,
            jobs=jobs,
            dask=dask,
            data_home=home,
            added=added,
            cache_size=cache_size,
        )
        with closing(outcomes) as running:  # type: ignore[type-var]
            for outcome in running:
                if outcome.cells is None:
                    results.add_failure(outcome.unit, outcome.message, outcome.seconds)
                    failed.append((outcome.unit, outcome.message))
                else:
                    results.add(outcome.unit, outcome.cells, outcome.seconds)
                done += 1
                progress(done, len(units), outcome)
        cells = cells_of(results.rows(), units)
    table = summarize(cells, request)
    return Reproduction(request, table, cells, len(missing), failed)


def facts(datasets: Sequence[str], data_home: str | None) -> dict[str, tuple[int, str]]:
    """Size and checksum of data sets."""
    found = {}
    for name in datasets:
        data = load_data(name, data_home)
        found[name] = (len(data.y), data.checksum)
    return found


def cells_of(rows: pd.DataFrame, units: Sequence[Unit]) -> pd.DataFrame:
    """Those rows of a store that belong to units."""
    keys = {cell_key(unit, name) for unit in units for name in unit.algorithms}
    return rows[rows["key"].isin(keys)].reset_index(drop=True)


def made_of(model: Any) -> str:
    """What decides the results of an added algorithm: its class and parameters.

    The source of a class outside scikit-learn and softcost counts, too, so that
    changed code is run again.
    """
    if not (hasattr(model, "fit") and hasattr(model, "get_params")):
        raise TypeError(
            f"add needs scikit-learn classifiers, not {type(model).__name__}; give an "
            "estimator that is not fitted."
        )
    kind = type(model)
    text = f"{kind.__module__}.{kind.__qualname__} {model!r}"
    if kind.__module__.split(".")[0] not in ("sklearn", "softcost"):
        try:
            source = inspect.getsource(kind)
        except (OSError, TypeError):
            source = ""
        text += f" {hashlib.sha256(source.encode()).hexdigest()[:12]}"
    return " ".join(text.split())


def import_model(spec: str) -> tuple[str, Any]:
    """The name and estimator of ``[NAME=]MODULE:FACTORY``.

    FACTORY is a class or function that is called without arguments. The current
    directory is searched, too.

    Parameters
    ----------
    spec : str
        As on the command line.

    Returns
    -------
    name : str
        What comes before ``=``, or the name of the factory.
    estimator : estimator
        What the factory returned.

    See Also
    --------
    reproduce : Rerun a table or figure of the paper, from where the store has got to.

    Examples
    --------
    >>> from softcost.paper import import_model
    >>> import_model("GNB=sklearn.naive_bayes:GaussianNB")
    ('GNB', GaussianNB())
    """
    name, equals, place = spec.partition("=")
    place = place if equals else spec
    module, colon, attribute = place.partition(":")
    if not (colon and module and attribute and (name or not equals)):
        raise ValueError(
            f"add={spec!r} must be [NAME=]MODULE:FACTORY, for instance "
            "GNB=sklearn.naive_bayes:GaussianNB."
        )
    if "" not in sys.path:
        sys.path.append("")
    try:
        factory = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise ValueError(
            f"add={spec!r} cannot be imported: {error}; check the module and the name."
        ) from error
    return (name if equals else attribute), factory()
