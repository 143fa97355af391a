"""The explorer: one self-contained HTML page to choose on the trade-off.

The page is four kinds of text, put together here: a template, a style sheet, scripts
and the data. Data go into a JSON island with ``<`` escaped and reach the page through
``textContent`` only; the content security policy names the hashes of the style sheet
and the script, so nothing else runs, and nothing is loaded.
"""

import base64
import hashlib
import html
import inspect
import json
import math
import os
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from softcost._version import __version__
from softcost.files import atomic_write
from softcost.metrics import MEASURES, reported_measures
from softcost.report.advice import advice, budget_words, saving_facts

_ANY_LENGTH = 10**6  # characters; scikit-learn abbreviates longer estimators


def python_lines(search: Any, params: Sequence[str], encoder: Any = None) -> str:
    """The lines that train a candidate, with its settings in braces.

    Parameters
    ----------
    search : SoftCostClassifierCV
        Fitted.
    params : sequence of str
        Names of the learner's parameters that were searched.
    encoder : transformer, default=None
        The transformer that made the search's X.

    Returns
    -------
    str
        With ``{softness}`` and the names of parameters in braces. X, y and
        ``cost_matrix`` or ``costs`` are the user's.

    See Also
    --------
    ExplorerData : The page that shows these lines.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softcost import OneSidedRegression, SoftCostClassifierCV
    >>> from softcost.report import python_lines
    >>> X, y = load_iris(return_X_y=True)
    >>> search = SoftCostClassifierCV(
    ...     OneSidedRegression(), softness=2, param_grid={"C": [1.0]}
    ... ).fit(X, y)
    >>> print(python_lines(search, ["C"]))
    from softcost.reductions import OneSidedRegression
    from softcost.svm import OneSidedSVR
    <BLANKLINE>
    model = OneSidedRegression(learner=OneSidedSVR(C={C}), softness={softness})
    model.fit(X, y)
    """
    if "family" in search.tradeoff_:
        return "model = search.candidate({index})"
    model = getattr(search, "best_estimator_", None)
    if model is None:
        return "search.choose(lambda table: {index})"
    inner = getattr(model, "learner", None)
    settings = {} if inner is None else {"learner": _expression(inner, params)}
    defaults = _defaults(model)
    handled = {"learner", "cost_matrix", "classes", "softness", "n_jobs"}
    for name, value in model.get_params(deep=False).items():
        if name not in handled and repr(value) != repr(defaults.get(name)):
            settings[name] = _written(value)
    by_class = getattr(model, "cost_matrix", None) is not None
    if by_class and not search.costs_by_example_:
        settings["cost_matrix"] = "cost_matrix"
    settings["softness"] = "{softness}"
    costs = ", costs=costs" if search.costs_by_example_ else ""
    lines = [_imports([model, inner, encoder]), ""]
    X = "X"
    if encoder is not None:
        lines.append(f"columns = {_written(encoder)}")
        X = "columns.fit_transform(X)"
    lines += [f"model = {_call(model, settings)}", f"model.fit({X}, y{costs})"]
    return "\n".join(lines)


def _written(value: Any) -> str:
    """A value as Python text, on one line."""
    if isinstance(value, BaseEstimator) and not isinstance(value, type):
        return " ".join(value.__repr__(N_CHAR_MAX=_ANY_LENGTH).split())
    return repr(value)


def _imports(things: Sequence[Any]) -> str:
    """Lines that import the classes of estimators and of their parts."""
    wanted: dict[str, set[str]] = {}
    for thing in things:
        parts = [] if thing is None else [thing, *thing.get_params().values()]
        for part in parts:
            kind = part if isinstance(part, type) else type(part)
            if hasattr(kind, "get_params"):
                wanted.setdefault(_place(kind), set()).add(kind.__name__)
    return "\n".join(
        f"from {place} import {', '.join(sorted(names))}"
        for place, names in sorted(wanted.items())
    )


def _place(kind: type) -> str:
    """The public package that a class is imported from."""
    parts = kind.__module__.split(".")
    if parts[0] == "softcost":
        return ".".join(parts[:2])
    private = [number for number, part in enumerate(parts) if part.startswith("_")]
    return ".".join(parts[: private[0]] if private else parts)


