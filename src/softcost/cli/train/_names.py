"""Words of the command line, kept apart from what they stand for: no imports."""

REDUCTIONS = {
    "osr": "one-sided regression",
    "csovo": "cost-sensitive one-versus-one",
    "wap": "weighted all pairs",
    "csft": "cost-sensitive filter tree",
    "cszl": "rescaling by Zhou and Liu",
    "csovr": "regression of costs",
    "metacost": "MetaCost",
    "gbse": "boosting with stochastic ensembles",
    "costing": "rejection sampling",
    "mec": "minimum expected cost",
}
LEARNERS = ("auto", "svm", "linear", "boosting")
CRITERIA = ("cost", "max", "constrained", "tolerance")
