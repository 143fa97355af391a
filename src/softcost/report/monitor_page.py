"""The monitoring page: one self-contained HTML page without scripts."""

import base64
import hashlib
from html import escape
from importlib.resources import files
from typing import Any

from softcost.files import atomic_write

_WIDTH, _HEIGHT = 900, 320
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 16, 16, 44
_MOST_LABELS = 12  # below the chart
_MOST_COLUMNS = 30  # in the table; the rest is in the JSON output
_NOTHING = "-"


def write_monitor_page(path: str, result: dict[str, Any]) -> None:
    """Write the page of a monitored log.

    Parameters
    ----------
    path : str
        HTML file.
    result : dict
        As returned by `softcost.workflow.monitor_model`.

    See Also
    --------
    softcost.workflow.monitor_model : Computes the result.
    write_explorer : The page of a search.

    Examples
    --------
    >>> from softcost.workflow import monitor_model
    >>> from softcost.report import write_monitor_page
    >>> result = monitor_model(  # doctest: +SKIP
    ...     "model.softcost", "log.csv", "day", "class"
    ... )
    >>> write_monitor_page("monitor.html", result)  # doctest: +SKIP
    """
    with atomic_write(path) as place:
        place.write_text(_page(result), encoding="utf-8")


def _page(result: dict[str, Any]) -> str:
    style = files("softcost.report").joinpath("page/monitor.css").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:"
    title = f"{result['model']} on {result['log']}"
    unit = f" ({result['currency']})" if result["currency"] else ""
    parts = [
        f"<h1>{escape(title)}</h1>",
        f"<p class=quiet>{result['rows']:,} rows from {result['first']} to "
        f"{result['last']}, {result['labelled']:,} of them with a known class.</p>",
        _verdict(result),
        f"<h2>Cost per row{escape(unit)}</h2>",
        f"<div class=scroll>{_chart(result)}</div>",
        _period_table(result),
        _drift_table(result),
        _explanation(result),
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<link rel="icon" href="data:,">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        + "\n".join(part for part in parts if part)
        + "\n</body>\n</html>\n"
    )


def _number(value: float | None) -> str:
    return _NOTHING if value is None else f"{value:.4g}"


def _verdict(result: dict[str, Any]) -> str:
    alarms = result["alarms"]
    if alarms:
        head = f"<b>{len(alarms)} alarm{'s' * (len(alarms) > 1)}</b>"
        lines = [
            f"<p>{escape(alarm['period'])}: {escape(alarm['sentence'])}</p>"
            for alarm in alarms
        ]
    else:
        head, lines = "<b>No alarm</b>", []
    lines += [f"<p class=quiet>{escape(words)}</p>" for words in result["warnings"]]
    kind = "verdict alarm" if alarms else "verdict"
    return f'<section class="{kind}"><p>{head}</p>{"".join(lines)}</section>'


def _chart(result: dict[str, Any]) -> str:
    """Realised costs with intervals, expected costs and the limit, as SVG."""
    periods, limit = result["periods"], result["limit"]["cost"]
    heights = [limit, *(facts[name] for facts in periods
                        for name in ("cost", "high", "expected", "low")
                        if facts[name] is not None)]  # fmt: skip
    top, bottom = max(heights), min(0.0, *heights)
    span = (top - bottom) or 1.0
    step = (_WIDTH - _LEFT - _RIGHT) / max(len(periods), 1)

    def x(number: int) -> float:
        return _LEFT + (number + 0.5) * step

    def y(value: float) -> float:
        return _TOP + (top - value) / span * (_HEIGHT - _TOP - _BOTTOM)

    first_alarm = min(
        (number for number, facts in enumerate(periods)
         for alarm in result["alarms"]
         if alarm["test"] == "cost" and alarm["period"] == facts["period"]),
        default=len(periods),
    )  # fmt: skip
    marks = []
    for share in (0.0, 0.5, 1.0):
        value = bottom + share * span
        marks.append(
            f'<line class="axis" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" '
            f'y1="{y(value):.1f}" y2="{y(value):.1f}"/>'
            f'<text x="{_LEFT - 8}" y="{y(value) + 4:.1f}" text-anchor="end">'
            f"{value:.3g}</text>"
        )
    every = -(-len(periods) // _MOST_LABELS)
    marks += [
        f'<text x="{x(number):.1f}" y="{_HEIGHT - _BOTTOM + 22}" '
        f'text-anchor="middle">{escape(periods[number]["period"])}</text>'
        for number in range(0, len(periods), max(every, 1))
    ]
    line = [f"{x(number):.1f},{y(facts['expected']):.1f}"
            for number, facts in enumerate(periods)
            if facts["expected"] is not None]  # fmt: skip
    marks.append(f'<polyline class="expected" points="{" ".join(line)}"/>')
    for number, facts in enumerate(periods):
        if facts["cost"] is None:
            continue
        late = " late" if number >= first_alarm else ""
        marks.append(
            f'<line class="bar" x1="{x(number):.1f}" x2="{x(number):.1f}" '
            f'y1="{y(facts["low"]):.1f}" y2="{y(facts["high"]):.1f}"/>'
            f'<circle class="dot{late}" cx="{x(number):.1f}" '
            f'cy="{y(facts["cost"]):.1f}" r="4"><title>{escape(facts["period"])}: '
            f"{_number(facts['cost'])}</title></circle>"
        )
    marks.append(
        f'<line class="limit" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y(limit):.1f}" '
        f'y2="{y(limit):.1f}"/><text class="limit-text" x="{_WIDTH - _RIGHT}" '
        f'y="{y(limit) - 5:.1f}" text-anchor="end">limit {limit:.4g}</text>'
    )
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="Realised and '
        f'expected cost per period">{"".join(marks)}</svg>'
    )


