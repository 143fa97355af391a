"""A rule chooses on any trade-off table, and in the same way whatever its order."""

import warnings
from copy import deepcopy
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from softcost.metrics import MEASURES


def check_rule(rule: Any, *, n_tables: int = 20) -> None:
    """Check that a rule chooses as searches expect it to.

    It gives the number of a row and leaves the table alone; the order of the rows does
    not matter; of rows that differ in softness only, it takes the softest; it says in a
    few words what it does; a copy of it is equal, as clones of a search need.

    Parameters
    ----------
    rule : softcost.search.Rule
        What is checked.
    n_tables : int, default=20
        How many made-up tables are tried.

    Raises
    ------
    AssertionError
        Where one of these does not hold.

    See Also
    --------
    softcost.search.Rule : What a rule is made of.
    check_cost_estimator : The same for estimators.

    Examples
    --------
    >>> from softcost.search import Budget, ByFunction
    >>> from softcost.testing import check_rule
    >>> check_rule(Budget(error=0.3))
    >>> check_rule(ByFunction(lambda table: len(table) - 1))  # whatever is last
    Traceback (most recent call last):
        ...
    AssertionError: another order of the rows should not change the choice...
    """
    description = rule.describe()
    assert isinstance(description, str), "describe should return a text"
    assert description.strip(), "describe should say what is chosen"
    assert deepcopy(rule) == rule, "a copy should be equal: make it a dataclass"
    rng = np.random.default_rng(0)
    for _ in range(n_tables):
        table = _made_up_table(rng)
        order = rng.permutation(len(table))
        shuffled = table.iloc[order].reset_index(drop=True)
        assert order[_chosen(rule, shuffled)] == _chosen(rule, table), (
            "another order of the rows should not change the choice"
        )
        same = pd.concat([table.iloc[:1]] * 3, ignore_index=True)
        same["softness"] = [0.5, 1.0, 0.0]
        assert _chosen(rule, same) == 1, (
            "of rows that differ in softness only, the softest should be chosen: end "
            "with softcost.search.least_row"
        )


def _made_up_table(rng: np.random.Generator) -> pd.DataFrame:
    """A trade-off of a few candidates, no two of which are alike in any measure."""
    n = int(rng.integers(2, 30))
    table = pd.DataFrame({"softness": rng.uniform(size=n), "C": rng.uniform(size=n)})
    for measure in MEASURES.values():
        table[measure.name] = rng.uniform(size=n)
        table[measure.standard_error] = rng.uniform(0.01, 0.1, size=n)
    return table


def _chosen(rule: Any, table: pd.DataFrame) -> int:
    """The row, if it is one and the table is as before."""
    before = table.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a limit that nothing keeps
        row = rule.choose(table)
    assert isinstance(row, Integral), "choose should return a number, not a label"
    assert 0 <= int(row) < len(table), (
        "choose should return the number of a row, from 0"
    )
    pd.testing.assert_frame_equal(table, before, obj="the table that was given")
    return int(row)
