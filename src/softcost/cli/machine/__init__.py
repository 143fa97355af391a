"""This machine: is it fit to work on, and which data sets does it have?"""

from softcost.cli.machine._datasets import datasets
from softcost.cli.machine._doctor import doctor

__all__ = ["datasets", "doctor"]
