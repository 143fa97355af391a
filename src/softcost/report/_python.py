"""Lines of Python that train a candidate of a search."""

import inspect
from collections.abc import Sequence
from typing import Any

from sklearn.base import BaseEstimator

_ANY_LENGTH = 10**6  # of a printed estimator: scikit-learn cuts long ones


def python_lines(search: Any, params: Sequence[str], encoder: Any = None) -> str:
    """The lines that train a candidate, with its settings in braces.

    Parameters
    ----------
    search : SoftCostClassifierCV
        Fitted.
    params : sequence of str
        Names of the learner's parameters that were searched.
    encoder : transformer, default=None
        What the search's X was made with.

    Returns
    -------
    str
        With ``{softness}`` and the names of parameters in braces. X, y and
        ``cost_matrix`` or ``costs`` are the user's.

    See Also
    --------
    ExplorerData : The page that shows these lines.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from softcost import OneSidedRegression, SoftCostClassifierCV
    >>> from softcost.report import python_lines
    >>> X, y = load_iris(return_X_y=True)
    >>> search = SoftCostClassifierCV(
    ...     OneSidedRegression(), softness=2, param_grid={"C": [1.0]}
    ... ).fit(X, y)
    >>> print(python_lines(search, ["C"]))
    from softcost.reductions import OneSidedRegression
    from softcost.svm import OneSidedSVR
    <BLANKLINE>
    model = OneSidedRegression(learner=OneSidedSVR(C={C}), softness={softness})
    model.fit(X, y)
    """
    if "family" in search.tradeoff_:
        return "model = search.candidate({index})"
    model = getattr(search, "best_estimator_", None)
    if model is None:
        return "search.choose(lambda table: {index})"
    inner = getattr(model, "learner", None)
    settings = {} if inner is None else {"learner": _expression(inner, params)}
    defaults = _defaults(model)
    told = {"learner", "cost_matrix", "classes", "softness", "n_jobs"}
    for name, value in model.get_params(deep=False).items():
        if name not in told and repr(value) != repr(defaults.get(name)):
            settings[name] = _written(value)
    by_class = getattr(model, "cost_matrix", None) is not None
    if by_class and not search.costs_by_example_:
        settings["cost_matrix"] = "cost_matrix"
    settings["softness"] = "{softness}"
    costs = ", costs=costs" if search.costs_by_example_ else ""
    lines = [_imports([model, inner, encoder]), ""]
    X = "X"
    if encoder is not None:
        lines.append(f"columns = {_written(encoder)}")
        X = "columns.fit_transform(X)"
    lines += [f"model = {_call(model, settings)}", f"model.fit({X}, y{costs})"]
    return "\n".join(lines)


def _written(value: Any) -> str:
    """A value as Python text, on one line."""
    if isinstance(value, BaseEstimator) and not isinstance(value, type):
        return " ".join(value.__repr__(N_CHAR_MAX=_ANY_LENGTH).split())
    return repr(value)


def _imports(things: Sequence[Any]) -> str:
    """Lines that import the classes of estimators, and of those inside them."""
    wanted: dict[str, set[str]] = {}
    for thing in things:
        parts = [] if thing is None else [thing, *thing.get_params().values()]
        for part in parts:
            kind = part if isinstance(part, type) else type(part)
            if hasattr(kind, "get_params"):
                wanted.setdefault(_place(kind), set()).add(kind.__name__)
    return "\n".join(
        f"from {place} import {', '.join(sorted(names))}"
        for place, names in sorted(wanted.items())
    )


def _place(kind: type) -> str:
    """The public package of a class: modules below it that begin with _ are private."""
    parts = kind.__module__.split(".")
    private = [number for number, part in enumerate(parts) if part.startswith("_")]
    return ".".join(parts[: private[0]] if private else parts)


def _expression(learner: Any, params: Sequence[str]) -> str:
    """A learner as it is written, with searched parameters in braces."""
    own = learner.get_params(deep=False)
    defaults = _defaults(learner)
    settings = {
        name: f"{{{name}}}" if name in params else _written(value)
        for name, value in own.items()
        if name in params or repr(value) != repr(defaults.get(name))
    }
    nested = ", ".join(f"{name}={{{name}}}" for name in params if name not in own)
    return _call(learner, settings) + (f".set_params({nested})" if nested else "")


def _call(thing: Any, settings: dict[str, str]) -> str:
    told = ", ".join(f"{name}={text}" for name, text in settings.items())
    return f"{type(thing).__name__}({told})"


def _defaults(thing: Any) -> dict[str, Any]:
    parameters = inspect.signature(type(thing)).parameters.values()
    return {one.name: one.default for one in parameters}
