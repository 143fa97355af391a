"""Names for the help of ``softcost fit``, kept apart from what they stand for.

There are no imports here, so that the help is there at once; a test holds the names to
the reductions themselves.
"""

REDUCTIONS = {
    "osr": "one-sided regression of costs, one model per class",
    "csovo": "cost-sensitive one-versus-one, one classifier per pair of classes",
    "wap": "weighted all pairs, one-versus-one with other weights",
    "csft": "cost-sensitive filter tree, a knock-out tournament of classes",
    "cszl": "rescaling of classes by Zhou and Liu; prices by class only",
    "csovr": "ordinary regression of costs, one model per class",
    "metacost": "relabelled rows, then any classifier; prices by class only",
    "gbse": "boosting with stochastic ensembles of multiclass classifiers",
    "costing": "rejection sampling, for learners that take no weights",
    "mec": "minimum expected cost, from a classifier's probabilities",
}
COSTS_BY_CLASS_ONLY = ("cszl", "metacost")
LEARNERS = ("auto", "svm", "linear", "boosting")
CRITERIA = ("cost", "max", "constrained", "tolerance")


def reductions_help() -> str:
    """The reductions with one line each, for the end of the help."""
    width = max(map(len, REDUCTIONS))
    lines = (f"  {name:<{width}}  {words}" for name, words in REDUCTIONS.items())
    return "\n".join(["\b", "Reductions:", *lines])
