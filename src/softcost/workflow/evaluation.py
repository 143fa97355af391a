"""Use a saved model: evaluate, compare, explain, choose another, show its page."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from softcost.errors import InputError, argument, input_errors
from softcost.files import STREAM, check_output
from softcost.formatting import quoted_names, short_params
from softcost.metrics import paired_saving, reported_measures
from softcost.persistence import ModelFileError, final_step, save
from softcost.report import ExplorerData, advice, saving_facts, write_explorer
from softcost.search import Budget, SoftCostClassifierCV
from softcost.search.refit import set_costs
from softcost.tables.cells import Decimal, Tell, silent
from softcost.tables.kinds import feature_kinds
from softcost.tables.layout import HeaderRow
from softcost.workflow.assessment import (
    confusion,
    finite_or_none,
    importance_facts,
    measure,
    most_expensive_mistakes,
)
from softcost.workflow.stored_model import (
    KnownRows,
    ReadOptions,
    StoredModel,
    answer_known_rows,
    check_one_price_list,
    model_prices,
    open_model,
    read_known_rows,
    read_pieces,
)
from softcost.workflow.training import page_data


def evaluate_model(
    model: str,
    data: str,
    target: str,
    *,
    costs: str | None = None,
    cost_columns: str | None = None,
    cost: Sequence[str] = (),
    positive: str | None = None,
    answers: Sequence[str] = (),
    sheet: str | None = None,
    header_row: HeaderRow | None = None,
    decimal: Decimal | None = None,
    skip_unlabelled: bool = False,
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
    cost : sequence of str, default=()
        Formulas for the cost matrix of each row, such as ``"fn = 0.75 * balance"``. The
        model decides by them if it has probabilities.
    positive : str, default=None
        The positive class of tn, fp, fn and tp.
    answers : sequence of str, default=()
        Columns with the answers of other systems, such as the current process, to
        compare the model with.
    sheet, header_row
        As in `softcost.tables.read_table`.
    decimal : {".", ","}, default=None
        Decimal separator; None for the separator of the training table.
    skip_unlabelled : bool, default=False
        Whether rows without a label are left out; else they are refused.
    tell : callable, default=silent
        Called with a sentence about each assumption.

    Returns
    -------
    dict
        Cost, error, recall, confusion and savings, as plain data. ``others`` has the
        measures of other systems, and the ``saving`` of the model over each.

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
        if cost:
            check_one_price_list(costs, cost_columns, cost)
            stored = stored.with_formulas(cost, positive)
        prices = model_prices(stored, target, costs, cost_columns, tell)
    reading = ReadOptions(
        sheet, header_row, target if skip_unlabelled else None, decimal
    )
    answered = answer_known_rows(stored, data, target, prices, tell, answers, reading)
    result = _result(model, data, answered)
    result["prices"] = prices.words
    result["others"] = _other_systems(answered)
    return result | _overlaps(data, [(None, answered)]) | _against_best_answer(answered)


def _result(model: str, data: str, answered: KnownRows) -> dict[str, Any]:
    labels, predicted, costs = answered.labels, answered.predicted, answered.costs
    classes, actions = answered.classes, answered.actions
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


def _other_systems(rows: KnownRows) -> list[dict[str, Any]]:
    """Measures of other systems' answers, and the saving of the model over them."""
    every = np.arange(len(rows.labels))
    model_cost = rows.costs[every, rows.answers()]
    systems = []
    for name, answers in rows.others.items():
        cost = rows.costs[every, replace(rows, predicted=answers).answers()]
        systems.append(
            {
                "name": name,
                **measure(rows.labels, answers, rows.costs, rows.classes, rows.actions),
                "cost_se": _standard_error(cost),
                "saving": saving_facts(paired_saving(cost, model_cost)),
            }
        )
    return systems


def _standard_error(values: np.ndarray) -> float | None:
    """Of their mean; None for a single value."""
    n = len(values)
    return float(values.std(ddof=1) / np.sqrt(n)) if n > 1 else None


def _overlaps(
    data: str, evaluated: Sequence[tuple[str | None, KnownRows]]
) -> dict[str, Any]:
    """Training rows among the rows, for each model, with warnings in words."""
    overlaps = [(path, rows.overlap) for path, rows in evaluated]
    warned = [
        (path, None if overlap is None else overlap.warning(data))
        for path, overlap in overlaps
    ]
    facts = [None if overlap is None else overlap.to_json() for _, overlap in overlaps]
    return {
        "training_rows": facts if len(facts) > 1 else facts[0],
        "warnings": [
            sentence if path is None else f"{path}: {sentence}"
            for path, sentence in warned
            if sentence is not None
        ],
    }


