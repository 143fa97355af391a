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

DATASETS = (
    "iris", "wine", "glass", "vehicle", "vowel", "segment", "dna", "satimage", "usps",
    "zoo", "yeast", "pageblock", "anneal", "solar", "splice", "ecoli", "nursery",
    "soybean", "arrhythmia", "optdigits", "mfeat", "pendigit",
)  # fmt: skip
# Data sets whose published costs must have been drawn without using class sizes.
PLAIN = DATASETS[:8]
# No class is more than 2.5 times as large as another.
BALANCED = (
    "iris", "wine", "vehicle", "vowel", "segment", "dna", "satimage", "usps",
    "optdigits", "mfeat", "pendigit", "splice",
)  # fmt: skip
UNBALANCED = (
    "pageblock", "wine", "glass", "dna", "satimage", "zoo", "yeast", "anneal", "solar",
    "splice",
)  # fmt: skip
ALGORITHMS = (
    "OVA", "OSR", "soft-OSR", "OVO", "CSOVO", "soft-CSOVO", "FT", "CSFT", "soft-CSFT",
    "CSZL", "soft-CSZL",
)  # fmt: skip
# Each soft algorithm with its hard and regular siblings.
SIBLINGS = (
    ("soft-OSR", "OSR", "OVA"),
    ("soft-CSOVO", "CSOVO", "OVO"),
    ("soft-CSFT", "CSFT", "FT"),
    ("soft-CSZL", "CSZL", "OVO"),
)
REGULAR = ("OVA", "OVO", "FT", "weighted-OVA")  # they never look at costs
HARD_PAIRS = tuple((soft, hard) for soft, hard, _ in SIBLINGS)
REGULAR_PAIRS = tuple((soft, regular) for soft, _, regular in SIBLINGS)
EMPHASES = tuple(f"emphasis-1e{power}" for power in (2, 3, 4, 5, 6))
CURVE = tuple(f"OSR@{tenth / 10:.1f}" for tenth in range(11))

# Algorithms that one search yields, by family. "OSR-w" and the like use the weighted
# error as the basic criterion, so they have no regular sibling.
FAMILIES: dict[str, tuple[str, ...]] = {
    "OSR": ("OVA", "OSR", "soft-OSR", "soft-OSR-max"),
    "CSOVO": ("OVO", "CSOVO", "soft-CSOVO"),
    "CSFT": ("FT", "CSFT", "soft-CSFT"),
    "CSZL": ("CSZL", "soft-CSZL"),
    "OSR-w": ("OSR", "soft-OSR"),
    "CSOVO-w": ("CSOVO", "soft-CSOVO"),
    "CSFT-w": ("CSFT", "soft-CSFT"),
    "CSZL-w": ("CSZL", "soft-CSZL"),
    "OVA-w": ("weighted-OVA",),
    "OSR-curve": CURVE,
}
_UNWEIGHTED = ("OSR", "CSOVO", "CSFT", "CSZL")
_WEIGHTED = ("OSR-w", "CSOVO-w", "CSFT-w", "CSZL-w", "OVA-w")


@dataclass(frozen=True)
class Target:
    """A table or figure of the paper.

    Attributes
    ----------
    name, title : str
    datasets, algorithms, metrics : tuple of str
        What the paper shows.
    costs : tuple of str
        Kinds of cost matrix; "benchmark" is decided by the data set.
    families : tuple of str
        Which families give the algorithms; added ones are not among them.
    pairs : tuple of (str, str)
        Which algorithms are compared by tests, the one that should win first.
    """

    name: str
    title: str
    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    metrics: tuple[str, ...] = ("cost", "error")
    costs: tuple[str, ...] = ("benchmark",)
    families: tuple[str, ...] = _UNWEIGHTED
    pairs: tuple[tuple[str, str], ...] = HARD_PAIRS + REGULAR_PAIRS

    def family_of(self, algorithm: str) -> str:
        """The family whose search gives an algorithm."""
        for family in self.families:
            if algorithm in FAMILIES[family]:
                return family
        near = get_close_matches(algorithm, self.algorithms, n=1)
        hint = f"did you mean {near[0]!r}?" if near else "choose from"
        choices = "" if near else f" {', '.join(self.algorithms)}."
        raise ValueError(
            f"algorithms names {algorithm!r}, which {self.name} does not have; "
            f"{hint}{choices}"
        )

    def kinds_of(self, dataset: str, matrices: str = "paper") -> tuple[str, ...]:
        """Kinds of cost matrix drawn for a data set."""
        if self.costs != ("benchmark",):
            return self.costs
        if dataset not in PLAIN or matrices == "class-ratio":
            return ("class-ratio",)
        return ("plain",) if matrices == "paper" else ("plain", "class-ratio")


