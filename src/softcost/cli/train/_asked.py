"""How often a model does something else than answer, and what that saves."""

from typing import Any

import numpy as np

from softcost.formatting import format_cost
from softcost.report import saving_facts
from softcost.search import SoftCostClassifierCV


def asked_facts(search: SoftCostClassifierCV) -> dict[str, Any] | None:
    """Held-out rows by action, and the saving over answering all rows.

    None where there are no actions. ``saving`` is over the cheapest candidate that
    uses no action on any held-out row, None where there is none.
    """
    n_classes = len(search.classes_)
    names = [str(name) for name in search.actions_[n_classes:].tolist()]
    if not names:
        return None
    counts = search.confusion_.sum(axis=1)
    sent = counts[:, :, n_classes:].sum(axis=1)
    own = sent[search.best_index_]
    cost = search.tradeoff_["cost"].to_numpy()
    alone = np.flatnonzero(sent.sum(axis=1) == 0)
    saving = None
    if len(alone):
        row = int(alone[cost[alone].argmin()])
        saving = saving_facts(search.saving(row)) | {"cost": float(cost[row])}
    return {
        "rows": float(counts[search.best_index_].sum()),
        "actions": dict(zip(names, own.tolist(), strict=True)),
        "saving": saving,
    }


def asked_lines(asked: dict[str, Any] | None, currency: str) -> list[str]:
    """The same in words."""
    if asked is None:
        return []
    unit = f" {currency}" if currency else ""
    lines = [
        f"{count:g} of {asked['rows']:g} rows ({100 * count / asked['rows']:.1f} %) go "
        f"to {name}."
        for name, count in asked["actions"].items()
    ]
    saving = asked["saving"]
    if saving is not None:
        sure = "" if saving["shown"] else ", which may be chance"
        lines.append(
            "The cheapest model that answers every row itself costs "
            f"{format_cost(saving['cost'])}{unit} per row: this one saves "
            f"{format_cost(saving['saving'])}{unit} (95 % interval "
            f"{format_cost(saving['low'])} to {format_cost(saving['high'])}){sure}."
        )
    return lines
