"""Cost matrices from files, by class name."""

import csv
import json
import tomllib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from softcost.costs.matrix import check_cost_matrix, consistency_weights, is_consistent
from softcost.errors import argument
from softcost.files import existing_file
from softcost.formatting import quoted_names
from softcost.tables.cells import Decimal, Tell, decimal_evidence, read_number, silent
from softcost.tables.columns import as_boolean, typed_columns
from softcost.tables.infer import ColumnOverrides, infer_kinds
from softcost.tables.read import find_encoding, separator_of, sheet_rows

# Price lists as they are written, table or JSON or the like, to prices by name.


CostsByName = dict[str, dict[str, Any]]  # {true: {predicted: cost}}, not yet checked

_FORM = "write {true: {predicted: price}}"


def from_csv(text: str, path: str) -> CostsByName:
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
) -> CostsByName:
    """From a table of cells, as a matrix or a list.

    A matrix has the predicted classes in its header and true ones in front of its rows;
    a list has three columns: the true class, the predicted one, the price.

    Parameters
    ----------
    decimal : {".", ","}
        What 1.234 and 1,234 mean where no other price tells.
    """
    rows = [[_text(cell) for cell in row] for row in table]
    rows = [row for row in rows if any(row)]
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
        return _from_list(rest, path, decimal)
    return _from_table(header[1:], rest, path, decimal)


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


def _price_reader(cells: list[str], decimal: Decimal) -> Callable[[str], float | str]:
    """How prices are read; what is no price stays text."""
    counts = decimal_evidence(cells)
    if counts["."] != counts[","]:
        decimal = "." if counts["."] > counts[","] else ","

    def read(cell: str) -> float | str:
        number = read_number(cell, decimal)
        return cell if number is None else number

    return read


def from_json(text: str, path: str) -> CostsByName:
    """From strict JSON, in which no class is named twice."""

    def pairs(items: list) -> dict:
        found = dict(items)
        if len(found) < len(items):
            raise ValueError("a class is named twice")
        return found

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is no price")

    try:
        value = json.loads(text, object_pairs_hook=pairs, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not a JSON price list ({error}).") from None
    return _from_value(value, path)


def from_toml(text: str, path: str) -> CostsByName:
    """From TOML."""
    try:
        return _from_value(tomllib.loads(text), path)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ValueError(f"{path} is not a TOML price list ({error}).") from None


def from_yaml(text: str, path: str) -> CostsByName:
    """From YAML, with PyYAML where it is installed."""
    try:
        import yaml
    except ImportError:
        raise ValueError(
            f"{path} needs PyYAML: pip install 'softcost[yaml]', or write the prices "
            "as CSV, JSON or TOML."
        ) from None
    try:
        # Everything is text: a class called "no" is not the value false.
        value = yaml.load(text, Loader=_yaml_loader(yaml))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"{path} is not a YAML price list ({reason}).") from None
    return _from_value(value, path)


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
            found = super().construct_mapping(node, deep=deep)
            if len(found) < len(node.value):
                raise ValueError("a class is named twice")
            return found

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
        str(true).strip(): {str(name).strip(): one for name, one in row.items()}
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


FORMATS: dict[str, Callable[[str, str], CostsByName]] = {
    ".csv": from_csv,
    ".tsv": from_csv,
    ".json": from_json,
    ".toml": from_toml,
    ".yaml": from_yaml,
    ".yml": from_yaml,
}


def read_costs(path: str, tell: Tell = silent) -> pd.DataFrame:
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
    frame = _matrix(_costs_by_name(place, path, tell), path)
    frame = from_best_answer(frame, tell, path)
    names = sorted(frame.index)
    actions = actions_of(frame)
    for name in actions:
        tell(f"{name!r} has no row in {path}: it is an answer that is no class.")
    try:
        known = np.array(names, dtype=str)
        check_cost_matrix(frame, known, actions=actions or None)
    except (ValueError, TypeError) as error:
        words = str(error).replace("cost_matrix", "the price list")
        raise ValueError(f"{path}: {words}") from None
    return frame.loc[names, [*names, *actions]]


def actions_of(matrix: pd.DataFrame) -> list[str]:
    """Answers beyond the classes: columns of a price list that are no rows."""
    return [name for name in matrix.columns if name not in matrix.index]


def _costs_by_name(place: Path, path: str, tell: Tell) -> CostsByName:
    ending = place.suffix.lower()
    if ending in (".xlsx", ".xlsm"):
        with sheet_rows(path, tell) as rows:
            table = list(rows)
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
        text = place.read_text(encoding=find_encoding(path, tell))
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


def _matrix(costs: CostsByName, path: str) -> pd.DataFrame:
    names = list(costs)
    predicted = dict.fromkeys(name for row in costs.values() for name in row)
    unpaired = [name for name in names if name not in predicted]
    if len(names) > 1 and unpaired:
        raise ValueError(
            f"{path} names {unpaired[0]!r} as a true class only; give every class a "
            "row and a column."
        )
    answers = [*names, *(name for name in predicted if name not in costs)]
    values = [
        [_cost(costs[true].get(name), true, name, path) for name in answers]
        for true in names
    ]
    return pd.DataFrame(values, index=names, columns=answers, dtype=float)


def _cost(value: Any, true: str, predicted: str, path: str) -> float:
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
        number = read_number(value) if isinstance(value, str) else None
        return float(value) if number is None else number
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
    found = [name for name in raw.columns if str(name).startswith(prefix)]
    if len(found) < 2:
        raise ValueError(
            f"{argument('cost_columns')} {prefix!r} begins the name of {len(found)} "
            f"columns of {path}; give one such column per class."
        )
    decimal = None if overrides is None else overrides.decimal
    numbers = ColumnOverrides(number=frozenset(map(str, found)), decimal=decimal)
    costs = typed_columns(raw, infer_kinds(raw[found], numbers), path)
    costs.columns = [name[len(prefix) :].strip() for name in map(str, found)]
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
        near = [name for name in spare if _form(name) == _form(label)]
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
    known = [str(name) for name in names]
    unknown = sorted({str(label) for label in labels} - set(known))
    if unknown:
        raise ValueError(
            f"{argument('target')} {target!r} of {data} has classes without a price, "
            f"{quoted_names(unknown)}; {path} has prices for {quoted_names(known)}: "
            "add what is missing, or correct the table."
        )


def _form(name: str) -> str:
    """What is left of a name that went through a spreadsheet."""
    number = read_number(name)
    if number is not None:
        return str(number)
    return as_boolean(" ".join(name.split())).casefold()


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
            name for name, one in zip(names, np.diagonal(costs), strict=True) if one > 0
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
    for one, name in enumerate(names):
        own = costs[:, [one]]
        better = (costs <= own).all(axis=0) & (costs < own).any(axis=0)
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
    for one, name in enumerate(names):
        others = [other for other in range(n_answers) if other != one]
        gain = (costs[:, others] - costs[:, [one]]).T / scale
        found = linprog(
            np.r_[np.zeros(size), -1.0],
            A_ub=np.c_[-gain, np.ones(len(others))],
            b_ub=np.zeros(len(others)),
            A_eq=[np.r_[np.ones(size), 0.0]],
            b_eq=[1.0],
            bounds=[(0, None)] * size + [(None, None)],
        )
        if found.status == 0 and -found.fun <= 1e-9:
            out.append(name)
    return out
