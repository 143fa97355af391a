"""Log, save and load models with MLflow, without pickle.

A model is stored as its ``.softcost`` file, beside the explorer page of a search.
MLflow loads it through this module (its "loader module"), so neither logging nor
loading runs pickle. The package mlflow is optional and imported when it is needed.
"""

from contextlib import nullcontext
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from softcost._extras import install_hint
from softcost._version import __version__
from softcost.persistence import final_step, json_value, load, save
from softcost.search import SoftCostClassifierCV
from softcost.tables.columns import as_frame
from softcost.workflow.predictions import ROW, with_predictions
from softcost.workflow.stored_model import StoredModel, open_model

__all__ = ["load_model", "log_model", "save_model"]

MODEL, PAGE = "model.softcost", "report.html"
_EXAMPLE_ROWS = 5
_NEEDED = ("scikit-learn", "lightgbm", "numpy", "pandas")


def _mlflow() -> Any:
    try:
        import mlflow
    except ModuleNotFoundError as error:
        raise ImportError(
            f"softcost.mlflow needs the package mlflow: {install_hint('mlflow')}."
        ) from error
    return mlflow


def log_model(
    model: Any,
    X: Any,
    name: str = "model",
    *,
    metrics: dict[str, float] | None = None,
    **options: Any,
) -> Any:
    """Log a fitted model, with signature, example, report and metrics, to MLflow.

    In the active run, or in a new one. Of a search, the cross-validated measures of
    the chosen candidate become metrics with the prefix ``cv_``, its parameters become
    parameters of the run, and the model has the explorer page as ``report.html``.

    Parameters
    ----------
    model : estimator
        What `softcost.save` accepts: a `SoftCostClassifierCV`, a reduction, or a
        pipeline that ends with one.
    X : DataFrame or array of shape (n, n_columns)
        Rows as those that the model was fitted to. The signature follows from them,
        and the first five are the input example: use rows that you may publish.
    name : str, default="model"
        Name of the logged model.
    metrics : dict of str and float, default=None
        Further metrics, for instance costs on test rows.
    **options : dict
        Further arguments of ``mlflow.pyfunc.log_model``, for instance
        ``registered_model_name``.

    Returns
    -------
    mlflow.models.model.ModelInfo
        With ``model_uri``, for `load_model` and ``mlflow.pyfunc.load_model``.

    See Also
    --------
    load_model : The estimator itself.
    save_model : A folder instead of a tracking store.

    Examples
    --------
    >>> import numpy as np
    >>> import softcost
    >>> X, y = np.eye(4), ["a", "a", "b", "b"]
    >>> model = softcost.MinimumExpectedCost().fit(X, y)
    >>> info = softcost.mlflow.log_model(model, X)  # doctest: +SKIP
    >>> softcost.mlflow.load_model(info.model_uri).predict(X)  # doctest: +SKIP
    array(['a', 'a', 'b', 'b'], dtype='<U1')
    """
    mlflow = _mlflow()
    with TemporaryDirectory() as folder:
        arguments = _stored(model, X, Path(folder) / "softcost")
        run = nullcontext() if mlflow.active_run() else mlflow.start_run()
        with run:
            info = mlflow.pyfunc.log_model(name=name, **arguments, **options)
            measured, params = _facts(final_step(model))
            mlflow.log_params(params)
            mlflow.log_metrics(measured | (metrics or {}))
    return info


def save_model(model: Any, X: Any, path: str | Path, **options: Any) -> None:
    """Save a fitted model as a folder in MLflow's format.

    ``mlflow models serve -m FOLDER --env-manager local`` serves it.

    Parameters
    ----------
    model : estimator
        As in `log_model`.
    X : DataFrame or array of shape (n, n_columns)
        As in `log_model`.
    path : path-like
        The folder; it must not exist.
    **options : dict
        Further arguments of ``mlflow.pyfunc.save_model``.

    See Also
    --------
    log_model : Log to a tracking store.

    Examples
    --------
    >>> import numpy as np
    >>> import softcost
    >>> X, y = np.eye(4), ["a", "a", "b", "b"]
    >>> model = softcost.MinimumExpectedCost().fit(X, y)
    >>> softcost.mlflow.save_model(model, X, "folder")  # doctest: +SKIP
    """
    mlflow = _mlflow()
    with TemporaryDirectory() as folder:
        arguments = _stored(model, X, Path(folder) / "softcost")
        mlflow.pyfunc.save_model(path=str(path), **arguments, **options)


def load_model(model_uri: str, *, trusted: Any = ()) -> Any:
    """Load the estimator that `log_model` or `save_model` stored.

    Parameters
    ----------
    model_uri : str
        Such as ``models:/name/1``, ``runs:/...`` or a folder.
    trusted : sequence of types or their full names, default=()
        As in `softcost.load`.

    Returns
    -------
    estimator

    See Also
    --------
    log_model : Log a model to MLflow.

    Examples
    --------
    >>> import softcost
    >>> model = softcost.mlflow.load_model("models:/claims/1")  # doctest: +SKIP
    """
    folder = Path(_mlflow().artifacts.download_artifacts(artifact_uri=str(model_uri)))
    files = sorted(folder.rglob(MODEL))
    if not files:
        raise ValueError(
            f"model_uri {model_uri!r} is not a model of softcost.mlflow: it has no "
            f"file {MODEL}. Log it with softcost.mlflow.log_model."
        )
    return load(files[0], trusted=trusted)


