"""Reproduce a target: plan it, run missing units, summarise, and write the report."""

import hashlib
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd

from softcost._extras import install_hint
from softcost.files import atomic_write
from softcost.paper import figures
from softcost.paper.anomalies import NOTES
from softcost.paper.cell import load_data
from softcost.paper.chapters import (
    FOLDER,
    Artificial,
    Chapter,
    Study,
    artificial_page,
    chapter_page,
    has_figure,
    home_page,
    readings_page,
    verdicts_page,
)
from softcost.paper.claim_verdicts import verdicts
from softcost.paper.comparison import standings
from softcost.paper.document import STYLE, file_name, to_html, to_markdown
from softcost.paper.execute import Outcome, execute
from softcost.paper.findings import (
    artificial_front,
    artificial_lines,
    artificial_points,
    class_sizes,
    findings_of,
    overview,
    readings,
)
from softcost.paper.planning import (
    FAMILIES,
    SAMPLES,
    TARGETS,
    Request,
    Unit,
    cell_key,
    make_request,
    plan,
)
from softcost.paper.store import Store, read_rows
from softcost.paper.summary import current, summarize


def write_study(study: Study, directory: Any) -> list[Path]:
    """Write a report as Markdown and HTML, with figures as SVG.

    Parameters
    ----------
    study : Study
    directory : path-like
        Made where it does not exist; files of the same names are replaced, each at
        once or not at all.

    Returns
    -------
    list of Path
        The files.
    """
    if find_spec("matplotlib") is None:
        raise ImportError(f"a report needs matplotlib: {install_hint('plot')}.")
    folder = Path(directory)
    (folder / FOLDER).mkdir(parents=True, exist_ok=True)
    pages = [home_page(study), verdicts_page(study.claims)]
    pages.append(artificial_page(study.artificial))
    pages += [chapter_page(chapter, study.claims) for chapter in study.chapters]
    if study.readings is not None:
        pages.append(readings_page(study.readings))
    titles = [(page.name, page.name) for page in pages]
    written = [folder / STYLE, *_draw(study, folder)]
    style = files("softcost.paper").joinpath("study.css")
    with atomic_write(written[0]) as place:
        place.write_bytes(style.read_bytes())
    for page in pages:
        for ending, content in (
            ("md", to_markdown(page, study.command)),
            ("html", to_html(page, titles, study.command)),
        ):
            path = folder / file_name(page.name, ending)
            with atomic_write(path) as place:
                place.write_text(content, encoding="utf-8")
            written.append(path)
    return written


def _draw(study: Study, folder: Path) -> Iterator[Path]:
    artificial = study.artificial
    classes = folder / FOLDER / "artificial-classes.svg"
    figures.save(classes, figures.classes_figure, artificial.points, artificial.front)
    lines = folder / FOLDER / "artificial-lines.svg"
    figures.save(lines, figures.lines_figure, artificial.lines, artificial.front)
    yield from (classes, lines)
    kinds = {
        "agreement": figures.agreement_figure,
        "emphasis": figures.emphasis_figure,
        "curve": figures.curve_figure,
    }
    for chapter in study.chapters:
        if has_figure(chapter):
            path = folder / FOLDER / f"{chapter.name}.svg"
            figures.save(path, kinds[chapter.figure], chapter.table)
            yield path


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
    sizes = {}
    for name in datasets:
        data = load_data(name, data_home)
        sizes[name] = (len(data.y), data.checksum)
    return sizes


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


_FIGURES: dict[str, Any] = {"emphasis": "emphasis", "softness-curve": "curve"}
_RANKED = ("inconsistent", "consistent")
_TITLE = "Soft cost-and-error sensitive classification, reproduced"


def write_report(store: Any, directory: Any, *, runs: int = 20) -> list[Path]:
    """Read results, compare them with the published values, write the pages.

    Parameters
    ----------
    store : path-like
        A store, or a file that was exported from one.
    directory : path-like
        Made where it does not exist; files of the same names are replaced.
    runs : int, default=20
        How many runs the tables use at most: the first ones, as many as in the paper.

    Returns
    -------
    list of Path
        The files.

    See Also
    --------
    findings_of : Tables, tests and agreement of a target.
    verdicts : Every claim of the paper: our count, the published one, chance, a
        verdict.
    reproduce : Rerun a table or figure of the paper, from where the store has got to.

    Examples
    --------
    >>> import tempfile
    >>> from softcost.paper import reproduce, write_report
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = f"{folder}/results.sqlite"
    ...     _ = reproduce(
    ...         "inconsistent", store, datasets=["iris"], algorithms=["OVA"], runs=2
    ...     )
    ...     names = [path.name for path in write_report(store, f"{folder}/report")]
    >>> "inconsistent.md" in names
    True
    """
    everything = read_rows(store)
    rows = everything[everything["run"] < runs].reset_index(drop=True)
    findings = {name: findings_of(rows, name) for name in TARGETS}
    chapters = [
        _chapter(name, part) for name, part in findings.items() if part is not None
    ]
    if not chapters:
        raise ValueError(
            f"{store} has no results of this version of the code; run 'softcost "
            "reproduce' first."
        )
    study = Study(
        _TITLE,
        chapters,
        Artificial(artificial_points(), artificial_lines(36, 41), artificial_front()),
        verdicts(findings),
        overview(findings, everything),
        readings(current(rows)),
        facts=_facts(rows),
        command=f"softcost reproduce pages {Path(store).name}",
    )
    return write_study(study, directory)


def _chapter(name: str, findings: dict[str, pd.DataFrame]) -> Chapter:
    table = findings["table"]
    as_in_paper = table[table["as_in_paper"]]
    return Chapter(
        name,
        TARGETS[name].title,
        **findings,
        standings=standings(as_in_paper, name)
        if name in _RANKED and len(as_in_paper)
        else None,
        sizes=class_sizes() if name == "unbalanced" else None,
        notes=NOTES.get(name, ()),
        figure=_FIGURES.get(name, "agreement"),
    )


def _facts(rows: pd.DataFrame) -> list[str]:
    cells = current(rows)
    facts = [
        "Every table and figure of the paper 'Soft Methodology for Cost-and-error "
        "Sensitive Classification' (Jan, Wang, Lin, Lin) that is in the file of "
        "results, computed with softcost, beside the published numbers. The paper has "
        "20 runs everywhere; where there are fewer here, the tables say so.",
        "Cells (an algorithm on a data set, with one kind of costs, in one run): "
        f"{len(cells)}; data sets: {cells['dataset'].nunique()}.",
    ]
    sampled = cells[cells["rows"].notna()].groupby("dataset")["rows"].min()
    if len(sampled):
        parts = ", ".join(
            f"{name} ({size:.0f} rows"
            f"{', as in the paper' if size == SAMPLES.get(str(name)) else ''})"
            for name, size in sampled.items()
        )
        facts.append(f"Of these sets a random sample was used: {parts}.")
    added = sorted(set(cells["family"]) - set(FAMILIES))
    if added:
        facts.append(f"Added algorithms: {', '.join(added)}.")
    if len(cells) < len(rows):
        facts.append(
            f"Left out, as they were computed by older code: {len(rows) - len(cells)} "
            "cells."
        )
    return facts
