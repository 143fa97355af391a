"""Kernel machines as scikit-learn estimators, thin over the solvers."""

from softcost.svm.kernel_svc import KernelSVC, pair_votes, vote_margins
from softcost.svm.one_sided_svr import OneSidedSVR

__all__ = ["KernelSVC", "OneSidedSVR", "pair_votes", "vote_margins"]
