"""Names for the help of ``softcost fit``; nothing heavy is imported for them."""

from softcost.reductions import CATALOGUE
from softcost.search.criteria import CRITERIA

REDUCTIONS = ("auto", *CATALOGUE)
LEARNERS = ("auto", "svm", "linear", "nystroem", "boosting")


def criteria_help() -> str:
    """The criteria in one line."""
    return "; ".join(f"{word}: {entry.summary}" for word, entry in CRITERIA.items())


def reductions_help() -> str:
    """The reductions, and when to try each, for the end of the help."""
    width = max(map(len, REDUCTIONS))
    lines = [f"  {'auto':<{width}}  several families that suit the table"]
    for name, entry in CATALOGUE.items():
        words = entry.summary + ("; prices by class only" * entry.by_class_only)
        lines.append(f"  {name:<{width}}  {words}")
        lines.append(f"  {'':<{width}}  {entry.when}")
    return "\n".join(["\b", "Reductions:", *lines])
