"""Names that are imported when they are first used."""

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any


@contextmanager
def _without_collections() -> Iterator[None]:
    """Pause the garbage collector.

    Imports create many objects and little garbage. Collections during the import of
    scikit-learn and pandas would take a sixth of its time.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


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
        if name in home_of or name in modules:
            with _without_collections():
                module = import_module(home_of.get(name, f"{package}.{name}"))
            return getattr(module, name) if name in home_of else module
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return get, lambda: sorted([*home_of, *modules])
