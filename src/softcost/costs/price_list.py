"""Cost matrices from files, by class name."""

import csv
import json
import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

from softcost._extras import install_hint
from softcost.costs.matrix import check_cost_matrix, consistency_weights, is_consistent
from softcost.errors import argument
from softcost.files import existing_file
from softcost.formatting import quoted_names
from softcost.tables.cells import Decimal, Tell, decimal_evidence, read_number, silent
from softcost.tables.columns import typed_columns
from softcost.tables.infer import ColumnOverrides, infer_kinds
from softcost.tables.read import find_encoding, separator_of, sheet_rows
from softcost.tables.spelling import merge_option, plain_form, similar_names

# Price lists as they are written, table or JSON or the like, to prices by name.


CostsByName = dict[str, dict[str, Any]]  # {true: {predicted: cost}}, not yet checked
Side = Literal["true", "predicted"]
Bound = Literal["low", "middle", "high"]

_FORM = "write {true: {predicted: price}}"


@dataclass(frozen=True)
class WrittenCosts:
    """A price list as it was written, with true classes first.

    Attributes
    ----------
    by_name : dict
        ``{true: {predicted: cost}}``, not yet checked.
    orientation : {"true", "predicted", None}
        What the rows hold according to the file; None if it does not say.
    """

    by_name: CostsByName
    orientation: Side | None = None


# Words in the corner of a table say which classes are in its rows.


_OTHER_SIDE: dict[Side, Side] = {"true": "predicted", "predicted": "true"}
# Beginnings of words, in lower case and without accents: English, German, French,
# Spanish, Italian, Portuguese, Dutch, Polish and Scandinavian languages.
_SIDES: dict[Side, tuple[str, ...]] = {
    "predicted": (
        "predi", "predy", "prev", "forecast", "answer", "decision", "decided",
        "assigned", "classified", "guess", "vorherg", "vorhers", "prognos",
        "geschatzt", "entscheidung", "pronost", "estim", "voorspel", "przewid",
        "forudsag", "forutsag",
    ),
    "true": (
        "true", "truth", "actual", "real", "observed", "gold", "reference", "wahr",
        "tatsach", "wirklich", "echt", "vrai", "verit", "observe", "verdad", "vero",
        "vera", "effettiv", "werkelijk", "feitelijk", "waar", "rzeczywist", "prawdziw",
        "verklig", "virkelig", "faktisk", "sann",
    ),
}  # fmt: skip
_ROW_WORDS = ("row", "zeile", "ligne", "fila", "riga", "righe", "linha", "rij")
_COLUMN_WORDS = ("col", "spalte", "kolom", "kolumn")
_CORNER_TOKEN = re.compile(r"[^\W\d_]+|↓|→|⇓|⇒|↧|↦|->|=>")


def rows_hold(corner: str) -> Side | None:
    """What the rows of a table hold, by the words in its corner; None if unclear.

    ``A \\ B`` has A in rows and B in columns, whatever is between them; arrows and the
    words "rows" and "columns" overrule the order.

    Examples
    --------
    >>> rows_hold("predicted \\\\ true"), rows_hold("actual class")
    ('predicted', 'true')
    >>> rows_hold("predicted → / true ↓"), rows_hold("EUR") is None
    ('true', True)
    """
    in_rows: dict[Side, bool] = {}
    said: Side | None = None
    ahead: bool | None = None  # whether the next class word is in rows
    order: list[Side] = []
    arrows = 0
    for token in _CORNER_TOKEN.findall(corner):
        word = _plain_word(token)
        side = next((side for side in _SIDES if word.startswith(_SIDES[side])), None)
        if side is not None:
            said = side
            order.append(side)
            if ahead is not None:
                in_rows.setdefault(side, ahead)
                ahead = None
        elif word.startswith(_ROW_WORDS):
            ahead = True
        elif word.startswith(_COLUMN_WORDS):
            ahead = False
        elif not word.isalpha():
            arrows += 1
            if said is not None:
                in_rows.setdefault(said, token in "↓⇓↧")
    if arrows == 1 and len(set(order)) == 2 and {*in_rows.values()} == {False}:
        return None  # "predicted -> true" may mean either
    for side, rows in in_rows.items():
        return side if rows else _OTHER_SIDE[side]
    return order[0] if order else None


