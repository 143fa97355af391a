"""What there is to compute: targets, families of algorithms, units of work.

A *cell* is one algorithm on one data set, cost matrix and run. The cells of a family
share one search over softness and C, so the unit of work is the family. A unit does
not know for which target it is computed: targets that need the same cells share them.
"""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Any

from softcost.paper.run._targets import FAMILIES, GRIDS, SAMPLES, TARGETS, Target

# Part of every key, 1 if not here: raised when a change of the code changes results.
_VERSIONS = {
    "CSFT": 2,  # the leaves in random order
    "CSFT-w": 2,
}


@dataclass(frozen=True)
class Unit:
    """One family on one data set, cost matrix and run: one piece of work.

    Attributes
    ----------
    dataset : str
        Its name.
    costs : str
        Kind of cost matrix.
    family : str
        One of `FAMILIES`, or the name of an added algorithm.
    run : int
        From 0.
    rows : int or None
        Size of the sample of the data set; None for all.
    data : str
        Checksum of the whole data set.
    algorithm : str
        What an added algorithm is made of; for others one of `GRIDS`.
    version : int
        Of the code that computes the family.

    See Also
    --------
    plan : All units of a request, each once.
    run_unit : Compute all cells of a unit, on one thread.

    Examples
    --------
    >>> from softcost.paper import Unit
    >>> unit = Unit("iris", "plain", "OSR", run=0, rows=None, data="checksum")
    >>> str(unit), unit.algorithms
    ('iris plain OSR run 0', ('OVA', 'OSR', 'soft-OSR', 'soft-OSR-max'))
    """

    dataset: str
    costs: str
    family: str
    run: int
    rows: int | None
    data: str
    algorithm: str = ""
    version: int = 1

    @cached_property
    def key(self) -> str:
        """A hash of everything that decides the result."""
        text = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The cells of this unit."""
        return FAMILIES.get(self.family, (self.family,))

    def __str__(self) -> str:
        return f"{self.dataset} {self.costs} {self.family} run {self.run}"


@dataclass(frozen=True)
class Request:
    """What somebody asks for: a target, or a part of it.

    Attributes
    ----------
    target : Target
        A table or figure of the paper.
    datasets, algorithms : tuple of str
        Which of them.
    runs : int
        How many.
    matrices : {"paper", "class-ratio", "both"}
        How benchmark costs are drawn on the eight sets where the paper's can only
        have been `plain`: so, by class sizes, or both.
    max_rows : int or None
        Larger sets are sampled.
    added : tuple of (name, what it is made of)
        Added algorithms.
    grid : {"C", "1/C"}
        How the paper's lambda is read.

    See Also
    --------
    make_request : Check what is asked for.
    plan : All units of a request, each once.

    Examples
    --------
    >>> from softcost.paper import make_request
    >>> request = make_request("inconsistent", ["iris"], runs=3, max_rows=100)
    >>> request.datasets, request.rows_of("iris", 150)
    (('iris',), 100)
    """

    target: Target
    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    runs: int
    matrices: str = "paper"
    max_rows: int | None = None
    added: tuple[tuple[str, str], ...] = ()
    grid: str = "C"

    def rows_of(self, dataset: str, size: int) -> int | None:
        """Size of the sample that is used; None where it is the whole set.

        Parameters
        ----------
        dataset : str
            Its name.
        size : int
            Rows of the whole set.

        Returns
        -------
        int or None
            Rows of the sample.
        """
        limits = [SAMPLES.get(dataset), self.max_rows]
        least = min((limit for limit in limits if limit is not None), default=size)
        return least if least < size else None


def make_request(
    target: str,
    datasets: Sequence[str] | None = None,
    algorithms: Sequence[str] | None = None,
    *,
    runs: int = 20,
    matrices: str = "paper",
    max_rows: int | None = None,
    added: Iterable[tuple[str, str]] = (),
    grid: str = "C",
) -> Request:
    """Check what is asked for.

    Parameters
    ----------
    target, datasets, algorithms, runs, matrices, max_rows, grid
        As in `reproduce`.
    added : mapping of name and text, default=None
        Names of added algorithms, and what they are made of.

    Returns
    -------
    Request
        Where all that it names is known.

    See Also
    --------
    plan : All units of a request, each once.
    reproduce : Rerun a table or figure of the paper, from where the store has got to.

    Examples
    --------
    >>> from softcost.paper import make_request, plan
    >>> request = make_request("inconsistent", ["iris"], ["OVA", "OSR"], runs=2)
    >>> [str(unit) for unit in plan(request, {"iris": (150, "checksum")})]
    ['iris plain OSR run 0', 'iris plain OSR run 1']
    """
    if target not in TARGETS:
        near = get_close_matches(str(target), TARGETS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"choose {', '.join(TARGETS)}."
        raise ValueError(f"target={target!r} is not one of the paper's; {hint}")
    if matrices not in ("paper", "class-ratio", "both"):
        raise ValueError(
            f"matrices must be 'paper', 'class-ratio' or 'both', not {matrices!r}; "
            "choose one."
        )
    if grid not in GRIDS:
        raise ValueError(f"grid must be 'C' or '1/C', not {grid!r}; choose one.")
    if runs < 1:
        raise ValueError(f"runs={runs!r} must be at least 1; the paper has 20.")
    if max_rows is not None and max_rows < 20:
        raise ValueError(f"max_rows={max_rows!r} must be at least 20.")
    known = TARGETS[target]
    chosen = tuple(dict.fromkeys(datasets or known.datasets))
    names = tuple(dict.fromkeys(algorithms or known.algorithms))
    for name in names:
        known.family_of(name)
    extra = tuple(added)
    for name, _ in extra:
        if any(name in (family, *members) for family, members in FAMILIES.items()):
            raise ValueError(f"add names {name!r}, which is taken; choose another.")
    return Request(known, chosen, names, runs, matrices, max_rows, extra, grid)


def plan(request: Request, facts: dict[str, tuple[int, str]]) -> list[Unit]:
    """All units of a request, each once.

    Parameters
    ----------
    request : Request
        From `make_request`.
    facts : dict of data set to (rows, checksum)
        What is known of the data.

    Returns
    -------
    list of Unit
        By data set, then by run.

    See Also
    --------
    make_request : Check what is asked for.
    run_unit : Compute all cells of a unit, on one thread.

    Examples
    --------
    >>> from softcost.paper import make_request, plan
    >>> request = make_request("inconsistent", ["iris"], ["OVO", "CSOVO"], runs=1)
    >>> [unit.family for unit in plan(request, {"iris": (150, "checksum")})]
    ['CSOVO']
    """
    made_of: dict[str, str] = {
        request.target.family_of(name): GRIDS[request.grid]
        for name in request.algorithms
    }
    made_of |= dict(request.added)
    units = [
        Unit(
            dataset,
            kind,
            family,
            run,
            request.rows_of(dataset, facts[dataset][0]),
            facts[dataset][1],
            description,
            version_of(family),
        )
        for dataset in request.datasets
        for run in range(request.runs)
        for kind in request.target.kinds_of(dataset, request.matrices)
        for family, description in made_of.items()
    ]
    return list(dict.fromkeys(units))


def version_of(family: str) -> int:
    """Version of the code that computes a family."""
    return _VERSIONS.get(family, 1)


def cell_key(unit: Unit, algorithm: str) -> str:
    """The key of one cell."""
    return f"{unit.key}/{algorithm}"


def describe(unit: Unit) -> dict[str, Any]:
    """The fields of a unit, by name."""
    return asdict(unit)
