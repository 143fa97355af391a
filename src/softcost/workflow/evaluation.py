"""Use a saved model: evaluate, compare, explain, choose another, show its page."""

import warnings
from typing import Any

import numpy as np

from softcost.errors import InputError, argument, input_errors
from softcost.files import STREAM, check_output
from softcost.formatting import quoted_names
from softcost.metrics import paired_saving, reported_measures
from softcost.persistence import ModelFileError, final_step, save
from softcost.report import ExplorerData, advice, saving_facts, write_explorer
from softcost.search import Budget, SoftCostClassifierCV
from softcost.tables.cells import Tell, silent
from softcost.workflow.assessment import (
    confusion,
    finite_or_none,
    importance_facts,
    measure,
    most_expensive_mistakes,
)
from softcost.workflow.stored_model import (
    KnownRows,
    StoredModel,
    answer_known_rows,
    model_prices,
    open_model,
    read_known_rows,
)
from softcost.workflow.training import page_data


def evaluate_model(
    model: str,
    data: str,
    target: str,
    *,
    costs: str | None = None,
    cost_columns: str | None = None,
    tell: Tell = silent,
) -> dict[str, Any]:
    """Evaluate a saved model on a table with known classes.

    Parameters
    ----------
    model, data : str
        Files.
    target : str
        The column with the classes.
    costs : str, default=None
        A price list; by default the costs that the model was trained with.
    cost_columns : str, default=None
        How the names of columns with costs by row begin.
    tell : callable, default=silent
        Called with a sentence about each assumption.

    Returns
    -------
    dict
        Cost, error, recall, confusion and savings, as plain data.

    See Also
    --------
    softcost.metrics.measure : The measures themselves.

    Examples
    --------
    >>> from softcost.workflow import evaluate_model
    >>> evaluate_model("-", "rows.csv", "class")
    Traceback (most recent call last):
    softcost.errors.InputError: MODEL must be a file; standard input is for rows.
    """
    with input_errors():
        stored = open_model(model)
        prices = model_prices(stored, target, costs, cost_columns, tell)
    found = answer_known_rows(stored, data, target, prices, tell)
    result = _result(model, data, found)
    result["prices"] = prices.words
    return result | _against_best_answer(found)


def _result(model: str, data: str, found: KnownRows) -> dict[str, Any]:
    labels, predicted, costs = found.labels, found.predicted, found.costs
    classes, actions = found.classes, found.actions
    counts = confusion(labels, predicted, classes, actions)
    sizes = counts.sum(axis=1)
    names = classes.tolist()
    return {
        "model": model,
        "data": data,
        "rows": len(labels),
        **measure(labels, predicted, costs, classes, actions),
        "recall": {
            name: float(counts[i, i] / sizes[i]) if sizes[i] else None
            for i, name in enumerate(names)
        },
        "classes": names,
        "actions": actions.tolist(),
        "confusion": counts.tolist(),
        "most_expensive_mistakes": most_expensive_mistakes(
            labels, predicted, costs, classes, actions
        ),
    }


def _against_best_answer(found: KnownRows) -> dict[str, Any]:
    """The single answer that is cheapest on these rows, and what the model saves.

    Nobody knows that answer before: it is a little too good, and the saving is not.
    """
    paid = found.costs[np.arange(len(found.labels)), found.answers()]
    best = int(found.costs.sum(axis=0).argmin())
    label = str([*found.classes.tolist(), *found.actions.tolist()][best])
    facts = saving_facts(paired_saving(found.costs[:, best], paid))
    error = float(paid.std(ddof=1) / np.sqrt(len(paid))) if len(paid) > 1 else None
    return {
        "cost_se": error,
        "constant": {"label": label, "cost": float(found.costs[:, best].mean())},
        "saving": facts,
        "advice": advice(label, facts, rows="these rows"),
    }


