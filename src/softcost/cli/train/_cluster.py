"""The cluster that ``softcost fit --dask`` works on."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from joblib import parallel_config

from softcost._version import __version__
from softcost.cli.console import BadInput, say

_PATIENCE = 30  # seconds for a scheduler to answer, and for a first worker


@contextmanager
def on_cluster(address: str | None) -> Iterator[None]:
    """Have searches inside the block work on a Dask cluster; None is this machine."""
    if address is None:
        yield
        return
    with _connected(address) as client, parallel_config(backend="dask"):
        _check_workers(client, address)
        yield


def _connected(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise BadInput(
            "--dask needs dask and distributed: pip install 'softcost[dask]'."
        ) from None
    try:
        return Client(address, timeout=_PATIENCE)
    except (OSError, ValueError) as error:  # a TimeoutError is an OSError
        raise BadInput(
            f"--dask {address} does not answer; 'dask scheduler' starts a scheduler, "
            "and says its address."
        ) from error


def _check_workers(client: Any, address: str) -> None:
    """Refuse workers that could not do the work, before it is sent to them."""
    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except OSError as error:
        raise BadInput(
            f"--dask {address} has no workers; 'dask worker {address}' starts one."
        ) from error
    try:
        versions = set(client.run(softcost_version).values())
    except Exception as error:  # whatever the other side has to say
        raise BadInput(
            f"the workers of --dask {address} cannot use softcost ({error}); install "
            f"softcost {__version__} there."
        ) from error
    others = sorted(versions - {__version__})
    if others:
        say(
            f"warning: workers have softcost {', '.join(others)} and this machine has "
            f"{__version__}; results may differ."
        )


def softcost_version() -> str:
    """The version on a worker."""
    return __version__
