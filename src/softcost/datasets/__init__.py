"""Data sets: a registry of facts, and loaders that check against it.

`load` finds a data set, refuses it where it differs from the registry, and
returns numbers. Names are imported when they are first used, so that listing
the data sets needs neither numpy nor pandas.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from softcost.datasets._artificial import (
        LineRates,
        artificial_line_rates,
        make_artificial,
    )
    from softcost.datasets._load import load
    from softcost.datasets._registry import DatasetInfo, info, list_datasets
    from softcost.datasets._sers import make_sers
    from softcost.datasets._sources import Source, locate

_HOME_OF = {
    "DatasetInfo": "_registry",
    "LineRates": "_artificial",
    "Source": "_sources",
    "artificial_line_rates": "_artificial",
    "info": "_registry",
    "list_datasets": "_registry",
    "load": "_load",
    "locate": "_sources",
    "make_artificial": "_artificial",
    "make_sers": "_sers",
}

__all__ = [
    "DatasetInfo",
    "LineRates",
    "Source",
    "artificial_line_rates",
    "info",
    "list_datasets",
    "load",
    "locate",
    "make_artificial",
    "make_sers",
]


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        return getattr(import_module(f"softcost.datasets.{_HOME_OF[name]}"), name)
    raise AttributeError(f"module 'softcost.datasets' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
