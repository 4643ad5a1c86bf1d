"""Speed of a face on deformation maps beside PyTorch and ONNX Runtime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from rigcast import _core
from rigcast._bench import onnx_maps, torch_maps
from rigcast._bench.compare import about, batch_of, check_runs, compared, onnx_peer, torch_peer
from rigcast._bench.layout import has_networks
from rigcast._bench.reading import reading_figures
from rigcast._validate import bad_argument


def face_maps(
    model: str | Path | rc.Deformer,
    poses: NDArray[np.float32] | None = None,
    *,
    runs: int = 30,
    batch: int = 256,
    seed: int = 0,
) -> dict[str, Any]:
    """Time a face's evaluation beside PyTorch and ONNX Runtime, from controls to vertices.

    Each peer computes the same from the same numbers, in the fastest of several forms of it; rigid parts are left out
    there. Variants of ours are coarse maps alone and 16-bit weights. Times are medians of calls that take turns.

    Parameters
    ----------
    model : path-like or model
        Of kind "face_maps", with at least one network.
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
        As :func:`rigcast._bench.body`, without "storages".

    Raises
    ------
    ValueError
        The model is of another kind or has no network, or there are too few runs.
    MissingExtra
        PyTorch or ONNX Runtime is not installed.
    """
    face = model if isinstance(model, rc.Deformer) else rc.load(model)
    if not isinstance(face, _core.FaceMaps):
        raise bad_argument("bench.face_maps", "model", f"of kind '{face.kind}'", "of kind 'face_maps'")
    if not has_networks(face):
        raise bad_argument("bench.face_maps", "model", "a face without any network", "one with a network for the peers")
    check_runs("bench.face_maps", runs)
    torch, runtime = torch_peer(), onnx_peer()
    rows = batch_of(face, poses, batch, seed)
    threads_before = torch.get_num_threads()
    facts = about(torch, runtime)
    try:
        done = [_row(torch, face, rows[:1], 1, runs), _row(torch, face, rows, _core.num_processors(), runs)]
    finally:
        torch.set_num_threads(threads_before)
    sizes = {
        "vertices": len(face.rest_vertices),
        "segments": face.num_segments,
        "refinements": face.num_refinements,
        "rigid_parts": face.num_parts,
        "multiply_adds": face.multiply_adds(),
        "bytes": face.num_bytes,
    }
    variants = {"rigcast": face, "16-bit": face.stored("16-bit")}
    reading = reading_figures(variants, rows[0], done[0]["peers"], runs)
    return facts | {"model": sizes, "rows": done, "reading": reading}


def _row(torch: Any, model: _core.FaceMaps, poses: NDArray[np.float32], threads: int, runs: int) -> dict[str, Any]:
    torch.set_num_threads(threads)
    half, coarse = model.stored("16-bit"), np.zeros(model.num_refinements, np.float32)
    out = np.empty((len(poses), len(model.rest_vertices), 3), np.float32)
    ours = {
        "rigcast": lambda: model.evaluate(poses, threads=threads, out=out),
        "16-bit": lambda: half.evaluate(poses, threads=threads, out=out),
    }
    if len(coarse):
        ours["coarse"] = lambda: model.evaluate_detail(poses, coarse, threads=threads, out=out)
    candidates = {"PyTorch": torch_maps.forms(model, poses), "ONNX Runtime": onnx_maps.forms(model, poses, threads)}
    vertices = model.evaluate(poses)
    kept = np.setdiff1d(np.arange(vertices.shape[1]), model.tensors()["parts.vertex"])
    return compared(ours, candidates, vertices, threads, runs, kept)
