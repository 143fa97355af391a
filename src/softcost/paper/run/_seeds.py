"""Seeds from names, so that no result depends on what else runs, or on the order."""

import hashlib


def seed(*names: object) -> int:
    """A number from 0 to 2^32 - 1 that only the names decide.

    It is made of the first four bytes (most significant first) of the SHA-256 digest
    of the names, written as text and joined by "/". The names in use, where ``run``
    counts from 0:

    - ``split, DATASET, run``: the split into training and test part;
    - ``folds, DATASET, run``: the folds of the cross-validation;
    - ``costs, KIND, DATASET, run``: the cost matrix;
    - ``tree, DATASET, run``: the order of the leaves of filter trees;
    - ``sample, DATASET``: which rows are used where not all are;
    - ``algorithm, NAME, DATASET, run``: an added algorithm's ``random_state``;
    - ``shuffle, TARGET, CLAIM``: data sets shuffled to see what chance gives.

    Parameters
    ----------
    *names : object
        What the number is for.

    Returns
    -------
    int
        The same on every machine.

    See Also
    --------
    run_unit : Compute all cells of a unit, on one thread.

    Examples
    --------
    >>> from softcost.paper import seed
    >>> seed("split", "iris", 0)
    2007448657
    """
    text = "/".join(str(name) for name in names)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
