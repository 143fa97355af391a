"""Monitor a model in use: realised and expected cost over time, drift, alarms."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from softcost.costs import answer_indices
from softcost.costs.price_list import read_cost_columns
from softcost.errors import InputError, argument, input_errors
from softcost.files import check_output, shown_name
from softcost.formatting import format_cost, quoted_names
from softcost.metrics import Change, mean_interval, mean_rise, mix_change
from softcost.persistence import ModelFileError, final_step
from softcost.report import write_monitor_page
from softcost.tables import KINDS, ColumnOverrides, DriftMonitor, TableProfile
from softcost.tables.cells import Decimal, Tell, silent, words_of
from softcost.tables.columns import column
from softcost.tables.infer import infer_kinds
from softcost.tables.kinds import ColumnKind, feature_kinds
from softcost.tables.layout import HeaderRow
from softcost.tables.read import table_pieces
from softcost.workflow.stored_model import (
    Prices,
    StoredModel,
    check_one_price_list,
    model_prices,
    open_model,
    price_rows,
)

# A shift of fewer rows is not reported, however certain it is: with enough rows every
# column differs a little from the training data.
LEAST_SHIFT = 0.1
_RULE_OF_THREE = 3.0  # no event in n rows: the rate is below 3 / n, 95 times in 100
_TWO_SIDED = 1.96


# Periods.


def _months(dates: np.ndarray) -> np.ndarray:
    return dates.astype("datetime64[M]").astype(np.int64)


def _days(dates: np.ndarray) -> np.ndarray:
    return dates.astype("datetime64[D]").astype(np.int64)


@dataclass(frozen=True)
class _Calendar:
    """Periods as whole numbers, and their names."""

    number: Callable[[np.ndarray], np.ndarray]
    name: Callable[[int], str]


_EPOCH = 1970
CALENDARS = {
    "day": _Calendar(_days, lambda day: str(np.datetime64(day, "D"))),
    "week": _Calendar(  # from Monday on; 1970 began on a Thursday
        lambda dates: (_days(dates) + 3) // 7,
        lambda week: str(np.datetime64(7 * week - 3, "D")),
    ),
    "month": _Calendar(_months, lambda month: str(np.datetime64(month, "M"))),
    "quarter": _Calendar(
        lambda dates: _months(dates) // 3,
        lambda quarter: f"{_EPOCH + quarter // 4}-Q{quarter % 4 + 1}",
    ),
    "year": _Calendar(
        lambda dates: _months(dates) // 12, lambda year: str(_EPOCH + year)
    ),
}


# The log.


@dataclass
class _Log:
    """What is left of a log: a few numbers for each row, and counts by period.

    Attributes
    ----------
    dates, costs, expected, lowest_expected : list of arrays
        Of each piece: dates, realised costs, expected costs of the answers given, and
        of the cheapest answers. Costs are NaN without a known class, and expected costs
        if the model has none.
    labels : dict of int to array
        Rows of each class, by period.
    values : dict of str to dict of int to array
        Rows of each bin of a column, by period.
    unknown : dict of str to int
        Rows of classes that the model does not have.
    """

    dates: list[np.ndarray] = field(default_factory=list)
    costs: list[np.ndarray] = field(default_factory=list)
    expected: list[np.ndarray] = field(default_factory=list)
    lowest_expected: list[np.ndarray] = field(default_factory=list)
    labels: dict[int, Any] = field(default_factory=lambda: defaultdict(int))
    values: dict[str, dict[int, Any]] = field(default_factory=dict)
    unknown: dict[str, int] = field(default_factory=dict)
    lowest: float = 0.0
    highest: float = 0.0
    drift: DriftMonitor | None = None


@dataclass(frozen=True)
class _LogReader:
    """Adds pieces of a log to a `_Log`."""

    stored: StoredModel
    path: str
    date: str
    truth: str
    answer: str | None
    prices: Prices
    calendar: _Calendar
    since: np.datetime64 | None
    profile: TableProfile | None

    def read(self, pieces: Any, tell: Tell) -> _Log:
        log = _Log()
        if self.prices.matrix is not None:
            cells = self.prices.matrix.to_numpy(float)
            log.lowest, log.highest = float(cells.min()), float(cells.max())
        elif self.prices.words == "0/1":
            log.highest = 1.0
        first_row, kind, has_features = 0, None, False
        for raw in pieces:
            if kind is None:
                kind = self._date_kind(raw)
                has_features = self._has_features(raw, tell)
                if has_features:
                    log.drift = DriftMonitor(self.stored.encoder)
            self._add(log, raw, kind, has_features, first_row)
            first_row += len(raw)
        if not sum(map(len, log.dates)):
            after = "" if self.since is None else f" from {self.since} on"
            raise ValueError(f"{shown_name(self.path)} has no rows{after}.")
        return log

    def _date_kind(self, raw: pd.DataFrame) -> ColumnKind:
        values = column(raw, self.date, argument("date"), self.path)
        kinds = infer_kinds(values.to_frame(), ColumnOverrides(dates={self.date: None}))
        return KINDS[kinds[self.date]]

    def _has_features(self, raw: pd.DataFrame, tell: Tell) -> bool:
        """Whether the log has the model's columns; it need not."""
        kinds = self.stored.kinds
        missing = [] if kinds is None else [name for name in kinds if name not in raw]
        if kinds is not None and not missing:
            return True
        lacks = f"does not have the model's columns {quoted_names(missing)}"
        if kinds is None:
            lacks = "has no names for the model's features"
        if self.answer is None:
            raise ValueError(
                f"{shown_name(self.path)} {lacks}, so its rows cannot be predicted; "
                f"add them, or pass {argument('answer')} COL."
            )
        tell(f"{shown_name(self.path)} {lacks}. Only costs and classes are monitored.")
        return False

    def _add(
        self,
        log: _Log,
        raw: pd.DataFrame,
        kind: ColumnKind,
        has_features: bool,
        first_row: int,
    ) -> None:
        if len(raw) == 0:
            return
        stored, path = self.stored, shown_name(self.path)
        dates = self._dates(raw, kind, first_row)
        matrices = stored.row_matrices(raw, path, first_row)
        X = stored.table(raw, path, first_row, set()) if has_features else None
        if self.since is not None:
            recent = np.flatnonzero(dates >= self.since)
            raw, dates = raw.iloc[recent].reset_index(drop=True), dates[recent]
            X = None if X is None else X.iloc[recent].reset_index(drop=True)
            matrices = None if matrices is None else matrices[recent]
            if len(raw) == 0:
                return
        periods = self.calendar.number(dates)
        answers = self._answers(raw, X, matrices)
        labels = self._labels(log, raw)
        labelled = np.flatnonzero(labels >= 0)
        costs = np.full(len(raw), np.nan)
        if len(labelled):
            vectors = self._cost_vectors(log, raw, labels, labelled, matrices)
            costs[labelled] = vectors[np.arange(len(labelled)), answers[labelled]]
        for period in np.unique(periods[labelled]):
            rows = labels[labelled][periods[labelled] == period]
            log.labels[int(period)] += np.bincount(rows, minlength=len(stored.classes))
        log.dates.append(dates)
        log.costs.append(costs)
        log.expected.append(np.full(len(raw), np.nan))
        log.lowest_expected.append(log.expected[-1])
        if X is None:
            return
        expected = stored.expected_costs(X, matrices)
        if expected is not None:
            log.expected[-1] = expected[np.arange(len(raw)), answers]
            log.lowest_expected[-1] = expected.min(axis=1)
        if log.drift is not None:
            log.drift.update(X)
        if self.profile is None:
            return
        for name, profile in self.profile.columns.items():
            counts = log.values.setdefault(name, defaultdict(int))
            for period in np.unique(periods):
                counts[int(period)] += profile.count(X[name][periods == period])

    def _dates(self, raw: pd.DataFrame, kind: ColumnKind, first_row: int) -> np.ndarray:
        values = column(raw, self.date, argument("date"), self.path)
        dates, wrong = kind.read(values)
        wrong = wrong | np.isnat(dates)
        if wrong.any():
            row = int(wrong.argmax())
            cell = str(values.iloc[row])[:60]
            raise ValueError(
                f"{argument('date')} {self.date!r} of {shown_name(self.path)} holds "
                f"{cell!r} in row {first_row + row + 1}, which is not a date; correct "
                "it, e.g. to 2026-01-31."
            )
        return dates.astype("datetime64[s]")

    def _answers(
        self, raw: pd.DataFrame, X: Any, matrices: np.ndarray | None
    ) -> np.ndarray:
        """Numbers of the answers: those of the log, or else the model's."""
        stored = self.stored
        if self.answer is None:
            with stored.refusing_rows():
                words = stored.predict(X, matrices).astype(str)
        else:
            words = words_of(column(raw, self.answer, argument("answer"), self.path))
            names = [str(name) for name in stored.answers.tolist()]
            odd = sorted({str(word) for word in words} - set(names))
            if odd:
                raise ValueError(
                    f"{argument('answer')} {self.answer!r} of {shown_name(self.path)} "
                    f"has answers without a price, {quoted_names(odd)}; the model's "
                    f"answers are {quoted_names(names)}."
                )
        classes = np.array([str(name) for name in stored.classes.tolist()])
        actions = np.array([str(name) for name in stored.actions.tolist()], dtype=str)
        return answer_indices(
            words.astype(str), classes, actions, argument="predictions"
        )

    def _labels(self, log: _Log, raw: pd.DataFrame) -> np.ndarray:
        """Numbers of the classes, -1 for rows whose class is not known (yet)."""
        words = pd.Series(
            words_of(column(raw, self.truth, argument("truth"), self.path))
        )
        words = words.map(lambda word: self.stored.merge.get(word, word) or np.nan)
        names = pd.Index([str(name) for name in self.stored.classes.tolist()])
        labels = names.get_indexer(pd.Index(words))
        for word, count in words[labels < 0].dropna().value_counts().items():
            log.unknown[str(word)] = log.unknown.get(str(word), 0) + int(count)
        return labels

    def _cost_vectors(
        self,
        log: _Log,
        raw: pd.DataFrame,
        labels: np.ndarray,
        labelled: np.ndarray,
        matrices: np.ndarray | None,
    ) -> np.ndarray:
        """Cost of every answer to the rows whose class is known."""
        by_row: Any = None
        if self.prices.columns is not None:
            by_row = read_cost_columns(
                raw.iloc[labelled].reset_index(drop=True),
                self.prices.columns,
                self.path,
            )
        elif self.prices.by_formulas and matrices is not None:
            by_row = matrices[labelled]
        names = np.array([str(name) for name in self.stored.classes.tolist()])
        vectors = price_rows(
            self.stored, names[labels[labelled]], self.prices, by_row
        ).costs
        every = vectors if matrices is None else matrices
        log.lowest = min(log.lowest, float(every.min()))
        log.highest = max(log.highest, float(every.max()))
        return vectors


