"""What kind of estimator a learner is."""

from typing import Any, Literal

from sklearn.base import is_classifier, is_regressor
from sklearn.pipeline import Pipeline

from softcost.learners._protocols import FitsMany, WalksPath

Kind = Literal["classifier", "regressor"]


def last_step(learner: Any) -> Any:
    """The last step of a pipeline, or the learner itself.

    Parameters
    ----------
    learner : estimator
        Also a pipeline in a pipeline.

    Returns
    -------
    estimator
        What learns in the end.

    See Also
    --------
    kind_of : Whether a learner is a classifier or a regressor; None where it is
        neither.
    softcost.models.final_step : The same for fitted models.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from softcost.learners import last_step
    >>> last_step(make_pipeline(StandardScaler(), Ridge()))
    Ridge()
    """
    return last_step(learner.steps[-1][1]) if isinstance(learner, Pipeline) else learner


def kind_of(learner: Any) -> Kind | None:
    """Whether a learner is a classifier or a regressor; None where it is neither.

    Estimators that follow older conventions than scikit-learn's tags count, too.

    Parameters
    ----------
    learner : estimator
        Also a pipeline or a search.

    Returns
    -------
    {"classifier", "regressor"} or None
        Its kind.

    See Also
    --------
    check_learner : Refuse what cannot be a learner.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from softcost.learners import kind_of
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
    """Whether a learner wants a kernel matrix instead of rows of features.

    Parameters
    ----------
    learner : estimator
        Whose tags are asked.

    Returns
    -------
    bool
        True for ``kernel="precomputed"`` and the like.

    See Also
    --------
    fit_rows : Fit a model to some rows of X; of a kernel matrix, to their columns, too.
    OnColumns : A model of some rows of a kernel matrix, which looks at their columns
        only.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> from softcost.learners import takes_pairs
    >>> takes_pairs(SVC(kernel="precomputed")), takes_pairs(SVC())
    (True, False)
    """
    try:
        return bool(learner.__sklearn_tags__().input_tags.pairwise)
    except AttributeError:
        return False


def check_learner(learner: Any, needed: str, user: str) -> None:
    """Refuse what cannot be a learner.

    Parameters
    ----------
    learner : estimator
        What is to be checked.
    needed : {"classifier", "regressor", "any"}
        The kind that is needed.
    user : str
        Who needs it, for the message.

    Raises
    ------
    TypeError
        Where it is of another kind, a class instead of an instance, or declares a
        protocol in part.

    See Also
    --------
    kind_of : Whether a learner is a classifier or a regressor; None where it is
        neither.
    takes_weights : Whether ``learner.fit``, or that of a pipeline's last step, takes
        weights.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression, Ridge
    >>> from softcost.learners import check_learner
    >>> check_learner(LogisticRegression(), "classifier", "FilterTree")
    >>> check_learner(Ridge(), "classifier", "FilterTree")
    Traceback (most recent call last):
        ...
    TypeError: learner Ridge is not a classifier, which FilterTree needs: choose ...
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
