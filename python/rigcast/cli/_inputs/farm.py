"""The workers of a Dask scheduler that a command is given."""

from __future__ import annotations

import argparse
import contextlib
import warnings
from collections.abc import Iterator

from rigcast._farm.connecting import connected
from rigcast.errors import WorkerWarning
from rigcast.progress import ProgressCallback
from rigcast.sampling import DaskWorkers


@contextlib.contextmanager
def farm_of(args: argparse.Namespace, progress: ProgressCallback) -> Iterator[DaskWorkers | None]:
    """The executor of ``--scheduler``; None without it. What goes wrong is for the command to tell."""
    if args.scheduler is None:
        yield None
        return
    with connected(args.scheduler) as client, warnings.catch_warnings():
        warnings.simplefilter("ignore", WorkerWarning)
        yield DaskWorkers(client, progress=progress)