# What the model is expected to cost.


def _cost_limit(
    stored: StoredModel, prices: Prices, highest: float, *, trained_prices: bool
) -> dict[str, Any]:
    """The cost at training time, and the largest that is compatible with it."""
    notes, search = stored.manifest["notes"], final_step(stored.model)
    expected = notes.get("expected")
    has_table = hasattr(search, "tradeoff_") and hasattr(search, "best_index_")
    if trained_prices and isinstance(expected, dict):
        cost, limit = float(expected["cost"]), float(expected["high"])
    elif has_table and (trained_prices or prices.matrix is not None):
        cost, error = _cross_validated(search, None if trained_prices else prices)
        limit = cost + _TWO_SIDED * error
    else:
        raise ValueError(
            f"{stored.path} does not say what it is expected to cost at these prices; "
            f"pass {argument('max_cost')} COST."
        )
    n_rows = notes.get("rows")
    if isinstance(n_rows, int) and n_rows > 0:
        limit = max(limit, _RULE_OF_THREE * highest / n_rows)
    return {"expected": cost, "cost": limit, "source": "training"}


def _cross_validated(search: Any, prices: Prices | None) -> tuple[float, float]:
    """Held-out cost of the chosen candidate and its standard error."""
    if prices is None:
        row = search.tradeoff_.iloc[search.best_index_]
        return float(row["cost"]), float(row["cost_se"])
    counts = np.asarray(search.confusion_)[search.best_index_].sum(axis=0)
    assert prices.matrix is not None
    answers = getattr(search, "actions_", search.classes_)
    matrix = prices.matrix.loc[
        [str(name) for name in search.classes_.tolist()],
        [str(name) for name in answers.tolist()],
    ].to_numpy(float)
    share = counts / counts.sum()
    cost = float((share * matrix).sum())
    variance = float((share * (matrix - cost) ** 2).sum())
    return cost, float(np.sqrt(variance / counts.sum()))


