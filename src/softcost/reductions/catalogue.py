"""The catalogue of reductions. To add one, write its module and add a line here.

The command line, the model format, the paper's experiments and the tests of all
reductions use it. It names classes without importing them, so ``softcost --help``
stays fast.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

Needs = Literal["one-sided", "regressor", "classifier", "probabilities"]


@dataclass(frozen=True)
class Entry:
    """A line of the catalogue: one reduction.

    Attributes
    ----------
    name : str
        Short name, as on the command line.
    module, class_name : str
        Module below `softcost.reductions`, and the name of the class in it.
    needs : {"one-sided", "regressor", "classifier", "probabilities"}
        The learner that it needs: a one-sided regressor (or any regressor), a
        regressor, a classifier, or a classifier with probabilities. The command line
        chooses the learner accordingly.
    hard, regular : str
        Names in the literature of the algorithm at softness 0 and 1; "" if there is
        none.
    summary : str
        One line on the algorithm.
    when : str
        One line on when to use it.
    by_class_only : bool
        Whether it supports costs by class only, not by example.

    See Also
    --------
    Reduction : A cost-sensitive classifier that is built from ordinary learners.

    Examples
    --------
    >>> from softcost.reductions import CATALOGUE
    >>> entry = CATALOGUE["csovo"]
    >>> entry.hard, entry.regular, entry.load().__name__
    ('CSOVO', 'OVO', 'CostSensitiveOneVsOne')
    """

    name: str
    module: str
    class_name: str
    needs: Needs
    hard: str
    regular: str
    summary: str
    when: str
    by_class_only: bool = False

    @property
    def path(self) -> str:
        """Full name of the class."""
        return f"softcost.reductions.{self.module}.{self.class_name}"

    def load(self) -> type[Any]:
        """The class.

        Returns
        -------
        type
            A subclass of `Reduction`.
        """
        module = import_module(f"softcost.reductions.{self.module}")
        return getattr(module, self.class_name)


_ENTRIES = (
    Entry("osr", "one_sided", "OneSidedRegression", "one-sided", "OSR", "OVA",
          "one-sided regression of costs, one model per class",
          "for a start; costs by class or by row"),
    Entry("csovo", "pairwise", "CostSensitiveOneVsOne", "classifier", "CSOVO", "OVO",
          "cost-sensitive one-versus-one, one classifier per pair of classes",
          "for few classes: classifiers grow with their square"),
    Entry("wap", "pairwise", "WeightedAllPairs", "classifier", "WAP", "OVO",
          "weighted all pairs, one-versus-one with other weights",
          "for comparison with csovo"),
    Entry("csft", "filter_tree", "FilterTree", "classifier", "CSFT", "FT",
          "cost-sensitive filter tree, a knock-out tournament of classes",
          "for many classes: one classifier fewer than classes"),
    Entry("cszl", "rescaling", "ZhouLiuRescaling", "classifier", "CSZL", "OVO",
          "rescaling of classes by Zhou and Liu",
          "for consistent costs, see 'softcost costs check'", by_class_only=True),
    Entry("csovr", "one_sided", "RegressionOneVsAll", "regressor", "CSOVR", "",
          "ordinary regression of costs, one model per class",
          "to see what one-sidedness brings"),
    Entry("metacost", "metacost", "MetaCost", "classifier", "MetaCost", "",
          "relabelled rows, then any classifier",
          "for one plain classifier as the result", by_class_only=True),
    Entry("gbse", "stochastic_ensemble", "StochasticEnsembleBoosting", "classifier",
          "GBSE", "", "boosting with stochastic ensembles",
          "for weak learners such as small trees"),
    Entry("costing", "costing", "Costing", "classifier", "costing", "",
          "rejection sampling, for learners that take no weights",
          "for learners of your own without weights of rows"),
    Entry("mec", "expected_cost", "MinimumExpectedCost", "probabilities",
          "Bayes decision", "argmax p",
          "minimum expected cost, from a classifier's probabilities",
          "for many rows, and for costs that may still change"),
)  # fmt: skip

CATALOGUE: dict[str, Entry] = {entry.name: entry for entry in _ENTRIES}
