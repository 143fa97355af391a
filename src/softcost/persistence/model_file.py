"""Models on disk: one file of plain JSON and arrays, and never a pickle.

A model file is an uncompressed zip archive, closed by a digest of every byte before:

- ``manifest.json``: versions, classes, features, costs, softness, the trade-off table,
  checksums; what `describe` reads;
- ``structure.json``: the estimator as plain data. Every part names its type, parameters
  and fitted values; every type has a schema (`softcost.persistence.schema`) that
  says which fields it has, their types, shapes and ranges, and what must agree;
- ``arrays/*.npy``: the numbers, without pickle;
- ``parts/*.skops``: estimators of scikit-learn that have no schema, in skops' format.

All of a file is checked as plain data before any object is made of it, and what is
made are types of the schemas only: never of a name in the file. A digest is no
signature, so it tells damage from intactness, not friend from foe: the schemas do.
Files do not depend on the versions of numpy, scikit-learn and softcost, but for
``parts``.
"""

import os
from collections.abc import Sequence
from typing import Any

from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from softcost.files import atomic_write
from softcost.persistence.archive import (
    Members,
    ModelFileError,
    NotCovered,
    archive,
    read_bytes,
    unarchive,
)
from softcost.persistence.codec import decode, encode
from softcost.persistence.manifest import (
    check_manifest,
    describe_model,
    final_step,
    json_value,
    made_with,
    says_what_it_is,
)

__all__ = ["ModelFileError", "describe", "final_step", "json_value", "load", "save"]

Path = str | os.PathLike[str]


def save(
    model: Any,
    path: Path,
    *,
    notes: dict[str, Any] | None = None,
    trusted: Sequence[str | type] = (),
) -> None:
    """Write a fitted model to a file.

    Parameters
    ----------
    model : estimator
        `SoftCostClassifierCV`, a reduction, a kernel machine, or a pipeline that ends
        with one. Training data do not travel with it.
    path : path-like
        Replaced as a whole, and only if everything went well.
    notes : dict, default=None
        Plain data to keep in the manifest.
    trusted : sequence of types or their full names, default=()
        Types from elsewhere that the model holds; `load` needs the same.

    Returns
    -------
    None
        The file is there, or an error was raised.

    Raises
    ------
    ValueError
        Where the model is not fitted, or holds something that is not to be stored.

    See Also
    --------
    load : Read a model that `save` wrote.
    describe : Read the manifest of a model file, without the model.

    Examples
    --------
    >>> import tempfile
    >>> import softcost
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> prices = [[0, 1, 5], [1, 0, 5], [9, 9, 0]]
    >>> model = softcost.OneSidedRegression(cost_matrix=prices)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     softcost.save(model.fit(X, y), f"{folder}/iris.softcost")
    ...     loaded = softcost.load(f"{folder}/iris.softcost")
    >>> bool((loaded.predict(X) == model.predict(X)).all())
    True
    """
    try:
        check_is_fitted(model)
    except (NotFittedError, TypeError):
        raise ValueError(
            f"model is not a fitted estimator but {type(model).__name__}; fit it first."
        ) from None
    members = _members(model, _names(trusted))
    content = archive(describe_model(model, members, notes), members)
    try:
        _restored(unarchive(content, path), path, _names(trusted))
    except ModelFileError as error:
        raise ValueError(f"{type(model).__name__} cannot be saved: {error}") from None
    with atomic_write(path) as place, open(place, "wb") as file:
        file.write(content)