def _expression(learner: Any, params: Sequence[str]) -> str:
    """A learner as Python text, with searched parameters in braces."""
    params_of_learner = learner.get_params(deep=False)
    defaults = _defaults(learner)
    settings = {
        name: f"{{{name}}}" if name in params else _written(value)
        for name, value in params_of_learner.items()
        if name in params or repr(value) != repr(defaults.get(name))
    }
    nested = ", ".join(
        f"{name}={{{name}}}" for name in params if name not in params_of_learner
    )
    return _call(learner, settings) + (f".set_params({nested})" if nested else "")


def _call(thing: Any, settings: dict[str, str]) -> str:
    arguments = ", ".join(f"{name}={text}" for name, text in settings.items())
    return f"{type(thing).__name__}({arguments})"


def _defaults(thing: Any) -> dict[str, Any]:
    parameters = inspect.signature(type(thing)).parameters.values()
    return {parameter.name: parameter.default for parameter in parameters}


# A page should take seconds: few resamples, and none of very many predictions.
_RESAMPLES = 100
_MOST_PREDICTIONS = 20_000_000


@dataclass(frozen=True)
class ExplorerData:
    """The contents of an explorer page.

    Attributes
    ----------
    table : DataFrame
        One row per candidate, as `SoftCostClassifierCV.tradeoff_`.
    confusion : array of shape (n_candidates, K, A)
        Held-out weight by candidate, true class and answer.
    classes : sequence of K labels
        The classes.
    cost_matrix : array of shape (K, A)
        Cost by true class and answer; with costs by example, their means.
    chosen : int
        Row of the candidate that the search chose.
    hard, regular : int or None
        Rows to compare with: the best with softness 0 and with softness 1.
    params : tuple of str
        Columns of the table that are parameters of the learner.
    title, reduction, learner : str
        Headline and facts at the top of the page.
    n_rows, n_features, n_folds : int or None
        Size of the search.
    by_example : bool
        Whether costs were passed by example.
    error : {"error", "weighted_error"}
        The error that counts.
    test : DataFrame or None
        Results on held-out test data, one row per named model, with any measures of
        `softcost.metrics.reported_measures` as columns.
    n_test : int or None
        Number of test rows.
    test_confusion : array of shape (n_models, K, A) or None
        Test rows by model, true class and answer, with which the test results follow
        costs that are changed on the page.
    test_note : str
        Describes test data other than rows held out from the search.
    command, python : str, dict of family and str, or None
        Lines that train a candidate, with ``{softness}``, ``{index}``, ``{error}`` and
        the parameters' names in braces. Values are quoted for the shell in ``command``
        and written as literals in ``python``.
    refit_command : str or None
        The command that trains with prices edited on the page, which a user saves as
        ``edited-prices.csv``.
    model_file : str or None
        The file with the chosen model.
    kept : sequence of int
        Rows of the candidates whose models are in the file.
    expected : tuple of three floats or None
        Expected cost of the chosen candidate on new rows, and the central 95% CI
        of the resamples: see `SoftCostClassifierCV.optimism`.
    actions : sequence of A - K names
        Answers that are not classes.
    realised_cost : array of shape (n_candidates, K, A) or None
        Total cost of the held-out answers, if costs were passed by example.
    constant : dict or None
        The best constant answer: ``label``, ``cost`` and ``error``.
    advice : dict or None
        ``verdict`` and ``sentences`` about the choice, as returned by `advice`.
    budget : dict or None
        The guarantee of the limits on the choice, as in `softcost.search.Decision`.
    currency : str
        Written after amounts of money.
    importance : sequence of dicts
        Column importance: ``column``, ``saving``, ``low``, ``high`` and ``shown``, as
        in the rows of `softcost.metrics.column_importance`.
    importance_rows : int or None
        Number of rows it was measured on.
    penalty : array of shape (n_candidates,) or None
        ``selection_penalty_`` of a search with "auto": rules on the page then prefer
        the blend.
    not_chosen : sequence of dicts
        Candidates of other families that look better than the choice, as the rows of
        `SoftCostClassifierCV.not_chosen`.

    See Also
    --------
    write_explorer : Write the explorer page; an existing file is replaced atomically.
    softcost.search.SoftCostClassifierCV.to_html : Writes the page of a search.

    Examples
    --------
    Any table of candidates can be shown, not only the table of a search:

    >>> import numpy as np
    >>> import pandas as pd
    >>> from softcost.report import ExplorerData
    >>> table = pd.DataFrame(
    ...     {"softness": [0.0, 1.0], "cost": [0.2, 0.5], "error": [0.3, 0.1]}
    ... )
    >>> counts = np.array([[[4, 3], [0, 3]], [[7, 0], [1, 2]]])
    >>> prices = np.array([[0, 1], [5, 0]])
    >>> data = ExplorerData(table, counts, ["ham", "spam"], prices, 0, title="Mail")
    >>> data.hard, data.title
    (None, 'Mail')
    """

    table: pd.DataFrame
    confusion: NDArray[Any]
    classes: Sequence[Any]
    cost_matrix: NDArray[Any]
    chosen: int
    hard: int | None = None
    regular: int | None = None
    params: tuple[str, ...] = ()
    title: str = "Cost and error"
    reduction: str = ""
    learner: str = ""
    n_rows: int | None = None
    n_features: int | None = None
    n_folds: int | None = None
    by_example: bool = False
    error: str = "error"
    test: pd.DataFrame | None = None
    n_test: int | None = None
    command: str | dict[str, str] | None = None
    python: str | dict[str, str] | None = None
    expected: tuple[float, float, float] | None = None
    actions: Sequence[Any] = ()
    realised_cost: NDArray[Any] | None = None
    constant: dict[str, Any] | None = None
    advice: dict[str, Any] | None = None
    test_confusion: NDArray[Any] | None = None
    test_note: str = ""
    budget: Mapping[str, Any] | None = None
    currency: str = ""
    importance: Sequence[Mapping[str, Any]] = ()
    importance_rows: int | None = None
    refit_command: str | None = None
    model_file: str | None = None
    kept: Sequence[int] = ()
    penalty: NDArray[Any] | None = None
    not_chosen: Sequence[Mapping[str, Any]] = ()

    def __post_init__(self) -> None:
        n, n_classes = len(self.table), len(self.classes)
        shape = (n_classes, n_classes + len(self.actions))
        needed = {"softness", "cost", self.error, *self.params}
        missing = needed.difference(self.table.columns)
        if missing or n == 0:
            raise ValueError(
                f"table has {n} rows and lacks {sorted(map(str, missing))}; pass the "
                "trade-off table of a search."
            )
        if np.shape(self.confusion) != (n, *shape):
            raise ValueError(
                f"confusion has shape {np.shape(self.confusion)}; pass one K x K "
                f"matrix per candidate, {(n, *shape)}, with a column more per action."
            )
        if np.shape(self.cost_matrix) != shape:
            raise ValueError(
                f"cost_matrix has shape {np.shape(self.cost_matrix)}; pass one row and "
                f"one column per class, {shape}, with a column more per action."
            )
        self._check_counts(n, shape)
        for name in ("chosen", "hard", "regular"):
            row = getattr(self, name)
            if row is None and name != "chosen":
                continue
            if not 0 <= row < n:
                raise ValueError(f"{name} must be a row of the table, not {row}.")

    def _check_counts(self, n: int, shape: tuple[int, int]) -> None:
        n_models = 0 if self.test is None else len(self.test)
        for name, rows, owner in (
            ("realised_cost", n, "the table"),
            ("test_confusion", n_models, "test"),
        ):
            values = getattr(self, name)
            if values is not None and np.shape(values) != (rows, *shape):
                raise ValueError(
                    f"{name} has shape {np.shape(values)}; pass one matrix per row of "
                    f"{owner}, {(rows, *shape)}."
                )

    @classmethod
    def from_search(cls, search: Any, **details: Any) -> "ExplorerData":
        """The page of a fitted `SoftCostClassifierCV`.

        Parameters
        ----------
        search : fitted SoftCostClassifierCV
            The search.
        **details
            Attributes of `ExplorerData` that override those of the search.

        Returns
        -------
        ExplorerData
            To pass to `write_explorer`.
        """
        table, confusion = search.tradeoff_, search.confusion_
        params = parameter_names(table)
        error, rows = search.error_measure_, search.reference_rows()
        model = getattr(search, "best_estimator_", search.reduction)
        learner = getattr(model, "learner", None)
        by_example, several = search.costs_by_example_, "family" in table
        read: dict[str, Any] = {
            "table": table,
            "confusion": confusion.sum(axis=1),
            "classes": search.classes_.tolist(),
            "actions": search.actions_[len(search.classes_) :].tolist(),
            "cost_matrix": search.cost_matrix_,
            "chosen": rows["chosen"],
            "hard": rows.get("hard"),
            "regular": rows.get("regular"),
            "params": params,
            "reduction": "" if model is None or several else type(model).__name__,
            "learner": "" if learner is None or several else type(learner).__name__,
            "n_rows": getattr(search, "n_samples_", None),
            "n_features": getattr(search, "n_features_in_", None),
            "n_folds": confusion.shape[1],
            "by_example": by_example,
            "error": error,
            "python": python_lines(search, params),
            "expected": expected_cost(search),
            "realised_cost": getattr(search, "realised_cost_", None),
            "budget": search.guarantee_,
            "penalty": getattr(search, "selection_penalty_", None),
            "not_chosen": _not_chosen(search),
            "constant": {
                name: search.constant_[name] for name in ("label", "cost", error)
            },
        }
        if "advice" not in details:
            read["advice"] = advice_on(search, details.get("currency", ""))
        return cls(**(read | details))