def compare_models(
    first: str,
    second: str,
    data: str,
    target: str,
    *,
    costs: str | None = None,
    cost_columns: str | None = None,
    tell: Tell = silent,
) -> dict[str, Any]:
    """Compare two saved models on the same rows.

    Parameters
    ----------
    first, second, data : str
        Files.
    target, costs, cost_columns, tell
        As in `evaluate_model`; by default the costs of the first model.

    Returns
    -------
    dict
        Measures of both, and what the second saves, as plain data.

    See Also
    --------
    softcost.metrics.paired_saving : The confidence interval.

    Examples
    --------
    >>> from softcost.workflow import compare_models
    >>> compare_models("a.softcost", "b.softcost", "-", "class")
    Traceback (most recent call last):
    softcost.errors.InputError: DATA is read twice and must be a file, not ...
    """
    if data == STREAM:
        raise InputError("DATA is read twice and must be a file, not standard input.")
    with input_errors():
        stored = [open_model(path) for path in (first, second)]
        _check_same_answers(*stored)
        prices = model_prices(stored[0], target, costs, cost_columns, tell)
    found = [answer_known_rows(one, data, target, prices, tell) for one in stored]
    result = {"data": data, "prices": prices.words}
    return result | _compared(first, second, *found)


def _check_same_answers(first: StoredModel, second: StoredModel) -> None:
    names = [{str(name) for name in one.answers.tolist()} for one in (first, second)]
    odd = sorted(names[0] ^ names[1])
    if odd:
        raise ValueError(
            f"{first.path} and {second.path} do not have the same answers: "
            f"{quoted_names(odd)} only in one of them; compare models of one target."
        )


def _compared(
    first: str, second: str, before: KnownRows, after: KnownRows
) -> dict[str, Any]:
    """Measures of both, and what the second saves of cost and of errors."""
    every = np.arange(len(before.labels))
    paid = [one.costs[every, one.answers()] for one in (before, after)]
    wrong = [(one.predicted != one.labels).astype(float) for one in (before, after)]
    models = [
        {
            "model": path,
            **measure(one.labels, one.predicted, one.costs, one.classes, one.actions),
        }
        for path, one in ((first, before), (second, after))
    ]
    return {
        "rows": len(every),
        "different_answers": int((before.predicted != after.predicted).sum()),
        "models": models,
        "cost_saving": saving_facts(paired_saving(*paid)),
        "error_saving": saving_facts(paired_saving(*wrong)),
    }


def explain_model(
    model: str,
    data: str,
    target: str,
    *,
    costs: str | None = None,
    cost_columns: str | None = None,
    rows: int = 2_000,
    repeats: int = 5,
    seed: int = 0,
    tell: Tell = silent,
) -> dict[str, Any]:
    """Permutation importance of columns, as extra cost per row.

    Parameters
    ----------
    model, data, target, costs, cost_columns, tell
        As in `evaluate_model`.
    rows : int, default=2000
        Rows to measure on, drawn at random if the table has more.
    repeats, seed : int, default=5 and 0
        How often each column is shuffled, and the seed.

    Returns
    -------
    dict
        Savings by column, as plain data.

    See Also
    --------
    softcost.metrics.column_importance : The same for any classifier.

    Examples
    --------
    >>> from softcost.workflow import explain_model
    >>> explain_model("-", "rows.csv", "class")
    Traceback (most recent call last):
    softcost.errors.InputError: MODEL must be a file; standard input is for rows.
    """
    with input_errors():
        stored = open_model(model)
        prices = model_prices(stored, target, costs, cost_columns, tell)
        X, known = read_known_rows(stored, data, target, prices, tell)

    def predict(part: object) -> np.ndarray:
        with stored.refusing_rows():
            return stored.predict(part).astype(str)

    facts = importance_facts(
        predict,
        X,
        known.labels,
        known.costs,
        known.classes,
        known.actions,
        stored.kinds,
        most_rows=rows,
        repeats=repeats,
        seed=seed,
    )
    currency = stored.manifest["notes"].get("currency")
    about = {"model": model, "data": data, "prices": prices.words, **facts}
    return about | {"currency": currency if isinstance(currency, str) else ""}


# What was measured of the model that was chosen before.
_OF_THE_OLD = (
    "expected", "held_out", "held_out_confusion", "savings", "advice", "sensitivity",
    "guarantee", "importance", "asked",
)  # fmt: skip


