"""Rows and answers as types of pydantic, made from the columns of a model.

They check requests and describe the service in its OpenAPI document, so the document
accepts what the service accepts. Rows are dictionaries: columns may have any name.
"""

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import (
    BaseModel,
    Discriminator,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    Tag,
)
from typing_extensions import TypeAliasType, TypedDict

from softcost.service.answers import RowModel
from softcost.tables import KINDS
from softcost.tables.cells import missing_texts
from softcost.tables.row_parser import unreadable_cell

_SHOWN_WORDS = 20
_MOST_DIGITS = 15


class Problem(BaseModel):
    """Why a request is refused."""

    error: str


class Health(BaseModel):
    """The service answers."""

    status: Literal["ok"]


def _typed_dict(name: str, fields: dict[str, Any], **config: Any) -> Any:
    typed_dict: Any = TypedDict
    made = typed_dict(name, fields)
    made.__pydantic_config__ = config
    return made


def _alias(name: str, form: Any, **about: Any) -> Any:
    alias: Any = TypeAliasType
    return alias(name, Annotated[form, Field(**about)])


def row_type(model: RowModel) -> Any:
    """A row of the table that the model was fitted to."""
    texts: Any = Literal[tuple(missing_texts(model.stored.tokens()))]
    missing = _alias("Missing", texts, description="Texts that mean null.")
    if model.kinds is None:
        low, high = model.limits()
        cell: Any = _number(low, high) | _text("number", high)
        if model.accepts_missing:
            cell |= missing | None
        text = "The columns of the model, which has no names for them."
        size = {"min_length": model.n_columns, "max_length": model.n_columns}
        return _alias("Row", list[cell], description=text, **size)
    cells = {name: _cell(model, name, missing) for name in model.kinds}
    row = _typed_dict("Row", cells, extra="ignore")
    row.__doc__ = (
        "A cell for each column of the model, null if it is empty. Other names are "
        "ignored. A text means the same as in a CSV file."
    )
    return row


def _number(low: float, high: float) -> Any:
    return Annotated[
        float, Field(strict=True, allow_inf_nan=False, ge=float(low), le=float(high))
    ]


def _text(kind: str, farthest: float) -> Any:
    """Texts of a column: by a pattern, by a format, or any."""
    digits = int(np.clip(np.log10(max(farthest, 1.0)), 1, _MOST_DIGITS))
    pattern = KINDS[kind].json_pattern(digits)
    formats = KINDS[kind].json_formats
    extra: Any = {"anyOf": [{"format": name} for name in formats]} if formats else None
    return Annotated[str, Field(strict=True, pattern=pattern, json_schema_extra=extra)]


def _cell(model: RowModel, name: str, missing: Any) -> Any:
    kind = model.kinds[name]  # type: ignore[index]
    low, high = model.limits(name)
    types = KINDS[kind].json_types
    forms: Any = _text(kind, min(-low, high))
    if types == ("number", "string"):
        forms = _number(low, high) | forms
    elif "number" in types:  # words: 7 and 7.0 are one, 10**15 and 1e15 are not
        forms |= StrictInt | Annotated[StrictFloat, Field(allow_inf_nan=False)]
    if "boolean" in types:
        forms |= StrictBool
    if model.accepts_missing and name not in model.required:
        forms |= missing | None
    words, span = model.words(name)[:_SHOWN_WORDS], model.span(name)
    description = kind if span is None else f"{kind}, {span[0]:g} to {span[1]:g}"
    return Annotated[forms, Field(description=description, examples=words or None)]


def answer_type(model: RowModel) -> Any:
    """The answer for a row."""
    answer: Any = Literal[tuple(model.answers)]
    by_answer = _typed_dict(
        "ByAnswer", dict.fromkeys(model.answers, float | None), extra="forbid"
    )
    fields: dict[str, Any] = {"prediction": answer}
    if model.in_money:
        fields["expected_cost"] = Annotated[
            float | None, Field(description="Expected cost of the prediction.")
        ]
        fields["expected_costs"] = Annotated[
            by_answer, Field(description="The same for each answer.")
        ]
        if len(model.answers) > 1:
            fields["next_best"] = Annotated[
                answer, Field(description="The best other answer.")
            ]
            fields["next_best_costs_more"] = Annotated[
                float | None,
                Field(description="By how much its expected cost differs."),
            ]
    elif model.has_scores:
        text = "The larger the better; neither costs nor probabilities."
        fields["scores"] = Annotated[by_answer, Field(description=text)]
    fields["unlike_training"] = Annotated[
        list[str],
        Field(
            description="Columns with a word that the training data do not have, or "
            "with a number far outside their range."
        ),
    ]
    return _typed_dict("Answer", fields, extra="forbid")


def body_type(model: RowModel, most_rows: int) -> Any:
    """The body of a request: a row, or a list of rows."""

    def form(body: Any) -> str:
        if not isinstance(body, list):
            return "row"
        named = model.kinds is not None
        return "rows" if named or not body or isinstance(body[0], list) else "row"

    row: Any = row_type(model)
    rows: Any = Annotated[list[row], Field(max_length=most_rows)]
    forms: Any = Annotated[row, Tag("row")] | Annotated[rows, Tag("rows")]
    return Annotated[forms, Discriminator(form)]


def explain(error: Any, model: RowModel) -> str:
    """A sentence about an error that pydantic found in a body."""
    if error["type"] == "too_long" and error["loc"] == ("body", "rows"):
        most, rows = error["ctx"]["max_length"], error["ctx"]["actual_length"]
        return f"there are {rows} rows in the request; send at most {most}."
    _, form, *place = (*error["loc"], "row") if len(error["loc"]) < 2 else error["loc"]
    number = place.pop(0) + 1 if form == "rows" and place else 1
    if model.kinds is None:
        return (
            f"row {number} is not a list of {model.n_columns} numbers, one for each "
            "column of the model, which has no names for them."
        )
    if not place:
        name = next(iter(model.kinds))
        return (
            f"row {number} is not an object; give the cells by name, as in "
            f'{{"{name}": ...}}.'
        )
    cell = error["input"]
    if error["type"] == "missing":
        return model.missing_column(number, cell)
    if isinstance(cell, list | dict):
        return (
            f"row {number} has a cell that is a list or an object; cells are numbers, "
            "texts, true, false or null."
        )
    if error["type"] in ("greater_than_equal", "less_than_equal"):
        low, high = model.limits(place[0])
        return (
            f"column {place[0]!r} holds {cell:g} in row {number}; the model accepts "
            f"{low:g} to {high:g}; correct it, or give null."
        )
    return unreadable_cell(place[0], cell, number, KINDS[model.kinds[place[0]]])