# The whole job.


def monitor_model(
    model: str,
    log: str,
    date: str,
    truth: str,
    *,
    answer: str | None = None,
    every: str = "month",
    since: str | None = None,
    costs: str | None = None,
    cost_columns: str | None = None,
    max_cost: float | None = None,
    false_alarms: float = 0.05,
    report: str | None = None,
    sheet: str | None = None,
    header_row: HeaderRow | None = None,
    decimal: Decimal | None = None,
    tell: Tell = silent,
) -> dict[str, Any]:
    """Compare a log of a model in use with what was expected of it.

    Three things are tested after every period: whether the mean cost is above the
    limit (`softcost.metrics.mean_rise`), and whether classes and columns are mixed
    otherwise than in training (`softcost.metrics.mix_change`). If nothing has changed,
    the probability that any of them ever raises an alarm is at most ``false_alarms``,
    however often the log is monitored as it grows.

    Parameters
    ----------
    model, log : str
        Files. The log has a row for each decision. If it also has the model's columns,
        these are monitored, and costs are compared with those that the model expected.
    date, truth : str
        Columns of the log: the date of a decision, and the true class. Rows whose class
        is not known yet are empty there; they count for columns only.
    answer : str, default=None
        Column with the answers that were given; by default the model's predictions.
    every : {"day", "week", "month", "quarter", "year"}, default="month"
        Length of a period.
    since : str, default=None
        Leave out rows before this date, such as the day on which you acted on an alarm.
    costs, cost_columns
        As in `evaluate_model`.
    max_cost : float, default=None
        The largest mean cost that is in order. By default, the upper end of the 95%
        interval of the cost that ``softcost fit`` expected on new rows.
    false_alarms : float, default=0.05
        Probability of ever raising an alarm if nothing has changed.
    report : str, default=None
        File for an HTML page.
    sheet, header_row, decimal, tell
        As in `evaluate_model`.

    Returns
    -------
    dict
        ``periods`` with realised and expected costs and intervals, ``classes`` and
        ``columns`` with their drift, ``alarms``, and ``warnings``, as plain data.

    See Also
    --------
    softcost.workflow.evaluate_model : All rows of a table at once.
    softcost.metrics.mean_rise : The test of costs.
    softcost.metrics.mix_change : The test of classes and columns.

    Examples
    --------
    >>> from softcost.workflow import monitor_model
    >>> monitor_model("-", "log.csv", "day", "class")
    Traceback (most recent call last):
    softcost.errors.InputError: MODEL must be a file; standard input is for rows.
    """
    if every not in CALENDARS:
        raise InputError(
            f"{argument('every')} {every!r} must be one of {', '.join(CALENDARS)}."
        )
    if not 0 < false_alarms < 1:
        raise InputError(
            f"{argument('false_alarms')} must be between 0 and 1, not {false_alarms:g}."
        )
    with input_errors():
        reads = [path for path in (model, log, costs) if path is not None]
        if report is not None:
            check_output(report, reads=reads)
        stored = open_model(model)
        if decimal is not None:
            stored = stored.with_decimal(decimal)
        check_one_price_list(costs, cost_columns)
        prices = model_prices(stored, truth, costs, cost_columns, tell)
        profile = _profile(stored, tell)
        reader = _LogReader(
            stored, log, date, truth, answer, prices, CALENDARS[every],
            _start(since), profile,
        )  # fmt: skip
        pieces = table_pieces(
            log, stored.rows_at_once(), None, tell, sheet=sheet, header_row=header_row,
            columns=[date, truth],
        )  # fmt: skip
        rows = reader.read(pieces, tell)
        if max_cost is not None:
            limit: dict[str, Any] = {
                "expected": None, "cost": max_cost, "source": "max_cost"
            }  # fmt: skip
        else:
            trained = costs is None and cost_columns is None
            limit = _cost_limit(stored, prices, rows.highest, trained_prices=trained)
        if not limit["cost"] > rows.lowest:
            raise ValueError(
                f"{argument('max_cost')} {limit['cost']:g} must be above the lowest "
                f"possible cost, {rows.lowest:g}."
            )
    result = {
        "model": model,
        "log": log,
        "prices": prices.words,
        "every": every,
        "limit": limit,
        "false_alarms": false_alarms,
    } | _findings(stored, rows, profile, CALENDARS[every], limit, false_alarms)
    currency = stored.manifest["notes"].get("currency")
    result["currency"] = currency if isinstance(currency, str) else ""
    if report is not None:
        write_monitor_page(report, result)
    return result