def _period_table(result: dict[str, Any]) -> str:
    rows = []
    for facts in [*result["periods"], result["total"] | {"period": "all"}]:
        low, high = _number(facts["low"]), _number(facts["high"])
        interval = _NOTHING if facts["low"] is None else f"{low} to {high}"
        cells = [facts["period"], f"{facts['rows']:,}", f"{facts['labelled']:,}"]
        cells += [_number(facts["cost"]), interval, _number(facts["expected"])]
        rows.append("".join(f"<td>{escape(cell)}</td>" for cell in cells))
    heads = [
        "period",
        "rows",
        "labelled",
        "cost",
        "95% interval",
        "expected by the model",
    ]
    return _table("Costs by period", [(head, "") for head in heads], rows)


def _drift_table(result: dict[str, Any]) -> str:
    tested = [{"column": "(classes)"} | result["classes"]] if result["classes"] else []
    tested += result["columns"][:_MOST_COLUMNS]
    rows = []
    for facts in tested:
        most = facts["most_changed"]
        words = _NOTHING
        if most is not None:
            words = (f"{most['value']}: {100 * most['now']:.0f}% of rows, "
                     f"{100 * most['before']:.0f}% in training")  # fmt: skip
        shift = _NOTHING if facts["shift"] is None else f"{100 * facts['shift']:.0f}%"
        alarm = facts["alarm"]
        state = (
            f"<td class=alarm>since {escape(facts['since'])}</td>"
            if alarm
            else f"<td>{_NOTHING}</td>"
        )
        rows.append(
            f"<td>{escape(facts['column'])}</td><td>{shift}</td>"
            f"<td class=text>{escape(words)}</td>{state}"
        )
    heads = [
        ("column", ""),
        ("shift", ""),
        ("largest change", " class=text"),
        ("alarm", ""),
    ]
    return _table("Drift of classes and columns", heads, rows) if rows else ""


def _table(title: str, heads: list[tuple[str, str]], rows: list[str]) -> str:
    head = "".join(f"<th{kind}>{escape(text)}</th>" for text, kind in heads)
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return (
        f"<h2>{escape(title)}</h2><div class=scroll><table><thead><tr>{head}</tr>"
        f"</thead><tbody>{body}</tbody></table></div>"
    )


def _explanation(result: dict[str, Any]) -> str:
    limit = result["limit"]
    source = "you set it"
    if limit["source"] == "training":
        source = (f"the upper end of the 95% interval of the cost expected at training "
                  f"time, {limit['expected']:.4g}")  # fmt: skip
    return (
        "<h2>How to read this page</h2><p>Dots are realised costs of the rows whose "
        "class is known, with 95% intervals of each period. The grey line is the cost "
        "that the model expected for the answers given. The limit is "
        f"{limit['cost']:.4g}: {source}. A shift is the share of rows that would have "
        "to change to restore the training mix. If nothing has changed, the "
        "probability of ever raising an alarm is at most "
        f"{100 * result['false_alarms']:g}%, however often you monitor the growing "
        "log.</p>"
    )
