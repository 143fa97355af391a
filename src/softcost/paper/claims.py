"""What the paper says of its results, as questions; numbered in this order."""

from dataclasses import dataclass

from softcost.paper import questions as q
from softcost.paper.planning import (
    ALGORITHMS,
    CURVE,
    HARD_PAIRS,
    REGULAR_PAIRS,
    SIBLINGS,
)


@dataclass(frozen=True)
class Claim:
    """One claim of the paper.

    Attributes
    ----------
    text : str
    target : str
        Of which table or figure.
    subjects : tuple of tuple of str
        The algorithms that it is about, the first compared with the second, if any;
        each is counted on its own.
    ask : callable
        Gives (place, answer) for the evidence and a subject.
    stated : tuple of int
        How many data sets the text names, for each subject; empty if it names none.
    tested : bool
        Whether the answer depends on a test of significance.
    datasets : tuple of str
        On which sets; all, if empty.
    coin : float
        Where the paper has no numbers that can be asked, as it shows a figure or as
        they are misprints: the chance of a yes where nothing but chance decides, or 0
        if there is no such chance. -1 where the paper has numbers.
    untestable : str
        Why it cannot be tested; empty where it can.
    """

    text: str
    target: str
    subjects: tuple[tuple[str, ...], ...]
    ask: q.Ask
    stated: tuple[int, ...] = ()
    tested: bool = False
    datasets: tuple[str, ...] = ()
    coin: float = -1.0
    untestable: str = ""


_OSR = (("soft-OSR", "OSR"),)
_OSR_SUBJECT = (("soft-OSR",),)
_CSOVO_SUBJECT = (("soft-CSOVO",),)
_AHEAD = (("soft-OSR", "soft-CSOVO"),)
_BEHIND = ("FT", "CSFT", "soft-CSFT", "CSZL", "soft-CSZL")
_BEHIND_BY_KIND = {"soft-OSR": ("soft-CSFT", "soft-CSZL"), "OSR": ("CSFT", "CSZL")}
_ALL_OTHERS = tuple(name for name in ALGORITHMS if name not in _AHEAD[0])
_REGULAR = (("OVA", "OVO", "FT"),)
_CSZL = HARD_PAIRS[3:]
_HARD_REGULAR = tuple((hard, regular) for _, hard, regular in SIBLINGS[:3])
_CRITERIA = (("soft-OSR", "soft-OSR-max"),)
_CRITERIA_BACK = (("soft-OSR-max", "soft-OSR"),)


def _main(target: str, stated: tuple[int, ...]) -> tuple[Claim, ...]:
    """What is said of both of the large tables."""
    return (
        Claim(
            "soft has a lower error than hard at a cost that is not clearly higher "
            "(the abstract's sentence)",
            target,
            HARD_PAIRS,
            q.better_at_similar("error", "cost"),
            tested=True,
        ),
        Claim(
            "soft has a clearly lower error than hard",
            target,
            HARD_PAIRS,
            q.clearly_better("error"),
            stated,
            tested=True,
        ),
        Claim(
            "soft does not have a clearly higher cost than hard",
            target,
            HARD_PAIRS,
            q.not_clearly_worse("cost"),
            tested=True,
        ),
        Claim(
            "soft has a clearly lower cost than hard (sometimes, the abstract says)",
            target,
            HARD_PAIRS,
            q.clearly_better("cost"),
            tested=True,
        ),
        Claim("soft has a lower cost than regular", target, REGULAR_PAIRS,
              q.better("cost")),
        Claim(
            "soft has a clearly lower cost than regular",
            target,
            REGULAR_PAIRS,
            q.clearly_better("cost"),
            tested=True,
        ),
        Claim(
            "soft lies between hard and regular in error",
            target,
            SIBLINGS,
            q.between("error"),
        ),
        Claim(
            "a regular algorithm has the lowest error of all",
            target,
            _REGULAR,
            q.lowest("error"),
        ),
        Claim(
            "soft-OSR or soft-CSOVO has a lower cost than filter trees and CSZL",
            target,
            _AHEAD,
            q.ahead("cost", _BEHIND),
        ),
        Claim(
            "soft-OSR and soft-CSOVO have the lowest mean ranks in cost of all",
            target,
            _AHEAD,
            q.lower_ranks("cost", {"soft-OSR": _ALL_OTHERS}),
        ),
        Claim(
            "filter trees and CSZL have higher mean ranks in cost than OSR and CSOVO: "
            "the soft ones, the hard ones",
            target,
            (*_AHEAD, ("OSR", "CSOVO")),
            q.lower_ranks("cost", _BEHIND_BY_KIND),
        ),
        Claim(
            "soft-CSZL and CSZL are not clearly different in cost and error",
            target,
            _CSZL,
            q.similar("cost", "error"),
            tested=True,
        ),
    )  # fmt: skip


