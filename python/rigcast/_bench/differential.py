"""Speed of a model in a differential subspace beside PyTorch, and of its reconstruction beside a factorized solve."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigcast as rc
from rigcast import _core
from rigcast._bench import torch_differential
from rigcast._bench.compare import about, batch_of, check_runs, compared, torch_peer
from rigcast._bench.reading import reading_figures
from rigcast._validate import bad_argument

SOLVE = "basis and solve"


def differential(
    model: str | Path | rc.Deformer,
    poses: NDArray[np.float32] | None = None,
    *,
    runs: int = 30,
    batch: int = 256,
    seed: int = 0,
) -> dict[str, Any]:
    """Time a model's evaluation beside PyTorch, and the reconstruction alone beside a product and a solve.

    Peers of the whole model: "PyTorch" with basis and solve folded into one dense product, and "PyTorch, solve" with
    the factorized solve of each frame, as published; both in the fastest of several forms. Variants of ours are 16-bit
    weights and the other last step. Times are medians of calls that take turns.

    Parameters
    ----------
    model : path-like or model
        Of kind "differential".
    poses : (T, C) array, optional
        Poses to evaluate, repeated to the size of the batch; by default random ones between the control ranges.
    runs : int
        Rounds, at least 10.
    batch : int
        Poses of the rows for batches, on all processors.
    seed : int
        Of the random poses, coefficients and anchors.

    Returns
    -------
    dict
        As :func:`rigcast._bench.body`, without "storages".

    Raises
    ------
    ValueError
        The model is of another kind, or there are too few runs.
    MissingExtra
        PyTorch is not installed.
    """
    learned = model if isinstance(model, rc.Deformer) else rc.load(model)
    if not isinstance(learned, _core.DifferentialModel):
        raise bad_argument("bench.differential", "model", f"of kind '{learned.kind}'", "of kind 'differential'")
    check_runs("bench.differential", runs)
    torch = torch_peer()
    rows = batch_of(learned, poses, batch, seed)
    threads_before = torch.get_num_threads()
    facts = about(torch)
    try:
        done = [
            measure(torch, learned, some, threads, runs)
            for measure in (_whole, _reconstruction)
            for some, threads in ((rows[:1], 1), (rows, _core.num_processors()))
        ]
    finally:
        torch.set_num_threads(threads_before)
    sizes = {
        "vertices": len(learned.rest_vertices),
        "components": learned.num_components,
        "anchors": learned.num_anchors,
        "tail": learned.tail,
        "bytes": learned.num_bytes,
    }
    variants = {"rigcast": learned, "16-bit": learned.stored("16-bit")}
    reading = reading_figures(variants, rows[0], done[0]["peers"], runs)
    return facts | {"model": sizes, "rows": done, "reading": reading}


def _whole(torch: Any, model: _core.DifferentialModel, poses: Any, threads: int, runs: int) -> dict[str, Any]:
    torch.set_num_threads(threads)
    half = model.stored("16-bit")
    other = model.with_tail("factorized" if model.tail == "folded" else "folded")
    out = np.empty((len(poses), len(model.rest_vertices), 3), np.float32)
    ours = {
        "rigcast": lambda: model.evaluate(poses, threads=threads, out=out),
        "16-bit": lambda: half.evaluate(poses, threads=threads, out=out),
        other.tail: lambda: other.evaluate(poses, threads=threads, out=out),
    }
    folded, solved = torch_differential.forms(model, poses)
    return compared(ours, {"PyTorch": folded, "PyTorch, solve": solved}, model.evaluate(poses), threads, runs)


def _reconstruction(torch: Any, model: _core.DifferentialModel, poses: Any, threads: int, runs: int) -> dict[str, Any]:
    """Random coefficients and anchors to displacements."""
    torch.set_num_threads(threads)
    arrays = model.tensors()
    solver = torch_differential.reconstructor_of(model, arrays)
    basis, mean = arrays["delta.basis"], arrays["delta.mean"]
    folded = solver.folded(basis, mean)
    rng = np.random.default_rng(0)
    z = rng.standard_normal((len(poses), model.num_components)).astype(np.float32)
    anchors = rng.standard_normal((len(poses), model.num_anchors, 3)).astype(np.float32)
    shape = len(poses), len(model.rest_vertices), 3
    columns, offset = torch.from_numpy(np.ascontiguousarray(basis.T)), torch.from_numpy(mean)

    def solve() -> Any:
        delta = torch.addmm(offset, torch.from_numpy(z), columns).numpy().reshape(shape)
        return solver.solve(delta, anchors, threads=threads)

    ours = {"rigcast": lambda: folded.solve(z, anchors, threads=threads)}
    row = compared(ours, {SOLVE: {"one form": solve}}, ours["rigcast"](), threads, runs)
    return row | {"job": f"reconstruction, {row['job']}"}
