"""Data sets: a registry of facts, and loaders that check against it.

`load` finds a data set, refuses it where it differs from the registry, and
returns numbers. Names are imported when they are first used, so that listing
the data sets needs neither numpy nor pandas.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from softcost.datasets.generated import (
        LineRates,
        artificial_line_rates,
        make_artificial,
        make_sers,
    )
    from softcost.datasets.loading import load
    from softcost.datasets.registry import (
        DatasetInfo,
        Source,
        info,
        list_datasets,
        locate,
    )

_HOME_OF = {
    "DatasetInfo": "registry",
    "LineRates": "generated",
    "Source": "registry",
    "artificial_line_rates": "generated",
    "info": "registry",
    "list_datasets": "registry",
    "load": "loading",
    "locate": "registry",
    "make_artificial": "generated",
    "make_sers": "generated",
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
