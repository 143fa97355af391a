"""The analyst's workflow: from files to a trained, evaluated and saved model.

This is what the commands of ``softcost`` do, without printing: `prepare_training` reads
and checks a table and a price list, and its result trains, compares and saves models;
`evaluate_model`, `compare_models`, `explain_model`, `explain_row`, `choose_model` and
`monitor_model` use saved models.
Bad input is a `softcost.errors.InputError`, a ValueError. Assumptions go, as sentences,
to ``tell``. Names are imported when they are first used.
"""

from typing import TYPE_CHECKING

from softcost._lazy import lazy_names

if TYPE_CHECKING:
    from softcost.workflow.evaluation import (
        choose_model,
        compare_models,
        evaluate_model,
        explain_model,
        explain_row,
        write_model_page,
    )
    from softcost.workflow.fit_options import FitOptions
    from softcost.workflow.monitoring import monitor_model
    from softcost.workflow.training import Training, prepare_training

__all__ = [
    "FitOptions",
    "Training",
    "choose_model",
    "compare_models",
    "evaluate_model",
    "explain_model",
    "explain_row",
    "monitor_model",
    "prepare_training",
    "write_model_page",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(
        "softcost.workflow",
        {
            "softcost.workflow.evaluation": [
                "choose_model",
                "compare_models",
                "evaluate_model",
                "explain_model",
                "explain_row",
                "write_model_page",
            ],
            "softcost.workflow.fit_options": ["FitOptions"],
            "softcost.workflow.monitoring": ["monitor_model"],
            "softcost.workflow.training": ["Training", "prepare_training"],
        },
    )
