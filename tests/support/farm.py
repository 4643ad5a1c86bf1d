"""A Dask scheduler with worker processes on this machine."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def farm(workers: int, threads: int = 1, **options: Any) -> Iterator[Any]:
    """A client of a scheduler of its own."""
    import distributed

    with (
        distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=threads,
            processes=True,
            dashboard_address=None,
            silence_logs=50,
            **options,
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):
        yield client
