"""The catalogue of reductions: to add one, write its module and add a line here.

The command line, the model format, the paper's experiments, the check suites and the
reference tables read it. It names classes without importing them, so that a command
line's help costs next to nothing.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

Needs = Literal["one-sided", "regressor", "classifier", "probabilities"]


@dataclass(frozen=True)
class Entry:
    """One reduction.

    Attributes
    ----------
    name : str
        Short name, as on the command line.
    module, class_name : str
        Where the class is, below `softcost.reductions`.
    needs : {"one-sided", "regressor", "classifier", "probabilities"}
        The learner that it needs: a regressor that takes sides (or any regressor), a
        regressor, a classifier, or a classifier with probabilities.
    hard, regular : str
        The literature's names of the algorithm at softness 0 and 1, "" for none.
    summary : str
        What it does, in one line.
    """

    name: str
    module: str
    class_name: str
    needs: Needs
    hard: str
    regular: str
    summary: str

    @property
    def path(self) -> str:
        """Full name of the class."""
        return f"softcost.reductions.{self.module}.{self.class_name}"

    def load(self) -> type[Any]:
        """The class."""
        module = import_module(f"softcost.reductions.{self.module}")
        return getattr(module, self.class_name)


_ENTRIES = (
    Entry("osr", "_one_sided", "OneSidedRegression", "one-sided", "OSR", "OVA",
          "one regressor a class, which learns its cost from one side"),
    Entry("csovo", "_pairwise", "CostSensitiveOneVsOne", "classifier", "CSOVO", "OVO",
          "one classifier a pair of classes, weighted by the difference of costs"),
    Entry("wap", "_pairwise", "WeightedAllPairs", "classifier", "WAP", "OVO",
          "as csovo, with weights that bound the cost more tightly"),
    Entry("csft", "_filter_tree", "FilterTree", "classifier", "CSFT", "FT",
          "a tournament of classes: few classifiers, fast predictions"),
    Entry("cszl", "_rescaling", "ZhouLiuRescaling", "classifier", "CSZL", "OVO",
          "one classifier a pair of classes, each class with one weight"),
    Entry("csovr", "_one_sided", "RegressionOneVsAll", "regressor", "CSOVR", "",
          "one regressor a class, which learns its cost"),
    Entry("metacost", "_metacost", "MetaCost", "probabilities", "MetaCost", "",
          "one classifier, trained on the labels that are cheapest to predict"),
    Entry("gbse", "_boosting", "StochasticEnsembleBoosting", "classifier", "GBSE", "",
          "boosting of classifiers that say which classes are cheap"),
    Entry("costing", "_costing", "Costing", "classifier", "costing", "",
          "rejection sampling, for learners without sample weights"),
    Entry("mec", "_expected", "MinimumExpectedCost", "probabilities", "Bayes decision",
          "most probable class", "probabilities first, then the cheapest class"),
)  # fmt: skip

CATALOGUE: dict[str, Entry] = {entry.name: entry for entry in _ENTRIES}


def entry_of(reduction: Any) -> Entry:
    """The entry of a reduction's class.

    Examples
    --------
    >>> from softcost.reductions import FilterTree
    >>> entry_of(FilterTree()).hard
    'CSFT'
    """
    for entry in _ENTRIES:
        if type(reduction).__name__ == entry.class_name:
            return entry
    raise KeyError(f"{type(reduction).__name__} is not in the catalogue of reductions.")
