"""Costs of rows by formulas over columns, such as ``fn = 0.75 * balance``.

A formula gives the cost of one cell of the cost matrix, ``true>predicted``, as an
expression of numbers, columns, ``+ - * /``, parentheses, ``min``, ``max``, ``abs`` and
``if(a > b, c, d)``. Formulas are saved with models and may come from anywhere, so they
are parsed here and never executed as Python. An expression has no powers, loops or
names other than columns; its length and depth are bounded.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache, reduce
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from softcost.costs.matrix import LARGEST
from softcost.errors import argument

_LONGEST = 2000  # characters of a formula
_DEEPEST = 50  # nested parentheses, functions and signs
_MOST = 10_000  # formulas of a model
_SHOWN = 100  # characters of a formula in a message

Numbers = NDArray[np.float64]


class FormulaError(ValueError):
    """A formula cannot be parsed, or has no valid value for a row.

    See Also
    --------
    CostFormula : Raises it.

    Examples
    --------
    >>> from softcost.costs import CostFormula
    >>> CostFormula.parse("fn = balance ** 2")
    Traceback (most recent call last):
    softcost.costs.formula.FormulaError: cost 'fn = balance ** 2': powers are not ...
    """


# Two classes have names for the cells of their matrix. True class, then predicted one:
# whether each is the positive class.
OUTCOMES = {
    "tn": (False, False),
    "fp": (False, True),
    "fn": (True, False),
    "tp": (True, True),
}


# Tokens. A label or column between quotes may contain its quote twice.
_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)
    |(?P<name>[^\W\d]\w*(?:\.\w+)*)
    |`(?P<column>(?:[^`]|``)+)`
    |(?P<mark><=|>=|==|!=|[-+*/(),<>])
    )""",
    re.VERBOSE,
)
_SIDE = re.compile(
    r"""\s*(?:
    '(?P<single>(?:[^']|'')*)'
    |"(?P<double>(?:[^"]|"")*)"
    |(?P<bare>[^'"`=>]+?)
    )\s*(?=[>=])""",
    re.VERBOSE,
)


@dataclass(frozen=True)
class Token:
    """A part of an expression: its kind, text and position."""

    kind: str
    text: str
    start: int


def _tokens(text: str, formula: str) -> Iterator[Token]:
    place = 0
    while text[place:].strip():
        match = _TOKEN.match(text, place)
        if match is None:
            rest = text[place:].strip()
            hint = ""
            if rest[0] in "\"'":
                hint = " Write columns with unusual names in backticks: `my column`."
            raise _bad(formula, f"{rest[0]!r} is not allowed in a cost.{hint}")
        kind = str(match.lastgroup)
        word = match.group(kind)
        if kind == "column":
            word = word.replace("``", "`")
        yield Token(kind, word, match.start(kind))
        place = match.end()
    yield Token("end", "", len(text))


def _bad(formula: str, reason: str) -> FormulaError:
    shown = formula if len(formula) <= _SHOWN else formula[: _SHOWN - 3] + "..."
    return FormulaError(f"{argument('cost')} {shown!r}: {reason}")


# Expressions: a tree of numbers, columns and operations. A node has the values of its
# rows, or of all rows.


class _Rows:
    """Columns of the rows that an expression is evaluated on."""

    def __init__(self, columns: Mapping[str, Numbers], n_rows: int) -> None:
        self.columns = columns
        self.divided_by_zero = np.zeros(n_rows, bool)


@dataclass(frozen=True)
class _Number:
    value: float

    def values(self, rows: _Rows) -> Any:
        return self.value


@dataclass(frozen=True)
class _Column:
    name: str

    def values(self, rows: _Rows) -> Any:
        return rows.columns[self.name]


_FUNCTIONS: dict[str, Any] = {"min": np.minimum, "max": np.maximum, "abs": np.abs}
_NEGATIVE = "-"  # the sign of a value
_FUNCTIONS[_NEGATIVE] = np.negative
_OPERATIONS: dict[str, Any] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide,
}  # fmt: skip
_COMPARISONS: dict[str, Any] = {
    "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal,
    "==": np.equal, "!=": np.not_equal,
}  # fmt: skip


