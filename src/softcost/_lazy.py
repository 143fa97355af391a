"""Names that are imported when they are first used."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, names_of: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package that imports lazily.

    Parameters
    ----------
    package : str
        Its name.
    names_of : mapping of module and names
        Which names each module has; a module without names is exported itself.

    Examples
    --------
    >>> get, _, names = lazy_names("json", {"json.decoder": ["JSONDecoder"]})
    >>> names, get("JSONDecoder").__name__
    (['JSONDecoder'], 'JSONDecoder')
    """
    home_of = {name: module for module, names in names_of.items() for name in names}
    modules = {
        module.rpartition(".")[2]: module
        for module, names in names_of.items()
        if not names
    }
    exported = sorted([*home_of, *modules])

    def get(name: str) -> Any:
        if name in home_of:
            return getattr(import_module(home_of[name]), name)
        if name in modules:
            return import_module(modules[name])
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return get, lambda: exported, exported
