"""Checks that any cost-sensitive estimator should pass, ours or yours.

scikit-learn's own checks never pass costs, so they prove nothing about them. These
do. An estimator takes ``cost_matrix``, ``classes`` and ``softness`` as parameters,
``costs`` as metadata of ``fit`` and ``score``, as every reduction here:

>>> from sklearn.linear_model import Ridge
>>> from softcost import RegressionOneVsAll
>>> from softcost.testing import check_cost_estimator
>>> check_cost_estimator(RegressionOneVsAll(Ridge()), actions=True)

With pytest, ``@pytest.mark.parametrize("check", cost_estimator_checks())`` makes one
test of every check.
"""

from softcost.testing.checks import check_cost_estimator, cost_estimator_checks
from softcost.testing.path_checks import check_path_learner
from softcost.testing.rule_checks import check_rule

__all__ = [
    "check_cost_estimator",
    "check_path_learner",
    "check_rule",
    "cost_estimator_checks",
]
