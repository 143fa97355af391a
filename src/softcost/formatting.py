"""Numbers and names as people read them."""

from collections.abc import Sequence
from typing import Any


def visible(text: str) -> str:
    """Text for a terminal: what would steer it is spelled out.

    Examples
    --------
    >>> visible("red \\x1b[31m")
    'red \\\\x1b[31m'
    """
    return "".join(
        one if one.isprintable() or one == "\n" else repr(one)[1:-1] for one in text
    )


def format_cost(value: float | None, error: float | None = None) -> str:
    """A cost for people: four digits, and its standard error."""
    if value is None:
        return "-"
    text = f"{value:.4g}"
    return text if error is None else f"{text} ± {error:.2g}"


def format_rate(value: float | None, error: float | None = None) -> str:
    """A rate in percent, and its standard error."""
    if value is None:
        return "-"
    text = f"{100 * value:.2f} %"
    return text if error is None else f"{text} ± {100 * error:.2f}"


def format_saving(percent: float | None) -> str:
    """A saving in percent as what it makes of the cost: less, more, or many times it.

    Examples
    --------
    >>> [format_saving(one) for one in (25.4, -37.8, -5250.0, 0.01)]
    ['25.4 % less', '37.8 % more', '53.5 times', 'the same']
    """
    if percent is None:
        return "-"
    if percent <= -100:
        return f"{1 - percent / 100:.3g} times"
    if abs(percent) < 0.05:
        return "the same"
    return f"{abs(percent):.1f} % {'less' if percent > 0 else 'more'}"


def format_params(params: dict[str, Any]) -> str:
    """Parameters as ``C=16``, without the names of the steps that they belong to.

    Examples
    --------
    >>> format_params({"family": "linear", "logisticregression__C": 0.01})
    'family=linear, C=0.01'
    """
    own = {name.rpartition("__")[2]: value for name, value in params.items()}
    return ", ".join(
        f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in own.items()
    )


def quoted_names(names: Sequence[str], most: int = 5) -> str:
    """Names for a sentence."""
    shown = ", ".join(repr(str(name)) for name in names[:most])
    return shown + (", ..." if len(names) > most else "")