def _plain_word(text: str) -> str:
    """In lower case and without accents."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in parts if not unicodedata.combining(letter))


def _transposed(costs: CostsByName) -> CostsByName:
    """``{b: {a: cost}}`` from ``{a: {b: cost}}``."""
    turned: CostsByName = {}
    for first, row in costs.items():
        for second, cost in row.items():
            turned.setdefault(second, {})[first] = cost
    return turned


# Tables.


def from_csv(text: str, path: str) -> WrittenCosts:
    """From a table, see `from_cells`; comments before it are left out."""
    lines = text.splitlines()
    while lines and (_is_comment(lines[0]) or not lines[0].strip(' ,;\t"')):
        lines.pop(0)
    separator = separator_of(lines[0], path) if lines else ","
    try:
        table = list(csv.reader(lines, delimiter=separator, strict=True))
    except csv.Error as error:
        raise ValueError(f"{path} is not a CSV table ({error}).") from None
    return from_cells(table, path, "," if separator == ";" else ".")


def _is_comment(line: str) -> bool:
    """Whether a line begins with #, quoted perhaps by a spreadsheet."""
    return line.lstrip(' "').startswith("#")


def from_cells(
    table: Sequence[Sequence[Any]], path: str, decimal: Decimal = "."
) -> WrittenCosts:
    """From a table of cells, as a matrix or a list.

    A matrix has the predicted classes in its header and true ones in front of its rows,
    unless its corner says otherwise; a list has three columns: the true class, the
    predicted one, the price, unless its header says otherwise.

    Parameters
    ----------
    decimal : {".", ","}
        What 1.234 and 1,234 mean where no other price tells.
    """
    rows = [[_text(cell) for cell in row] for row in table]
    rows, margin = _without_margins([row for row in rows if any(row)])
    width = max((_used(row) for row in rows), default=0)
    if len(rows) < 2:
        raise ValueError(
            f"{path} is empty; give it a header with the predicted classes and one row "
            "per true class."
        )
    for row in rows:
        if len(row) < width:
            raise ValueError(
                f"{path} has {len(row) - 1} prices for {width - 1} predicted classes "
                f"in the row {row[0]!r}; give one price per class."
            )
    rows = [row[:width] for row in rows]
    if len(rows) == width and all(
        read_number(cell) is not None for row in rows for cell in row
    ):
        raise ValueError(
            f"{path} has prices but no names of classes; give it a header with the "
            "predicted classes and begin every row with the true one, or fill in what "
            "'softcost costs template' writes."
        )
    header, *rest = rows
    if width == 3 and not {row[0] for row in rest} & set(header[1:]):
        sides = [rows_hold(cell) for cell in header]
        swapped = sides[0] == "predicted" or (sides[0] is None and sides[1] == "true")
        if swapped:
            rest = [[second, first, price] for first, second, price in rest]
        side = _OTHER_SIDE[sides[1]] if sides[0] is None and sides[1] else sides[0]
        return WrittenCosts(_from_list(rest, path, decimal), side)
    side = rows_hold(header[0]) or margin
    costs = _from_table(header[1:], rest, path, decimal)
    return WrittenCosts(_transposed(costs) if side == "predicted" else costs, side)


def _without_margins(rows: list[list[str]]) -> tuple[list[list[str]], Side | None]:
    """A table without titles above and beside it, and what they say of its rows.

    A title is the only text of its row or column, such as "predicted" over the header.
    """
    side = None
    while len(rows) > 2 and max(map(_used, rows[1:])) >= 3 and _n_texts(rows[0]) == 1:
        title, *rows = rows
        place = _used(title) - 1
        on_top = rows_hold(title[place]) if place else None
        side = _OTHER_SIDE[on_top] if on_top else side
    width = max((_used(row) for row in rows), default=0)
    first = [row[0] for row in rows]
    if width >= 4 and _n_texts(first) == 1:
        side = rows_hold(first[_used(first) - 1]) or side
        rows = [row[1:] for row in rows]
    return rows, side


def _n_texts(cells: Iterable[str]) -> int:
    return sum(map(bool, cells))


def _text(cell: Any) -> str:
    """A cell as text: 1 for 1.0, and nothing for an empty one."""
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        cell = int(cell)
    return "" if cell is None else str(cell).strip()