CLAIMS = (
    Claim(
        "soft-OSR is among the best in cost",
        "inconsistent",
        _OSR_SUBJECT,
        q.among_best("cost"),
        (17,),
    ),
    Claim(
        "soft-OSR has the lowest cost",
        "inconsistent",
        _OSR_SUBJECT,
        q.lowest("cost"),
        (8,),
    ),
    *_main("inconsistent", (16, 13, 14, 2)),
    Claim(
        "CSZL has a lower error than CSOVO",
        "inconsistent",
        (("CSZL", "CSOVO"),),
        q.better("error"),
        (16,),
    ),
    Claim(
        "hard has a higher cost than regular on vowel and dna",
        "inconsistent",
        _HARD_REGULAR,
        q.worse("cost"),
        datasets=("vowel", "dna"),
    ),
    Claim(
        "soft-CSOVO is among the best in cost",
        "consistent",
        _CSOVO_SUBJECT,
        q.among_best("cost"),
        (18,),
    ),
    *_main("consistent", (14, 13, 17, 3)),
    Claim(
        "choosing softness by cost gives a clearly lower cost than by max(error, "
        "normalised cost)",
        "alpha-selection",
        _CRITERIA,
        q.clearly_better("cost"),
        (3,),
        tested=True,
    ),
    Claim(
        "choosing by max gives a clearly lower error than by cost",
        "alpha-selection",
        _CRITERIA_BACK,
        q.clearly_better("error"),
        (6,),
        tested=True,
    ),
    Claim(
        "OSR has the lowest cost on unbalanced sets",
        "unbalanced",
        (("OSR",),),
        q.lowest("cost"),
        coin=1 / 3,
    ),
    Claim(
        "weighted OVA has the lowest weighted error",
        "unbalanced",
        (("weighted-OVA",),),
        q.lowest("weighted_error"),
    ),
    Claim(
        "soft-OSR has a lower weighted error than OSR",
        "unbalanced",
        _OSR,
        q.better("weighted_error"),
    ),
    Claim(
        "soft-OSR has a clearly higher product of recalls than OSR",
        "unbalanced",
        _OSR,
        q.clearly_better("recall_product"),
        (8,),
        tested=True,
    ),
    Claim(
        "the cost of soft-OSR is not clearly different from that of OSR",
        "unbalanced",
        _OSR,
        q.similar("cost"),
        tested=True,
        coin=0.0,
    ),
    Claim(
        "soft and hard are not clearly different in cost",
        "kdd99",
        HARD_PAIRS,
        q.similar("cost"),
        tested=True,
    ),
    Claim(
        "soft and hard are not clearly different in error",
        "kdd99",
        HARD_PAIRS,
        q.similar("error"),
        tested=True,
    ),
    Claim(
        "soft has a lower weighted error than hard",
        "kdd99-balanced",
        HARD_PAIRS,
        q.better("weighted_error"),
    ),
    Claim(
        "soft has a higher product of recalls than hard",
        "kdd99-balanced",
        HARD_PAIRS,
        q.better("recall_product"),
    ),
    Claim(
        "soft and hard are not clearly different in cost",
        "kdd99-balanced",
        HARD_PAIRS,
        q.similar("cost"),
        tested=True,
    ),
    Claim(
        "the cost is lowest for a softness between 0 and 1",
        "softness-curve",
        (("OSR",),),
        q.lowest_between,
        coin=(len(CURVE) - 2) / len(CURVE),
    ),
    Claim("soft has a lower error than hard", "emphasis", _OSR, q.better("error"),
          coin=0.5),
    Claim("soft has a lower cost than hard", "emphasis", _OSR, q.better("cost"),
          coin=0.5),
    Claim(
        "the cost of soft, in units of the emphasis u, does not depend on u",
        "emphasis",
        _OSR_SUBJECT,
        q.flat,
        coin=0.0,
    ),
    Claim(
        "hard never predicts the class that is expensive to predict",
        "emphasis",
        (("OSR",),),
        q.never_predicted,
        coin=0.0,
    ),
    Claim(
        "soft-CSOVO has the lowest cost on the spectra of bacteria",
        "sers",
        _CSOVO_SUBJECT,
        q.no_question,
        untestable="the spectra are not public, ours are synthetic",
    ),
)  # fmt: skip