@dataclass(frozen=True)
class _Chain:
    """Operations from left to right: a sum may be long, but it is not deep."""

    first: Any
    others: tuple[tuple[str, Any], ...]

    def values(self, rows: _Rows) -> Any:
        total = self.first.values(rows)
        for mark, part in self.others:
            value = part.values(rows)
            if mark == "/":
                rows.divided_by_zero |= np.asarray(value) == 0
            total = _OPERATIONS[mark](total, value)
        return total


@dataclass(frozen=True)
class _Call:
    name: str
    parts: tuple[Any, ...]

    def values(self, rows: _Rows) -> Any:
        values = [part.values(rows) for part in self.parts]
        function = _FUNCTIONS[self.name]
        return function(values[0]) if len(values) == 1 else reduce(function, values)


@dataclass(frozen=True)
class _If:
    comparison: str
    left: Any
    right: Any
    then: Any
    otherwise: Any

    def values(self, rows: _Rows) -> Any:
        left, right = self.left.values(rows), self.right.values(rows)
        chosen = np.where(
            _COMPARISONS[self.comparison](left, right),
            self.then.values(rows),
            self.otherwise.values(rows),
        )
        # A comparison with a missing cell has no answer.
        return np.where(np.isnan(left) | np.isnan(right), np.nan, chosen)


class _Parser:
    """A recursive-descent parser of expressions."""

    def __init__(self, text: str, formula: str) -> None:
        self._formula = formula
        self._tokens = list(_tokens(text, formula))
        self._place = self._depth = 0
        self.columns: dict[str, None] = {}

    def parse(self) -> Any:
        tree = self._sum()
        if self._next.kind != "end":
            self._refuse(self._next)
        return tree

    @property
    def _next(self) -> Token:
        return self._tokens[self._place]

    def _take(self, *marks: str) -> str | None:
        """Consume the next token if it is one of these marks."""
        token = self._next
        if token.kind != "mark" or token.text not in marks:
            return None
        self._place += 1
        return token.text

    def _expect(self, mark: str) -> None:
        if self._take(mark) is None:
            self._refuse(self._next, f"{mark!r} is missing before it")

    def _refuse(self, token: Token, reason: str = "") -> None:
        if token.kind == "end":
            needed = reason.removesuffix(" before it") or "a value is expected"
            raise _bad(self._formula, f"the cost ends too early; {needed}.")
        why = reason or "write an operator, such as *, between two values"
        raise _bad(self._formula, f"{token.text[:40]!r} is not expected there; {why}.")

    def _sum(self) -> Any:
        return self._chain(self._product, "+", "-")

    def _product(self) -> Any:
        return self._chain(self._factor, "*", "/")

    def _chain(self, part: Callable[[], Any], *marks: str) -> Any:
        first, others = part(), []
        while mark := self._take(*marks):
            if mark == "*" and self._take("*"):
                raise _bad(self._formula, "powers are not supported; multiply instead.")
            others.append((mark, part()))
        return _Chain(first, tuple(others)) if others else first

    def _factor(self) -> Any:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _bad(self._formula, f"it is nested more than {_DEEPEST} times.")
        tree = self._signed()
        self._depth -= 1
        return tree

    def _signed(self) -> Any:
        if self._take("+"):
            return self._factor()
        if self._take("-"):
            return _Call(_NEGATIVE, (self._factor(),))
        if self._take("("):
            tree = self._sum()
            self._expect(")")
            return tree
        token = self._next
        if token.kind in ("mark", "end"):
            self._refuse(token, "a number, a column or '(' is expected")
        self._place += 1
        if token.kind == "number":
            value = float(token.text)
            if value > LARGEST:
                raise _bad(self._formula, f"{token.text[:40]} is too large.")
            return _Number(value)
        if token.kind == "name" and self._take("("):
            return self._call(token)
        self.columns[token.text] = None
        return _Column(token.text)

    def _call(self, token: Token) -> Any:
        name = token.text.lower()
        if name == "if":
            return self._if()
        if name not in _FUNCTIONS:  # the sign is not a name
            raise _bad(
                self._formula,
                f"there is no function {token.text[:40]!r}; there are min, max, abs "
                "and if.",
            )
        parts = [self._sum()]
        while self._take(","):
            parts.append(self._sum())
        self._expect(")")
        if (len(parts) == 1) != (name == "abs"):
            count = "one value" if name == "abs" else "two or more values"
            raise _bad(self._formula, f"{name} needs {count}.")
        return _Call(name, tuple(parts))

    def _if(self) -> Any:
        left = self._sum()
        comparison = self._take(*_COMPARISONS)
        if comparison is None:
            raise _bad(
                self._formula, "if needs a comparison, such as if(balance > 100, 5, 2)."
            )
        right = self._sum()
        self._expect(",")
        then = self._sum()
        self._expect(",")
        otherwise = self._sum()
        self._expect(")")
        return _If(comparison, left, right, then, otherwise)


