"""Speed of a learned body beside PyTorch and ONNX Runtime."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from rigcast import _core
from rigcast._bench import onnx_body, torch_body
from rigcast._bench.compare import about, batch_of, check_runs, compared, onnx_peer, torch_peer
from rigcast._bench.layout import has_networks, layout
from rigcast._bench.reading import reading_figures
from rigcast._bench.storages import narrower, own_error_of, storage_error
from rigcast._validate import bad_argument


def body(
    model: str | Path | rc.Deformer,
    poses: NDArray[np.float32] | None = None,
    truth: NDArray[np.float32] | None = None,
    *,
    runs: int = 30,
    batch: int = 256,
    seed: int = 0,
) -> dict[str, Any]:
    """Time a learned body's evaluation beside PyTorch and ONNX Runtime, from pose to vertices.

    Each peer computes the same from the same numbers, in the fastest of several forms of it. Variants of ours are
    16-bit and int8 weights; the latter need `poses`. Times are medians of calls that take turns, after a warm-up.

    Parameters
    ----------
    model : path-like or model
        A model of kind "body".
    poses : (T, C) array, optional
        Poses to evaluate, repeated to the size of the batch; by default random ones between the control ranges.
    truth : (T, V, 3) array, optional
        The rig's vertices of these poses, for the model's own error; by default the error that its file states.
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
        "job", "poses", "threads", "seconds", "variants" and "peers" (name to seconds), "ratios" (peer's time over
        ours), "forms" (all that were tried) and "difference" (largest distance to the peers' vertices, in the rig's
        unit). "reading": how near one pose comes to the rate of memory (`_bench.reading`). "storages": what narrower
        weights cost in accuracy, if `poses` are given (`_bench.storages`).

    Raises
    ------
    ValueError
        The model is of another kind or has no network, or there are too few runs.
    MissingExtra
        PyTorch or ONNX Runtime is not installed.
    """
    learned = model if isinstance(model, rc.Deformer) else rc.load(model)
    if not isinstance(learned, _core.BodyModel):
        raise bad_argument("bench.body", "model", f"of kind '{learned.kind}'", "of kind 'body'")
    if not has_networks(learned):
        raise bad_argument("bench.body", "model", "a body without any network", "one with a network for the peers")
    check_runs("bench.body", runs)
    torch, runtime = torch_peer(), onnx_peer()
    rows = batch_of(learned, poses, batch, seed)
    facts = about(torch, runtime)
    own_error = own_error_of(learned.stored("float32"), poses, truth)
    stored = narrower(learned, poses, own_error)
    threads_before = torch.get_num_threads()
    try:
        done = [
            _row(torch, learned, stored, rows[:1], 1, runs),
            _row(torch, learned, stored, rows, _core.num_processors(), runs),
        ]
    finally:
        torch.set_num_threads(threads_before)
    tensors = learned.tensors()
    return facts | {
        "model": {
            "vertices": len(learned.rest_vertices),
            "memberships": len(tensors["sets.vertex"]),
            "sets": len(tensors["sets.joint"]),
            "joints": learned.skeleton.num_joints,
            "bytes": sum(value.nbytes for value in tensors.values()),
        },
        "rows": done,
        "reading": reading_figures({"rigcast": learned, **stored}, rows[0], done[0]["peers"], runs),
        "storages": [
            storage_error(learned, narrow, poses, own_error).figures()
            for narrow in stored.values()
            if poses is not None
        ],
    }


def _row(
    torch: Any,
    model: _core.BodyModel,
    stored: Mapping[str, _core.BodyModel],
    poses: NDArray[np.float32],
    threads: int,
    runs: int,
) -> dict[str, Any]:
    torch.set_num_threads(threads)
    arrays = layout(model)
    out = np.empty((len(poses), len(model.rest_vertices), 3), np.float32)
    candidates = {
        "PyTorch": torch_body.forms(arrays, poses),
        "ONNX Runtime": {"one graph": onnx_body.session(arrays, poses, threads)},
    }
    ours = {
        name: lambda m=some: m.evaluate(poses, threads=threads, out=out)
        for name, some in {"rigcast": model, **stored}.items()
    }
    return compared(ours, candidates, model.evaluate(poses), threads, runs)