_WEIGHTED_METRICS = ("cost", "weighted_error", "recall_product", "g_mean")

TARGETS = {
    target.name: target
    for target in (
        Target(
            "alpha-selection",
            "Two ways to choose softness: by cost, by max(error, normalised cost).",
            PLAIN,
            ("soft-OSR", "soft-OSR-max"),
            pairs=(("soft-OSR", "soft-OSR-max"),),
        ),
        Target(
            "inconsistent",
            "Cost and error of eleven algorithms on 22 sets, inconsistent costs.",
            DATASETS,
            ALGORITHMS,
        ),
        Target(
            "consistent",
            "Cost and error of eleven algorithms on 22 sets, consistent costs.",
            DATASETS,
            ALGORITHMS,
            costs=("consistent",),
        ),
        Target(
            "sers",
            "Prices of confusing bacteria; the spectra are SYNTHETIC.",
            ("sers",),
            ALGORITHMS,
            costs=("own",),
        ),
        Target(
            "emphasis",
            "One class made expensive, 10^2 to 10^6 times: hard and soft OSR.",
            ("iris", "vehicle", "segment"),
            ("OSR", "soft-OSR"),
            ("cost", "error", "emphasized_recall"),
            costs=EMPHASES,
            pairs=(("soft-OSR", "OSR"),),
        ),
        Target(
            "unbalanced",
            "Weighted error as the basic criterion, on ten unbalanced sets.",
            UNBALANCED,
            ("weighted-OVA", "OSR", "soft-OSR"),
            _WEIGHTED_METRICS,
            families=_WEIGHTED,
            pairs=(("soft-OSR", "OSR"), ("soft-OSR", "weighted-OVA")),
        ),
        Target(
            "kdd99",
            "Intrusion detection with the contest's prices, weighted error.",
            ("kdd99",),
            ALGORITHMS[1:3] + ALGORITHMS[4:6] + ALGORITHMS[7:],
            costs=("own",),
            families=_WEIGHTED,
            pairs=HARD_PAIRS,
        ),
        Target(
            "kdd99-balanced",
            "Intrusion detection, each price divided by the size of its class.",
            ("kdd99",),
            ALGORITHMS[1:3] + ALGORITHMS[4:6] + ALGORITHMS[7:],
            _WEIGHTED_METRICS,
            costs=("own-balanced",),
            families=_WEIGHTED,
            pairs=HARD_PAIRS,
        ),
        Target(
            "softness-curve",
            "Test cost and error against softness, on vowel.",
            ("vowel",),
            CURVE,
            families=("OSR-curve",),
            pairs=(),
        ),
    )
}

# Two readings of the paper's lambda: as C, or as 1/C.
GRIDS = {"C": "", "1/C": "lambda = 1/C"}

# The paper used a random 40 % of the file.
SAMPLES = {"kdd99": 197_608}


# Part of every key, 1 by default. Raise it when a code change changes results.
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
    study = TARGETS[target]
    chosen = tuple(dict.fromkeys(datasets or study.datasets))
    names = tuple(dict.fromkeys(algorithms or study.algorithms))
    for name in names:
        study.family_of(name)
    extra = tuple(added)
    for name, _ in extra:
        if any(name in (family, *members) for family, members in FAMILIES.items()):
            raise ValueError(f"add names {name!r}, which is taken; choose another.")
    return Request(study, chosen, names, runs, matrices, max_rows, extra, grid)


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


# Seeds derive from names, so results do not depend on what else runs or in what order.


def seed(*names: object) -> int:
    """A number from 0 to 2^32 - 1 that only the names decide.

    It is made of the first four bytes (most significant first) of the SHA-256 digest
    of the names, written as text and joined by "/". The names in use, where ``run``
    counts from 0:

    - ``split, DATASET, run``: the split into training and test part;
    - ``folds, DATASET, run``: the folds of the cross-validation;
    - ``costs, KIND, DATASET, run``: the cost matrix;
    - ``tree, DATASET, run``: the order of the leaves of filter trees;
    - ``sample, DATASET``: which rows are used where not all are;
    - ``algorithm, NAME, DATASET, run``: an added algorithm's ``random_state``;
    - ``shuffle, TARGET, CLAIM``: data sets shuffled to see what chance gives.

    Parameters
    ----------
    *names : object
        What the number is for.

    Returns
    -------
    int
        The same on every machine.

    See Also
    --------
    run_unit : Compute all cells of a unit, on one thread.

    Examples
    --------
    >>> from softcost.paper import seed
    >>> seed("split", "iris", 0)
    2007448657
    """
    text = "/".join(str(name) for name in names)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
