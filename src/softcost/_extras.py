"""How to install what softcost uses only if it is there."""

import re
import tomllib
from importlib import metadata
from pathlib import Path

_EXTRA = re.compile(r"""extra\s*==\s*['"]([^'"]+)""")


def install_hint(extra: str) -> str:
    """The command that installs the packages of an optional dependency.

    It names the packages themselves, so it works in a checkout as well as with an
    installed softcost.

    Parameters
    ----------
    extra : str
        As in ``pyproject.toml``, for instance "plot".

    Examples
    --------
    >>> from softcost._extras import install_hint
    >>> install_hint("plot").partition(">")[0]
    "pip install 'matplotlib"
    """
    packages = " ".join(f"'{name}'" for name in _packages(extra))
    return f"pip install {packages or repr(f'.[{extra}]')}"


def _packages(extra: str) -> list[str]:
    """Requirements of an extra.

    In a checkout they come from ``pyproject.toml``: the metadata of an editable install
    are as old as the install.
    """
    project = Path(__file__).parents[2] / "pyproject.toml"
    if project.is_file():
        table = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
        return table["optional-dependencies"].get(extra, [])
    try:
        requirements = metadata.requires("softcost") or []
    except metadata.PackageNotFoundError:
        return []
    parts = (requirement.partition(";") for requirement in requirements)
    return [
        text.strip()
        for text, _, marker in parts
        if (match := _EXTRA.search(marker)) is not None and match[1] == extra
    ]
