"""Files of users: written as a whole or not at all, and never over an input."""

from softcost.files._output import atomic_write, check_output

__all__ = ["atomic_write", "check_output"]