def _used(row: Sequence[str]) -> int:
    """How many cells there are up to the last that is not empty."""
    return max((place + 1 for place, cell in enumerate(row) if cell), default=0)


def _from_table(
    names: list[str], rows: list[list[str]], path: str, decimal: Decimal
) -> CostsByName:
    read = _price_reader([cell for row in rows for cell in row[1:]], decimal)
    costs: CostsByName = {}
    for true, *cells in rows:
        if any(cell for name, cell in zip(names, cells, strict=True) if not name):
            raise ValueError(
                f"{path} has {_used(cells)} prices for {_used(names)} predicted "
                f"classes in the row {true!r}; give one price per class."
            )
        if true in costs:
            raise ValueError(f"{path} has more than one row {true!r}; keep one.")
        costs[true] = {
            name: read(cell) for name, cell in zip(names, cells, strict=True) if name
        }
    if len(set(names) - {""}) < len([name for name in names if name]):
        raise ValueError(f"{path} names a predicted class twice in its header.")
    return costs


def _from_list(rows: list[list[str]], path: str, decimal: Decimal) -> CostsByName:
    read = _price_reader([row[2] for row in rows], decimal)
    names = dict.fromkeys(name for row in rows for name in row[:2])
    costs: CostsByName = {name: {name: None} for name in names}
    seen = set()
    for true, predicted, price in rows:
        if (true, predicted) in seen:
            raise ValueError(
                f"{path} has more than one price for predicting {predicted!r} for a "
                f"true {true!r}; keep one."
            )
        seen.add((true, predicted))
        costs[true][predicted] = read(price)
    return costs


@dataclass(frozen=True)
class PriceRange:
    """A price that is known only within limits, such as "5 to 20"."""

    low: float
    high: float

    def at(self, bound: Bound) -> float:
        """One of its ends, or the middle."""
        if bound == "middle":
            return (self.low + self.high) / 2
        return self.low if bound == "low" else self.high


_RANGE = re.compile(
    r"(?P<low>.*?\d[^\d]*?)\s*(?:\bto\b|\bbis\b|\btot\b|\bà\b|\.{2,3}|…|-|\u2013|\u2014)"
    r"\s*(?P<high>.*\d.*)"
)


def read_price(text: str, decimal: Decimal = ".") -> float | PriceRange | None:
    """A price or a range of prices; None for another text.

    Examples
    --------
    >>> read_price("5 EUR"), read_price("5 to 20"), read_price("5-20 EUR").high
    (5.0, PriceRange(low=5.0, high=20.0), 20.0)
    """
    number = read_number(text, decimal)
    written = None if number is not None else _RANGE.fullmatch(text.strip())
    if written is None:
        return number
    low, high = (
        read_number(written[name].strip(), decimal) for name in ("low", "high")
    )
    if low is None or high is None or low > high:
        return None
    return PriceRange(low, high)


def _price_reader(
    cells: list[str], decimal: Decimal
) -> Callable[[str], float | PriceRange | str]:
    """How prices are read; what is no price stays text."""
    counts = decimal_evidence(cells)
    if counts["."] != counts[","]:
        decimal = "." if counts["."] > counts[","] else ","

    def read(cell: str) -> float | PriceRange | str:
        price = read_price(cell, decimal)
        return cell if price is None else price

    return read


def from_json(text: str, path: str) -> WrittenCosts:
    """From strict JSON, in which no class is named twice."""

    def pairs(items: list) -> dict:
        named = dict(items)
        if len(named) < len(items):
            raise ValueError("a class is named twice")
        return named

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is no price")

    try:
        value = json.loads(text, object_pairs_hook=pairs, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not a JSON price list ({error}).") from None
    return WrittenCosts(_from_value(value, path))


def from_toml(text: str, path: str) -> WrittenCosts:
    """From TOML."""
    try:
        return WrittenCosts(_from_value(tomllib.loads(text), path))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ValueError(f"{path} is not a TOML price list ({error}).") from None


def from_yaml(text: str, path: str) -> WrittenCosts:
    """From YAML, with PyYAML where it is installed."""
    try:
        import yaml
    except ImportError:
        raise ValueError(
            f"{path} needs PyYAML: {install_hint('yaml')}, or write the prices "
            "as CSV, JSON or TOML."
        ) from None
    try:
        # Everything is text: a class called "no" is not the value false.
        value = yaml.load(text, Loader=_yaml_loader(yaml))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"{path} is not a YAML price list ({reason}).") from None
    return WrittenCosts(_from_value(value, path))


