"""Options that several commands read in the same way."""

from typing import Any

import click


def read_tolerance(context: Any, option: Any, text: str | None) -> float | str | None:
    """A fraction, or ``1se``."""
    if text is None or text == "1se":
        return text
    try:
        value = float(text)
        if value >= 0 and value < float("inf"):
            return value
    except ValueError:
        pass
    raise click.BadParameter(f"{text!r} is neither a fraction such as 0.1 nor 1se")


def read_recalls(
    context: Any, option: Any, texts: tuple[str, ...]
) -> dict[str, float] | None:
    """``fraud=0.9``, as often as there are classes."""
    recalls = {}
    for text in texts:
        label, equals, rate = text.rpartition("=")
        try:
            recalls[label] = float(rate)
        except ValueError:
            equals = ""
        if not equals or not label or not 0 <= recalls[label] <= 1:
            raise click.BadParameter(
                f"{text!r} is not of the form CLASS=RATE, with a rate from 0 to 1"
            )
    return recalls or None
