"""Compiled code on disk that is checked before it runs.

numba trusts its files: one that is damaged, that names a type which is gone, or that
does not fit on the disk ends the fit with a traceback, or the process with a signal.
Here every file ends with a digest, and whatever cannot be used is dropped and compiled
again, which is said once.
"""

import hashlib
import io
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile

_DIGEST = hashlib.sha256().digest_size
_said: set[str] = set()


class CheckedFile(IndexDataCacheFile):
    """Index and data of one function, each with its digest at the end.

    What follows the end of a pickle is not read by numba.
    """

    def load(self, key: Any) -> Any:
        try:
            return super().load(key)
        except Exception as error:  # unpickling may raise anything
            self.drop(error)
            return None

    def save(self, key: Any, data: Any) -> None:
        # A file by key: processes that write at the same time write the same.
        number = int(hashlib.sha256(repr(key).encode()).hexdigest()[:12], 16)
        try:
            kept = self._load_index()
            self._save_data(self._data_name(number), data)
            self._save_index(kept | {key: self._data_name(number)})
        except Exception as error:
            say_once(f"compiled code cannot be kept in {self._cache_path} ({error})")

    def drop(self, error: Exception) -> None:
        """Forget all that is kept of the function."""
        with suppress(OSError):
            os.unlink(self._index_path)
        say_once(
            f"compiled code in {self._cache_path} cannot be used and is compiled again "
            f"({type(error).__name__}: {str(error)[:100]})"
        )

    def _load_index(self) -> Any:
        _check_digest(self._index_path)
        return super()._load_index()

    def _load_data(self, name: str) -> Any:
        _check_digest(self._data_path(name))
        return super()._load_data(name)

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[Any]:
        with super()._open_for_write(filepath) as file:
            buffer = io.BytesIO()
            yield buffer
            content = buffer.getvalue()
            file.write(content + hashlib.sha256(content).digest())


class CheckedCache(FunctionCache):
    """The cache of one function.

    Parameters
    ----------
    function : function
    stamp : str
        Code that was compiled under another stamp is not used.
    """

    def __init__(self, function: Any, stamp: str):
        super().__init__(function)
        self._cache_file = CheckedFile(
            cache_path=self._cache_path,
            filename_base=f"{self._impl.filename_base}.checked",
            source_stamp=stamp,
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # the file was intact, but not of this numba
            self._cache_file.drop(error)
            return None


def _check_digest(path: str) -> None:
    try:
        with open(path, "rb") as file:
            content = file.read()
    except FileNotFoundError:
        return
    if hashlib.sha256(content[:-_DIGEST]).digest() != content[-_DIGEST:]:
        raise ValueError("damaged")


def say_once(text: str) -> None:
    """Warn, once in a process whatever the function."""
    kind = text.partition(" (")[0]
    if kind not in _said:
        _said.add(kind)
        warnings.warn(f"{text}.", RuntimeWarning, stacklevel=2)
