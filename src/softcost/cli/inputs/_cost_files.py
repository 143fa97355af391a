"""Price lists from files: CSV, JSON, TOML or YAML, by class name."""

import csv
import json
import tomllib
from typing import Any

import numpy as np
import pandas as pd

from softcost.cli.console import existing
from softcost.cli.inputs._csv import separator_of
from softcost.costs import check_cost_matrix

_FORM = "write {true: {predicted: price}}"


def read_prices(path: str) -> pd.DataFrame:
    """A checked matrix, rows true and columns predicted classes, both by name.

    A price may be left out on the diagonal only, where it is 0. Lines of a CSV file
    that begin with # before its header are comments.
    """
    place = existing(path)
    suffix = place.suffix.lower()
    readers = {
        ".csv": _from_csv,
        ".tsv": _from_csv,
        ".json": _from_json,
        ".toml": _from_toml,
        ".yaml": _from_yaml,
        ".yml": _from_yaml,
    }
    if suffix not in readers:
        raise ValueError(
            f"{path} has no ending that names a format; call it .csv, .json, .toml or "
            ".yaml."
        )
    try:
        text = place.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not text in UTF-8; convert it first.") from None
    frame = readers[suffix](text, path)
    try:
        names = sorted(frame.index)
        check_cost_matrix(frame, np.array(names, dtype=str))
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path}: {error}") from None
    return frame.loc[names, names]


def check_worth(frame: pd.DataFrame, path: str) -> None:
    """Refuse prices at which nothing can be learnt."""
    prices = frame.to_numpy()
    if len(prices) < 2:
        raise ValueError(f"{path} names one class only; name at least two.")
    if not (prices > np.diagonal(prices)[:, None]).any():
        raise ValueError(
            f"{path} says that no mistake costs anything; give mistakes a price."
        )


def _from_csv(text: str, path: str) -> pd.DataFrame:
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
    header = table[0][1:]
    prices = {}
    for row in table[1:]:
        if len(row) != len(header) + 1:
            raise ValueError(
                f"{path} has {len(row) - 1} prices for {len(header)} predicted classes "
                f"in the row {row[0]!r}; give one price per class."
            )
        if row[0] in prices:
            raise ValueError(f"{path} has more than one row {row[0]!r}; keep one.")
        prices[row[0]] = dict(zip(header, row[1:], strict=True))
    if len(set(header)) < len(header):
        raise ValueError(f"{path} names a predicted class twice in its header.")
    return _frame(prices, path)


def _from_json(text: str, path: str) -> pd.DataFrame:
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


def _from_toml(text: str, path: str) -> pd.DataFrame:
    try:
        return _from_value(tomllib.loads(text), path)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path} is not a TOML price list ({error}).") from None


def _from_yaml(text: str, path: str) -> pd.DataFrame:
    try:
        import yaml
    except ImportError:
        raise ValueError(
            f"{path} needs PyYAML: pip install 'softcost[yaml]', or write the prices "
            "as CSV, JSON or TOML."
        ) from None
    try:
        # Everything is text: a class called "no" is not the value false.
        value = yaml.load(text, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"{path} is not a YAML price list ({reason}).") from None
    return _from_value(value, path)


def _from_value(value: Any, path: str) -> pd.DataFrame:
    """From ``{true: {predicted: price}}``, or names and rows."""
    if isinstance(value, dict) and set(value) == {"classes", "matrix"}:
        names, rows = value["classes"], value["matrix"]
        square = (
            isinstance(names, list)
            and isinstance(rows, list)
            and len(rows) == len(names) == len({str(name) for name in names})
            and all(isinstance(row, list) and len(row) == len(names) for row in rows)
        )
        if not square:
            raise ValueError(f"{path} needs one row and one price per class name.")
        value = {
            str(name): dict(zip(map(str, names), row, strict=True))
            for name, row in zip(names, rows, strict=True)
        }
    if not isinstance(value, dict) or not value:
        raise ValueError(f"{path} is not a price list; {_FORM}.")
    for true, row in value.items():
        if not isinstance(row, dict):
            raise ValueError(
                f"{path} has no list of predicted classes for {str(true)!r}; {_FORM}."
            )
    return _frame(
        {
            str(true).strip(): {str(name).strip(): one for name, one in row.items()}
            for true, row in value.items()
        },
        path,
    )


def _frame(prices: dict[str, dict[str, Any]], path: str) -> pd.DataFrame:
    names = list(prices)
    predicted = list(dict.fromkeys(name for row in prices.values() for name in row))
    odd = [name for name in predicted if name not in prices]
    odd += [name for name in names if name not in predicted and len(names) > 1]
    if odd:
        raise ValueError(
            f"{path} names {odd[0]!r} as a true or as a predicted class only; give "
            "every class a row and a column."
        )
    values = [
        [_price(prices[true].get(name), true, name, path) for name in names]
        for true in names
    ]
    return pd.DataFrame(values, index=names, columns=names, dtype=float)


def _price(value: Any, true: str, predicted: str, path: str) -> float:
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
        return float(value)
    except (TypeError, ValueError):
        raise ValueError(
            f"{path} has {value!r} where the price of predicting {predicted!r} for a "
            f"true {true!r} should be; write a number."
        ) from None
