"""The rows whose answers are most in doubt."""

import numpy as np
import pandas as pd

from softcost.cli.apply._model_file import StoredModel
from softcost.cli.console import BadInput

ROW, RISK, MARGIN = "row", "expected_cost", "margin"


class Riskiest:
    """Keeps the rows of a table that are most in doubt, as they are seen.

    By expected cost of the answer where the model knows it, the largest first; else by
    margin, how far the best score is above the second best, the smallest first.

    Parameters
    ----------
    most : int
        How many are kept.
    """

    def __init__(self, most: int):
        self._most, self._seen = most, 0
        self._kept: pd.DataFrame | None = None

    def see(self, frame: pd.DataFrame, stored: StoredModel) -> None:
        """Look at the next predictions, with scores or expected costs."""
        frame = frame.copy()
        frame.insert(0, ROW, np.arange(self._seen, self._seen + len(frame)) + 1)
        self._seen += len(frame)
        if RISK not in frame:
            names = [f"score_{name}" for name in stored.answers.tolist()]
            if not set(names) <= set(frame):
                raise BadInput(
                    f"{stored.path} has no scores to find the riskiest rows by; leave "
                    "out --riskiest."
                )
            best = np.sort(frame[names].to_numpy(float), axis=1)
            frame[MARGIN] = best[:, -1] - best[:, -2]
        every = frame if self._kept is None else pd.concat([self._kept, frame])
        key, up = (RISK, False) if RISK in frame else (MARGIN, True)
        ordered = every.sort_values(key, ascending=up, kind="stable")
        self._kept = ordered.head(self._most).reset_index(drop=True)

    def rows(self) -> pd.DataFrame:
        """The riskiest rows, the worst first."""
        return pd.DataFrame() if self._kept is None else self._kept