def choose_model(
    path: str,
    output: str,
    *,
    max_error: float | None = None,
    min_recall: dict[str, float] | None = None,
    tolerance: float | str | None = None,
) -> dict[str, Any]:
    """Choose another candidate of a saved search, and save it.

    Parameters
    ----------
    path, output : str
        Files: the search, with the models of its front, and the chosen model.
    max_error, tolerance
        As in `softcost.SoftCostClassifierCV.choose`.
    min_recall : dict of str to float, default=None
        Recalls to reach, by class.

    Returns
    -------
    dict
        ``before``, ``chosen``, and ``guarantee`` if there is a budget.

    See Also
    --------
    softcost.search.SoftCostClassifierCV : Its method ``keep_candidates`` keeps a front.

    Examples
    --------
    >>> from softcost.workflow import choose_model
    >>> choose_model("model.softcost", "model.softcost")
    Traceback (most recent call last):
    softcost.errors.InputError: ...
    """
    if tolerance is not None and (max_error is not None or min_recall is not None):
        raise InputError(f"give {argument('tolerance')} or limits, not both.")
    with input_errors():
        check_output(output, reads=[path])
        stored = open_model(path)
        search = final_step(stored.model)
        if not isinstance(search, SoftCostClassifierCV) or not hasattr(
            search, "candidates_"
        ):
            raise ModelFileError(
                f"{path} holds one model only: write those of the front, too, with "
                "'softcost fit --keep front --model OUT'."
            )
        before = _facts(search)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="no candidate has")
            search.choose(**_criterion(search, max_error, min_recall, tolerance))
    after = _facts(search)
    notes = stored.manifest["notes"] | dict.fromkeys(_OF_THE_OLD)
    save(stored.model, output, notes=notes)
    return {"before": before, "chosen": after, "guarantee": search.guarantee_}


def _criterion(
    search: SoftCostClassifierCV,
    max_error: float | None,
    min_recall: dict[str, float] | None,
    tolerance: float | str | None,
) -> dict[str, Any]:
    if tolerance is not None:
        return {"criterion": "tolerance", "tolerance": tolerance}
    if min_recall is None:
        criterion = "cost" if max_error is None else "constrained"
        return {"criterion": criterion, "max_error": max_error}
    labels = {str(label): label for label in search.classes_.tolist()}
    for name in min_recall:
        if name not in labels:
            raise ValueError(
                f"{argument('min_recall')} names {name!r}, which is no class; the "
                f"classes are {', '.join(map(repr, labels))}."
            )
    recall = {labels[name]: rate for name, rate in min_recall.items()}
    return {"criterion": Budget(error=max_error, recall=recall)}


def _facts(search: SoftCostClassifierCV) -> dict[str, Any]:
    row = search.tradeoff_.iloc[search.best_index_]
    facts: dict[str, Any] = {
        "softness": float(row["softness"]),
        "params": search.candidate_params(search.best_index_),
    }
    if "family" in row:
        facts["family"] = str(row["family"])
    for shown in reported_measures(False, headline=True):
        if shown.name not in row:  # the model is older than the measure
            continue
        facts[shown.name] = finite_or_none(row[shown.name])
        if shown.headline == "always":
            facts[shown.standard_error] = finite_or_none(row[shown.standard_error])
    return facts


def write_model_page(path: str, output: str) -> None:
    """Write the explorer page of a saved search.

    Parameters
    ----------
    path, output : str
        Files: the search, and the page.

    See Also
    --------
    softcost.report.write_explorer : The same for a search in memory.

    Examples
    --------
    >>> from softcost.workflow import write_model_page
    >>> write_model_page("model.softcost", "model.softcost")
    Traceback (most recent call last):
    softcost.errors.InputError: ...
    """
    with input_errors():
        check_output(output, reads=[path])
        stored = open_model(path)
        search = final_step(stored.model)
        if not isinstance(search, SoftCostClassifierCV):
            raise ModelFileError(
                f"{path} holds {type(search).__name__}: only a search has candidates "
                "to show; give a model of 'softcost fit --model'."
            )
        data = _page_data(stored, search)
    write_explorer(output, data)


def _page_data(stored: StoredModel, search: Any) -> ExplorerData:
    notes = stored.manifest["notes"]
    if "commands" not in notes or not hasattr(stored.model, "named_steps"):
        return ExplorerData.from_search(search, title=stored.path)
    try:
        return page_data(stored.model, notes)
    except (KeyError, TypeError, ValueError) as error:  # whatever a file may say
        raise ModelFileError(
            f"{stored.path} has odd notes, so that its page cannot be made: train it "
            "again."
        ) from error