def _yaml_loader(yaml: Any) -> Any:
    """Text only, no class twice, where YAML would keep the last, and no aliases.

    Aliases of aliases make billions of cells of a few lines.
    """

    class Loader(yaml.BaseLoader):
        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                raise ValueError("aliases are not read: write the prices themselves")
            return super().compose_node(parent, index)

        def construct_mapping(self, node: Any, deep: bool = False) -> dict:
            mapping = super().construct_mapping(node, deep=deep)
            if len(mapping) < len(node.value):
                raise ValueError("a class is named twice")
            return mapping

    return Loader


def _from_value(value: Any, path: str) -> CostsByName:
    """From ``{true: {predicted: cost}}``, or from names and rows."""
    if isinstance(value, dict) and set(value) == {"classes", "matrix"}:
        return _from_matrix(value["classes"], value["matrix"], path)
    if not isinstance(value, dict) or not value:
        raise ValueError(f"{path} is not a price list; {_FORM}.")
    for true, row in value.items():
        if not isinstance(row, dict):
            raise ValueError(
                f"{path} has no list of predicted classes for {str(true)!r}; {_FORM}."
            )
    return {
        str(true).strip(): {str(name).strip(): cost for name, cost in row.items()}
        for true, row in value.items()
    }


def _from_matrix(classes: Any, matrix: Any, path: str) -> CostsByName:
    names = [str(name).strip() for name in classes] if _is_list(classes) else []
    square = (
        len(set(names)) == len(names) > 0
        and _is_list(matrix, len(names))
        and all(_is_list(row, len(names)) for row in matrix)
    )
    if not square:
        raise ValueError(f"{path} needs one row and one price per class name.")
    return {
        name: dict(zip(names, row, strict=True))
        for name, row in zip(names, matrix, strict=True)
    }


def _is_list(value: Any, size: int | None = None) -> bool:
    return isinstance(value, list) and (size is None or len(value) == size)


FORMATS: dict[str, Callable[[str, str], WrittenCosts]] = {
    ".csv": from_csv,
    ".tsv": from_csv,
    ".json": from_json,
    ".toml": from_toml,
    ".yaml": from_yaml,
    ".yml": from_yaml,
}


def read_costs(
    path: str, tell: Tell = silent, *, bound: Bound = "middle"
) -> pd.DataFrame:
    """Read a price list: the cost of each prediction for each true class.

    Columns without a row of the same name are actions other than predicting a class.
    A cost may be left out on the diagonal only, where it is 0. Lines of a table that
    begin with # before its header are comments. Negative costs are benefits: all costs
    of that true class are then counted from its best answer.

    Parameters
    ----------
    path : str
        A CSV, Excel, JSON, TOML or YAML file.
    tell : callable, default=silent
        Called with a sentence about each assumption, for instance on the encoding.
    bound : {"low", "middle", "high"}, default="middle"
        What to use for a range of prices, such as "5 to 20".

    Returns
    -------
    DataFrame of shape (K, A)
        True classes in rows; classes, then actions, in columns.

    See Also
    --------
    softcost.costs.check_cost_matrix : The checks of a matrix.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from softcost.costs import read_costs
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "prices.csv"
    ...     _ = path.write_text(",ham,spam\\nham,0,9\\nspam,1,0\\n")
    ...     read_costs(str(path))
          ham  spam
    ham   0.0   9.0
    spam  1.0   0.0
    """
    place = existing_file(path)
    written = _written_costs(place, path, tell)
    if written.orientation == "predicted":
        tell(
            f"{path} has predicted classes in its rows, as its first cell says; it was "
            "transposed."
        )
    frame = _matrix(written, path, bound)
    n_ranges = _n_ranges(written)
    if n_ranges:
        if (frame.to_numpy() < 0).any():
            raise ValueError(
                f"{path} has ranges and negative prices; write how much more each "
                "answer costs than the best, which is never negative."
            )
        several = (
            "1 price is a range" if n_ranges == 1 else f"{n_ranges} prices are ranges"
        )
        tell(f"{path}: {several}; the {bound} is used.")
    _tell_most_expensive(frame, written.orientation, tell, path)
    frame = from_best_answer(frame, tell, path)
    names = sorted(frame.index)
    actions = actions_of(frame)
    for name in actions:
        tell(f"{name!r} has no row in {path}, so it is an action, not a class.")
    try:
        classes = np.array(names, dtype=str)
        check_cost_matrix(frame, classes, actions=actions or None)
    except (ValueError, TypeError) as error:
        words = str(error).replace("cost_matrix", "the price list")
        raise ValueError(f"{path}: {words}") from None
    return frame.loc[names, [*names, *actions]]