def _not_chosen(search: Any) -> list[dict[str, Any]]:
    """Candidates that look better; none without held-out predictions."""
    try:
        return search.not_chosen().to_dict("records")
    except ValueError:  # a saved search has no held-out predictions
        return []


def parameter_names(table: pd.DataFrame) -> tuple[str, ...]:
    """Columns of a trade-off table that are the learner's parameters.

    Examples
    --------
    >>> parameter_names(pd.DataFrame(columns=["softness", "C", "cost", "cost_se"]))
    ('C',)
    """
    others = {"family", "softness", "on_front", *MEASURES}
    others |= {measure.standard_error for measure in MEASURES.values()}
    return tuple(name for name in table.columns if name not in others)


def expected_cost(search: Any) -> tuple[float, float, float] | None:
    """The result of ``search.optimism()``; None if undefined or too slow."""
    if len(search.tradeoff_) * search.n_samples_ > _MOST_PREDICTIONS:
        return None
    try:
        optimism = search.optimism(_RESAMPLES)
    except ValueError:  # a saved search has no held-out predictions
        return None
    return optimism.expected_cost, optimism.low, optimism.high


def advice_on(search: Any, currency: str = "") -> dict[str, Any] | None:
    """The verdict on the choice; None without held-out predictions."""
    if len(search.tradeoff_) * search.n_samples_ > _MOST_PREDICTIONS:
        return None
    try:
        savings = {
            name: saving_facts(search.saving(name))
            for name in ("constant", "regular")
            if name == "constant" or name in search.reference_rows()
        }
    except ValueError:  # a saved search has no held-out predictions
        return None
    label = str(search.constant_["label"])
    return advice(label, savings["constant"], savings.get("regular"), currency=currency)


