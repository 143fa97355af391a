"""Cost matrices of the rows of a table: formulas, and how their columns are read."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd

from softcost.costs import CostFormula, FormulaError, RowCostFormulas
from softcost.costs.formula import OUTCOMES
from softcost.errors import argument
from softcost.tables import KINDS, ColumnOverrides, RowParser
from softcost.tables.cells import Kind
from softcost.tables.columns import column, typed_columns
from softcost.tables.infer import infer_kinds
from softcost.tables.kinds import Number
from softcost.tables.row_parser import Row


@dataclass(frozen=True)
class TableCosts:
    """Cost formulas of a table.

    Attributes
    ----------
    formulas : RowCostFormulas
        One for every cell of the cost matrix that costs something.
    kinds : dict
        The columns that they need, and how their numbers are written.
    tokens : frozenset of str
        Cells to treat as missing, beside the usual ones.
    """

    formulas: RowCostFormulas
    kinds: dict[str, Kind]
    tokens: frozenset[str] = frozenset()

    @classmethod
    def of_table(
        cls,
        formulas: RowCostFormulas,
        raw: pd.DataFrame,
        path: str,
        overrides: ColumnOverrides | None = None,
    ) -> Self:
        """Find out how the columns of a table are written."""
        names = list(formulas.columns)
        for formula in formulas.formulas:
            for name in formula.columns:
                column(raw, name, f"{argument('cost')} {formula.text!r}: column", path)
        overrides = ColumnOverrides() if overrides is None else overrides
        numbers = replace(overrides, number=frozenset(names), nominal=frozenset())
        numbers = replace(numbers, dates={})
        return cls(formulas, infer_kinds(raw[names], numbers), overrides.tokens)

    def matrices(self, raw: pd.DataFrame, path: str, first_row: int = 0) -> np.ndarray:
        """Cost matrices of raw rows, shape (n, K, A)."""
        typed = typed_columns(raw, self.kinds, path, first_row, self.tokens)
        columns = {name: typed[name].to_numpy(float) for name in self.kinds}
        return self.formulas.matrices(columns, len(raw), path=path, first_row=first_row)

    def matrices_of_rows(self, rows: Sequence[Row], path: str) -> np.ndarray:
        """Cost matrices of rows that are mappings, such as JSON objects."""
        numbers, _ = self._parser.read(rows)
        columns = dict(zip(self.kinds, numbers.T, strict=True))
        return self.formulas.matrices(columns, len(rows), path=path)

    @cached_property
    def _parser(self) -> RowParser:
        return RowParser(self.kinds, self.tokens)

    def to_json(self) -> dict[str, Any]:
        """As plain data, for the notes of a model."""
        return {"formulas": self.formulas.to_json(), "columns": self.kinds}

    @classmethod
    def from_json(
        cls,
        value: Any,
        classes: Sequence[Any],
        actions: Sequence[Any],
        tokens: frozenset[str],
    ) -> Self:
        """From plain data, which is checked: a file may hold anything."""
        kinds = value.get("columns") if isinstance(value, dict) else None
        if not isinstance(kinds, dict) or not all(
            isinstance(kind, str) and kind in KINDS and isinstance(KINDS[kind], Number)
            for kind in kinds.values()
        ):
            raise FormulaError("the columns of the model's cost formulas are invalid.")
        formulas = RowCostFormulas.from_json(value.get("formulas"), classes, actions)
        if set(formulas.columns) != set(kinds):
            raise FormulaError("the columns of the model's cost formulas are invalid.")
        return cls(formulas, kinds, tokens)


def rarest_class(labels: np.ndarray) -> str | None:
    """The class with the fewest rows; None in a tie."""
    names, counts = np.unique(labels, return_counts=True)
    rarest = names[counts == counts.min()]
    return str(rarest[0]) if len(rarest) == 1 else None


def formulas_of_columns(
    raw: pd.DataFrame, prefix: str, classes: Sequence[Any]
) -> list[CostFormula] | None:
    """Formulas for cost columns that hold whole matrices; None if they do not.

    Columns hold whole matrices if their names go on with ``true>predicted``, or for two
    classes with tn, fp, fn and tp. Otherwise they go on with the name of an answer, and
    hold its cost given the true class of the row.
    """
    rests = {
        str(name): str(name)[len(prefix) :].strip()
        for name in raw.columns
        if str(name).startswith(prefix)
    }
    names = {str(label) for label in classes}
    if not rests or names <= set(rests.values()):
        return None
    outcomes = {rest.lower() for rest in rests.values()}
    by_outcome = len(names) == 2 and {"fn", "fp"} <= outcomes <= set(OUTCOMES)
    if not by_outcome and not all(">" in rest for rest in rests.values()):
        return None
    return [
        replace(
            CostFormula.parse(f"{rest} = 0"),
            expression="`" + name.replace("`", "``") + "`",
        )
        for name, rest in rests.items()
    ]


class CostSource:
    """Costs by row for a table that is not known yet.

    Its first piece determines how numbers are written, and which columns hold costs.

    Parameters
    ----------
    formulas : RowCostFormulas or None
        None if ``prefix`` names columns.
    prefix : str, default=None
        How the names of cost columns begin.
    classes, actions : sequences of labels
        In the order of the matrices.
    positive : str or None
        The positive class of tn, fp, fn and tp.
    """

    def __init__(
        self,
        formulas: RowCostFormulas | None,
        prefix: str | None = None,
        classes: Sequence[Any] = (),
        actions: Sequence[Any] = (),
        positive: str | None = None,
    ) -> None:
        self._formulas, self._prefix, self._positive = formulas, prefix, positive
        self._classes, self._actions = classes, actions
        self._costs: TableCosts | None = None

    def matrices(self, raw: pd.DataFrame, path: str, first_row: int = 0) -> np.ndarray:
        """Cost matrices of raw rows, shape (n, K, A)."""
        if self._costs is None:
            self._costs = TableCosts.of_table(self._resolved(raw, path), raw, path)
        return self._costs.matrices(raw, path, first_row)

    def _resolved(self, raw: pd.DataFrame, path: str) -> RowCostFormulas:
        if self._formulas is not None:
            return self._formulas
        assert self._prefix is not None
        formulas = formulas_of_columns(raw, self._prefix, self._classes)
        if formulas is None:
            raise ValueError(
                f"{argument('cost_columns')} {self._prefix!r} does not begin the names "
                f"of columns of {path} with a whole cost matrix; name them "
                f"{self._prefix}TRUE>PREDICTED, or for two classes {self._prefix}fn, "
                f"{self._prefix}fp, {self._prefix}tn and {self._prefix}tp."
            )
        return RowCostFormulas.resolve(
            formulas, self._classes, positive=self._positive, actions=self._actions
        )