def _against_best_answer(answered: KnownRows) -> dict[str, Any]:
    """The single answer that is cheapest on these rows, and what the model saves.

    Nobody knows that answer before: it is a little too good, and the saving is not.
    """
    paid = answered.costs[np.arange(len(answered.labels)), answered.answers()]
    best = int(answered.costs.sum(axis=0).argmin())
    label = str([*answered.classes.tolist(), *answered.actions.tolist()][best])
    facts = saving_facts(paired_saving(answered.costs[:, best], paid))
    return {
        "cost_se": _standard_error(paid),
        "constant": {"label": label, "cost": float(answered.costs[:, best].mean())},
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
    sheet: str | None = None,
    header_row: HeaderRow | None = None,
    decimal: Decimal | None = None,
    skip_unlabelled: bool = False,
    tell: Tell = silent,
) -> dict[str, Any]:
    """Compare two saved models on the same rows.

    Parameters
    ----------
    first, second, data : str
        Files.
    target, costs, cost_columns, sheet, header_row, decimal, skip_unlabelled, tell
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
    reading = ReadOptions(
        sheet, header_row, target if skip_unlabelled else None, decimal
    )
    answered = [
        answer_known_rows(model, data, target, prices, say, reading=reading)
        for model, say in zip(stored, (tell, silent), strict=True)  # only once
    ]
    result = {"data": data, "prices": prices.words}
    result |= _overlaps(data, list(zip((first, second), answered, strict=True)))
    return result | _compared(first, second, *answered)


def _check_same_answers(first: StoredModel, second: StoredModel) -> None:
    names = [
        {str(name) for name in model.answers.tolist()} for model in (first, second)
    ]
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
    paid = [rows.costs[every, rows.answers()] for rows in (before, after)]
    wrong = [(rows.predicted != rows.labels).astype(float) for rows in (before, after)]
    models = [
        {
            "model": path,
            **measure(
                rows.labels, rows.predicted, rows.costs, rows.classes, rows.actions
            ),
        }
        for path, rows in ((first, before), (second, after))
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
    sheet: str | None = None,
    header_row: HeaderRow | None = None,
    decimal: Decimal | None = None,
    skip_unlabelled: bool = False,
    tell: Tell = silent,
) -> dict[str, Any]:
    """Permutation importance of columns, as extra cost per row.

    Parameters
    ----------
    model, data, target, costs, cost_columns
        As in `evaluate_model`.
    sheet, header_row, decimal, skip_unlabelled, tell
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
        reading = ReadOptions(
            sheet, header_row, target if skip_unlabelled else None, decimal
        )
        X, matrices, priced = read_known_rows(
            stored, data, target, prices, tell, reading
        )

    def predict(part: object, matrices: np.ndarray | None) -> np.ndarray:
        with stored.refusing_rows():
            return stored.predict(part, matrices).astype(str)

    facts = importance_facts(
        predict,
        X,
        priced.labels,
        priced.costs,
        priced.classes,
        priced.actions,
        stored.kinds,
        most_rows=rows,
        repeats=repeats,
        seed=seed,
        matrices=matrices,
    )
    currency = stored.manifest["notes"].get("currency")
    about = {"model": model, "data": data, "prices": prices.words, **facts}
    return about | {"currency": currency if isinstance(currency, str) else ""}


