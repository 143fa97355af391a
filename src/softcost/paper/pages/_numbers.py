"""Numbers and names as people read them."""

import math

_HEADINGS = {
    "cost": "cost",
    "error": "error",
    "weighted_error": "weighted error, sum",
    "recall_product": "product of recalls",
    "g_mean": "G-mean",
    "normalized_cost": "normalised cost",
    "emphasized_recall": "recall of expensive class",
}
_UNITS = {1e-3: " x 1000", 1e-6: " x 10^6", 1e-2: " %"}


def heading(metric: str, unit: float) -> str:
    """Name of a metric with its unit.

    Examples
    --------
    >>> heading("cost", 0.001), heading("recall_product", 0.01)
    ('cost x 1000', 'product of recalls %')
    """
    return _HEADINGS[metric] + _UNITS.get(unit, "")


def mean_and_error(mean: float, error: float) -> str:
    """Mean and standard error; nothing where there is no mean.

    Examples
    --------
    >>> mean_and_error(18.341, 4.479), mean_and_error(0.11, 0.003)
    ('18.34 ± 4.48', '0.110 ± 0.003')
    >>> mean_and_error(0.00048, float("nan"))
    '0.00048'
    """
    if math.isnan(mean):
        return ""
    if math.isnan(error):
        return f"{mean:.{_digits(mean) + 1 if abs(mean) < 0.1 else 2}f}"
    digits = _digits(error)
    return f"{mean:.{digits}f} ± {error:.{digits}f}"


def _digits(value: float) -> int:
    """Decimals that show one digit of a small number; two at least."""
    return max(2, -math.floor(math.log10(abs(value)))) if value else 2


def signed(value: float) -> str:
    """A difference with its sign; nothing where there is none.

    Examples
    --------
    >>> signed(1.44), signed(float("nan"))
    ('+1.4', '')
    """
    return "" if math.isnan(value) else f"{value:+.1f}"


def percent(share: float) -> str:
    """A share of one.

    Examples
    --------
    >>> percent(0.861)
    '86 %'
    """
    return f"{100 * share:.0f} %"
