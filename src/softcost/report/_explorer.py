"""The explorer: one self-contained HTML page to choose on the trade-off.

The page is four kinds of text, put together here: a template, a style sheet, scripts
and the data. Data go into a JSON island with ``<`` escaped and reach the page through
``textContent`` only; the content security policy names the hashes of the style sheet
and the script, so nothing else runs, and nothing is loaded.
"""

import base64
import hashlib
import html
import json
import math
import os
import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softcost._version import __version__
from softcost.files import atomic_write
from softcost.report._advice import budget_words
from softcost.report._data import ExplorerData

SCRIPTS = (
    "rules.js", "model.js", "dom.js", "chart.js", "words.js", "tables.js", "prices.js",
    "main.js",
)  # fmt: skip

# Weights that are no counts, and counts that take more characters than there is room
# for, are kept to this fraction of their sum.
RESOLUTION = 1e-5
ROOM = 500_000
ROOM_OF_PAID = 120_000  # characters, beyond which mean prices have to do


def explorer_html(data: ExplorerData) -> str:
    """The explorer page.

    Parameters
    ----------
    data : ExplorerData
        What is shown.

    Returns
    -------
    str
        A whole HTML document that needs no other file.

    See Also
    --------
    write_explorer : Write the explorer page; a file of that name is replaced at once or
        not at all.
    notebook_html : The explorer page in a frame of its own, for a notebook.

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
    """Write the explorer page; a file of that name is replaced at once or not at all.

    Parameters
    ----------
    path : str or path
        Where to.
    data : ExplorerData
        What is shown.

    Returns
    -------
    Path
        The file.

    See Also
    --------
    explorer_html : The explorer page.
    softcost.soft.SoftCostClassifierCV.to_html : The same for a search.

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
    """The explorer page in a frame of its own, for a notebook.

    Parameters
    ----------
    data : ExplorerData
        What is shown.
    height : int, default=760
        Of the frame, in pixels.

    Returns
    -------
    str
        An ``iframe`` that holds the whole page.

    See Also
    --------
    explorer_html : The explorer page.
    softcost.soft.SoftCostClassifierCV : Shows itself so in a notebook.

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


def page_data(data: ExplorerData) -> dict[str, Any]:
    """What the page's scripts read, in JSON's types."""
    table = data.table
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
        "params": list(map(str, data.params)),
        "expected": data.expected,
        "columns": [[str(name), _values(table[name])] for name in table.columns],
        "error": data.error,
        "cells": cells,
        "unit": unit,
        "prices": np.asarray(data.cost_matrix, float).tolist(),
        "byExample": data.by_example,
        "chosen": int(data.chosen),
        "hard": data.hard,
        "regular": data.regular,
        "paid": _paid(data, np.round(confusion / unit) > 0),
        "constant": None
        if data.constant is None
        else {name: _plain(value) for name, value in data.constant.items()}
        | {"label": str(data.constant["label"])},
        "advice": data.advice,
        "budget": None if data.budget is None else _budget(data.budget),
        "currency": data.currency,
        "test": None if data.test is None else _test_results(data),
        "testNote": data.test_note,
        "testRows": data.n_test,
        "importance": [_importance(one) for one in data.importance],
        "importanceRows": data.importance_rows,
        "commands": _lines(data, data.command, lambda value: shlex.quote(_told(value))),
        "pythons": _lines(data, data.python, _literal),
    }


def _packed(confusion: NDArray[np.float64]) -> tuple[list[list[int]], float]:
    """Confusion matrices as lists of multiples of a unit; -n stands for n zeros.

    Counts are kept as they are while they take little room.
    """
    if np.array_equal(confusion, np.round(confusion)):
        rows = [_run_lengths(row) for row in confusion.astype(np.int64)]
        if len(json.dumps(rows)) < ROOM:
            return rows, 1.0
    unit = float(confusion.sum(axis=(1, 2)).max()) * RESOLUTION or 1.0
    counts = np.round(confusion / unit).astype(np.int64)
    return [_run_lengths(row) for row in counts], unit


def _run_lengths(counts: NDArray[np.int64]) -> list[int]:
    out: list[int] = []
    for value in counts.ravel().tolist():
        if value == 0 and out and out[-1] < 0:
            out[-1] -= 1
        else:
            out.append(value or -1)
    return out


def _paid(data: ExplorerData, counted: NDArray[np.bool_]) -> list[list[float]] | None:
    """Amounts of the cells that are counted, candidate by candidate."""
    if data.paid is None:
        return None
    paid = [
        [float(f"{value:.6g}") for value in amounts[where]]
        for amounts, where in zip(np.asarray(data.paid, float), counted, strict=True)
    ]
    return paid if len(json.dumps(paid)) < ROOM_OF_PAID else None


def _importance(one: Mapping[str, Any]) -> dict[str, Any]:
    """What a column saves, with numbers that JSON knows."""
    numbers = {name: _plain(one[name]) for name in ("saving", "low", "high")}
    return {"column": str(one["column"]), **numbers, "shown": bool(one["shown"])}


def _budget(guarantee: Mapping[str, Any]) -> dict[str, Any]:
    """The line about a budget, and what is missing where it is not met."""
    words = budget_words(guarantee)
    words = f"{words[:1].upper()}{words[1:]}."
    if not guarantee["met"] and guarantee["missing"]:
        missing = str(guarantee["missing"])
        words += f" {missing[:1].upper()}{missing[1:]}"
    return {"met": bool(guarantee["met"]), "words": words}


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
    """A number, a truth value, a text, or None for what is missing."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)


def _told(value: Any) -> str:
    """A setting as a person writes it: 0.3, not 0.30000000000000004."""
    if isinstance(value, np.generic):
        value = value.item()
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def _literal(value: Any) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    return _told(value) if isinstance(value, float) else repr(value)


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
    known = ["index", "error", *names]
    pattern = re.compile(
        r"\{(" + "|".join(re.escape(str(name)) for name in known) + r")\}"
    )
    columns = {str(name): data.table[name].to_list() for name in names}
    columns["index"] = list(range(n_rows))
    limits = np.ceil(1e6 * data.table[data.error].to_numpy(float)) / 1e6
    columns.setdefault("error", limits.tolist())  # the candidate itself is within it

    def line(row: int) -> str:
        return pattern.sub(lambda found: quote(columns[found[1]][row]), templates[row])

    return [line(row) for row in range(n_rows)]


def _island(value: Any) -> str:
    """JSON that cannot end the element it stands in."""
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