def explain_row(
    model: str,
    data: str,
    row: int,
    *,
    rows: int = 200,
    seed: int = 0,
    sheet: str | None = None,
    header_row: HeaderRow | None = None,
    decimal: Decimal | None = None,
    tell: Tell = silent,
) -> dict[str, Any]:
    """Explain the prediction for one row of a table.

    The value of a column is replaced by the values of other rows. Its *support* is the
    mean decrease of the lead that the prediction has over the next best answer, in
    units of cost. A column with positive support speaks for the prediction.

    Parameters
    ----------
    model, data : str
        Files. The table may lack the target.
    row : int
        Number of the row, from 1 for the first below the header, as
        ``softcost predict`` writes it.
    rows : int, default=200
        Other rows to take values from, drawn at random if the table has more.
    seed : int, default=0
        Seed of the draw.
    sheet, header_row, decimal, tell
        As in `evaluate_model`.

    Returns
    -------
    dict
        ``prediction``, expected costs of all ``answers``, and for all ``columns`` their
        value, support, and how often the prediction changes, as plain data.

    See Also
    --------
    explain_model : Importance of columns over all rows.

    Examples
    --------
    >>> from softcost.workflow import explain_row
    >>> explain_row("-", "rows.csv", 1)
    Traceback (most recent call last):
    softcost.errors.InputError: MODEL must be a file; standard input is for rows.
    """
    with input_errors():
        stored = open_model(model)
        if stored.kinds is None:
            raise ValueError(
                f"{model} has no names for its columns, so a row cannot be explained."
            )
        reading = ReadOptions(sheet, header_row, decimal=decimal)
        pieces = list(read_pieces(stored, data, tell=tell, reading=reading))
        X = pd.concat([typed for _, typed, _ in pieces], ignore_index=True)
        raw = pd.concat([table for table, _, _ in pieces], ignore_index=True)
        if not 1 <= row <= len(X):
            raise ValueError(
                f"{argument('row')} {row} is not a row of {data}, which has rows 1 to "
                f"{len(X)}."
            )
        if len(X) == 1:
            raise ValueError(
                f"{data} has a single row; give a table with other rows to compare "
                "its values with."
            )
    others = np.delete(np.arange(len(X)), row - 1)
    if len(others) > rows:
        others = np.sort(np.random.default_rng(seed).permutation(others)[:rows])
    matrices = None
    if pieces[0][2] is not None:
        every = np.concatenate([costs for _, _, costs in pieces if costs is not None])
        matrices = np.repeat(every[row - 1 : row], len(others), axis=0)
    return {"model": model, "data": data, "row": row, "rows": len(others)} | (
        _explained(stored, X.iloc[row - 1 : row], X.iloc[others], matrices, raw, row)
    )


def _explained(
    stored: StoredModel,
    case: pd.DataFrame,
    others: pd.DataFrame,
    matrices: np.ndarray | None,
    raw: pd.DataFrame,
    row: int,
) -> dict[str, Any]:
    """The prediction for a row, and the part of each column in it."""
    names = [str(name) for name in stored.answers.tolist()]
    first = None if matrices is None else matrices[:1]
    with stored.refusing_rows():
        prediction = str(stored.predict(case, first)[0])
        expected = stored.expected_costs(case, first)
    place = names.index(prediction)
    lead = None if expected is None else float(_leads(expected, place)[0])
    columns: list[dict[str, Any]] = []
    assert stored.kinds is not None
    for name, kind in stored.kinds.items():
        copies = case.loc[case.index.repeat(len(others))].reset_index(drop=True)
        for part in feature_kinds({name: kind}):
            copies[part] = others[part].to_numpy()
        with stored.refusing_rows():
            answers = stored.predict(copies, matrices).astype(str)
            costs = stored.expected_costs(copies, matrices)
        changed = answers[answers != prediction]
        cell = raw[name].iloc[row - 1]
        support = None
        if lead is not None and costs is not None:
            support = lead - float(_leads(costs, place).mean())
        columns.append(
            {
                "column": name,
                "value": "" if pd.isna(cell) else str(cell),
                "support": support,
                "changes": len(changed) / len(answers),
                "instead": str(pd.Series(changed).mode()[0]) if len(changed) else None,
            }
        )
    columns.sort(key=lambda facts: (-abs(facts["support"] or 0.0), -facts["changes"]))
    currency = stored.manifest["notes"].get("currency")
    return {
        "prediction": prediction,
        "lead": lead,
        "answers": None
        if expected is None
        else dict(zip(names, map(float, expected[0]), strict=True)),
        "columns": columns,
        "currency": currency if isinstance(currency, str) else "",
    }


def _leads(expected: np.ndarray, place: int) -> np.ndarray:
    """How much more the best other answer is expected to cost, by row."""
    return np.delete(expected, place, axis=1).min(axis=1) - expected[:, place]


# What was measured of the model that was chosen before.
_OF_THE_OLD = (
    "expected", "held_out", "held_out_confusion", "savings", "advice", "sensitivity",
    "guarantee", "importance", "asked", "not_chosen",
)  # fmt: skip


