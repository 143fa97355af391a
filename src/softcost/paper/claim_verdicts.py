"""Whether ours and the published numbers give the same answers, beyond chance."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from softcost.paper.anomalies import misprinted
from softcost.paper.claims import CLAIMS, Claim
from softcost.paper.comparison import published_table
from softcost.paper.planning import TARGETS, seed
from softcost.paper.questions import Evidence

ABOVE, CHANCE, OPPOSITE = (
    "clearly above chance",
    "not distinguishable from chance",
    "opposite",
)
SAME_COUNTS, OTHER_COUNTS = (
    "same counts, shuffling cannot tell",
    "other counts, shuffling cannot tell",
)
EVERYWHERE, SOMEWHERE, NOWHERE = (
    "as claimed on every set",
    "as claimed on some sets",
    "as claimed on no set",
)
NOT_RUN = "not run yet"
SHUFFLES = 19_999
_LEVEL = 0.05

Found = Mapping[str, Mapping[str, pd.DataFrame] | None]


def verdicts(found: Found) -> pd.DataFrame:
    """Every claim of the paper: our count, the published one, chance, a verdict.

    Parameters
    ----------
    found : dict of target to findings
        From `findings_of`; None where a target was not run.

    Returns
    -------
    DataFrame
        One row per claim: number, claim, target, subjects; ``ours``, ``published``,
        ``stated`` (what the text says) and ``tested`` (ours by the test that the paper
        states) are counts for each subject, or None; ``of`` how many places were
        asked for each; ``same`` of ``compared`` answers are the same, ``chance`` of
        them if the data sets are shuffled; ``p`` is the share of shuffles with as
        many; ``verdict``, and ``differs``, where the answers are not the same.

    See Also
    --------
    findings_of : Tables, tests and agreement of a target.
    write_report : Read results, compare them with the published values, write the
        pages.

    Notes
    -----
    Data sets are shuffled as a whole, with the answers of all subjects. A verdict is
    `ABOVE` where fewer than 5 % of the shuffles have as many same answers, `OPPOSITE`
    where fewer than 5 % have as few, and `SAME_COUNTS` or `OTHER_COUNTS` where no
    arrangement of these answers could be that rare, as if all of them are yes.

    Examples
    --------
    Where nothing was run, every claim is listed and none is judged:

    >>> from softcost.paper import verdicts
    >>> table = verdicts({})
    >>> len(table) > 5, bool(table["ours"].isna().all())
    (True, True)
    """
    evidence = {
        target: _evidence(target, part)
        for target, part in found.items()
        if part is not None
    }
    rows = [
        {"number": number, "claim": claim.text, "target": claim.target,
         "subjects": claim.subjects, "stated": claim.stated or None,
         **_judge(claim, evidence.get(claim.target))}
        for number, claim in enumerate(CLAIMS, 1)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def _evidence(
    target: str, found: Mapping[str, pd.DataFrame]
) -> tuple[Evidence, Evidence, Evidence]:
    """Ours, ours by the test that the paper states, and the published numbers."""
    algorithms = TARGETS[target].algorithms
    table, tests = found["table"], found["tests"]
    table = table[table["as_in_paper"] & table["algorithm"].isin(algorithms)]
    published = published_table(target)
    places = published[["metric", "dataset", "algorithm"]].itertuples(index=False)
    wrong = [tuple(place) for place in places if misprinted(target, *place)]
    return (
        Evidence(table),
        Evidence(table, tests[tests["as_in_paper"]]),
        Evidence(published, distrusted=wrong),
    )


def _judge(
    claim: Claim, evidence: tuple[Evidence, Evidence, Evidence] | None
) -> dict[str, Any]:
    nothing: dict[str, Any] = dict.fromkeys(
        ("ours", "published", "tested", "of", "same", "compared", "chance", "p")
    )
    nothing["differs"] = ""
    if claim.untestable:
        return nothing | {"verdict": f"cannot be tested: {claim.untestable}"}
    if evidence is None:
        return nothing | {"verdict": NOT_RUN}
    ours, by_stated, theirs = (_answers(claim, part) for part in evidence)
    if not any(ours):
        return nothing | {"verdict": NOT_RUN}
    if claim.coin >= 0:
        return nothing | _without_numbers(claim, ours, by_stated)
    return nothing | _with_numbers(claim, ours, by_stated, theirs)


def _with_numbers(
    claim: Claim,
    ours: list[dict[str, bool]],
    by_stated: list[dict[str, bool]],
    theirs: list[dict[str, bool]],
) -> dict[str, Any]:
    """Our answers beside those of the published numbers, where both have one."""
    both = [
        {
            place: (yes, published[place])
            for place, yes in answers.items()
            if place in published
        }
        for answers, published in zip(ours, theirs, strict=True)
    ]
    chance, p, verdict = _shuffled(claim, ours, theirs)
    return {
        "ours": tuple(sum(yes for yes, _ in part.values()) for part in both),
        "published": tuple(
            sum(published for _, published in part.values()) for part in both
        ),
        "tested": _tested(claim, by_stated, both),
        "of": tuple(len(part) for part in both),
        "same": sum(
            yes == published for part in both for yes, published in part.values()
        ),
        "compared": sum(len(part) for part in both),
        "chance": chance,
        "p": p,
        "verdict": verdict,
        "differs": _differs(claim, both),
    }


def _answers(claim: Claim, evidence: Evidence) -> list[dict[str, bool]]:
    """Answers by place, for each subject."""
    return [
        {
            place: answer
            for place, answer in claim.ask(evidence, subject)
            if not claim.datasets or evidence.places.get(place) in claim.datasets
        }
        for subject in claim.subjects
    ]


def _tested(
    claim: Claim, answers: list[dict[str, bool]], places: list[Any]
) -> tuple[int, ...] | None:
    if not claim.tested:
        return None
    return tuple(
        sum(yes for place, yes in by_place.items() if place in part)
        for by_place, part in zip(answers, places, strict=True)
    )


def _differs(claim: Claim, both: list[dict[str, tuple[bool, bool]]]) -> str:
    parts = []
    for subject, answers in zip(claim.subjects, both, strict=True):
        places = [
            place for place, (yes, published) in answers.items() if yes != published
        ]
        if places:
            name = f"{subject[0]}: " if len(claim.subjects) > 1 else ""
            parts.append(name + ", ".join(places))
    return "; ".join(parts)


def _without_numbers(
    claim: Claim, ours: list[dict[str, bool]], by_stated: list[dict[str, bool]]
) -> dict[str, Any]:
    """What the paper says of all sets, without numbers that can be asked."""
    answers = [yes for part in ours for yes in part.values()]
    verdict = SOMEWHERE if any(answers) else NOWHERE
    return {
        "ours": tuple(sum(part.values()) for part in ours),
        "tested": _tested(claim, by_stated, ours),
        "of": tuple(len(part) for part in ours),
        "chance": claim.coin * len(answers) if claim.coin else None,
        "verdict": EVERYWHERE if all(answers) else verdict,
        "differs": ", ".join(p for part in ours for p, yes in part.items() if not yes),
    }


def _shuffled(
    claim: Claim, ours: list[dict[str, bool]], theirs: list[dict[str, bool]]
) -> tuple[float, float, str]:
    """Same answers to expect if data sets are shuffled, p, and the verdict."""
    places = sorted({place for part in (*ours, *theirs) for place in part})
    our_answers, published = (_matrix(part, places) for part in (ours, theirs))
    rng = np.random.default_rng(seed("shuffle", claim.target, claim.text))
    orders = rng.permuted(np.tile(np.arange(len(places)), (SHUFFLES, 1)), axis=1)
    shuffled, fixed = our_answers[:, orders], published[:, np.newaxis, :]
    comparable = ~np.isnan(shuffled) & ~np.isnan(fixed)
    same = (shuffled == fixed) & comparable
    shares = same.sum(axis=(0, 2)) / comparable.sum(axis=(0, 2))
    in_both = ~np.isnan(our_answers) & ~np.isnan(published)
    compared = in_both.sum()
    observed = np.sum(our_answers == published) / compared
    high, low = (
        (1 + np.sum(as_extreme)) / (1 + SHUFFLES)
        for as_extreme in (shares >= observed - 1e-12, shares <= observed + 1e-12)
    )
    rarest = min(np.mean(shares == end) for end in (shares.max(), shares.min()))
    if high < _LEVEL:
        verdict = ABOVE
    elif low < _LEVEL:
        verdict = OPPOSITE
    else:
        counts = (
            np.nansum(part * in_both, axis=1) for part in (our_answers, published)
        )
        alike = SAME_COUNTS if np.array_equal(*counts) else OTHER_COUNTS
        verdict = CHANCE if rarest < _LEVEL else alike
    return float(shares.mean() * compared), float(high), verdict


def _matrix(answers: list[dict[str, bool]], places: list[str]) -> NDArray[np.float64]:
    """Subjects by places; nan where there is no answer."""
    return np.array(
        [[float(part.get(place, np.nan)) for place in places] for part in answers]
    )
