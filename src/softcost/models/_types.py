"""All schemas by name: what a model file may hold."""

from softcost.models._calibration_types import CALIBRATION
from softcost.models._column_types import COLUMN_TYPES
from softcost.models._hist_types import HIST_TYPES
from softcost.models._linear_types import LINEAR_TYPES
from softcost.models._machine_types import MACHINE_TYPES
from softcost.models._other_types import OTHER_TYPES
from softcost.models._own_types import LEARNER_TYPES
from softcost.models._reduction_types import REDUCTION_TYPES
from softcost.models._schema import Type
from softcost.models._search_types import SEARCH
from softcost.models._tree_types import TREE_TYPES

TYPES: dict[str, Type] = {
    schema.name: schema
    for schema in (
        *REDUCTION_TYPES,
        SEARCH,
        *LEARNER_TYPES,
        *MACHINE_TYPES,
        *COLUMN_TYPES,
        *LINEAR_TYPES,
        *TREE_TYPES,
        *HIST_TYPES,
        *OTHER_TYPES,
        CALIBRATION,
    )
}