def choose_model(
    path: str,
    output: str,
    *,
    candidate: int | None = None,
    costs: str | None = None,
    max_error: float | None = None,
    min_recall: dict[str, float] | None = None,
    tolerance: float | str | None = None,
    tell: Tell = silent,
) -> dict[str, Any]:
    """Choose another candidate of a saved search, and save it.

    Parameters
    ----------
    path, output : str
        Files: the search, with the models of its front, and the chosen model.
    candidate : int, default=None
        Row of the trade-off table, one of those that were kept.
    costs : str, default=None
        A price list to choose by, instead of the costs that the model was trained
        with. Candidates that decide by probabilities use it when they predict.
    max_error, tolerance
        As in `softcost.SoftCostClassifierCV.choose`.
    min_recall : dict of str to float, default=None
        Recalls to reach, by class.
    tell : callable, default=silent
        Called with a sentence about each assumption.

    Returns
    -------
    dict
        ``before`` and ``chosen``, both at the same costs, ``guarantee`` if there is a
        budget, and ``redecides``: whether the chosen model decides by new costs.

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
    limits = max_error is not None or min_recall is not None
    if tolerance is not None and limits:
        raise InputError(f"give {argument('tolerance')} or limits, not both.")
    if candidate is not None and (limits or tolerance is not None):
        raise InputError(
            f"{argument('candidate')} names a model already; leave out "
            f"{argument('max_error')}, {argument('min_recall')} and "
            f"{argument('tolerance')}."
        )
    with input_errors():
        check_output(output, reads=[path])
        stored = open_model(path)
        search = final_step(stored.model)
        _check_choice(search, path, needed=candidate is None and costs is None)
        if candidate is not None:
            _check_kept(search, candidate, path)
        if costs is not None:
            set_costs(search, _new_costs(stored, costs, tell))
        before, chosen_before = _facts(search), search.best_index_
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="no candidate has")
            if candidate is not None:
                place = sorted(search.candidates_).index(candidate)
                search.choose(lambda table: place)
            else:
                search.choose(**_criterion(search, max_error, min_recall, tolerance))
    after = _facts(search)
    notes = stored.manifest["notes"]
    if costs is not None or search.best_index_ != chosen_before:
        notes = notes | dict.fromkeys(_OF_THE_OLD)
    save(stored.model, output, notes=notes)
    return {
        "before": before,
        "chosen": after,
        "guarantee": search.guarantee_,
        "redecides": costs is not None and search.best_estimator_.softness_at_predict,
    }


def _check_choice(search: Any, path: str, *, needed: bool) -> None:
    """Refuse a model with nothing to choose from, if a choice is needed."""
    is_search = isinstance(search, SoftCostClassifierCV)
    if is_search and not needed and not hasattr(search, "candidates_"):
        search.candidates_ = {search.best_index_: search.best_estimator_}
    if not is_search or not hasattr(search, "candidates_"):
        raise ModelFileError(
            f"{path} has a single model. Write all models of the front with 'softcost "
            "fit --keep front --model OUT'."
        )


def _check_kept(search: SoftCostClassifierCV, candidate: int, path: str) -> None:
    """Refuse a candidate that the file has no model of."""
    if candidate not in search.candidates_:
        numbers = ", ".join(map(str, sorted(search.candidates_)))
        raise ValueError(
            f"{argument('candidate')} {candidate} is not in {path}, which has the "
            f"candidates {numbers}; choose one of these."
        )


def _new_costs(stored: StoredModel, costs: str, tell: Tell) -> pd.DataFrame:
    """A price list for a saved model, by its own labels.

    An action without a price keeps its previous one: 'softcost fit --action' sets it
    outside the price list.
    """
    search = final_step(stored.model)
    target = stored.manifest["notes"].get("target") or "target"
    matrix = model_prices(stored, target, costs, tell=tell).matrix
    assert matrix is not None
    answers = {str(label): label for label in stored.answers.tolist()}
    classes = [str(label) for label in stored.classes.tolist()]
    unknown = [name for name in matrix.columns if str(name) not in answers]
    if unknown:
        raise ValueError(
            f"{costs} has prices for {quoted_names(unknown)}, which the model cannot "
            f"answer; its answers are {quoted_names(list(answers))}."
        )
    missing = [name for name in answers if name not in matrix.columns]
    previous = pd.DataFrame(search.cost_matrix_, index=classes, columns=list(answers))
    for name in missing:
        tell(f"{costs} has no prices for {name!r}; the previous ones are used.")
        matrix[name] = previous.loc[matrix.index, name]
    return matrix.loc[classes, list(answers)].rename(index=answers, columns=answers)


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
                f"{argument('min_recall')} names {name!r}, which is not a class; the "
                f"classes are {', '.join(map(repr, labels))}."
            )
    recall = {labels[name]: rate for name, rate in min_recall.items()}
    return {"criterion": Budget(error=max_error, recall=recall)}


def _facts(search: SoftCostClassifierCV) -> dict[str, Any]:
    row = search.tradeoff_.iloc[search.best_index_]
    facts: dict[str, Any] = {
        "candidate": int(search.best_index_),
        "softness": float(row["softness"]),
        "params": short_params(search.candidate_params(search.best_index_)),
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
        return page_data(stored.model, notes, stored.path)
    except (KeyError, TypeError, ValueError) as error:  # whatever a file may say
        raise ModelFileError(
            f"Cannot build the page of {stored.path}: its metadata is invalid. Refit "
            "the model."
        ) from error
