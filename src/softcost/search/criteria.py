"""Criteria: the words that stand for a rule in a search and on the command line.

`CRITERIA` is the only list of them; searches, commands and the explorer page read it.
The help of commands imports this module, so it imports the rules only to make one.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from softcost.search.rules import Rule


@dataclass(frozen=True)
class Criterion:
    """A word that stands for a rule, in ``criterion`` and on the command line.

    Attributes
    ----------
    word : str
        The value of ``criterion``.
    rule : str
        The name of the rule in `softcost.search`. Its first parameter is the argument,
        if there is one.
    summary : str
        What is chosen, for the help of commands.
    argument : str or None
        The parameter of a search that the rule needs, such as "max_error".
    on_page : bool
        Whether the explorer page offers the rule; ``report/page/rules.js`` then
        implements it under the same word.

    See Also
    --------
    make_rule : The rule that a criterion stands for.

    Examples
    --------
    >>> from softcost.search import CRITERIA
    >>> CRITERIA["tolerance"].option, CRITERIA["cost"].rule
    ('--tolerance', 'LeastCost')
    """

    word: str
    rule: str
    summary: str
    argument: str | None = None
    on_page: bool = False

    @property
    def option(self) -> str | None:
        """The option of a command that sets the argument."""
        return self.argument and f"--{self.argument.replace('_', '-')}"


CRITERIA = {
    criterion.word: criterion
    for criterion in (
        Criterion("cost", "LeastCost", "the least cost", on_page=True),
        Criterion("max", "MaxOfBoth", "the least max(error, normalised cost)"),
        Criterion(
            "constrained",
            "Budget",
            "the least cost within an error budget",
            argument="max_error",
            on_page=True,
        ),
        Criterion(
            "tolerance",
            "Tolerance",
            "the least error near the least cost",
            argument="tolerance",
        ),
    )
}


def make_rule(
    criterion: Any,
    *,
    max_error: float | None = None,
    tolerance: float | str | None = None,
) -> "Rule":
    """The rule that a criterion stands for.

    Parameters
    ----------
    criterion : Rule, {"cost", "max", "constrained", "tolerance"} or callable
        A rule, a word of `CRITERIA`, or a function, which becomes a `ByFunction`.
    max_error : float, default=None
        The error budget of "constrained".
    tolerance : float or "1se", default=None
        The tolerance of "tolerance".

    Returns
    -------
    Rule
        Ready to choose.

    See Also
    --------
    choose_row : The index of the row that a criterion chooses.
    Budget : The least cost within limits of other measures.
    Tolerance : The least error among costs close to the lowest.

    Examples
    --------
    >>> from softcost.search import make_rule
    >>> make_rule("constrained", max_error=0.05)
    Budget(error=0.05)
    """
    from softcost.search.rules import ByFunction, Rule

    if isinstance(criterion, type) and issubclass(criterion, Rule):
        raise TypeError(
            f"criterion is the class {criterion.__name__}, not a rule: pass an "
            f"instance, {criterion.__name__}(...)."
        )
    entry = CRITERIA.get(criterion) if isinstance(criterion, str) else None
    if entry is None and not isinstance(criterion, Rule) and not callable(criterion):
        raise ValueError(
            f"criterion must be one of {', '.join(CRITERIA)}, a rule such as "
            f"Budget(error=0.05) or a function of the trade-off table, not "
            f"{criterion!r}."
        )
    arguments: dict[str, Any] = {"max_error": max_error, "tolerance": tolerance}
    for other in CRITERIA.values():
        if other.argument is None:
            continue
        if (arguments[other.argument] is not None) != (other is entry):
            raise ValueError(
                f"{other.argument} and criterion={other.word!r} need each other; pass "
                "both or neither."
            )
    if isinstance(criterion, Rule):
        return criterion
    if entry is None:
        return ByFunction(criterion)
    rule: type[Rule] = getattr(import_module("softcost.search"), entry.rule)
    return rule(*(() if entry.argument is None else [arguments[entry.argument]]))


def choose_row(
    table: "pd.DataFrame",
    criterion: Any = "cost",
    *,
    max_error: float | None = None,
    tolerance: float | str | None = None,
    error: str = "error",
) -> int:
    """The index of the row that a criterion chooses.

    Parameters
    ----------
    table : DataFrame
        As `SoftCostClassifierCV.tradeoff_`.
    criterion, max_error, tolerance
        As in `make_rule`.
    error : {"error", "weighted_error"}, default="error"
        The column of the error that counts.

    Returns
    -------
    int
        From 0.

    See Also
    --------
    make_rule : The rule that a criterion stands for.
    decide : The choice of a rule, given the counts behind the table.

    Examples
    --------
    >>> import pandas as pd
    >>> from softcost.search import choose_row
    >>> table = pd.DataFrame(
    ...     {"softness": [0, 0.5, 1], "cost": [1.0, 1.1, 3.0], "error": [0.4, 0.2, 0.1]}
    ... )
    >>> choose_row(table), choose_row(table, "constrained", max_error=0.25)
    (0, 1)
    """
    from softcost.search.rules import checked_row

    rule = make_rule(criterion, max_error=max_error, tolerance=tolerance)
    return checked_row(rule.choose(table, error=error), rule, table)
