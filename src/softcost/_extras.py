"""How to install what softcost uses only if it is there."""

import re
from importlib import metadata

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
    try:
        requirements = metadata.requires("softcost") or []
    except metadata.PackageNotFoundError:  # run from a checkout without installing
        requirements = []
    packages = []
    for requirement in requirements:
        text, _, marker = requirement.partition(";")
        match = _EXTRA.search(marker)
        if match is not None and match[1] == extra:
            packages.append(f"'{text.strip()}'")
    return f"pip install {' '.join(packages)}" if packages else f"pip install {extra}"
