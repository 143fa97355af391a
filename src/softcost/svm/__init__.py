"""Kernel machines as scikit-learn estimators, thin over the solvers."""

from softcost.svm._kernel_svc import KernelSVC, pair_votes
from softcost.svm._one_sided_svr import OneSidedSVR

__all__ = ["KernelSVC", "OneSidedSVR", "pair_votes"]
