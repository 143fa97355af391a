"""The service described as OpenAPI 3.1."""

import base64
import hashlib
import json
from html import escape
from importlib.resources import files
from typing import Any

from softcost._version import __version__
from softcost.service.answers import RowModel
from softcost.tables import KINDS
from softcost.tables.cells import Kind

_SHOWN_WORDS = 20
_PROBLEMS = {
    "400": "The body is not JSON.",
    "408": "The body did not arrive in time.",
    "413": "The body is too large, or has too many rows.",
    "415": "The body is not said to be application/json.",
    "421": "The request is made for another host.",
    "422": "A row cannot be read; the sentence names row and column.",
    "500": "The service failed on this request.",
    "503": "Too many requests are waiting.",
}


def openapi_document(model: RowModel, most_rows: int) -> dict[str, Any]:
    """What may be asked, with the columns and answers of this model."""
    row = {"$ref": "#/components/schemas/Row"}
    answer = {"$ref": "#/components/schemas/Answer"}
    example = example_row(model)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "softcost serve",
            "version": __version__,
            "description": "Answers of one model for rows of a table.",
        },
        "paths": {
            "/predict": {
                "post": {
                    "operationId": "predict",
                    "summary": "Answer one row, or a list of rows.",
                    "requestBody": {
                        "required": True,
                        "content": _json(
                            {"oneOf": [row, _list_of(row, most_rows)]}, example
                        ),
                    },
                    "responses": {
                        "200": {
                            "description": "One answer for each row, in their order.",
                            "content": _json(
                                {"oneOf": [answer, _list_of(answer, most_rows)]}
                            ),
                        },
                        **{
                            status: _problem(words)
                            for status, words in _PROBLEMS.items()
                        },
                    },
                }
            },
            "/health": {
                "get": {
                    "operationId": "health",
                    "summary": "Whether the service answers.",
                    "responses": {
                        "200": {
                            "description": "It does.",
                            "content": _json({"$ref": "#/components/schemas/Health"}),
                        },
                        "421": _problem(_PROBLEMS["421"]),
                    },
                }
            },
        },
        "components": {
            "schemas": {
                "Row": _row_schema(model),
                "Answer": _answer_schema(model),
                "Health": {
                    "type": "object",
                    "required": ["status", "rows_answered"],
                    "properties": {
                        "status": {"const": "ok"},
                        "rows_answered": {"type": "integer", "minimum": 0},
                    },
                },
                "Problem": {
                    "type": "object",
                    "required": ["error"],
                    "properties": {"error": {"type": "string"}},
                },
            }
        },
    }


def example_row(model: RowModel) -> dict[str, Any] | list[float]:
    """A row that the model answers, with values as in its training."""
    if model.columns is None:
        return [0.0] * model.n_columns
    return {name: _example_cell(model, name) for name in model.columns}


def kind_of(model: RowModel, name: str) -> Kind:
    """What a column holds."""
    kinds = model.kinds or {}
    return kinds[name]


def _example_cell(model: RowModel, name: str) -> Any:
    kind = KINDS[kind_of(model, name)]
    return kind.example(model.middle(name), model.words(name))


def _json(schema: dict[str, Any], example: Any = None) -> dict[str, Any]:
    shown = {} if example is None else {"example": example}
    return {"application/json": {"schema": schema, **shown}}


def _list_of(items: dict[str, Any], most: int) -> dict[str, Any]:
    return {"type": "array", "items": items, "maxItems": most}


def _problem(words: str) -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": words, "content": _json(schema)}


def _row_schema(model: RowModel) -> dict[str, Any]:
    if model.columns is None:
        return {
            "type": "array",
            "items": {"type": ["number", "string", "null"]},
            "minItems": model.n_columns,
            "maxItems": model.n_columns,
            "description": "The columns of the model, which has no names for them.",
        }
    return {
        "type": "object",
        "description": (
            "A cell for each column of the model; null where it is empty. Others are "
            "passed over. A text means what it means in a CSV file."
        ),
        "required": model.columns,
        "properties": {name: _cell_schema(model, name) for name in model.columns},
    }


