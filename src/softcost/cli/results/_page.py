"""The explorer page of a model, from what its training noted."""

import os
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from softcost.cli.results._measures import shown_measures
from softcost.report import ExplorerData, python_lines, write_explorer

_EXPECTED = ("cost", "low", "high")
_TEST = ("cost", "error")


def write_page(path: str, model: Pipeline, notes: dict[str, Any]) -> None:
    """Write the page of a model that ``softcost fit`` trained.

    Parameters
    ----------
    path : str
    model : Pipeline
        Columns, then the search.
    notes : dict
        What was learnt from and what came of it, as a saved model has them.
    """
    write_explorer(path, page_data(model, notes))


def page_data(model: Pipeline, notes: dict[str, Any]) -> ExplorerData:
    """What such a page shows; a ValueError where notes are not as fit writes them."""
    if not _are_sound(notes):
        raise ValueError("the notes of the model are odd.")
    search = model["search"]
    details: dict[str, Any] = {
        "title": f"{os.path.basename(notes['data'])}: {notes['target']}",
        "command": notes["commands"],
        "currency": notes["currency"],
        "advice": notes["advice"],
    }
    expected = notes["expected"]
    if expected is not None:
        details["expected"] = tuple(expected[name] for name in _EXPECTED)
    if notes["held_out"] is not None:
        test = pd.DataFrame(notes["held_out"]).T
        counts = notes["held_out_confusion"]
        details |= {
            "test": test[list(shown_measures("coverage" in test))],
            "n_test": notes["test_rows"],
            "test_confusion": np.array([counts[name] for name in test.index], float),
        }
    importance = notes.get("importance")  # older models have none
    if importance is not None:
        details["importance"] = importance["columns"]
        details["importance_rows"] = importance["rows"]
    if "family" in search.tradeoff_:
        details["python"] = None  # there is no search at hand to take a model from
    else:
        params = list(search.candidate_params(search.best_index_))
        details["python"] = python_lines(search, params, model["columns"])
    return ExplorerData.from_search(search, **details)


def _are_sound(notes: dict[str, Any]) -> bool:
    """Whether notes have the types that the page relies on: files may say anything."""
    texts = (notes.get(name) for name in ("data", "target", "currency"))
    advice, commands = notes.get("advice"), notes.get("commands")
    expected, held_out = notes.get("expected"), notes.get("held_out")
    if isinstance(commands, dict):
        commands = list(commands.values())
    return (
        all(isinstance(text, str) for text in texts)
        and (advice is None or _is_advice(advice))
        and (commands is None or isinstance(commands, str) or _are_texts(commands))
        and (expected is None or _has_numbers(expected, _EXPECTED))
        and _is_importance(notes.get("importance"))
        and (
            held_out is None
            or (
                _has_numbers(notes, ["test_rows"])
                and isinstance(held_out, dict)
                and all(
                    _has_numbers(one, ["cost", "error"]) for one in held_out.values()
                )
                and isinstance(notes.get("held_out_confusion"), dict)
            )
        )
    )


def _is_importance(value: Any) -> bool:
    """None, or numbers by column; a single row has no interval."""
    if value is None:
        return True
    columns = value.get("columns") if isinstance(value, dict) else None
    return (
        isinstance(columns, list)
        and isinstance(value.get("rows"), int)
        and all(
            isinstance(one, dict)
            and isinstance(one.get("column"), str)
            and isinstance(one.get("saving"), int | float)
            and isinstance(one.get("shown"), bool)
            and all(
                one.get(name) is None or isinstance(one[name], int | float)
                for name in ("low", "high")
            )
            for one in columns
        )
    )


def _is_advice(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("verdict"), str)
        and _are_texts(value.get("sentences"))
    )


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _has_numbers(value: Any, names: Iterable[str]) -> bool:
    return isinstance(value, dict) and all(
        isinstance(value.get(name), int | float) for name in names
    )
