"""Names that are imported when they are first used."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def lazy_names(
    package: str,
    names_of: Mapping[str, Sequence[str]],
    *,
    modules: Sequence[str] = (),
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package that imports lazily.

    Parameters
    ----------
    package : str
        Its name.
    names_of : mapping of module and names
        Which names each module has.
    modules : sequence of str
        Modules below the package that are names themselves.

    Examples
    --------
    >>> get, names = lazy_names("json", {"json.decoder": ["JSONDecoder"]})
    >>> names(), get("JSONDecoder").__name__
    (['JSONDecoder'], 'JSONDecoder')
    """
    home_of = {name: module for module, names in names_of.items() for name in names}

    def get(name: str) -> Any:
        if name in home_of:
            return getattr(import_module(home_of[name]), name)
        if name in modules:
            return import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return get, lambda: sorted([*home_of, *modules])