def _start(since: str | None) -> np.datetime64 | None:
    if since is None:
        return None
    try:
        return np.datetime64(since, "s")
    except ValueError:
        raise ValueError(
            f"{argument('since')} {since!r} is not a date such as 2026-01-31."
        ) from None


def _profile(stored: StoredModel, tell: Tell) -> TableProfile | None:
    value = stored.manifest["notes"].get("profile")
    if value is None or stored.kinds is None:
        tell(
            f"{stored.path} has no profile of its training columns, so their drift is "
            "not tested; fit it again with 'softcost fit'."
        )
        return None
    try:
        return TableProfile.from_json(value, feature_kinds(stored.kinds))
    except (KeyError, TypeError, ValueError) as error:  # whatever a file may say
        raise ModelFileError(
            f"{stored.path} is not a softcost model: its column profile is invalid."
        ) from error


def _findings(
    stored: StoredModel,
    log: _Log,
    profile: TableProfile | None,
    calendar: _Calendar,
    limit: dict[str, Any],
    false_alarms: float,
) -> dict[str, Any]:
    """Costs by period, drift, and alarms."""
    dates = np.concatenate(log.dates)
    order = np.argsort(dates, kind="stable")
    costs = np.concatenate(log.costs)[order]
    expected = np.concatenate(log.expected)[order]
    lowest_expected = np.concatenate(log.lowest_expected)[order]
    numbers, periods = np.unique(calendar.number(dates[order]), return_inverse=True)
    names = [calendar.name(int(number)) for number in numbers]
    tested = ["cost"]
    before = stored.manifest["notes"].get("classes")
    if isinstance(before, dict):
        tested.append("classes")
    if profile is not None and log.values:
        tested.append("columns")
    level = false_alarms / len(tested)
    labelled = ~np.isnan(costs)
    rise = mean_rise(
        costs[labelled],
        periods[labelled],
        limit["cost"],
        lowest=log.lowest,
        level=level,
    )
    parts = _Parts(
        costs, expected, lowest_expected, periods, names, log.lowest, log.highest
    )
    rows = [
        parts.facts(number, number + 1) | {"evidence": _at(rise, number)}
        for number in range(len(names))
    ]
    alarms = [] if rise.alarm is None else [parts.cost_alarm(rise, limit["cost"])]
    classes = None
    if "classes" in tested:
        labels = [str(name) for name in stored.classes.tolist()]
        counts = np.array([log.labels[int(number)] + np.zeros(len(labels), int)
                           for number in numbers])  # fmt: skip
        reference = np.array([before.get(name, 0) for name in labels])
        classes = _drift(reference, counts, level, names, list(map(repr, labels)))
        if classes["alarm"] is not None:
            alarms.append(_drift_alarm("classes", "the mix of classes", classes))
    columns = []
    if "columns" in tested and profile is not None:
        share = level / len(log.values)
        for name, by_period in log.values.items():
            bins = profile.columns[name]
            counts = np.array([by_period[int(number)] for number in numbers])
            words = [bins.name(place) for place in range(len(bins.counts))]
            facts: dict[str, Any] = {"column": name}
            facts |= _drift(bins.counts, counts, share, names, words)
            columns.append(facts)
            if facts["alarm"] is not None:
                alarms.append(_drift_alarm("columns", f"column {name!r}", facts))
    columns.sort(key=lambda facts: -facts["evidence"])
    return {
        "rows": len(costs),
        "labelled": int(labelled.sum()),
        "first": str(dates.min().astype("datetime64[D]")),
        "last": str(dates.max().astype("datetime64[D]")),
        "periods": rows,
        "total": parts.facts(0, len(names)),
        "classes": classes,
        "columns": columns,
        "tested": tested,
        "alarms": alarms,
        "warnings": _warnings(log, len(costs), int(labelled.sum())),
    }


