"""Speed of a learned body beside PyTorch and ONNX Runtime."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigwright as rw
from rigwright import _core
from rigwright._bench import onnx_body, torch_body
from rigwright._bench.layout import has_networks, layout
from rigwright._bench.timing import interleaved, load_average, machine
from rigwright._extras import require
from rigwright._validate import bad_argument


def body(
    model: str | Path | rw.Deformer,
    poses: NDArray[np.float32] | None = None,
    *,
    runs: int = 30,
    batch: int = 256,
    seed: int = 0,
) -> dict[str, Any]:
    """Time a learned body's evaluation beside PyTorch and ONNX Runtime, from pose to vertices.

    Each peer computes the same from the same numbers, in the fastest of several forms of it. Times are medians of
    calls that take turns, after a warm-up.

    Parameters
    ----------
    model : path-like or model
        A model of kind "body".
    poses : (T, C) array, optional
        Poses to evaluate, repeated to the size of the batch; by default random ones between the control ranges.
    runs : int
        Rounds, at least 10.
    batch : int
        Poses of the row for batches, on all processors.
    seed : int
        Of the random poses.

    Returns
    -------
    dict
        "machine", "versions", "load" (of the machine, before), "model" (its sizes) and "rows": a list of dicts with
        "job", "poses", "threads", "seconds", "peers" (name to seconds), "ratios" (peer's time over ours), "forms"
        (all that were tried) and "difference" (largest distance to the peers' vertices, in the rig's unit).

    Raises
    ------
    ValueError
        The model is of another kind or has no network, or there are too few runs.
    MissingExtra
        PyTorch or ONNX Runtime is not installed.
    """
    learned = model if isinstance(model, rw.Deformer) else rw.load(model)
    if learned.kind != "body":
        raise bad_argument("bench.body", "model", f"of kind '{learned.kind}'", "of kind 'body'")
    if not has_networks(learned):
        raise bad_argument("bench.body", "model", "a body without any network", "one with a network for the peers")
    if runs < 10:
        raise bad_argument("bench.body", "runs", runs, "at least 10: medians of fewer say little")
    torch = require("torch", extra="training", purpose="comparing with PyTorch")
    runtime = require("onnxruntime", extra="test", purpose="comparing with ONNX Runtime")
    rows = _batch(learned, poses, batch, seed)
    threads_before = torch.get_num_threads()
    load = load_average()
    try:
        done = [_row(torch, learned, rows[:1], 1, runs), _row(torch, learned, rows, _core.num_processors(), runs)]
    finally:
        torch.set_num_threads(threads_before)
    tensors = learned.tensors()
    return {
        "machine": machine(),
        "load": load,
        "versions": {
            "rigwright": rw.__version__,
            "torch": torch.__version__,
            "onnxruntime": runtime.__version__,
            "numpy": np.__version__,
        },
        "model": {
            "vertices": len(learned.rest_vertices),
            "memberships": len(tensors["sets.vertex"]),
            "sets": len(tensors["sets.joint"]),
            "joints": learned.skeleton.num_joints,
            "bytes": sum(value.nbytes for value in tensors.values()),
        },
        "rows": done,
    }


def _batch(model: rw.Deformer, poses: NDArray[np.float32] | None, count: int, seed: int) -> NDArray[np.float32]:
    if poses is None:
        low, high = model.control_ranges.T
        share = np.random.default_rng(seed).random((count, len(low)))
        between: NDArray[np.float32] = (low + share * (high - low)).astype(np.float32)
        return between
    return np.resize(np.asarray(poses, np.float32), (count, np.shape(poses)[1]))


def _row(torch: Any, model: rw.Deformer, poses: NDArray[np.float32], threads: int, runs: int) -> dict[str, Any]:
    torch.set_num_threads(threads)
    arrays = layout(model)
    out = np.empty((len(poses), len(model.rest_vertices), 3), np.float32)
    forms = torch_body.forms(arrays, poses)
    # A single pose is short, and depends on warm caches; a batch is long, and does not.
    in_a_row = 5 if len(poses) == 1 else 1
    tried = interleaved(forms, 12 if in_a_row > 1 else 3, in_a_row, warm_up=2)
    peers: dict[str, Callable[[], Any]] = {
        "PyTorch": forms[min(tried, key=tried.__getitem__)],
        "ONNX Runtime": onnx_body.session(arrays, poses, threads),
    }
    ours = model.evaluate(poses)
    engine = {"rigwright": lambda: model.evaluate(poses, threads=threads, out=out)}
    times = interleaved(engine | peers, runs, in_a_row)
    seconds = times.pop("rigwright")
    return {
        "job": "one pose" if len(poses) == 1 else f"{len(poses)} poses",
        "poses": len(poses),
        "threads": threads,
        "seconds": seconds,
        "peers": times,
        "ratios": {name: value / seconds for name, value in times.items()},
        "forms": tried,
        "difference": _difference(ours, {name: function() for name, function in (forms | peers).items()}),
    }


def _difference(ours: NDArray[np.float32], theirs: Mapping[str, NDArray[np.float32]]) -> float:
    return max(float(np.linalg.norm(ours - vertices, axis=-1).max()) for vertices in theirs.values())
