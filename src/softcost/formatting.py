"""Numbers and names as people read them."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
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
    text = f"{100 * value:.2f}%"
    return text if error is None else f"{text} ± {100 * error:.2f}"


def format_saving(percent: float | None) -> str:
    """A saving in percent as what it makes of the cost: less, more, or many times it.

    Examples
    --------
    >>> [format_saving(one) for one in (25.4, -37.8, -5250.0, 0.01)]
    ['25.4% less', '37.8% more', '53.5 times', 'the same']
    """
    if percent is None:
        return "-"
    if percent <= -100:
        return f"{1 - percent / 100:.3g} times"
    if abs(percent) < 0.05:
        return "the same"
    return f"{abs(percent):.1f}% {'less' if percent > 0 else 'more'}"


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Names of parameters without the steps that they belong to, unless two are equal.

    Examples
    --------
    >>> short_names(["logisticregression__C", "a__gamma", "b__gamma"])
    {'logisticregression__C': 'C', 'a__gamma': 'a__gamma', 'b__gamma': 'b__gamma'}
    """
    short = {name: name.rpartition("__")[2] for name in names}
    taken = Counter(short.values())
    return {name: last if taken[last] == 1 else name for name, last in short.items()}


def short_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters by their short names.

    Examples
    --------
    >>> short_params({"logisticregression__C": 0.01})
    {'C': 0.01}
    """
    names = short_names(params)
    return {names[name]: value for name, value in params.items()}


def format_params(params: Mapping[str, Any]) -> str:
    """Parameters as ``C=16``, without the names of the steps that they belong to.

    Examples
    --------
    >>> format_params({"family": "linear", "logisticregression__C": 0.01})
    'family=linear, C=0.01'
    """
    return ", ".join(
        f"{name}={value:g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in short_params(params).items()
    )


def format_model(facts: Mapping[str, Any]) -> str:
    """A candidate in a few words: its family, softness and parameters.

    Examples
    --------
    >>> format_model({"family": "linear", "softness": 0.1, "params": {"C": 4.0}})
    'linear, softness 0.1, C=4'
    """
    words = [] if facts.get("family") is None else [str(facts["family"])]
    if facts["softness"] is not None:
        words.append(f"softness {facts['softness']:g}")
    if facts["params"]:
        words.append(format_params(facts["params"]))
    return ", ".join(words)


def quoted_names(names: Sequence[str], most: int = 5) -> str:
    """Names for a sentence."""
    shown = ", ".join(repr(str(name)) for name in names[:most])
    return shown + (", ..." if len(names) > most else "")


def counted(number: int, noun: str) -> str:
    """A number with its noun.

    Examples
    --------
    >>> counted(1, "row"), counted(2, "row")
    ('1 row', '2 rows')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
