"""A fingerprint of the training rows, which shows whether test rows are among them.

A model file holds no training rows, only a sketch of them: 32 bits of a salted hash of
each row, of at most 12,000 distinct rows. The sketch is a sample of the k minimum hash
values (Bar-Yossef et al., "Counting distinct elements in a data stream", 2002), so the
same rows are sampled from the training table and from a test table, and the share of
matches among them estimates the share among all. A row cannot be computed from its
hash. As with any fingerprint, someone who has both the model and a row can test whether
the model was fitted to that row. The salt depends on the training table, so the same
row has different hashes in models of different tables.
"""

import base64
import binascii
import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binom

MOST_HASHES = 12_000  # 4 bytes each, in base64: 64 kB
_NAMES = {"salt", "rows", "sum", "repeats", "threshold", "hashes"}
_SALT_BYTES = 16
_LARGEST = np.uint64(2**64 - 1)
_CHANCE = 1e-3  # of a warning for independent rows


def make_salt(rows: pd.DataFrame, labels: np.ndarray) -> bytes:
    """A salt that is the same whenever the training table is."""
    hashes = hash_rows(rows, bytes(_SALT_BYTES))
    text = "\n".join(map(str, labels.tolist()))
    return hashlib.blake2b(
        hashes.tobytes() + text.encode("utf-8", "surrogatepass"),
        digest_size=_SALT_BYTES,
    ).digest()


def hash_rows(rows: pd.DataFrame, salt: bytes) -> np.ndarray:
    """A 64-bit hash of each row of typed columns.

    Parameters
    ----------
    rows : DataFrame of shape (n, n_columns)
        Numbers and words, NaN for missing cells.
    salt : bytes

    Returns
    -------
    ndarray of uint64, shape (n,)
    """
    seed = np.frombuffer(hashlib.blake2b(salt, digest_size=8).digest(), "<u8")[0]
    hashes = np.full(len(rows), seed)
    for place in range(rows.shape[1]):
        hashes = _mixed(hashes ^ _hash_cells(rows.iloc[:, place], salt))
    return hashes


def _hash_cells(cells: pd.Series, salt: bytes) -> np.ndarray:
    if pd.api.types.is_numeric_dtype(cells):
        numbers = cells.to_numpy(float, na_value=np.nan) + 0.0  # and -0 is 0
        numbers[np.isnan(numbers)] = np.nan  # whose sign and payload may differ
        return _mixed(numbers.view(np.uint64))
    codes, words = pd.factorize(cells)
    digests = [
        hashlib.blake2b(
            str(word).encode("utf-8", "surrogatepass"), key=salt, digest_size=8
        ).digest()
        for word in words
    ]
    known = np.frombuffer(b"".join([*digests, bytes(8)]), "<u8")
    return known.astype(np.uint64)[codes]


def _mixed(values: np.ndarray) -> np.ndarray:
    """SplitMix64's output function (Steele, Lea and Flood, 2014)."""
    values = values + np.uint64(0x9E3779B97F4A7C15)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _sum(before: int, hashes: np.ndarray) -> int:
    """Modulo 2**64, so it does not depend on the order of the rows."""
    return (before + int(hashes.sum(dtype=np.uint64))) % 2**64


class Fingerprint:
    """A sketch of training rows, which may come in blocks.

    Parameters
    ----------
    salt : bytes
        From `make_salt`.
    """

    n_rows: int

    def __init__(self, salt: bytes) -> None:
        self.salt = salt
        self.n_rows = 0
        self._sum = 0
        self._hashes = np.empty(0, np.uint64)  # the least ones, sorted
        self._counts = np.empty(0, np.int64)

    @classmethod
    def of(cls, rows: pd.DataFrame, labels: np.ndarray) -> "Fingerprint":
        """The fingerprint of a whole table."""
        fingerprint = cls(make_salt(rows, labels))
        fingerprint.update(rows)
        return fingerprint

    def update(self, rows: pd.DataFrame) -> None:
        """Add training rows."""
        hashes = hash_rows(rows, self.salt)
        self.n_rows += len(hashes)
        self._sum = _sum(self._sum, hashes)
        every = np.concatenate([self._hashes, hashes])
        counts = np.concatenate([self._counts, np.ones(len(hashes), np.int64)])
        least, places = np.unique(every, return_inverse=True)
        # Distinct rows with one of the least hashes are counted from their first
        # occurrence on, so their counts are exact.
        totals = np.bincount(places, weights=counts).astype(np.int64)
        self._hashes, self._counts = least[:MOST_HASHES], totals[:MOST_HASHES]

    def to_json(self) -> dict[str, Any]:
        """As plain data, for the notes of a model.

        ``repeats`` is the share of training rows that occur more than once: about the
        share of new rows that equal a training row by chance (Good and Turing's
        estimate).
        """
        full = len(self._hashes) == MOST_HASHES
        threshold = self._hashes[-1] if full else _LARGEST
        low = np.sort((self._hashes & np.uint64(2**32 - 1)).astype("<u4"))
        repeated = self._counts[self._counts > 1].sum()
        return {
            "salt": self.salt.hex(),
            "rows": self.n_rows,
            "sum": f"{self._sum:016x}",
            "repeats": float(repeated / max(self._counts.sum(), 1)),
            "threshold": f"{int(threshold):016x}",
            "hashes": base64.b64encode(low.tobytes()).decode("ascii"),
        }


