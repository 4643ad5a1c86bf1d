"""Finding a Dask scheduler."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from rigcast._extras import require
from rigcast.errors import ArgumentError, SourceError

if TYPE_CHECKING:
    from distributed import Client as Client  # others take the type from here: Dask has one home

PATIENCE = 15.0  # seconds for an answer
PURPOSE = "working on many machines"


def is_client(value: object) -> bool:
    """True if a value is a ``distributed.Client``; does not import Dask."""
    return any(
        kind.__module__.split(".")[0] == "distributed" and kind.__name__ == "Client" for kind in type(value).mro()
    )


@contextlib.contextmanager
def connected(address: str, patience: float = PATIENCE) -> Iterator[Client]:
    """A client of the scheduler at an address, closed afterwards.

    Parameters
    ----------
    address : str
        ``tcp://host:8786`` or ``tls://host:8786`` (certificates as Dask's configuration says), or the path of a
        scheduler file, which ends in ``.json``.

    Raises
    ------
    MissingExtra
        Without Dask.
    SourceError
        If no scheduler answers.
    ValueError
        If the address is none.
    """
    distributed = require("distributed", extra="dask", purpose=PURPOSE)
    where = {"scheduler_file": address} if address.endswith(".json") else {"address": address}
    if "scheduler_file" in where and not Path(address).is_file():
        raise SourceError(f"there is no scheduler file {address}")
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # failures are reported in our own words
    try:
        client = distributed.Client(**where, timeout=patience, set_as_default=False)
    except (OSError, TimeoutError) as error:
        reason = " ".join(str(error).split()) or "it gave no answer"
        raise SourceError(f"no Dask scheduler answers at {address}: {reason}") from error
    except (ValueError, RuntimeError) as error:
        expected = "tcp://HOST:PORT, tls://HOST:PORT or a scheduler file (.json)"
        raise ArgumentError("", "the scheduler", f"{address!r} ({error})", expected) from error
    try:
        yield client
    finally:
        with contextlib.suppress(Exception):
            client.close(timeout=2.0)
