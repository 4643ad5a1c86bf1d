"""Seconds of transfers beside their peers, each with the largest difference of the results."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import rigcast as rc
from benchmarks.systems.transfer.faces import Ict, connected
from benchmarks.systems.transfer.peers import place
from benchmarks.systems.transfer.solvers import Assembled, peers

HEAD = ["job", "ours", "peer", "peer's", "ours is faster", "goal", "largest difference"]
PER_SHAPE, DENSE = 20.0, 30.0  # goals: times as fast as a factorization per shape, as dense example-based solves
Row = list[str]


def spent(functions: dict[str, Callable[[], object]], runs: int) -> dict[str, float]:
    """Median processor seconds of each, taking turns, after one call that is not timed."""
    times: dict[str, list[float]] = {name: [] for name in functions}
    for run in range(runs + 1):
        for name, function in functions.items():
            started = time.process_time()
            function()
            times[name] += [time.process_time() - started] if run else []
    return {name: float(np.median(values)) for name, values in times.items()}


def row(
    job: str, ours: float, peer: str = "", theirs: float = 0.0, difference: float | None = None, goal: float = 0.0
) -> Row:
    ratio = f"{theirs / ours:.1f} x" if peer else ""
    met = "met" if theirs >= goal * ours else "missed"
    return [
        job,
        f"{ours:.3f} s",
        peer,
        f"{theirs:.3f} s" if peer else "",
        ratio,
        f"{goal:g} x: {met}" if goal else "",
        "" if difference is None else f"{difference:.1g}",
    ]


def speed(folder: Path, runs: int, count: int) -> list[Row]:
    """All rows; ``count`` shapes in the long ones."""
    face = Ict(folder)
    target = face.identity(np.random.default_rng(0))
    rng = np.random.default_rng(1)
    mixes = rng.random((count, len(face.deltas))) * (rng.random((count, len(face.deltas))) < 0.06)
    many = face.neutral + np.tensordot(mixes, face.deltas, 1).astype(np.float32)
    return [*own_rows(face, target, many, runs), *peer_rows(face, target, many, runs), example_row(runs)]


def own_rows(face: Ict, target: np.ndarray, many: np.ndarray, runs: int) -> list[Row]:
    neutral, faces = face.neutral, face.faces
    one_by_one = many[:10]

    def ours(shapes: np.ndarray) -> np.ndarray:
        return rc.transfer.DeformationTransfer(neutral, target, faces).transfer(shapes, threads=1)

    seconds = spent(
        {
            "few": lambda: ours(face.shapes),
            "many": lambda: ours(many),
            "loop": lambda: [ours(shape[None]) for shape in one_by_one],
        },
        runs,
    )
    loop = len(many) / len(one_by_one) * seconds["loop"]
    size = f"{len(neutral):,} vertices, the factorization included"
    peer = "the same code, factored for each shape (10 timed)"
    difference = float(np.abs(ours(one_by_one) - np.concatenate([ours(s[None]) for s in one_by_one])).max())
    return [
        row(f"ICT, {len(face.shapes)} shapes, {size}", seconds["few"]),
        row(f"ICT, {len(many)} shapes, {size}", seconds["many"], peer, loop, difference, PER_SHAPE),
    ]


def peer_rows(face: Ict, target: np.ndarray, many: np.ndarray, runs: int) -> list[Row]:
    keep, faces = connected(face.neutral, face.faces)
    source, goal, fixed = face.neutral[keep], target[keep], np.array([0])
    move = place(source, goal)
    shapes, some = many[:, keep], many[:3, keep]

    def ours(all_: np.ndarray) -> np.ndarray:
        return rc.transfer.DeformationTransfer(source, goal, faces, fixed).transfer(all_, threads=1)

    def theirs(kind: type[Assembled], all_: np.ndarray) -> np.ndarray:
        return kind(move(source), goal, faces, fixed).transfer(np.stack([move(shape) for shape in all_]))

    job = f"its head alone, {len(shapes)} shapes, {len(keep):,} vertices, the factorization included"
    rows = []
    for name, kind in peers().items():
        seconds = spent(
            {
                "ours": lambda: ours(shapes),
                "theirs": lambda kind=kind: theirs(kind, shapes),
                "loop": lambda kind=kind: [theirs(kind, shape[None]) for shape in some],
            },
            max(1, runs // 3),
        )
        difference = float(np.abs(ours(shapes) - theirs(kind, shapes)).max())
        rows.append(row(job, seconds["ours"], f"{name}, factored once", seconds["theirs"], difference))
        loop = len(shapes) / len(some) * seconds["loop"]
        peer = f"{name}, factored for each shape (3 timed)"
        rows.append(row("the same", seconds["ours"], peer, loop, difference, PER_SHAPE))
    return rows


def example_row(runs: int) -> Row:
    """The solves of triangles by Woodbury against dense ones of K x K, in NumPy's batched LAPACK."""
    triangles, num_shapes, num_examples = 500, 265, 10
    rng = np.random.default_rng(2)
    weights = (rng.random((num_examples, num_shapes)) < 0.1).astype(float)
    stiffness = 0.1 + rng.random((triangles, num_shapes))
    prior, wanted = rng.standard_normal((triangles, num_shapes, 6)), rng.standard_normal((triangles, num_examples, 6))

    def dense() -> np.ndarray:
        left = np.repeat((weights.T @ weights)[None], triangles, axis=0)
        left[:, np.arange(num_shapes), np.arange(num_shapes)] += stiffness
        return np.linalg.solve(left, weights.T @ wanted + stiffness[:, :, None] * prior)

    def woodbury() -> np.ndarray:
        return rc._core.fit_triangles(weights, stiffness, wanted, prior)

    seconds = spent({"ours": woodbury, "dense": dense}, max(1, runs // 3))
    difference = float(np.abs(dense() - woodbury()).max())
    job = f"example-based solves of {triangles} triangles, {num_shapes} shapes, {num_examples} examples"
    return row(job, seconds["ours"], "dense K x K (NumPy, LAPACK)", seconds["dense"], difference, DENSE)