def _at(change: Change, number: int) -> float:
    """Evidence up to a period; later periods may have no row with a known class."""
    if len(change.evidence) == 0:
        return 0.0
    return float(change.evidence[min(number, len(change.evidence) - 1)])


def _warnings(log: _Log, n_rows: int, n_labelled: int) -> list[str]:
    said = [] if log.drift is None else log.drift.warnings()
    if log.unknown:
        count = sum(log.unknown.values())
        said.append(
            f"{count} rows have classes that the model does not have, "
            f"{quoted_names(sorted(log.unknown))}; their cost is not counted. Fit it "
            "again with these classes."
        )
    if n_labelled == 0:
        said.append(
            f"none of the {n_rows} rows has a known class, so no cost is known."
        )
    return said


@dataclass(frozen=True)
class _Parts:
    """Costs of the log, in the order of time, and facts about some periods."""

    costs: np.ndarray
    expected: np.ndarray
    lowest_expected: np.ndarray
    periods: np.ndarray
    names: list[str]
    lowest: float
    highest: float

    def facts(self, start: int, stop: int) -> dict[str, Any]:
        """Realised cost with its interval, and expected cost on the same rows."""
        some = (self.periods >= start) & (self.periods < stop)
        costs, expected = self.costs[some], self.expected[some]
        labelled = ~np.isnan(costs)
        facts: dict[str, Any] = {
            "period": self.names[start],
            "rows": int(some.sum()),
            "labelled": int(labelled.sum()),
            "cost": None, "low": None, "high": None, "expected": None,
        }  # fmt: skip
        if labelled.any():
            facts["cost"] = float(costs[labelled].mean())
            facts["low"], facts["high"] = mean_interval(
                costs[labelled], self.lowest, self.highest
            )
            mean = float(expected[labelled].mean())
            facts["expected"] = None if np.isnan(mean) else mean
        return facts

    def cost_alarm(self, rise: Change, limit: float) -> dict[str, Any]:
        """The alarm in words, with a diagnosis if the model has expected costs."""
        assert rise.alarm is not None
        assert rise.since is not None
        facts = self.facts(rise.since, len(self.names))
        sentence = (
            f"the mean cost since {self.names[rise.since]} is "
            f"{format_cost(facts['cost'])}, above the limit of {format_cost(limit)}."
        )
        if facts["expected"] is not None:
            sentence += f" {self._diagnosis(facts, rise.since, limit)}"
        return {
            "test": "cost",
            "column": None,
            "period": self.names[rise.alarm],
            "since": self.names[rise.since],
            "sentence": sentence,
        }

    def _diagnosis(self, facts: dict[str, Any], since: int, limit: float) -> str:
        """Whether the model, the rows or the answers given are to blame."""
        shown = format_cost(facts["expected"])
        if facts["expected"] < facts["low"]:
            return (
                f"The model expected {shown} on these rows: its probabilities no "
                "longer hold. Refit it with recent rows."
            )
        some = (self.periods >= since) & ~np.isnan(self.costs)
        cheapest = float(self.lowest_expected[some].mean())
        if cheapest < limit:
            return (
                f"The model expected {shown} for these answers, and "
                f"{format_cost(cheapest)} for the cheapest ones: its probabilities "
                "still hold, but the answers given are not its predictions."
            )
        return (
            f"The model expected {shown} on these rows: its probabilities still hold, "
            "but the rows are more expensive."
        )