@dataclass(frozen=True)
class Overlap:
    """How many rows of a table are training rows.

    Attributes
    ----------
    rows : int
        Of the table.
    matches : int
        Rows that equal a training row in all columns of the model.
    expected : float
        Matches to expect of independent rows.
    exact : bool
        Whether ``matches`` was counted; else it is an estimate from a sample.
    suspicious : bool
        Whether independent rows hardly ever match as often.
    """

    rows: int
    matches: int
    expected: float
    exact: bool
    suspicious: bool

    def warning(self, path: str) -> str | None:
        """A sentence if the table has training rows; None otherwise."""
        if not self.suspicious:
            return None
        about = "" if self.exact else "about "
        share = f"{about}{self.matches} of the {self.rows} rows"
        if self.matches >= self.rows:
            share = f"all {self.rows} rows"
        chance = ""
        if round(self.expected) > 0:
            chance = f" ({self.expected:.0f} would be by chance)"
        return (
            f"{share} of {path} were already used for training{chance}. Results on "
            "them are too optimistic; use rows that the model was not fitted to."
        )

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return {"matches": self.matches, "expected": self.expected, "exact": self.exact}


class OverlapCounter:
    """Counts the rows of a table that are training rows, block by block.

    Parameters
    ----------
    value : dict
        What `Fingerprint.to_json` returned; a ValueError if it cannot have.
    """

    def __init__(self, value: Any) -> None:
        _check_form(value)
        self._salt = bytes.fromhex(value["salt"])
        self._n_training, self._training_sum = value["rows"], int(value["sum"], 16)
        self._repeats = float(value["repeats"])
        self._threshold = np.uint64(int(value["threshold"], 16))
        self._hashes = np.frombuffer(base64.b64decode(value["hashes"]), "<u4")
        self._rows = self._sampled = self._matches = 0
        self._sum = 0

    def update(self, rows: pd.DataFrame) -> None:
        """Compare rows, typed as the model's columns."""
        hashes = hash_rows(rows, self._salt)
        self._rows += len(hashes)
        self._sum = _sum(self._sum, hashes)
        sampled = hashes[hashes <= self._threshold] & np.uint64(2**32 - 1)
        self._sampled += len(sampled)
        self._matches += int(np.isin(sampled.astype("<u4"), self._hashes).sum())

    def overlap(self) -> Overlap:
        """The result for all rows so far."""
        exact = self._threshold == _LARGEST
        matches = self._matches
        if not exact and self._sampled:
            matches = round(matches * self._rows / self._sampled)
        # One more repeated row than there were: a rate of zero is never certain.
        n = self._n_training
        rate = (self._repeats * n + 1) / (n + 1)
        chance = binom.sf(self._matches - 1, self._sampled, min(rate, 1.0))
        # Tables with few distinct rows match by chance; the very same table has the
        # same sum of hashes.
        same = self._rows == n > 0 and self._sum == self._training_sum
        return Overlap(
            rows=self._rows,
            matches=self._rows if same else min(matches, self._rows),
            expected=self._repeats * self._rows,
            exact=bool(exact or same),
            suspicious=bool(same or (self._matches > 0 and chance < _CHANCE)),
        )


def _check_form(value: Any) -> None:
    """Refuse what no `Fingerprint` has written: files may hold anything."""
    if not isinstance(value, dict) or set(value) != _NAMES:
        raise ValueError("a fingerprint has other parts.")
    for name, digits in (("salt", 2 * _SALT_BYTES), ("sum", 16), ("threshold", 16)):
        text = value[name]
        if not (isinstance(text, str) and len(text) == digits and text.isascii()):
            raise ValueError(f"{name} of a fingerprint is not a hexadecimal number.")
        if not all(digit in "0123456789abcdef" for digit in text):
            raise ValueError(f"{name} of a fingerprint is not a hexadecimal number.")
    rows, repeats, hashes = value["rows"], value["repeats"], value["hashes"]
    if type(rows) is not int or not 0 <= rows < 2**53:
        raise ValueError("rows of a fingerprint is not a count.")
    if type(repeats) not in (int, float) or not 0 <= repeats <= 1:
        raise ValueError("repeats of a fingerprint is not a share.")
    if not isinstance(hashes, str) or len(hashes) > 6 * MOST_HASHES:
        raise ValueError("hashes of a fingerprint are too many.")
    try:
        decoded = base64.b64decode(hashes, validate=True)
    except (binascii.Error, ValueError):
        raise ValueError("hashes of a fingerprint are not base64.") from None
    if len(decoded) % 4 or len(decoded) > 4 * MOST_HASHES:
        raise ValueError("hashes of a fingerprint are not whole.")
