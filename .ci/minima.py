"""The oldest versions that pyproject.toml allows, as requirements for pip.

    python .ci/minima.py EXTRA ... > minima.txt

Bounds of the dependencies and of the extras become equalities; what only tests need
stays as it is.
"""

import sys
import tomllib
from pathlib import Path

TESTS_ONLY = "test"
# matplotlib 3.8 calls what newer ones warn of.
OTHERS = ["pyparsing<3.3"]
NEEDS_NEWER = ("schemathesis",)  # than the oldest rich; its test is skipped without it


def minima(extras):
    """Requirements of the package with some extras."""
    project = tomllib.loads(Path("pyproject.toml").read_text())["project"]
    optional = project["optional-dependencies"]
    runs = {
        *project["dependencies"],
        *(one for name, ones in optional.items() if name != TESTS_ONLY for one in ones),
    }
    wanted = [
        *project["dependencies"],
        *(one for name in extras for one in optional[name]),
    ]
    wanted = [one for one in wanted if not one.startswith(NEEDS_NEWER)]
    oldest = {one.replace(">=", "==") if one in runs else one for one in wanted}
    return sorted(oldest) + OTHERS


if __name__ == "__main__":
    print("\n".join(minima(sys.argv[1:])))
