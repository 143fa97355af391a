"""What kind of estimator a learner is."""

from typing import Any, Literal

from sklearn.base import is_classifier, is_regressor
from sklearn.pipeline import Pipeline

from softcost.learners._protocols import FitsMany, WalksPath

Kind = Literal["classifier", "regressor"]


def last_step(learner: Any) -> Any:
    """The last step of a pipeline, or the learner itself."""
    return last_step(learner.steps[-1][1]) if isinstance(learner, Pipeline) else learner


def kind_of(learner: Any) -> Kind | None:
    """Whether a learner is a classifier or a regressor; None where it is neither.

    Estimators that follow older conventions than scikit-learn's tags count, too.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> kind_of(Ridge())
    'regressor'
    """
    try:
        if is_classifier(learner):
            return "classifier"
        if is_regressor(learner):
            return "regressor"
    except AttributeError:  # no tags
        pass
    declared = getattr(last_step(learner), "_estimator_type", None)
    return declared if declared in ("classifier", "regressor") else None


def takes_pairs(learner: Any) -> bool:
    """Whether a learner wants a kernel matrix instead of rows of features."""
    try:
        return bool(learner.__sklearn_tags__().input_tags.pairwise)
    except AttributeError:
        return False


def check_learner(learner: Any, needed: str, user: str) -> None:
    """Refuse what cannot be a learner.

    Parameters
    ----------
    learner : estimator
    needed : {"classifier", "regressor", "any"}
    user : str
        Who needs it, for the message.
    """
    name = type(learner).__name__
    if isinstance(learner, type):
        raise TypeError(
            f"learner is the class {learner.__name__}, not an estimator: pass an "
            f"instance, {learner.__name__}()."
        )
    kind = kind_of(learner)
    wanted = "classifier or regressor" if needed == "any" else needed
    if not hasattr(learner, "fit") or kind is None or needed not in ("any", kind):
        raise TypeError(
            f"learner {name} is not a {wanted}, which {user} needs: choose another, "
            "such as " + _EXAMPLES[needed] + "."
        )
    _check_declared(learner, name)


def _check_declared(learner: Any, name: str) -> None:
    """Refuse a protocol that is declared in part: nobody would notice otherwise."""
    for method, protocol in (("fit_many", FitsMany), ("open_path", WalksPath)):
        if hasattr(learner, method) and not isinstance(learner, protocol):
            missing = [
                one
                for one in ("input_checks", "path_parameter", "fit_many", "open_path")
                if hasattr(protocol, one) or one in protocol.__annotations__
                if not hasattr(learner, one)
            ]
            raise TypeError(
                f"learner {name} has {method} but lacks {', '.join(missing)}: define "
                f"all that softcost.learners.{protocol.__name__} asks for."
            )
    if isinstance(learner, WalksPath):
        known = learner.get_params()  # type: ignore[attr-defined]
        if learner.path_parameter not in known:
            raise ValueError(
                f"learner {name} says path_parameter={learner.path_parameter!r}, which "
                f"is none of its parameters, {', '.join(sorted(known))}: name one."
            )


_EXAMPLES = {
    "classifier": "LogisticRegression()",
    "any": "LogisticRegression()",
    "regressor": "Ridge()",
}