def actions_of(matrix: pd.DataFrame) -> list[str]:
    """Answers beyond the classes: columns of a price list that are no rows."""
    return [name for name in matrix.columns if name not in matrix.index]


def _written_costs(place: Path, path: str, tell: Tell) -> WrittenCosts:
    ending = place.suffix.lower()
    if ending in (".xlsx", ".xlsm"):
        with sheet_rows(path, tell) as rows:
            table = [cells for _, cells in rows]
        while table and str(table[0][0] or "").startswith("#"):
            table.pop(0)
        width = max(map(len, table), default=0)
        return from_cells([[*row, *[None] * (width - len(row))] for row in table], path)
    read = FORMATS.get(ending)
    if read is None:
        raise ValueError(
            f"{path} has no ending that names a format; call it .csv, .xlsx, .json, "
            ".toml or .yaml."
        )
    try:
        encoding, errors = find_encoding(path, tell)
        text = place.read_text(encoding=encoding, errors=errors)
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not text in UTF-8; convert it first.") from None
    return read(text, path)


def from_best_answer(costs: pd.DataFrame, tell: Tell, path: str) -> pd.DataFrame:
    """Costs whose rows with a negative price begin at zero.

    Adding the same to all prices of a true class (or of an example) changes no
    decision: what is best stays best, by as much.
    """
    least = costs.min(axis=1).clip(upper=0.0)
    if not (least < 0).any():
        return costs
    tell(
        f"{path} has negative prices, which are benefits: where there are some, prices "
        "are counted from the best answer, as what is lost by another one."
    )
    return costs.sub(least, axis=0)


def check_not_free(matrix: pd.DataFrame, path: str) -> None:
    """Refuse costs from which nothing can be learnt."""
    costs = matrix.to_numpy()
    if len(costs) < 2:
        raise ValueError(f"{path} names one class only; name at least two.")
    if not (costs > np.diagonal(costs)[:, None]).any():
        raise ValueError(
            f"{path} says that no mistake costs anything; give mistakes a price."
        )


def _tell_most_expensive(
    frame: pd.DataFrame, orientation: Side | None, tell: Tell, path: str
) -> None:
    """State a mistake whose cost would differ if the price list were transposed."""
    costs = frame[frame.index].to_numpy()
    if orientation == "true" or np.array_equal(costs, costs.T):
        return
    mistakes = ~np.eye(len(costs), dtype=bool)
    largest = mistakes & (costs == costs[mistakes].max())
    # Among equally expensive mistakes, the one that a transposed list contradicts most.
    gap = np.where(largest, np.abs(costs - costs.T), -1.0)
    true, predicted = np.unravel_index(int(gap.argmax()), costs.shape)
    names = [str(name) for name in frame.index]
    words = (
        f"The most expensive mistake: predicting {names[predicted]!r} when the truth "
        f"is {names[true]!r} costs {costs[true, predicted]:g}"
    )
    back = costs[predicted, true]
    words += f" (the reverse {back:g})." if back != costs[true, predicted] else "."
    if orientation is None:
        table = Path(path).suffix.lower() not in (".json", ".toml", ".yaml", ".yml")
        remedy = (
            "write 'predicted \\ true' into its first cell"
            if table
            else "swap true and predicted classes there"
        )
        words += f" If {path} means the reverse, {remedy}."
    tell(words)


def read_cost_range(path: str) -> tuple[pd.DataFrame, pd.DataFrame] | None:
    """The lowest and the highest prices of a list with ranges; None without any.

    Parameters
    ----------
    path : str
        As in `read_costs`.
    """
    if not _n_ranges(_written_costs(existing_file(path), path, silent)):
        return None
    return read_costs(path, bound="low"), read_costs(path, bound="high")


