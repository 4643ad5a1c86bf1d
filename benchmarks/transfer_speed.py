"""Seconds of transfers beside their peers, each with the difference of the results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy
from transfer_faces import Ict, connected
from transfer_peers import SciPyTransfer, place

import rigwright as rw
from rigwright.bench.timing import interleaved

Row = dict[str, object]


def seconds(function: Callable[[], object], runs: int) -> float:
    return interleaved({"": function}, runs, warm_up=1)[""]


def speed(folder: Path, runs: int) -> list[Row]:
    face = Ict(folder)
    neutral, faces, deltas, shapes = face.neutral, face.faces, face.deltas, face.shapes
    target = face.identity(np.random.default_rng(0))

    def whole() -> np.ndarray:
        return rw.transfer.DeformationTransfer(neutral, target, faces).transfer(shapes, threads=1)

    rows: list[Row] = [
        {"job": "ICT, 53 shapes, 26,719 vertices, factorisation included, 1 thread", "s": seconds(whole, runs)}
    ]
    rng = np.random.default_rng(1)
    mixes = rng.random((265, 53)) * (rng.random((265, 53)) < 0.06)
    many = neutral + np.tensordot(mixes, deltas, 1).astype(np.float32)
    kept = seconds(
        lambda: rw.transfer.DeformationTransfer(neutral, target, faces).transfer(many, threads=1), max(1, runs // 3)
    )

    def one_by_one() -> None:
        for shape in many[:10]:
            rw.transfer.DeformationTransfer(neutral, target, faces).transfer(shape[None], threads=1)

    loop = 26.5 * seconds(one_by_one, 1)
    rows.append(
        {
            "job": "265 shapes, one factorisation, 1 thread",
            "s": kept,
            "peer": "own code, factored for each shape (10 timed)",
            "peer_s": loop,
            "ratio": loop / kept,
        }
    )
    rows += scipy_rows(neutral, target, faces, shapes, many, runs)
    return rows + example_rows()


def scipy_rows(neutral, target, faces, shapes, many, runs) -> list[Row]:
    keep, own_faces = connected(neutral, faces)
    source, goal = neutral[keep], target[keep]
    placed = place(source, goal)
    fixed = np.array([0])

    def ours() -> np.ndarray:
        return rw.transfer.DeformationTransfer(source, goal, own_faces, fixed).transfer(shapes[:, keep], threads=1)

    def theirs() -> np.ndarray:
        peer = SciPyTransfer(placed(source), goal, own_faces, fixed)
        return np.stack([peer.transfer(placed(shape)) for shape in shapes[:, keep]])

    difference = float(np.abs(ours() - theirs()).max())
    a, b = seconds(ours, runs), seconds(theirs, 1)

    def per_shape() -> None:
        for shape in many[:3, keep]:
            SciPyTransfer(placed(source), goal, own_faces, fixed).transfer(placed(shape))

    c = seconds(per_shape, 1) / 3
    all_ours = seconds(
        lambda: rw.transfer.DeformationTransfer(source, goal, own_faces, fixed).transfer(many[:, keep], threads=1), 1
    )
    return [
        {
            "job": f"head component ({len(keep):,} vertices), 53 shapes, 1 thread",
            "s": a,
            "peer": f"SciPy {scipy.__version__}, one factorisation",
            "peer_s": b,
            "ratio": b / a,
            "difference": difference,
        },
        {
            "job": "the same, 265 shapes",
            "s": all_ours,
            "peer": "SciPy, factored for each shape (3 timed)",
            "peer_s": 265 * c,
            "ratio": 265 * c / all_ours,
        },
    ]


def example_rows() -> list[Row]:
    """The solves of triangles by Woodbury against dense ones of K x K, in NumPy's batched LAPACK."""
    num_shapes, num_examples = 265, 10
    rng = np.random.default_rng(2)
    weights = (rng.random((num_examples, num_shapes)) < 0.1).astype(float)
    triangles = 500
    stiffness = 0.1 + rng.random((triangles, num_shapes))
    prior, wanted = rng.standard_normal((triangles, num_shapes, 6)), rng.standard_normal((triangles, num_examples, 6))

    def dense() -> np.ndarray:
        left = np.repeat((weights.T @ weights)[None], triangles, axis=0)
        left[:, np.arange(num_shapes), np.arange(num_shapes)] += stiffness
        return np.linalg.solve(left, weights.T @ wanted + stiffness[:, :, None] * prior)

    def woodbury() -> np.ndarray:
        return rw._core.fit_triangles(weights, stiffness, wanted, prior)

    difference = float(np.abs(dense() - woodbury()).max())
    a, b = seconds(woodbury, 5), seconds(dense, 2)
    return [
        {
            "job": f"{triangles} triangles, 265 shapes, 10 examples",
            "s": a,
            "peer": "dense K x K (NumPy, LAPACK)",
            "peer_s": b,
            "ratio": b / a,
            "difference": difference,
        }
    ]
