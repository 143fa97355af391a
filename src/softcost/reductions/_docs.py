"""What all reductions say of their common parameters, said once."""

_COMMON = """cost_matrix : array, table or dict of shape (K, A), default=None
        ``cost_matrix[true, predicted]``. An array goes by the order of ``classes`` (or
        of the sorted labels); a labelled table or a dict of dicts goes by name. Columns
        beyond the classes are actions, such as "ask a person".
    classes : array of shape (K,), default=None
        All classes, where a training set may lack some.
    actions : array of shape (A - K,), default=None
        What may be answered beyond the classes, in the order of an array's last
        columns; a labelled ``cost_matrix`` names them itself.
    softness : float from 0 to 1, default=0.0
        0 is the hard cost-sensitive algorithm, 1 its regular sibling; costs are
        divided by their largest entry and mixed,
        ``(1 - softness) * costs + softness * naive``.
    error_weight : None, "balanced" or dict, default=None
        Weight of an error by true class in what softness mixes in.
    action_error : float or dict, default=1.0
        How much an action beyond the classes counts as an error there; a dict has a
        number for each.
    n_jobs : int, default=None
        Threads or workers for the subproblems. Results do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seeds what is drawn at random, and learners that take a random state."""

_ATTRIBUTES = """classes_ : array of shape (K,)
        Sorted labels.
    actions_ : array of shape (A,)
        What may be predicted: the classes, then the actions.
    cost_scale_ : float
        What costs were divided by.
    estimators_ : list
        Fitted learners, one for each subproblem (a pair, a class, a node, a draw, a
        round); None where there was nothing to learn. Not there where the learner
        solves all subproblems together, as the kernel machines do: see ``solutions_``.
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features,)"""

_SECTION = "Attributes\n    ----------\n    {attributes}\n\n    "
_NEXT = ("See Also\n    --------", "Examples\n    --------")  # what comes after it


def documented(cls):
    """Fill in the common parts of a reduction's docstring."""
    if cls.__doc__:  # not under python -OO
        text = cls.__doc__.replace("{common}", _COMMON)
        if "{attributes}" not in text:
            after = next((title for title in _NEXT if title in text), "")
            text = text.replace(after, _SECTION + after, 1) if after else text
        cls.__doc__ = text.replace("{attributes}", _ATTRIBUTES)
    return cls