def _stored(model: Any, X: Any, folder: Path) -> dict[str, Any]:
    """Write the files of a model; return the arguments of MLflow's functions."""
    folder.mkdir()
    save(model, folder / MODEL)
    search = final_step(model)
    if isinstance(search, SoftCostClassifierCV):
        search.to_html(folder / PAGE)
    server = TableModel(str(folder / MODEL))
    example = server.example(X)
    versions = [f"{name}=={metadata.version(name)}" for name in _NEEDED]
    return {
        "loader_module": __name__,
        "data_path": str(folder),
        "signature": server.signature(example),
        "input_example": example,
        "pip_requirements": [f"softcost=={__version__}", *versions],
    }


def _facts(model: Any) -> tuple[dict[str, float], dict[str, Any]]:
    """Cross-validated measures and parameters of the choice of a search."""
    if not isinstance(model, SoftCostClassifierCV):
        return {}, {}
    row = model.tradeoff_.iloc[model.best_index_]
    params = {name: json_value(value) for name, value in model.best_params_.items()}
    measured = {
        f"cv_{name}": float(value)
        for name, value in row.items()
        if name not in params
        and isinstance(value, float | int)
        and not isinstance(value, bool)
        and np.isfinite(value)
    }
    return measured, params


class TableModel:
    """What MLflow serves: predictions of raw tables as tables.

    Parameters
    ----------
    path : str
        A model file.
    """

    def __init__(self, path: str) -> None:
        self.stored: StoredModel = open_model(path)

    def columns(self) -> list[str] | None:
        """The columns that the model needs; None if it has no names for them."""
        last = final_step(self.stored.model)
        inner = getattr(getattr(last, "best_estimator_", last), "encoder_", None)
        encoder = self.stored.encoder if inner is None else inner
        if encoder is not None:
            return list(encoder.kinds_)
        return self.stored.manifest["features"]["names"]

    def example(self, X: Any) -> Any:
        """The first rows, with numbers as doubles and other cells as text."""
        names = self.columns()
        if names is None:
            return np.asarray(X, np.float64)[:_EXAMPLE_ROWS]
        frame = as_frame(X)
        absent = [name for name in names if name not in frame.columns]
        if absent:
            raise ValueError(
                f"X has no column {absent[0]!r}, which the model needs. Pass rows as "
                "those that it was fitted to."
            )
        frame = frame[names].head(_EXAMPLE_ROWS)
        return frame.apply(_plain).reset_index(drop=True)

    def signature(self, example: Any) -> Any:
        """Types of inputs and outputs.

        Numbers have the type "any": MLflow rejects integers for a column of doubles,
        and the reverse, but softcost accepts both. All columns are required.
        """
        from mlflow.models import ModelSignature, infer_signature
        from mlflow.types import ColSpec, Schema
        from mlflow.types.schema import AnyType

        inferred = infer_signature(example, self.predict(example))
        if not isinstance(example, pd.DataFrame):
            return inferred
        columns = [
            ColSpec(
                AnyType() if example[spec.name].dtype.kind == "f" else spec.type,
                spec.name,
            )
            for spec in inferred.inputs.inputs
        ]
        return ModelSignature(Schema(columns), inferred.outputs)

    def predict(self, model_input: Any, params: Any = None) -> pd.DataFrame:
        """Labels, with expected costs or scores, as ``softcost predict`` writes them.

        Parameters
        ----------
        model_input : DataFrame or array of shape (n, n_columns)
            Raw rows.
        params : dict, default=None
            Not used; MLflow passes it.

        Returns
        -------
        DataFrame
        """
        stored, names = self.stored, self.columns()
        if names is None:
            frame = pd.DataFrame(np.asarray(model_input, np.float64))
            X: Any = frame.to_numpy()
        else:
            frame = as_frame(model_input)
            X = frame[names] if stored.encoder is None else frame
        if stored.encoder is not None:
            X = stored.table(frame, "model_input", 0, set())
        costs = stored.row_matrices(frame, "model_input")
        return with_predictions({}, stored, X, True, costs).drop(columns=ROW)


def _plain(values: pd.Series) -> pd.Series:
    kinds = pd.api.types
    if kinds.is_bool_dtype(values) or kinds.is_datetime64_any_dtype(values):
        return values
    if kinds.is_numeric_dtype(values):
        return values.astype(np.float64)
    cells = [None if pd.isna(cell) else str(cell) for cell in values]
    return pd.Series(cells, values.index, dtype=object, name=values.name)


def _load_pyfunc(path: str) -> TableModel:
    """The entry point of MLflow for its loader modules."""
    return TableModel(str(Path(path) / MODEL))
