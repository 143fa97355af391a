"""What there is to compute, how a unit of it is run, and where results are kept."""

from softcost.paper.run._cell import METRICS, emphasized_class, load_data, run_unit
from softcost.paper.run._execute import Outcome, execute
from softcost.paper.run._plan import (
    Request,
    Unit,
    cell_key,
    make_request,
    plan,
    version_of,
)
from softcost.paper.run._seeds import seed
from softcost.paper.run._store import Store, read_rows
from softcost.paper.run._targets import (
    ALGORITHMS,
    BALANCED,
    CURVE,
    DATASETS,
    FAMILIES,
    GRIDS,
    HARD_PAIRS,
    PLAIN,
    REGULAR,
    REGULAR_PAIRS,
    SAMPLES,
    SIBLINGS,
    TARGETS,
    UNBALANCED,
    Target,
)

__all__ = [
    "ALGORITHMS",
    "BALANCED",
    "CURVE",
    "DATASETS",
    "FAMILIES",
    "GRIDS",
    "HARD_PAIRS",
    "METRICS",
    "PLAIN",
    "REGULAR",
    "REGULAR_PAIRS",
    "SAMPLES",
    "SIBLINGS",
    "TARGETS",
    "UNBALANCED",
    "Outcome",
    "Request",
    "Store",
    "Target",
    "Unit",
    "cell_key",
    "emphasized_class",
    "execute",
    "load_data",
    "make_request",
    "plan",
    "read_rows",
    "run_unit",
    "seed",
    "version_of",
]
