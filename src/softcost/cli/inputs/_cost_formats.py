"""Price lists as they are written, table or JSON or the like, to prices by name."""

import csv
import json
import tomllib
from collections.abc import Callable, Sequence
from typing import Any

from softcost.cli.inputs._csv import separator_of
from softcost.cli.inputs._numbers import Decimal, decimal_evidence, read_number

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
