"""What reductions ask of learners, and how any learner is given it.

A reduction turns a cost-sensitive problem into `Subproblem`s: labels, values, or
values with a side. Any scikit-learn estimator solves them one by one. A learner that
declares `FitsMany` or `WalksPath` shares the work of many.
"""

from softcost.learners._fitting import (
    Constant,
    FittedModels,
    OnColumns,
    fit_one,
    fit_rows,
    fit_subproblems,
    fitted_learners,
    inner_learner,
)
from softcost.learners._in_blocks import feed_subproblems, takes_block_weights
from softcost.learners._kinds import check_learner, kind_of, last_step, takes_pairs
from softcost.learners._protocols import (
    FitsKinds,
    FitsMany,
    FittedSubproblems,
    HeldOutSolutions,
    LockstepFold,
    Path,
    PathFold,
    PathOutputs,
    WalksInLockstep,
    WalksPath,
)
from softcost.learners._seeds import draw_seeds, seeded_clone
from softcost.learners._subproblems import (
    Labels,
    OneSidedValues,
    Subproblem,
    Values,
    check_sides,
)
from softcost.learners._unfinished import warn_unfinished
from softcost.learners._weights import takes_weights, weight_params

__all__ = [
    "Constant",
    "FitsKinds",
    "FitsMany",
    "FittedModels",
    "FittedSubproblems",
    "HeldOutSolutions",
    "Labels",
    "LockstepFold",
    "OnColumns",
    "OneSidedValues",
    "Path",
    "PathFold",
    "PathOutputs",
    "Subproblem",
    "Values",
    "WalksInLockstep",
    "WalksPath",
    "check_learner",
    "check_sides",
    "draw_seeds",
    "feed_subproblems",
    "fit_one",
    "fit_rows",
    "fit_subproblems",
    "fitted_learners",
    "inner_learner",
    "kind_of",
    "last_step",
    "seeded_clone",
    "takes_block_weights",
    "takes_pairs",
    "takes_weights",
    "warn_unfinished",
    "weight_params",
]
