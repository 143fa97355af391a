# ruff: noqa: B018, F821
"""Names that only look unused: other code, or users, reach them by name.

    vulture src/softcost benchmarks/vulture_allowed.py

prints nothing unless there is dead code. Remove what it prints; add a name here only
with a reason. `tool.vulture` in pyproject.toml ignores functions that register
themselves by a decorator.
"""

# scikit-learn reads these by name: metadata requests of estimators and scorers, the
# parts of a scorer, and attributes of its histogram-based trees that a loaded model
# needs.
__metadata_request__fit
__metadata_request__partial_fit
__metadata_request__predict
__metadata_request__score
_._kwargs
_._loss
_.bin_thresholds_
_.missing_values_bin_idx_

# Fitted attributes and methods for users.
_.best_score_
_.certificate_
_.coef_
_.converged_
_.dual_coef_
_.dual_gap_
_.intercept_
_.landmarks_
_.n_iter_
_.n_splits_
_.pairwise_decision
_.refit_time_
_.relabelled_
_.scorer_
_.support_
_.support_vectors_
_.violation_

# Displays follow scikit-learn's convention.
_.ax_
_.figure_
_.from_estimator
_.front_
_.lines_

# Python calls these: lazy imports, and the protocol of context managers.
__dir__
__getattr__
trace

# Imported for annotations in quotes.
Axes

# click calls these methods, and `import_` is a command.
_.format_commands
_.get_command
_.list_commands
import_

# numba: the first argument of an intrinsic, arguments of which only the type matters,
# compilation events, and the cache of a dispatcher.
condition
typingctx
_._cache
_.on_end
_.on_start

# openpyxl writes these to the workbook.
_.data_type
_.font
_.freeze_panes
_.promptTitle

# uvicorn polls this flag; pydantic and logging read the others.
_.should_exit
_.__pydantic_config__
_.raiseExceptions

# Fields of registries: two document a kernel, a test reads the third.
distance_form
formula
on_page

# scikit-learn passes this argument; a `TableEncoder` knows its own columns.
input_features

# Methods and tags of scikit-learn's transformers.
get_feature_names_out
string

# Types of scikit-learn's base classes, and what scikit-learn or a notebook calls.
_.attr
_.set_fit_request
_.set_score_request
_.set_predict_request
_.set_partial_fit_request
_._repr_html_
_._repr_html_inner
_._repr_mimebundle_
attr
predict_log_proba
explore
_.set_callbacks
callbacks

# Attributes of other libraries' fitted models, which a loaded model needs.
_.n_classes_
_._init_params
_._n_features_in
_._prediction_values_change

# MLflow calls the first by name, numba the second; a test reads the registry.
_load_pyfunc
_.get_cache_path
registered_types
