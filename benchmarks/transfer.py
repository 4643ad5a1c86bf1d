"""Deformation transfer and example-based transfer beside what else one would do: ``python benchmarks/transfer.py DATA``.

DATA is the folder with ``ict_facekit`` and ``makehuman_hm08``. Every peer gives the same result to the difference that
its row states.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy
import scipy.sparse as sparse
import scipy.sparse.linalg as sparse_linalg

import rigwright as rw
from rigwright.bench.timing import load_average, machine

Row = dict[str, object]


def seconds(function: Callable[[], object], runs: int) -> float:
    function()
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        function()
        times.append(time.perf_counter() - begin)
    return float(np.median(times))


def ict(folder: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Neutral, faces, deltas of the 53 ARKit-style shapes, deltas of the identity modes."""
    base = np.load(folder / "ict_facekit" / "topology_neutral.npz")
    deltas = np.load(folder / "ict_facekit" / "expressions.npz")["deltas"][:53]
    return base["neutral"], base["faces"], deltas, np.load(folder / "ict_facekit" / "identities.npz")["deltas"]


class SciPyTransfer:
    """The same energy as SciPy users build it: vectorised assembly, one LU factorisation (SuperLU), a solve a shape."""

    def __init__(self, source: np.ndarray, target: np.ndarray, faces: np.ndarray, fixed: np.ndarray) -> None:
        quads, triangles = faces[faces[:, 3] >= 0], faces[faces[:, 3] < 0][:, :3]
        split = np.concatenate([quads[:, c] for c in ([0, 1, 2], [0, 2, 3], [0, 1, 3], [1, 2, 3])])
        self.triangles = np.concatenate([split, triangles])
        share = np.concatenate([np.full(len(split), 0.5), np.ones(len(triangles))])
        self.inverse = np.linalg.inv(self.frames(source))
        own = self.frames(target)
        area = 0.5 * share * np.linalg.norm(np.cross(own[:, :, 0], own[:, :, 1]), axis=1)
        gradient = np.linalg.inv(own)[:, :2]  # rows: gradients of the hat functions of corners 1 and 2
        gradient = np.concatenate([-gradient.sum(axis=1, keepdims=True), gradient], axis=1)  # (F, 3 corners, 3)
        root = np.sqrt(area)[:, None, None] * gradient
        rows = np.repeat(np.arange(3 * len(area)).reshape(-1, 1, 3), 3, axis=1)
        columns = np.repeat(self.triangles[:, :, None], 3, axis=2)
        size = (3 * len(area), len(source))
        self.operator = sparse.csc_matrix((root.reshape(-1), (rows.reshape(-1), columns.reshape(-1))), size)
        self.project = root  # for the right-hand side
        self.target, self.fixed = target.astype(np.float64), fixed
        self.free = np.setdiff1d(np.arange(len(source)), fixed)
        normal = (self.operator.T @ self.operator).tocsc()
        self.normal = normal
        self.factor = sparse_linalg.splu(normal[self.free][:, self.free], permc_spec="MMD_AT_PLUS_A")
        self.area, self.own = area, own

    def frames(self, points: np.ndarray) -> np.ndarray:
        a, b, c = (points[self.triangles[:, i]].astype(np.float64) for i in range(3))
        n = np.cross(b - a, c - a)
        return np.stack([b - a, c - a, n / np.sqrt(np.linalg.norm(n, axis=1, keepdims=True))], axis=2)

    def transfer(self, shape: np.ndarray) -> np.ndarray:
        change = self.frames(shape) @ self.inverse - np.eye(3)
        unit = self.own[:, :, 2] / np.linalg.norm(self.own[:, :, 2], axis=1, keepdims=True)
        change -= np.einsum("fij,fj,fk->fik", change, unit, unit)
        right = np.sqrt(self.area)[:, None, None] * change.transpose(0, 2, 1)
        rhs = self.operator.T @ right.reshape(-1, 3)
        moved = np.zeros_like(self.target)
        moved[self.free] = self.factor.solve(rhs[self.free])
        return self.target + moved


def connected(neutral: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The largest component alone: peers know nothing of components."""
    solver = rw.transfer.DeformationTransfer(neutral, neutral, faces)
    keep = solver.components == np.bincount(solver.components).argmax()
    index = np.append(np.cumsum(keep) - 1, -1)
    inside = keep[faces[:, 0]]
    return np.flatnonzero(keep), index[faces[inside]].astype(np.int32)


def speed(folder: Path, runs: int) -> list[Row]:
    neutral, faces, deltas, modes = ict(folder)
    target = neutral + np.tensordot(np.random.default_rng(0).standard_normal(100), modes, 1).astype(np.float32)
    shapes = neutral + deltas

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
    rows += example_rows(neutral, target, faces, deltas)
    return rows


def scipy_rows(neutral, target, faces, shapes, many, runs) -> list[Row]:
    keep, own_faces = connected(neutral, faces)
    solver = rw.transfer.DeformationTransfer(neutral, target, faces)
    del solver
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


def place(source: np.ndarray, target: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    a, b = (p.astype(np.float64) - p.mean(axis=0, dtype=np.float64) for p in (source, target))
    u, _, vt = np.linalg.svd(b.T @ a)
    turn = np.linalg.norm(b) / np.linalg.norm(a) * (u @ np.diag([1, 1, np.linalg.det(u @ vt)]) @ vt)
    return lambda points: points @ turn.T


def example_rows(neutral, target, faces, deltas) -> list[Row]:
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
        return rw._core.example_fit(weights, stiffness, wanted, prior)

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
