"""Files of users: written as a whole, or not at all."""

from softcost.files._atomic import atomic_write

__all__ = ["atomic_write"]
