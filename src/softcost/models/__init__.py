"""Models on disk: one file with a manifest and the estimator, and never a pickle.

A model file is a zip archive of ``manifest.json`` (versions, classes, features, costs,
softness, the trade-off table) and ``estimator.skops``, closed by a digest of every byte
before. Files are written as a whole or not at all. Reading one makes objects of known
types only; a digest is no signature, so it tells damage from intactness, not friend
from foe.
"""

import os
import warnings
from typing import Any

import skops.io
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from softcost.files import atomic_write
from softcost.models._archive import ModelFileError, archive, read_bytes, unarchive
from softcost.models._manifest import (
    check_manifest,
    describe_model,
    final_step,
    json_value,
    type_name,
)
from softcost.models._pack import pack, unpack
from softcost.models._trusted import TRUSTED

__all__ = ["ModelFileError", "describe", "final_step", "json_value", "load", "save"]

Path = str | os.PathLike[str]


def save(model: Any, path: Path, *, notes: dict[str, Any] | None = None) -> None:
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

    Raises
    ------
    ValueError
        Where the model is not fitted, or holds something that is not to be stored.

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
    estimator = _stored(model)
    content = archive(describe_model(model, estimator, notes), estimator)
    with atomic_write(path) as place, open(place, "wb") as file:
        file.write(content)


def load(path: Path) -> Any:
    """Read a model that `save` wrote.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    estimator
        It predicts what the saved one does, bit for bit, on the same versions of the
        libraries.

    Raises
    ------
    ModelFileError
        A ValueError, where the file is not a softcost model, is damaged, comes from a
        newer version, or holds types other than the known ones.
    """
    manifest, estimator = _read(path)
    try:
        model = _restored(estimator)
    except ImportError as error:
        raise ModelFileError(f"{path} cannot be used here: {error}") from None
    except Exception as error:  # whatever a well-signed but wrong file may do
        raise ModelFileError(
            f"{path} cannot be read as a model ({_reason(error)})."
        ) from None
    if type_name(model) != manifest.get("model"):
        raise ModelFileError(f"{path} is not what its manifest says: it is refused.")
    return model


def describe(path: Path) -> dict[str, Any]:
    """Read the manifest of a model file, without the model.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    dict
        ``format``, ``softcost`` (version), ``made_with``, ``model``, ``final``,
        ``classes``, ``features``, ``costs``, ``softness``, ``params``, ``tradeoff``,
        ``notes`` and ``checksums``.
    """
    return _read(path)[0]


def _read(path: Path) -> tuple[dict[str, Any], bytes]:
    manifest, estimator = unarchive(read_bytes(path), path)
    check_manifest(manifest, estimator, path)
    return manifest, estimator


def _stored(model: Any) -> bytes:
    """The estimator as bytes that are known to load again."""
    try:
        content = skops.io.dumps(pack(model))
        _restored(content)
    except Exception as error:
        raise ValueError(
            f"{type(model).__name__} holds something that a model file cannot "
            f"({_reason(error)}): use one of softcost's or scikit-learn's learners, or "
            "LightGBM's, with parameters that are plain values."
        ) from error
    return content


def _restored(content: bytes) -> Any:
    unknown = set(skops.io.get_untrusted_types(data=content)) - TRUSTED
    if unknown:
        names = ", ".join(sorted(unknown)[:3])
        raise ModelFileError(f"of a type that is not allowed, {names}")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=ResourceWarning)
        return unpack(skops.io.loads(content, trusted=sorted(TRUSTED)))


def _reason(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text[:200] or type(error).__name__
