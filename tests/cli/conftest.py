"""Models to compare."""

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="module")
def models(softcost, tmp_path_factory):
    """A folder with rows to compare on, a model of both columns and one of noise."""
    folder = tmp_path_factory.mktemp("models")
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    table = pd.DataFrame({"a": rng.normal(size=300) + 2 * y, "b": rng.normal(size=300)})
    table["t"] = np.array(["no", "yes"])[y]
    table.iloc[:150].to_csv(folder / "train.csv", index=False)
    table.iloc[150:].to_csv(folder / "new.csv", index=False)
    (folder / "prices.csv").write_text(",no,yes\nno,0,1\nyes,3,0\n")
    for name, drop in (("good", "b"), ("poor", "a")):
        words = ("--costs", folder / "prices.csv", "--drop", drop, "--quiet")
        line = "--target t --softness 2 --param C=1 --cv 2"
        result = softcost(
            "fit", folder / "train.csv", *words, *line.split(), "--model", folder / name
        )
        assert result.exit_code == 0, result.output
    return folder
