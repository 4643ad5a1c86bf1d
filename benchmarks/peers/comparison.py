"""Times of a model beside PyTorch and ONNX Runtime, in one run on one machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from benchmarks.peers.kinds import KINDS
from benchmarks.peers.race import race
from rigcast._extras import require
from rigcast._timing.engine import about, subject_of
from rigcast._timing.storages import has_networks
from rigcast._validate import bad_argument

EXTRAS = {"torch": "training", "onnxruntime": "test"}


def compare(
    model: str | Path | rc.Deformer,
    poses: NDArray[np.float32] | None = None,
    truth: NDArray[np.float32] | None = None,
    *,
    runs: int = 30,
    batch: int = 256,
    seed: int = 0,
) -> dict[str, Any]:
    """Time a model's evaluation beside PyTorch and ONNX Runtime, from pose to vertices.

    Each peer computes the same from the same numbers, in the fastest of several forms of it. Peers of a differential
    subspace are "PyTorch", with basis and solve folded into one dense product, and "PyTorch, solve", with the
    factorized solve of each frame; its reconstruction is also timed alone. Times are medians of calls that take turns.

    Parameters
    ----------
    model : path-like or model
        Of kind "body", "face_maps" or "differential", with at least one network.
    poses, truth, runs, batch, seed
        See `rigcast._timing.engine.engine_figures`.

    Returns
    -------
    dict
        As of `engine_figures`, and "model": its sizes. The rows have peers (`race.race`), and readings on one thread
        "caps": the largest ratio to each peer, which a pose has at the full rate of memory.

    Raises
    ------
    ValueError
        The model is of another kind or has no network, or there are too few runs.
    MissingExtra
        PyTorch or ONNX Runtime is not installed.
    """
    learned = model if isinstance(model, rc.Deformer) else rc.load(model)
    kind = KINDS.get(learned.kind)
    if kind is None:
        raise bad_argument(
            "peers.compare", "model", f"of kind '{learned.kind}'", f"of one of the kinds {', '.join(KINDS)}"
        )
    if not has_networks(learned):
        raise bad_argument("peers.compare", "model", "without any network", "one with a network for the peers")
    packages = [require(name, extra=EXTRAS[name], purpose="comparing with it") for name in kind.packages]
    facts = about()
    facts["versions"] |= {package.__name__: package.__version__ for package in packages}
    subject = subject_of(learned, poses, truth, runs=runs, batch=batch, seed=seed)
    rows = race(subject, kind.forms, subject.poses, runs)
    reading = [with_caps(found, rows[0]["peers"]) for found in subject.reading(runs)]
    return facts | {"model": kind.sizes(learned), "rows": rows, "reading": reading, "storages": subject.storages}


def with_caps(reading: dict[str, Any], peers: dict[str, float]) -> dict[str, Any]:
    """A reading with the largest ratio to each peer's seconds of one pose, which are those of one thread."""
    one_thread = peers if reading["threads"] == 1 else {}
    return reading | {"caps": {name: seconds / reading["read_seconds"] for name, seconds in one_thread.items()}}