def _cell_schema(model: RowModel, name: str) -> dict[str, Any]:
    kind = kind_of(model, name)
    words = model.words(name)[:_SHOWN_WORDS]
    schema = {"type": [*KINDS[kind].json_types, "null"], "description": kind}
    return schema | ({"examples": words} if words else {})


def _answer_schema(model: RowModel) -> dict[str, Any]:
    answer = {"type": "string", "enum": model.answers}
    by_answer = {
        "type": "object",
        "required": model.answers,
        "properties": {name: {"type": ["number", "null"]} for name in model.answers},
        "additionalProperties": False,
    }
    if model.in_money:
        own: dict[str, Any] = {
            "expected_cost": {
                "type": ["number", "null"],
                "description": "What the answer is expected to cost.",
            },
            "expected_costs": by_answer
            | {"description": "The same for each answer, in the units of the prices."},
        }
        if len(model.answers) > 1:
            own |= {
                "next_best": answer | {"description": "What else might be answered."},
                "next_best_costs_more": {
                    "type": ["number", "null"],
                    "description": "How much more that is expected to cost.",
                },
            }
    elif model.has_scores:
        own = {
            "scores": by_answer
            | {"description": "The larger the better; no money and no probability."}
        }
    else:
        own = {}
    unlike = {
        "type": "array",
        "items": {"type": "string"},
        "description": (
            "Columns with a word, or a number far outside of those, that the model was "
            "fitted to; always empty where the model does not know them."
        ),
    }
    return {
        "type": "object",
        "required": ["prediction", *own, "unlike_training"],
        "properties": {"prediction": answer, **own, "unlike_training": unlike},
        "additionalProperties": False,
    }


# The service's own page: what may be asked, and a place to try it.
#
# It is one document without anything from elsewhere, so that it works without a
# network; its policy lets no other script run, whatever the names of columns and
# classes say.


_OFFERED_WORDS = 8


def _part(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    found = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(found).decode('ascii')}'"


_STYLE, _SCRIPT = _part("page.css"), _part("page.js")
POLICY = (
    f"default-src 'none'; style-src {_digest(_STYLE)}; script-src {_digest(_SCRIPT)}; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)


def service_page(model: RowModel, document: dict[str, Any]) -> str:
    """The page as HTML."""
    money = "expected cost" if model.in_money else "score"
    parts = {
        "style": _STYLE,
        "script": _SCRIPT,
        "answers": ", ".join(f"<code>{escape(name)}</code>" for name in model.answers),
        "money": f"its {money}, and that of each other answer",
        "columns": _columns(model),
        "paths": _paths(document),
        "example": escape(json.dumps(example_row(model), indent=2, ensure_ascii=False)),
    }
    page = _part("page.html")
    for name, text in parts.items():
        page = page.replace(f"<!--{name}-->", text)
    return page


def _columns(model: RowModel) -> str:
    if model.columns is None:
        return (
            f"<p>A row is a list of {model.n_columns} numbers: the model has no names "
            "for its columns.</p>"
        )
    rows = "".join(
        f"<tr><td><code>{escape(name)}</code><td>{escape(kind_of(model, name))}"
        f"<td>{_seen(model, name)}"
        for name in model.columns
    )
    return f"<table><thead><tr><th>column<th>holds<th>such as</thead>{rows}</table>"


def _seen(model: RowModel, name: str) -> str:
    """Some of what a column held in training."""
    span = model.span(name)
    if span is not None:
        return f"{span[0]:g} to {span[1]:g}"
    words = model.words(name)
    shown = ", ".join(escape(word) for word in words[:_OFFERED_WORDS])
    return shown + (", ..." if len(words) > _OFFERED_WORDS else "")


def _paths(document: dict[str, Any]) -> str:
    found = []
    for path, methods in document["paths"].items():
        for method, what in methods.items():
            codes = ", ".join(what["responses"])
            found.append(
                f"<tr><td><code>{method.upper()} {escape(path)}</code>"
                f"<td>{escape(what['summary'])}<td>{codes}"
            )
    head = "<thead><tr><th>request<th>what for<th>status</thead>"
    return f"<table>{head}{''.join(found)}</table>"
