"""The work behind ``softcost explain``."""

import numpy as np

from softcost.cli.console import bad_input, failed_job, write_json
from softcost.cli.results import importance_facts, print_importance
from softcost.cli.stored_model import (
    check_one_price_list,
    open_model,
    price_list,
    read_known_rows,
)


def run(
    model: str,
    data: str,
    target: str,
    costs: str | None,
    cost_columns: str | None,
    rows: int,
    repeats: int,
    seed: int,
    as_json: bool,
) -> None:
    """Read all rows, draw some, shuffle one column after the other."""
    check_one_price_list(costs, cost_columns)
    with bad_input():
        stored = open_model(model)
        prices = price_list(stored, target, costs, cost_columns)
        X, known = read_known_rows(stored, data, target, prices)

    def predict(part: object) -> np.ndarray:
        with stored.refusing_rows():
            return stored.predict(part).astype(str)

    with failed_job():
        facts = importance_facts(
            predict,
            X,
            known.labels,
            known.costs,
            known.classes,
            known.actions,
            stored.kinds,
            most_rows=rows,
            repeats=repeats,
            seed=seed,
        )
    if as_json:
        write_json({"model": model, "data": data, "prices": prices.words, **facts})
    else:
        currency = stored.manifest["notes"].get("currency")
        print_importance(facts, currency if isinstance(currency, str) else "", None)
