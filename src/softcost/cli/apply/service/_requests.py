"""Rows in the body of a request: strict JSON, checked before a model sees it."""

import json
from collections import Counter
from dataclasses import dataclass
from typing import Any

from softcost.cli.apply.service._answers import RowModel

BAD_REQUEST, UNPROCESSABLE, TOO_LARGE = 400, 422, 413


class Refusal(Exception):
    """A request that is not answered: a status of HTTP, and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


@dataclass(frozen=True)
class Asked:
    """Rows of one request; ``single`` where one was given, not a list of them."""

    rows: list[Any]
    single: bool


def read_rows(body: bytes, model: RowModel, most: int) -> Asked:
    """The rows of a body, of the form that the model wants.

    Parameters
    ----------
    most : int
        How many rows there may be.
    """
    found = _strict_json(body)
    single = not _is_list_of_rows(found, model)
    rows = [found] if single else found
    if len(rows) > most:
        raise Refusal(
            TOO_LARGE, f"there are {len(rows)} rows in a request; at most {most}."
        )
    for number, row in enumerate(rows, start=1):
        _check_row(row, number, model)
    return Asked(rows, single)


def _strict_json(body: bytes) -> Any:
    try:
        return json.loads(
            body.decode("utf-8"),
            parse_constant=_no_constant,
            object_pairs_hook=_no_name_twice,
        )
    except UnicodeDecodeError:
        raise Refusal(BAD_REQUEST, "the body is not text in UTF-8.") from None
    except RecursionError:
        raise Refusal(BAD_REQUEST, "the body is nested too deeply.") from None
    except ValueError as error:
        reason = str(error)[:200].rstrip(".")
        raise Refusal(BAD_REQUEST, f"the body is not JSON ({reason}).") from None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number of JSON; give null for an empty cell")


def _no_name_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        (twice, _), *_ = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"{twice[:60]!r} is there twice in one object")
    return found


def _is_list_of_rows(found: Any, model: RowModel) -> bool:
    if not isinstance(found, list):
        return False
    named = model.columns is not None
    return named or not found or isinstance(found[0], list)


def _check_row(row: Any, number: int, model: RowModel) -> None:
    """Refuse a row of another form."""
    if model.columns is not None:
        if not isinstance(row, dict):
            raise Refusal(
                UNPROCESSABLE,
                f"row {number} is not an object; give the cells by name, as in "
                f'{{"{model.columns[0]}": ...}}.',
            )
        cells = [row[name] for name in model.columns if name in row]
    else:
        if not isinstance(row, list) or len(row) != model.n_columns:
            raise Refusal(
                UNPROCESSABLE,
                f"row {number} is not a list of {model.n_columns} numbers, one for "
                "each column of the model, which has no names for them.",
            )
        cells = row
    if any(isinstance(cell, list | dict) for cell in cells):
        raise Refusal(
            UNPROCESSABLE,
            f"row {number} has a cell that is a list or an object; cells are numbers, "
            "texts, true, false or null.",
        )