def load(path: Path, *, trusted: Sequence[str | type] = ()) -> Any:
    """Read a model that `save` wrote.

    Parameters
    ----------
    path : path-like
        The file.
    trusted : sequence of types or their full names, default=()
        Types beyond the known ones that may be made, such as
        ``["sklearn.svm._classes.SVC"]``. Name them only for a file whose maker you
        trust: such types may crash, open files, or worse.

    Returns
    -------
    estimator
        It predicts what the saved one does, bit for bit, on the same versions of the
        libraries.

    Raises
    ------
    ModelFileError
        A ValueError, where the file is not a softcost model, is damaged, comes from a
        newer version, or holds something that its schema does not allow.

    See Also
    --------
    save : Write a fitted model to a file.
    describe : Read the manifest of a model file, without the model.

    Examples
    --------
    A type without a schema is only loaded if it is named:

    >>> import tempfile
    >>> import softcost
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> prices = [[0, 1, 5], [1, 0, 5], [9, 9, 0]]
    >>> model = softcost.CostSensitiveOneVsOne(SVC(), cost_matrix=prices)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = f"{folder}/iris.softcost"
    ...     softcost.save(model.fit(X, y), path, trusted=[SVC])
    ...     loaded = softcost.load(path, trusted=[SVC])
    >>> bool((loaded.predict(X) == model.predict(X)).all())
    True
    """
    return read_model(path, trusted)[0]


def read_model(
    path: Path, trusted: Sequence[str | type] = ()
) -> tuple[Any, dict[str, Any]]:
    """A model and its manifest, from one reading of the file.

    `describe` and `load`, one after the other, may read two files: somebody may
    replace the first in between.
    """
    members = _read(path)
    return _restored(members, path, _names(trusted)), members.manifest


def describe(path: Path) -> dict[str, Any]:
    """Read the manifest of a model file, without the model.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    dict
        ``format``, ``softcost`` (version), ``made_with``, ``model``, ``final``,
        ``classes``, ``features``, ``costs``, ``softness``, ``params``, ``tradeoff``,
        ``notes`` and ``checksums``.

    See Also
    --------
    load : Read a model that `save` wrote.
    save : Write a fitted model to a file.

    Examples
    --------
    What somebody needs to know who was sent a file, without loading it:

    >>> import tempfile
    >>> import softcost
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import Ridge
    >>> X, y = load_iris(return_X_y=True)
    >>> model = softcost.RegressionOneVsAll(Ridge(), softness=0.5).fit(X, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     softcost.save(model, f"{folder}/iris.softcost")
    ...     found = softcost.persistence.describe(f"{folder}/iris.softcost")
    >>> found["classes"], found["softness"]
    ([0, 1, 2], 0.5)
    """
    return _read(path).manifest


def _read(path: Path) -> Members:
    members = unarchive(read_bytes(path), path)
    check_manifest(members, path)
    return members


def _names(trusted: Sequence[str | type]) -> list[str]:
    if isinstance(trusted, str):
        trusted = [trusted]
    return [
        kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__qualname__}"
        for kind in trusted
    ]


def _members(model: Any, trusted: Sequence[str]) -> dict[str, bytes]:
    try:
        return encode(model, trusted)
    except (NotCovered, RecursionError) as error:
        raise ValueError(
            f"{type(model).__name__} holds something that a model file cannot "
            f"({_reason(error)}): use one of softcost's learners or a listed one of "
            "scikit-learn's, with plain parameters, or name its types in trusted, here "
            "and in load."
        ) from error


def _restored(members: Members, path: Path, trusted: Sequence[str]) -> Any:
    try:
        model = decode(members, trusted)
    except ImportError as error:
        raise ModelFileError(f"{path} cannot be used here: {error}") from None
    except MemoryError:  # a small file never needs much, so this is not about it
        raise
    except Exception as error:  # a type's own complaint about values of its schema
        raise ModelFileError(
            f"{path} cannot be read as a model ({_reason(error)}){_versions(members)}."
        ) from None
    if not says_what_it_is(members.manifest, model):
        raise ModelFileError(
            f"{path} is not a softcost model: its content does not match its manifest."
        )
    return model


def _versions(members: Members) -> str:
    """Where versions differ, since they may be the reason."""
    if not any(name.startswith("parts/") for name in members.manifest["checksums"]):
        return ""
    then = members.manifest["made_with"]
    differ = [
        f"{name} {str(then[name])[:20]} (here {now})"
        for name, now in made_with().items()
        if name in then and then[name] != now
    ]
    return f"; it was written with {', '.join(differ)}" if differ else ""


def _reason(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text[:200] or type(error).__name__