SCRIPTS = (
    "rules.js", "model.js", "dom.js", "chart.js", "words.js", "tables.js", "prices.js",
    "main.js",
)  # fmt: skip

# Characters of confusion matrices on a page. Beyond, and for weights that are not
# counts, matrices are rounded to this fraction of their sum.
ROOM = 500_000
RESOLUTION = 1e-5
# Characters of realised costs. Beyond, the page uses mean costs by kind of mistake.
ROOM_OF_COSTS = 120_000


def explorer_html(data: ExplorerData) -> str:
    """The explorer page.

    Parameters
    ----------
    data : ExplorerData
        Contents of the page.

    Returns
    -------
    str
        A whole HTML document that needs no other file.

    See Also
    --------
    write_explorer : Write the explorer page; an existing file is replaced atomically.
    notebook_html : The explorer page in an ``iframe``, for a notebook.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from softcost.report import ExplorerData, explorer_html
    >>> table = pd.DataFrame(
    ...     {"softness": [0.0, 1.0], "cost": [0.2, 0.5], "error": [0.3, 0.1]}
    ... )
    >>> counts = np.array([[[4, 3], [0, 3]], [[7, 0], [1, 2]]])
    >>> prices = np.array([[0, 1], [5, 0]])
    >>> page = explorer_html(
    ...     ExplorerData(table, counts, ["ham", "spam"], prices, 0, title="Mail")
    ... )
    >>> "<title>Mail" in page
    True
    """
    style = _read("explorer.css")
    script = '(() => {\n"use strict";\n' + "".join(map(_read, SCRIPTS)) + "})();\n"
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}';"
        " img-src data:; base-uri 'none'; form-action 'none'"
    )
    parts = {
        "policy": policy,
        "title": html.escape(data.title),
        "style": style,
        "data": _island(page_data(data)),
        "script": script,
    }
    return re.sub(
        r"\{\{(\w+)\}\}", lambda match: parts[match.group(1)], _read("explorer.html")
    )


