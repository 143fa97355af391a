"""The service's own page: what may be asked, and a place to try it.

It is one document without anything from elsewhere, so that it works without a network;
its policy lets no other script run, whatever the names of columns and classes say.
"""

import base64
import hashlib
import json
from html import escape
from importlib.resources import files
from typing import Any

from softcost.cli.apply.service._answers import RowModel
from softcost.cli.apply.service._document import example_row, kind_of

_SHOWN_WORDS = 8


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
    shown = ", ".join(escape(word) for word in words[:_SHOWN_WORDS])
    return shown + (", ..." if len(words) > _SHOWN_WORDS else "")


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