def _drift(
    before: np.ndarray,
    counts: np.ndarray,
    level: float,
    names: Sequence[str],
    words: Sequence[str],
) -> dict[str, Any]:
    """The change of a mix, and the category whose share changed most."""
    change = mix_change(before, counts, level=level, least_shift=LEAST_SHIFT)
    recent = counts[0 if change.since is None else change.since :].sum(axis=0)
    facts: dict[str, Any] = {
        "evidence": float(change.evidence.max(initial=0.0)),
        "alarm": None if change.alarm is None else names[change.alarm],
        "since": None if change.since is None else names[change.since],
        "shift": None, "most_changed": None,
    }  # fmt: skip
    if before.sum() and recent.sum():
        then, now = before / before.sum(), recent / recent.sum()
        place = int(np.abs(now - then).argmax())
        facts["shift"] = float(np.abs(now - then).sum() / 2)
        facts["most_changed"] = {
            "value": words[place], "before": float(then[place]),
            "now": float(now[place]),
        }  # fmt: skip
    return facts


def _drift_alarm(test: str, what: str, facts: dict[str, Any]) -> dict[str, Any]:
    most = facts["most_changed"]
    now, before = (f"{100 * most[when]:.0f}%" for when in ("now", "before"))
    return {
        "test": test,
        "column": facts.get("column"),
        "period": facts["alarm"],
        "since": facts["since"],
        "sentence": f"{what} has changed since {facts['since']}: {most['value']} in "
        f"{now} of the rows, {before} in training.",
    }