def write_explorer(path: str | os.PathLike[str], data: ExplorerData) -> Path:
    """Write the explorer page; an existing file is replaced atomically.

    Parameters
    ----------
    path : str or path
        The file to write.
    data : ExplorerData
        Contents of the page.

    Returns
    -------
    Path
        The file.

    See Also
    --------
    explorer_html : The explorer page.
    softcost.search.SoftCostClassifierCV.to_html : The same for a search.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import pandas as pd
    >>> from softcost.report import ExplorerData, write_explorer
    >>> table = pd.DataFrame(
    ...     {"softness": [0.0, 1.0], "cost": [0.2, 0.5], "error": [0.3, 0.1]}
    ... )
    >>> counts = np.array([[[4, 3], [0, 3]], [[7, 0], [1, 2]]])
    >>> prices = np.array([[0, 1], [5, 0]])
    >>> data = ExplorerData(table, counts, ["ham", "spam"], prices, chosen=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_explorer(f"{folder}/mail.html", data).stat().st_size > 0
    True
    """
    page = explorer_html(data)
    with atomic_write(path) as place:
        place.write_text(page, encoding="utf-8", newline="\n")
    return Path(path)


def notebook_html(data: ExplorerData, height: int = 760) -> str:
    """The explorer page in an ``iframe``, for a notebook.

    Parameters
    ----------
    data : ExplorerData
        Contents of the page.
    height : int, default=760
        Height of the frame in pixels.

    Returns
    -------
    str
        An ``iframe`` that holds the whole page.

    See Also
    --------
    explorer_html : The explorer page.
    NotebookPage : Shows it.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from softcost.report import ExplorerData, notebook_html
    >>> table = pd.DataFrame(
    ...     {"softness": [0.0, 1.0], "cost": [0.2, 0.5], "error": [0.3, 0.1]}
    ... )
    >>> counts = np.array([[[4, 3], [0, 3]], [[7, 0], [1, 2]]])
    >>> prices = np.array([[0, 1], [5, 0]])
    >>> data = ExplorerData(table, counts, ["ham", "spam"], prices, chosen=0)
    >>> notebook_html(data, height=300).startswith("<iframe")
    True
    """
    page = html.escape(explorer_html(data), quote=True)
    return (
        f'<iframe srcdoc="{page}" title="{html.escape(data.title)}" width="100%" '
        f'height="{height}" style="border:0" allow="clipboard-write" '
        'sandbox="allow-scripts allow-downloads allow-modals"></iframe>'
    )


@dataclass(frozen=True)
class NotebookPage:
    """HTML that a notebook shows, such as the result of ``search.explore()``.

    Attributes
    ----------
    html : str
        For instance from `notebook_html`.

    See Also
    --------
    notebook_html : The explorer page in an ``iframe``, for a notebook.
    softcost.search.SoftCostClassifierCV : Has the method ``explore``.

    Examples
    --------
    >>> from softcost.report import NotebookPage
    >>> NotebookPage("<b>hello</b>")._repr_html_()
    '<b>hello</b>'
    """

    html: str

    def _repr_html_(self) -> str:
        return self.html


def page_data(data: ExplorerData) -> dict[str, Any]:
    """The JSON data that the scripts of the page read."""
    table, params = _with_short_names(data.table, data.params)
    confusion = np.asarray(data.confusion, float)
    cells, unit = _packed(confusion)
    return {
        "version": __version__,
        "title": data.title,
        "reduction": data.reduction,
        "learner": data.learner,
        "rows": data.n_rows,
        "features": data.n_features,
        "folds": data.n_folds,
        "classes": [str(label) for label in data.classes],
        "answers": [str(label) for label in (*data.classes, *data.actions)],
        "params": params,
        "expected": data.expected,
        "columns": [[str(name), _values(table[name])] for name in table.columns],
        "error": data.error,
        "measures": _measures(data),
        "cells": cells,
        "unit": unit,
        "prices": _prices(np.asarray(data.cost_matrix, float)),
        "byExample": data.by_example,
        "chosen": int(data.chosen),
        "hard": data.hard,
        "regular": data.regular,
        "realisedCost": _realised_cost(data, np.round(confusion / unit) > 0),
        "constant": None
        if data.constant is None
        else {name: _plain(value) for name, value in data.constant.items()}
        | {"label": str(data.constant["label"])},
        "advice": data.advice,
        "budget": None if data.budget is None else _budget(data.budget),
        "limit": None if data.budget is None else _error_limit(data.budget, data.error),
        "currency": data.currency,
        "test": None if data.test is None else _test_results(data),
        "testNote": data.test_note,
        "testRows": data.n_test,
        "importance": [_importance(column) for column in data.importance],
        "importanceRows": data.importance_rows,
        "penalty": None if data.penalty is None else np.asarray(data.penalty).tolist(),
        "notChosen": [
            {name: _plain(value) for name, value in row.items()}
            for row in data.not_chosen
        ],
        "commands": _lines(
            data, data.command, lambda value: shlex.quote(_written_number(value))
        ),
        "pythons": _lines(data, data.python, _literal),
        "refit": data.refit_command,
        "file": data.model_file,
        "fileWord": None if data.model_file is None else shlex.quote(data.model_file),
        "kept": list(map(int, data.kept)),
    }