@lru_cache(maxsize=256)
def _parsed(expression: str, formula: str) -> tuple[Any, tuple[str, ...]]:
    """The tree of an expression, and its columns."""
    parser = _Parser(expression, formula)
    return parser.parse(), tuple(parser.columns)


@dataclass(frozen=True)
class CostFormula:
    """The cost of one cell of the cost matrix, by a formula over columns.

    Use `parse`; the constructor does not check.

    Parameters
    ----------
    true, predicted : str or None
        Labels of the cell; None stands for any class (``*``). A wildcard includes
        neither the correct answer nor, as a predicted label, actions.
    expression : str
        The cost, for instance ``0.75 * balance``.
    outcome : {"tn", "fp", "fn", "tp"} or None
        The cell of a problem with two classes, until `RowCostFormulas.resolve` has
        found out which class is positive.

    See Also
    --------
    row_cost_matrices : Cost matrices of the rows of a table.

    Examples
    --------
    >>> from softcost.costs import CostFormula
    >>> formula = CostFormula.parse("default>paid = 0.75 * balance + max(fee, 10)")
    >>> formula.true, formula.predicted, formula.columns
    ('default', 'paid', ('balance', 'fee'))

    Labels may be in quotes, and columns with unusual names are in backticks:

    >>> CostFormula.parse("'very good' > * = `loan amount` / 2").columns
    ('loan amount',)
    """

    true: str | None
    predicted: str | None
    expression: str
    outcome: str | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a formula.

        Parameters
        ----------
        text : str
            ``true>predicted = cost``; for two classes also ``fn = cost``.

        Returns
        -------
        CostFormula
        """
        if len(text) > _LONGEST:
            raise _bad(text, f"it is longer than {_LONGEST} characters; shorten it.")
        wrong = _bad(
            text,
            "write it as 'true>predicted = cost', with * for any class, or for two "
            "classes as 'fn = cost'; put labels with > or = in quotes.",
        )
        first = _SIDE.match(text)
        if first is None:
            raise wrong
        place, outcome, second = first.end(), None, None
        if text[place] == ">":
            second = _SIDE.match(text, place + 1)
            if second is None:
                raise wrong
            place = second.end()
        else:
            outcome = str(first["bare"]).strip().lower()
            if outcome not in OUTCOMES:
                raise wrong
        if text[place] != "=" or text[place : place + 2] == "==":
            raise wrong
        expression = text[place + 1 :].strip()
        if outcome is not None or second is None:
            formula = cls(None, None, expression, outcome)
        else:
            formula = cls(_label(first), _label(second), expression)
        _parsed(expression, text)
        return formula

    @property
    def cell(self) -> str:
        """The left-hand side."""
        if self.outcome is not None:
            return self.outcome
        return f"{_shown_label(self.true)}>{_shown_label(self.predicted)}"

    @property
    def text(self) -> str:
        """The whole formula."""
        return f"{self.cell} = {self.expression}"

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that it needs."""
        return _parsed(self.expression, self.text)[1]

    def evaluate(
        self,
        columns: Mapping[str, NDArray[Any]],
        n_rows: int,
        *,
        path: str = "the table",
        first_row: int = 0,
    ) -> Numbers:
        """The cost of every row.

        Parameters
        ----------
        columns : mapping of name and array of shape (n_rows,)
            Numbers; NaN is a missing cell.
        n_rows : int
            Number of rows.
        path, first_row
            Name of the table and number of rows before these, for messages.

        Returns
        -------
        array of shape (n_rows,)
            Finite and not negative.
        """
        tree, names = _parsed(self.expression, self.text)
        for name in names:
            if name not in columns:
                near = get_close_matches(name, list(map(str, columns)), n=1)
                hint = f"; did you mean {near[0]!r}?" if near else "."
                raise _bad(self.text, f"{path} has no column {name!r}{hint}")
        rows = _Rows({name: np.asarray(columns[name], float) for name in names}, n_rows)
        with np.errstate(all="ignore"):
            cost = np.broadcast_to(np.asarray(tree.values(rows), float), (n_rows,))
        valid = (cost >= 0) & (cost <= LARGEST)
        if not valid.all():
            row = int(np.flatnonzero(~valid)[0])
            place = f"row {first_row + row + 1} of {path}"
            raise _bad(self.text, f"{_fault(rows, row, cost[row])} in {place}.")
        return cost + 0.0  # a new array, without negative zeros


