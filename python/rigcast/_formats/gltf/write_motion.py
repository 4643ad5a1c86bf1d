"""A moving mesh as glTF: morph targets that span its motion, and a clip of their weights.

The offsets ``X`` (T, 3V) from the first frame are replaced by ``U_n U_n^T X``, with ``U_n`` the first ``n`` left
singular vectors: of all bases of ``n`` shapes the one with the least sum of squares (Eckart and Young 1936; Alexa and
Müller 2000 for animated meshes). ``n`` is the smallest number whose largest error is allowed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rigcast._core import BlendshapeRig
from rigcast._formats.gltf.write import write_glb
from rigcast._rigs.motions.moving_mesh import MovingMesh
from rigcast._rigs.pieces import seam_copies

Float32 = NDArray[np.float32]
VERTICES_AT_ONCE = 4096
FRAMES_AT_ONCE = 4096
LEAST = 1e-13  # of the largest square: rounding of float64
DEFAULT_ERROR = 1 / 2000  # of the mesh's size: below a pixel of a picture that it fills


@dataclass(frozen=True)
class MotionBasis:
    """A motion as ``base + weights @ targets``.

    Attributes
    ----------
    base : (V, 3)
    targets : (n, V, 3), n at least 1
    weights : (T, n), from 0 to 1: Blender clamps others
    error : float
        The largest distance of a vertex from where it should be.
    """

    base: Float32
    targets: Float32
    weights: Float32
    error: float


def write_glb_motion(path: Path, mesh: MovingMesh, max_error: float | None = None) -> list[str]:
    """Write ``.glb``: one mesh, or one per part, their morph targets, one LINEAR clip with one key per frame.

    Parameters
    ----------
    path : Path
    mesh : MovingMesh
        Read into memory as a whole.
    max_error : float, optional
        In the mesh's unit; default 1/2000 of its size.

    Returns
    -------
    list of str
        What the morph targets miss.
    """
    vertices = np.concatenate(list(mesh.chunks()))
    limit = mesh.size * DEFAULT_ERROR if max_error is None else max_error
    basis = motion_basis(vertices, limit)
    rig = BlendshapeRig(
        basis.base,
        basis.targets,
        names=[f"motion {n + 1}" for n in range(len(basis.targets))],
        faces=mesh.faces,
        metadata={
            "name": mesh.name or path.stem,
            "licence": mesh.licence,
            "meters_per_unit": mesh.meters_per_unit,
            "up_axis": mesh.up_axis,
        },
    )
    write_glb(path, rig, basis.weights, mesh.fps, still=basis.weights[0], surface=mesh.surface, is_face=False)
    copies = seam_copies(mesh.surface, mesh.faces)
    seams = [f"{copies} vertices were duplicated: they have several texture coordinates, and glTF has one per vertex"]
    return [_note(mesh, basis)] + seams * (copies > 0) + ([_missed(mesh, basis, limit)] if basis.error > limit else [])


def motion_basis(vertices: Float32, max_error: float) -> MotionBasis:
    """The fewest shapes that reproduce a motion (T, V, 3) to ``max_error`` at every vertex of every frame."""
    rows = vertices.reshape(len(vertices), -1)
    values, left = _left_singular(rows)
    most = max(1, min(int(np.count_nonzero(values > 0.0)), *rows.shape))
    weights = left[:, : fewest(lambda n: _largest_error(rows, rows[0], left[:, :n]), most, max_error)]
    targets = weights.T @ (rows - rows[0])
    low, span = weights.min(axis=0), np.ptp(weights, axis=0)
    span[span == 0.0] = 1.0
    base, weights, targets = rows[0] + low @ targets, (weights - low) / span, targets * span[:, None]
    error = _largest_error(rows, base, weights, targets)
    return MotionBasis(base.reshape(-1, 3), targets.reshape(len(targets), -1, 3), weights, error)


def _left_singular(rows: Float32) -> tuple[NDArray[np.float64], Float32]:
    """Squares of the singular values of rows (T, 3V) from the first one, and the vectors (T, n), the largest first.

    From the smaller Gram matrix, of frames or of coordinates: memory and time stay linear in the longer side.
    """
    count, width = rows.shape
    if count <= width:
        gram = np.zeros((count, count))
        for columns in _blocks(rows):
            block = (rows[:, columns] - rows[0, columns]).astype(np.float64)
            gram += block @ block.T
        values, vectors = np.linalg.eigh(gram)
        return values[::-1], vectors[:, ::-1].astype(np.float32)
    gram = np.zeros((width, width))
    for begin in range(0, count, FRAMES_AT_ONCE):
        block = (rows[begin : begin + FRAMES_AT_ONCE] - rows[0]).astype(np.float64)
        gram += block.T @ block
    values, vectors = np.linalg.eigh(gram)
    kept = values[::-1] > LEAST * max(values[-1], 0.0)
    right = vectors[:, ::-1][:, kept] / np.sqrt(values[::-1][kept])
    parts = [
        (rows[b : b + FRAMES_AT_ONCE] - rows[0]).astype(np.float64) @ right for b in range(0, count, FRAMES_AT_ONCE)
    ]
    left = np.concatenate(parts) if right.shape[1] else np.eye(count, 1)
    return values[::-1][kept] if kept.any() else np.zeros(1), np.linalg.qr(left)[0].astype(np.float32)


def fewest(error: Callable[[int], float], most: int, limit: float) -> int:
    """The smallest number from 1 to ``most`` whose error is at most ``limit``; ``most`` if there is none."""
    high = 1
    while high < most and error(high) > limit:
        high *= 2
    low, high = high // 2, min(high, most)  # low is too few
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if error(middle) > limit else (low, middle)
    return high


def _largest_error(rows: Float32, base: Float32, weights: Float32, targets: Float32 | None = None) -> float:
    """Largest distance of a vertex of ``rows`` (T, 3V) from ``base + weights @ targets``.

    Without targets they are the offsets from the base, projected on the weights, whose columns are orthonormal.
    """
    worst = 0.0
    for columns in _blocks(rows):
        block = rows[:, columns] - base[columns]
        shapes = weights.T @ block if targets is None else targets[:, columns]
        missed = (block - weights @ shapes).reshape(len(block), -1, 3)
        worst = max(worst, float(np.einsum("tvi,tvi->tv", missed, missed).max()))
    return float(np.sqrt(worst))


def _blocks(rows: Float32) -> list[slice]:
    return [slice(start, start + 3 * VERTICES_AT_ONCE) for start in range(0, rows.shape[1], 3 * VERTICES_AT_ONCE)]


def _note(mesh: MovingMesh, basis: MotionBasis) -> str:
    millimeters = 1e3 * mesh.meters_per_unit
    share = basis.error / mesh.size if mesh.size > 0 else 0.0
    shapes = f"{len(basis.targets)} morph target{'s' * (len(basis.targets) > 1)}"
    return (
        f"{shapes} for {len(mesh)} frames miss the motion by at most {millimeters * basis.error:.3g} mm"
        f" ({100 * share:.2g} % of the size, {millimeters * mesh.size:.4g} mm)"
    )


def _missed(mesh: MovingMesh, basis: MotionBasis, limit: float) -> str:
    millimeters = 1e3 * mesh.meters_per_unit
    return f"float32 is too coarse for a maximum error of {millimeters * limit:.3g} mm"
