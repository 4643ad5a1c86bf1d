"""Time by the number of shapes that are evaluated, for 1 and many heads, and for heads that share weights.

Carrigan 2020, figure 4.6 (unique weights per head) and 4.7 (weights shared, computed once), on one thread of the CPU.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import rigcast as rc
from benchmarks.systems.blendshapes.clock import medians
from rigcast._timing import machine

PARTS = (0.25, 0.5, 0.75, 1.0)  # of the shapes
STATES = 10  # different weights of the heads that share them


@dataclass(frozen=True)
class Row:
    """Seconds of a prefix: one head, heads with weights of their own, heads that share 10 rows of weights, or one."""

    shapes: int
    offsets: float
    one: float
    own: float
    shared: float
    same: float


def measure(model: rc.BlendshapeRig, heads: int, runs: int) -> list[Row]:
    """A row per prefix; no weight is 0, so that every evaluated shape and combination moves the face."""
    rng = np.random.default_rng(1)
    clip = rng.uniform(0.1, 1.0, (heads, model.num_shapes)).astype(np.float32)
    crowd = rc.crowd.Crowd(model, [clip], rc.crowd.importance_order(model, "rms"))
    own, shared = np.arange(heads), np.arange(heads) % min(STATES, heads)
    out, single = (np.empty((count, *model.rest_vertices.shape), np.float32) for count in (heads, 1))
    lengths = [round(part * model.num_shapes) for part in PARTS]
    calls: list[Callable[[], object]] = []
    for n in lengths:
        check_sharing(crowd, shared, n)
        calls += [
            lambda n=n: crowd.evaluate(0, [0], n, out=single, threads=1),
            lambda n=n: crowd.evaluate(0, own, n, out=out, threads=1),
            lambda n=n: crowd.instances(0, shared, n, threads=1),
            lambda n=n: crowd.instances(0, np.zeros(heads), n, threads=1),
        ]
    times = np.reshape(medians(calls, runs, 1), (len(lengths), 4)).tolist()
    return [Row(n, offsets(model, crowd.order[:n]), *row) for n, row in zip(lengths, times, strict=True)]


def check_sharing(crowd: rc.crowd.Crowd, frames: np.ndarray, length: int) -> None:
    """Instances look as the heads do that are evaluated one by one."""
    made = crowd.instances(0, frames, length)
    assert len(made.vertices) == len(np.unique(frames))
    for head in (0, len(frames) - 1):
        assert np.array_equal(made.vertices[made.head[head]], crowd.evaluate(0, [frames[head]], length)[0])


def offsets(model: rc.BlendshapeRig, kept: np.ndarray) -> float:
    """Share of the offsets that are not 0 in columns whose shapes are all kept."""
    weights = np.zeros((20, model.num_shapes), np.float32)
    weights[:, kept] = np.linspace(0.05, 1.0, 20)[:, None]  # an in-between is 0 at some
    used = (model.activations(weights) != 0).any(axis=0)
    sizes = np.array([np.count_nonzero(model.column(k)) for k in range(model.num_columns)])
    return float(sizes[used].sum() / sizes.sum())


def table(found: list[Row], heads: int) -> str:
    most = found[-1]
    states = min(STATES, heads)
    lines = [
        f"| shapes, most important first | of all offsets | 1 head | {heads} heads, own weights | of all shapes' time "
        f"| {heads} heads share {states} rows of weights | {heads} heads share one row |",
        "|" + " --- |" * 7,
    ]
    for row in found:
        shared = (f"{1e3 * seconds:.2f} ms, {row.own / seconds:.1f} x" for seconds in (row.shared, row.same))
        lines.append(
            f"| {row.shapes} ({row.shapes / most.shapes:.0%}) | {row.offsets:.0%} | {1e3 * row.one:.2f} ms "
            f"| {1e3 * row.own:.2f} ms | {row.own / most.own:.0%} | {' | '.join(shared)} |"
        )
    return "\n".join(lines)


def about(name: str, model: rc.BlendshapeRig, runs: int) -> str:
    return (
        f"{name}: {len(model.rest_vertices):,} vertices, {model.num_shapes} shapes in the order of their RMS "
        f"displacement, {model.num_columns - model.num_shapes} constructed combinations, each evaluated if all its "
        "shapes are; float32, no weight is 0. The factors are those to own weights with as many shapes. "
        f"{machine()}; rigcast {rc.__version__}, NumPy {np.__version__}. One thread, processor time, medians of "
        f"{runs} runs that took turns."
    )