def _fault(rows: _Rows, row: int, value: float) -> str:
    """What is wrong with the cost of a row."""
    for name, values in rows.columns.items():
        if np.isnan(value) and np.isnan(values[row]):
            return f"column {name!r} is empty"
    if not np.isfinite(value):
        return (
            "it divides by zero"
            if rows.divided_by_zero[row]
            else "the cost is too large"
        )
    return f"the cost is {'negative' if value < 0 else 'too large'}, {value:.6g},"


def _label(match: re.Match[str]) -> str | None:
    """A label of the left-hand side; None for a wildcard."""
    if match["single"] is not None:
        return match["single"].replace("''", "'")
    if match["double"] is not None:
        return match["double"].replace('""', '"')
    bare = match["bare"].strip()
    return None if bare == "*" else bare


def _shown_label(label: str | None) -> str:
    if label is None:
        return "*"
    plain = label == label.strip() and label not in ("", "*")
    if plain and not set(label) & set("'\"`=>"):
        return label
    return "'" + label.replace("'", "''") + "'"


@dataclass(frozen=True)
class RowCostFormulas:
    """Formulas for every cell of the cost matrix; others cost nothing.

    Attributes
    ----------
    classes, actions : tuple of str
        Labels of the classes, in the order of the matrices, and extra actions.
    formulas : tuple of CostFormula
        With the labels of their cells, no wildcards.

    See Also
    --------
    row_cost_matrices : Cost matrices of the rows of a table.

    Examples
    --------
    >>> from softcost.costs import RowCostFormulas
    >>> costs = RowCostFormulas.resolve(
    ...     ["fn = 0.75 * balance", "fp = 20"], ["good", "bad"], positive="bad"
    ... )
    >>> sorted(formula.text for formula in costs.formulas)
    ['bad>good = 0.75 * balance', 'good>bad = 20']
    >>> costs.columns
    ('balance',)
    """

    classes: tuple[str, ...]
    actions: tuple[str, ...]
    formulas: tuple[CostFormula, ...]

    @classmethod
    def resolve(
        cls,
        formulas: Sequence[str | CostFormula],
        classes: Sequence[Any],
        *,
        positive: Any = None,
        actions: Sequence[str] | None = None,
    ) -> Self:
        """Match formulas with classes, and replace wildcards.

        Parameters
        ----------
        formulas : sequence of str or CostFormula
            At most one formula for every cell. A formula without wildcards has
            priority over one with a wildcard.
        classes : sequence of labels
            All classes.
        positive : label, default=None
            The positive class of ``tn``, ``fp``, ``fn`` and ``tp``.
        actions : sequence of str, default=None
            Extra actions; by default the predicted labels that are not classes.

        Returns
        -------
        RowCostFormulas
            Every mistake and every action has a formula. Correct answers without a
            formula cost nothing.
        """
        names = tuple(str(label) for label in classes)
        parsed = [
            CostFormula.parse(formula) if isinstance(formula, str) else formula
            for formula in formulas
        ]
        parsed = [_with_labels(formula, names, positive) for formula in parsed]
        extra = (
            tuple(map(str, actions)) if actions is not None else _extra(parsed, names)
        )
        by_cell: dict[tuple[str, str], CostFormula] = {}
        for true in names:
            for predicted in (*names, *extra):
                formula = _formula_of(parsed, true, predicted, names)
                if formula is not None:
                    by_cell[true, predicted] = replace(
                        formula, true=true, predicted=predicted
                    )
        return cls(names, extra, tuple(by_cell.values()))

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that the formulas need."""
        return tuple(
            dict.fromkeys(name for formula in self.formulas for name in formula.columns)
        )

    def matrices(
        self,
        columns: Mapping[str, NDArray[Any]],
        n_rows: int,
        *,
        path: str = "the table",
        first_row: int = 0,
    ) -> Numbers:
        """The cost matrix of every row.

        Parameters
        ----------
        columns, n_rows, path, first_row
            As in `CostFormula.evaluate`.

        Returns
        -------
        array of shape (n_rows, K, A)
            ``costs[row, true, predicted]``, in the order of ``classes``, then
            ``actions``.
        """
        answers = (*self.classes, *self.actions)
        costs = np.zeros((n_rows, len(self.classes), len(answers)))
        for formula in self.formulas:
            true = self.classes.index(str(formula.true))
            predicted = answers.index(str(formula.predicted))
            costs[:, true, predicted] = formula.evaluate(
                columns, n_rows, path=path, first_row=first_row
            )
        return costs

    def to_json(self) -> list[list[str]]:
        """The formulas as plain data: true label, predicted label, cost.

        Returns
        -------
        list of lists of three str
        """
        return [
            [str(formula.true), str(formula.predicted), formula.expression]
            for formula in self.formulas
        ]

    @classmethod
    def from_json(
        cls, value: Any, classes: Sequence[Any], actions: Sequence[Any] = ()
    ) -> Self:
        """Formulas from plain data, which is checked: a file may hold anything.

        Parameters
        ----------
        value : list
            From `to_json`.
        classes, actions : sequences of labels
            Those of the model.

        Returns
        -------
        RowCostFormulas
        """
        names = tuple(map(str, classes))
        answers = (*names, *map(str, actions))
        if not isinstance(value, list) or len(value) > _MOST:
            raise FormulaError("the model's cost formulas are invalid.")
        formulas = []
        for cell in value:
            if (
                not isinstance(cell, list)
                or len(cell) != 3
                or not all(isinstance(part, str) for part in cell)
                or cell[0] not in names
                or cell[1] not in answers
                or len(cell[2]) > _LONGEST
            ):
                raise FormulaError("the model's cost formulas are invalid.")
            formula = CostFormula(*cell)
            _parsed(formula.expression, formula.text)
            formulas.append(formula)
        return cls(names, answers[len(names) :], tuple(formulas))


def _with_labels(
    formula: CostFormula, classes: tuple[str, ...], positive: Any
) -> CostFormula:
    """The formula with labels instead of an outcome, checked."""
    if formula.outcome is not None:
        if len(classes) != 2:
            raise _bad(
                formula.text,
                f"{formula.outcome} is for two classes, and there are {len(classes)}; "
                "write it as 'true>predicted = cost'.",
            )
        if positive is None or str(positive) not in classes:
            raise _bad(
                formula.text,
                f"name the positive class, {classes[0]!r} or {classes[1]!r}, with "
                f"{argument('positive')}.",
            )
        negative = classes[classes[0] == str(positive)]
        true, predicted = (
            str(positive) if is_positive else negative
            for is_positive in OUTCOMES[formula.outcome]
        )
        return replace(formula, true=true, predicted=predicted, outcome=None)
    if formula.true is not None and formula.true not in classes:
        near = get_close_matches(formula.true, classes, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"the classes are {classes}."
        raise _bad(formula.text, f"{formula.true!r} is not a class; {hint}")
    return formula


def _extra(
    formulas: Sequence[CostFormula], classes: tuple[str, ...]
) -> tuple[str, ...]:
    """Predicted labels that are not classes, in order of appearance."""
    predicted = (
        formula.predicted for formula in formulas if formula.predicted is not None
    )
    return tuple(dict.fromkeys(name for name in predicted if name not in classes))


def _formula_of(
    formulas: Sequence[CostFormula], true: str, predicted: str, classes: tuple[str, ...]
) -> CostFormula | None:
    """The most specific formula for a cell; None for a free correct answer."""
    levels: list[list[CostFormula]] = [[], [], []]
    for formula in formulas:
        wildcards = (formula.true is None) + (formula.predicted is None)
        if wildcards and true == predicted:
            continue
        if formula.predicted is None and predicted not in classes:
            continue
        if formula.true in (None, true) and formula.predicted in (None, predicted):
            levels[wildcards].append(formula)
    matching = next((level for level in levels if level), [])
    if len(matching) > 1:
        pair = f"{_shown_label(true)}>{_shown_label(predicted)}"
        raise FormulaError(
            f"{argument('cost')}: {matching[0].text!r} and {matching[1].text!r} both "
            f"give the cost of {pair}; give that cost once, without wildcards."
        )
    if not matching and true != predicted:
        pair = f"{_shown_label(true)}>{_shown_label(predicted)}"
        raise FormulaError(
            f"{argument('cost')}: predicting {predicted!r} for a true {true!r} has no "
            f"cost; add '{pair} = ...'."
        )
    return matching[0] if matching else None


def row_cost_matrices(
    table: Any,
    formulas: Sequence[str | CostFormula] | RowCostFormulas,
    classes: Sequence[Any] | None = None,
    *,
    positive: Any = None,
    actions: Sequence[str] | None = None,
) -> Numbers:
    """Cost matrices of the rows of a table, by formulas over its columns.

    Parameters
    ----------
    table : DataFrame, or mapping of name and array
        With the columns that the formulas need, as numbers.
    formulas : sequence of str, or RowCostFormulas
        Such as ``["default>paid = 0.75 * balance", "paid>default = 20"]``. ``*`` stands
        for any class, but never makes a correct answer cost something. For two classes
        ``tn``, ``fp``, ``fn`` and ``tp`` are also allowed. Correct answers without a
        formula cost nothing.
    classes : sequence of labels
        All classes, in the order of the matrices: sorted, for `fit` and `predict`.
    positive : label, default=None
        The positive class, if formulas name ``fn`` or the like.
    actions : sequence of str, default=None
        Extra actions; by default the predicted labels that are not classes.

    Returns
    -------
    array of shape (n, K, A)
        ``costs[row, true, predicted]``.

    See Also
    --------
    row_matrices : Check one cost matrix per row and put them into the order of sorted
        classes.
    softcost.search.SoftCostClassifierCV : Uses them in ``fit`` and ``predict``.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.costs import row_cost_matrices
    >>> loans = pd.DataFrame({"balance": [100.0, 4000.0]})
    >>> row_cost_matrices(
    ...     loans,
    ...     ["default>paid = 0.75 * balance", "paid>default = 20", "*>ask = 5"],
    ...     ["default", "paid"],
    ... )
    array([[[   0.,   75.,    5.],
            [  20.,    0.,    5.]],
    <BLANKLINE>
           [[   0., 3000.,    5.],
            [  20.,    0.,    5.]]])
    """
    if not isinstance(formulas, RowCostFormulas):
        if isinstance(formulas, str | CostFormula):
            formulas = [formulas]
        if classes is None:
            raise TypeError("classes is missing; pass all labels, in sorted order.")
        formulas = RowCostFormulas.resolve(
            formulas, list(classes), positive=positive, actions=actions
        )
    import pandas as pd  # imported late: importing softcost does not need it

    frame = table if isinstance(table, pd.DataFrame) else pd.DataFrame(dict(table))
    columns = {}
    for name in formulas.columns:
        if name in frame:
            values = frame[name]
            if not pd.api.types.is_numeric_dtype(values.dtype):
                raise TypeError(
                    f"column {name!r} holds {values.dtype}, but a cost formula needs "
                    "numbers; convert it first."
                )
            columns[name] = values.to_numpy(float, na_value=np.nan)
    return formulas.matrices(columns, len(frame))