def _with_short_names(
    table: pd.DataFrame, params: Sequence[str]
) -> tuple[pd.DataFrame, list[str]]:
    """The table with ``C`` for ``logisticregression__C``, and the names of parameters.

    Parameters of several families with the same short name share a column, since a
    candidate has those of its own family only.
    """
    merged: dict[str, list[Any]] = {}
    for name in params:
        merged.setdefault(str(name).rpartition("__")[2], []).append(name)
    columns = {name: table[name] for name in table.columns if name not in params}
    shown: dict[str, Any] = {}
    for short, names in merged.items():
        present = sum(table[name].notna().to_numpy(int) for name in names)
        if short in columns or (present > 1).any():
            shown |= {str(name): table[name] for name in names}
            continue
        shown[short] = table[names[0]]
        for name in names[1:]:
            shown[short] = shown[short].where(shown[short].notna(), table[name])
    after = list(columns).index("softness") + 1  # parameters follow the softness
    before = dict(list(columns.items())[:after])
    return pd.DataFrame(before | shown | columns), list(shown)


def _measures(data: ExplorerData) -> list[dict[str, Any]]:
    """Names and formats of the measures on the page.

    A measure with a ``tile`` describes the selected model; those of them with
    ``headline`` are columns of the table of all models. Of the two errors, only the one
    that counts has a tile.
    """
    with_actions = len(data.actions) > 0
    headlines = reported_measures(with_actions, headline=True)
    return [
        {
            "name": measure.name,
            "title": measure.title,
            "heading": measure.heading,
            "unit": measure.unit,
            "digits": measure.digits,
            "tile": not measure.is_error or measure.name == data.error,
            "headline": measure.is_error or measure in headlines,
        }
        for measure in reported_measures(with_actions)
        if measure.name in ("error", data.error) or not measure.is_error
    ]


def _packed(confusion: NDArray[np.float64]) -> tuple[list[str], float]:
    """Confusion matrices as texts of multiples of a unit, see `_run_lengths`.

    Counts are exact if they fit on the page, or if rounding would not save space.
    """
    unit = float(confusion.sum(axis=(1, 2)).max()) * RESOLUTION or 1.0
    counts = np.round(confusion / unit).astype(np.int64)
    rounded = [_run_lengths(row) for row in counts]
    if np.array_equal(confusion, np.round(confusion)):
        exact = [_run_lengths(row) for row in confusion.astype(np.int64)]
        size = len(json.dumps(exact))
        if size < ROOM or size < 1.2 * len(json.dumps(rounded)):
            return exact, 1.0
    return rounded, unit


def _run_lengths(counts: NDArray[np.int64]) -> str:
    """Counts as text: -n stands for n - 1 zeros and a one, or the count that follows.

    Most mistakes of many classes are made once, so these take no count.
    """
    out: list[int] = []
    zeros = 0
    for value in counts.ravel().tolist():
        if value == 0:
            zeros += 1
            continue
        if zeros or value == 1 or (out and out[-1] < 0):
            out.append(-zeros - 1)
        if value > 1:
            out.append(value)
        zeros = 0
    return _digits_of(out)


# Twice the size of a number, plus one if it is negative, in digits of base 32, the
# lowest first. All digits but the last are from the second half of the alphabet.
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def _digits_of(numbers: Iterable[int]) -> str:
    """Integers as text, which takes half the space of JSON."""
    out = []
    for number in numbers:
        rest = 2 * abs(number) + (number < 0)
        while rest >= 32:
            out.append(_ALPHABET[32 + rest % 32])
            rest //= 32
        out.append(_ALPHABET[rest])
    return "".join(out)