def _n_ranges(written: WrittenCosts) -> int:
    cells = (cell for row in written.by_name.values() for cell in row.values())
    return sum(isinstance(_as_price(cell), PriceRange) for cell in cells)


def _as_price(value: Any) -> Any:
    """A text of JSON and the like as a price, if it is one."""
    price = read_price(value) if isinstance(value, str) else None
    return value if price is None else price


def _matrix(written: WrittenCosts, path: str, bound: Bound) -> pd.DataFrame:
    costs = written.by_name
    names = list(costs)
    predicted = dict.fromkeys(name for row in costs.values() for name in row)
    unpaired = [name for name in names if name not in predicted]
    if len(names) > 1 and unpaired:
        hint = ""
        if written.orientation is None and set(predicted) < set(names):
            hint = (
                "; if the rows are predictions, write 'predicted \\ true' into the "
                "first cell"
            )
        raise ValueError(
            f"{path} names {unpaired[0]!r} as a true class only; give every class a "
            f"row and a column{hint}."
        )
    answers = [*names, *(name for name in predicted if name not in costs)]
    values = [
        [_cost(costs[true].get(name), true, name, path, bound) for name in answers]
        for true in names
    ]
    return pd.DataFrame(values, index=names, columns=answers, dtype=float)


def _cost(value: Any, true: str, predicted: str, path: str, bound: Bound) -> float:
    if value is None or value == "":
        if true == predicted:
            return 0.0
        raise ValueError(
            f"{path} has no price for predicting {predicted!r} for a true {true!r}; "
            "fill it in."
        )
    try:
        if isinstance(value, bool | list | dict):
            raise TypeError
        price = _as_price(value)
        return price.at(bound) if isinstance(price, PriceRange) else float(price)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"{path} has {str(value)[:40]!r} where the price of predicting "
            f"{predicted!r} for a true {true!r} should be; write a number."
        ) from None


# Prices by row, from columns of the table.


def read_cost_columns(
    raw: pd.DataFrame,
    prefix: str,
    path: str,
    overrides: ColumnOverrides | None = None,
    tell: Tell = silent,
) -> pd.DataFrame:
    """Prices by row, in columns that begin with a prefix."""
    columns = [name for name in raw.columns if str(name).startswith(prefix)]
    if len(columns) < 2:
        raise ValueError(
            f"{argument('cost_columns')} {prefix!r} begins the name of {len(columns)} "
            f"columns of {path}; give one such column per class."
        )
    decimal = None if overrides is None else overrides.decimal
    numbers = ColumnOverrides(number=frozenset(map(str, columns)), decimal=decimal)
    costs = typed_columns(raw, infer_kinds(raw[columns], numbers), path)
    costs.columns = [name[len(prefix) :].strip() for name in map(str, columns)]
    return from_best_answer(costs, tell, path)


# Classes of a table and of a price list, which may have been through a spreadsheet.


def match_classes(
    matrix: pd.DataFrame,
    labels: Iterable[str],
    *,
    data: str,
    target: str,
    path: str,
    tell: Tell = silent,
) -> pd.DataFrame:
    """A price list with the classes called as the table calls them.

    Spreadsheets write True as TRUE (or WAHR) and 1 as 1.0: names that differ in this
    way only are the same.

    Parameters
    ----------
    matrix : DataFrame
        Prices by name, rows true classes and columns answers.
    labels : iterable of str
        Of the table.
    data, target, path : str
        The table, its column and the price list, for messages.
    """
    classes = sorted({str(label) for label in labels})
    names = [str(name) for name in matrix.index]
    spare = [name for name in names if name not in classes]
    renamed = {}
    for label in classes:
        if label in names:
            continue
        near = [name for name in spare if plain_form(name) == plain_form(label)]
        if len(near) == 1 and near[0] not in renamed:
            renamed[near[0]] = label
            tell(f"the class {near[0]!r} of {path} is taken for {label!r} of {data}.")
    matrix = matrix.rename(index=renamed, columns=renamed)
    check_priced(classes, matrix.index, data=data, target=target, path=path)
    order = sorted(matrix.index)
    others = [name for name in matrix.columns if name not in matrix.index]
    return matrix.loc[order, [*order, *others]]


