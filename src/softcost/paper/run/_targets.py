"""The tables and figures of the paper: data sets, algorithms, families, targets."""

from dataclasses import dataclass
from difflib import get_close_matches

DATASETS = (
    "iris", "wine", "glass", "vehicle", "vowel", "segment", "dna", "satimage", "usps",
    "zoo", "yeast", "pageblock", "anneal", "solar", "splice", "ecoli", "nursery",
    "soybean", "arrhythmia", "optdigits", "mfeat", "pendigit",
)  # fmt: skip
# Where the paper's costs can only have been drawn without a look at class sizes.
PLAIN = DATASETS[:8]
# No class more than two and a half times as large as another.
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
# Soft algorithms with their hard and regular siblings.
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

# What one search gives, by family; "OSR-w" and so on have weighted error as the basic
# criterion and so no regular sibling among them.
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

# How the paper's lambda is read: as C, or as 1/C; what a unit is made of then.
GRIDS = {"C": "", "1/C": "lambda = 1/C"}

# The paper used a random 40 % of the file.
SAMPLES = {"kdd99": 197_608}