_MOST_DECIMALS = 4
_MANY_PRICES = 5_000


def _prices(prices: NDArray[np.float64]) -> list[list[float]] | dict[str, Any]:
    """Prices; many of them with few decimals as integers in text."""
    if prices.size > _MANY_PRICES:
        for decimals in range(_MOST_DECIMALS + 1):
            integers = np.round(prices * 10**decimals)
            if np.array_equal(integers / 10**decimals, prices):
                text = _digits_of(integers.astype(np.int64).ravel().tolist())
                return {"text": text, "decimals": decimals}
    return prices.tolist()


def _realised_cost(
    data: ExplorerData, counted: NDArray[np.bool_]
) -> list[list[float]] | None:
    """Costs of the cells with a count, candidate by candidate."""
    if data.realised_cost is None:
        return None
    costs = [
        [float(f"{value:.6g}") for value in amounts[where]]
        for amounts, where in zip(
            np.asarray(data.realised_cost, float), counted, strict=True
        )
    ]
    return costs if len(json.dumps(costs)) < ROOM_OF_COSTS else None


def _importance(row: Mapping[str, Any]) -> dict[str, Any]:
    """The importance of a column as JSON data."""
    numbers = {name: _plain(row[name]) for name in ("saving", "low", "high")}
    return {"column": str(row["column"]), **numbers, "shown": bool(row["shown"])}


def _budget(guarantee: Mapping[str, Any]) -> dict[str, Any]:
    """The sentence about a budget, and how far the choice is from it."""
    missing = None if guarantee["met"] else guarantee["missing"]
    words = str(missing or f"{budget_words(guarantee)}.")
    words = f"{words[:1].upper()}{words[1:]}"
    return {"met": bool(guarantee["met"]), "words": words}


def _error_limit(guarantee: Mapping[str, Any], error: str) -> float | None:
    """The error budget, if it is the only limit: the page has a field for it."""
    limits = guarantee["limits"]
    if len(limits) != 1 or limits[0]["measure"] != error:
        return None
    return float(limits[0]["bound"])


def _test_results(data: ExplorerData) -> dict[str, Any]:
    test, counts = data.test, data.test_confusion
    assert test is not None
    packed = None if counts is None else _packed(np.asarray(counts, float))
    return {
        "models": [str(name) for name in test.index],
        "columns": [[str(name), _values(test[name])] for name in test.columns],
        "cells": None if packed is None else packed[0],
        "unit": None if packed is None else packed[1],
    }


def _values(column: Iterable[Any]) -> list[Any]:
    return [_plain(value) for value in column]


def _plain(value: Any) -> Any:
    """A JSON value; None if missing."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


def _written_number(value: Any) -> str:
    """A setting without rounding noise: 0.3, not 0.30000000000000004."""
    if isinstance(value, np.generic):
        value = value.item()
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _literal(value: Any) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    return _written_number(value) if isinstance(value, float) else repr(value)


def _lines(
    data: ExplorerData,
    template: str | dict[str, str] | None,
    quote: Callable[[Any], str],
) -> list[str] | None:
    """A template, perhaps one for each family, filled in for every candidate."""
    if template is None:
        return None
    n_rows = len(data.table)
    if isinstance(template, dict):
        templates = [template[name] for name in data.table["family"]]
    else:
        templates = [template] * n_rows
    names = ["softness", *data.params]
    fields = ["index", "error", *names]
    pattern = re.compile(
        r"\{(" + "|".join(re.escape(str(name)) for name in fields) + r")\}"
    )
    columns = {str(name): data.table[name].to_list() for name in names}
    columns["index"] = list(range(n_rows))
    limits = np.ceil(1e6 * data.table[data.error].to_numpy(float)) / 1e6
    columns.setdefault("error", limits.tolist())  # rounded up, to include the candidate

    def line(row: int) -> str:
        return pattern.sub(lambda match: quote(columns[match[1]][row]), templates[row])

    return [line(row) for row in range(n_rows)]


def _island(value: Any) -> str:
    """JSON that cannot close the script element around it."""
    text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text.encode("utf-8", "replace").decode("utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


@cache
def _read(name: str) -> str:
    return files("softcost.report").joinpath("page", name).read_text(encoding="utf-8")
