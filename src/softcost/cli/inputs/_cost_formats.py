"""Cost files as they are written: CSV, JSON, TOML or YAML, to costs by class name."""

import csv
import json
import tomllib
from collections.abc import Callable
from typing import Any

from softcost.cli.inputs._csv import separator_of

CostsByName = dict[str, dict[str, Any]]  # {true: {predicted: cost}}, not yet checked

_FORM = "write {true: {predicted: price}}"


def from_csv(text: str, path: str) -> CostsByName:
    """From a table with predicted classes in the header and true ones in rows."""
    header, *rows = _csv_cells(text, path)
    names = header[1:]
    costs: CostsByName = {}
    for true, *cells in rows:
        if len(cells) != len(names):
            raise ValueError(
                f"{path} has {len(cells)} prices for {len(names)} predicted classes "
                f"in the row {true!r}; give one price per class."
            )
        if true in costs:
            raise ValueError(f"{path} has more than one row {true!r}; keep one.")
        costs[true] = dict(zip(names, cells, strict=True))
    if len(set(names)) < len(names):
        raise ValueError(f"{path} names a predicted class twice in its header.")
    return costs


def _csv_cells(text: str, path: str) -> list[list[str]]:
    """Stripped cells of a header and at least one row; no comments, no empty rows."""
    lines = text.splitlines()
    while lines and (lines[0].startswith("#") or not lines[0].strip()):
        lines.pop(0)
    separator = separator_of(lines[0], path) if lines else ","
    try:
        table = [
            [cell.strip() for cell in row]
            for row in csv.reader(lines, delimiter=separator, strict=True)
            if any(cell.strip() for cell in row)
        ]
    except csv.Error as error:
        raise ValueError(f"{path} is not a CSV table ({error}).") from None
    if len(table) < 2:
        raise ValueError(
            f"{path} is empty; give it a header with the predicted classes and one row "
            "per true class."
        )
    return table


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
    """Text only, and no class twice, where YAML would keep the last."""

    class Loader(yaml.BaseLoader):
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
