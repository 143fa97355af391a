"""The explorer page of a model, from what its training noted."""

import os
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from softcost.cli.results._measures import shown_measures
from softcost.report import python_lines


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
    search = model["search"]
    details: dict[str, Any] = {
        "title": f"{os.path.basename(notes['data'])}: {notes['target']}",
        "command": notes["commands"],
        "currency": notes["currency"],
        "advice": notes["advice"],
    }
    expected = notes["expected"]
    if expected is not None:
        details["expected"] = tuple(expected[name] for name in ("cost", "low", "high"))
    if notes["held_out"] is not None:
        test = pd.DataFrame(notes["held_out"]).T
        counts = notes["held_out_confusion"]
        details |= {
            "test": test[list(shown_measures("coverage" in test))],
            "n_test": notes["test_rows"],
            "test_confusion": np.array([counts[name] for name in test.index], float),
        }
    if "family" not in search.tradeoff_:
        params = list(search.candidate_params(search.best_index_))
        details["python"] = python_lines(search, params, model["columns"])
    search.to_html(path, **details)
