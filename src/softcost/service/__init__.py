"""A model behind HTTP: ``softcost serve``."""

from softcost.service.process import ServeOptions, serve

__all__ = ["ServeOptions", "serve"]