def check_priced(
    labels: Iterable[str], names: Iterable[str], *, data: str, target: str, path: str
) -> None:
    """Refuse classes of a table that have no price."""
    priced = [str(name) for name in names]
    unknown = sorted({str(label) for label in labels} - set(priced))
    if unknown:
        raise ValueError(
            f"{argument('target')} {target!r} of {data} has classes without a price, "
            f"{quoted_names(unknown)}; {path} has prices for {quoted_names(priced)}: "
            f"add what is missing, or correct the table.{_merge_hints(unknown, priced)}"
        )


def _merge_hints(unknown: list[str], priced: list[str]) -> str:
    """How to merge classes without a price with classes of a similar name."""
    pairs = [(name, similar_names(name, priced)) for name in unknown]
    hints = [
        f" If {name!r} means {near[0]!r}, pass {merge_option(name, near[0])}."
        for name, near in pairs
        if near
    ]
    return "".join(hints[:3])


# What there is to say of a price list, as plain data.


_MOST_PROGRAMS = 100  # classes; each needs a linear program of its own


def matrix_facts(frame: pd.DataFrame, counts: dict[str, int] | None) -> dict[str, Any]:
    """What there is to say of a matrix, as plain data."""
    square = frame[frame.index]
    costs = square.to_numpy()
    extra = costs - np.diagonal(costs)[:, None]
    mistakes = extra[~np.eye(len(extra), dtype=bool)]
    names = [str(name) for name in frame.index]
    answers = [str(name) for name in frame.columns]
    consistent = len(names) > 1 and is_consistent(square)
    positive = mistakes[mistakes > 0]
    facts: dict[str, Any] = {
        "classes": names,
        "actions": {
            name: [float(frame[name].min()), float(frame[name].max())]
            for name in answers[len(names) :]
        },
        "largest": float(mistakes.max(initial=0.0)),
        "smallest": float(positive.min(initial=np.inf)) if len(positive) else 0.0,
        "free_mistakes": int((mistakes == 0).sum()),
        "right_costs": [
            name
            for name, cost in zip(names, np.diagonal(costs), strict=True)
            if cost > 0
        ],
        "symmetric": bool(np.array_equal(costs, costs.T)),
        "all_equal": bool(len(mistakes) and (mistakes == mistakes[0]).all()),
        "consistent": bool(consistent),
        "weights": dict(zip(names, consistency_weights(square).tolist(), strict=True))
        if consistent
        else None,
        "dominated": _dominated(frame.to_numpy(), answers),
        "never_worthwhile": _never_worthwhile(frame.to_numpy(), answers),
        "class_counts": counts,
        "missing_classes": None,
        "unknown_classes": None,
    }
    if counts is not None:
        facts["missing_classes"] = [name for name in counts if name not in names]
        facts["unknown_classes"] = [name for name in names if name not in counts]
    return facts


def _dominated(costs: np.ndarray, names: list[str]) -> list[dict[str, str]]:
    """Answers never cheaper than another one, whatever is true."""
    out = []
    for answer, name in enumerate(names):
        cost = costs[:, [answer]]
        better = (costs <= cost).all(axis=0) & (costs < cost).any(axis=0)
        if better.any():
            out.append({"class": name, "by": names[int(better.argmax())]})
    return out


def _never_worthwhile(costs: np.ndarray, names: list[str]) -> list[str] | None:
    """Answers that no probabilities make the only cheapest one.

    Answer k is worthwhile iff some probabilities p make ``p @ (C_j - C_k)`` positive
    for all j: a linear program, whose best margin is zero or less otherwise. None where
    there are too many answers to ask.
    """
    from scipy.optimize import linprog

    size, n_answers = costs.shape
    if n_answers < 2:
        return []
    if n_answers > _MOST_PROGRAMS:
        return None
    scale = float(costs.max()) or 1.0
    out = []
    for answer, name in enumerate(names):
        others = [other for other in range(n_answers) if other != answer]
        gain = (costs[:, others] - costs[:, [answer]]).T / scale
        program = linprog(
            np.r_[np.zeros(size), -1.0],
            A_ub=np.c_[-gain, np.ones(len(others))],
            b_ub=np.zeros(len(others)),
            A_eq=[np.r_[np.ones(size), 0.0]],
            b_eq=[1.0],
            bounds=[(0, None)] * size + [(None, None)],
        )
        if program.status == 0 and -program.fun <= 1e-9:
            out.append(name)
    return out
