"""Save and load fitted models: one file of plain JSON and arrays, never a pickle."""

from softcost.persistence.archive import ModelFileError
from softcost.persistence.manifest import final_step, json_value
from softcost.persistence.model_file import describe, load, save

__all__ = ["ModelFileError", "describe", "final_step", "json_value", "load", "save"]
