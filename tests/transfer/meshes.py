"""Small meshes for transfers."""

from __future__ import annotations

import numpy as np


def sheet(width: int, height: int, seed: int, quads: bool) -> tuple[np.ndarray, np.ndarray]:
    """A bumpy grid of width x height cells: vertices (V, 3) float32 and padded faces, quads or triangles."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[: height + 1, : width + 1]
    points = np.stack([x, y, np.zeros_like(x)], axis=-1).reshape(-1, 3) + 0.2 * rng.standard_normal((x.size, 3))
    corner = (np.arange(height)[:, None] * (width + 1) + np.arange(width)).reshape(-1)
    cells = np.stack([corner, corner + 1, corner + width + 2, corner + width + 1], axis=1)
    if not quads:
        cells = np.concatenate([cells[:, [0, 1, 2]], cells[:, [0, 2, 3]]])
        cells = np.concatenate([cells, np.full((len(cells), 1), -1)], axis=1)
    return points.astype(np.float32), cells.astype(np.int32)


def mixed_sheets(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two components, one of quads and one of triangles, in one mesh."""
    a, quads = sheet(4, 3, seed, True)
    b, triangles = sheet(3, 3, seed + 1, False)
    shifted = np.where(triangles < 0, -1, triangles + len(a))
    return np.concatenate([a, b + np.float32([9, 2, 1])]), np.concatenate([quads, shifted])


def bend(points: np.ndarray, seed: int, size: float = 0.15) -> np.ndarray:
    """The points under a smooth random deformation."""
    rng = np.random.default_rng(seed)
    wave = np.sin(points @ rng.standard_normal((3, 6)) + rng.uniform(0, 6, 6))
    return (points + size * wave @ rng.standard_normal((6, 3))).astype(np.float32)


def random_rotation(seed: int) -> np.ndarray:
    q, r = np.linalg.qr(np.random.default_rng(seed).standard_normal((3, 3)))
    q *= np.sign(np.diag(r))
    return q * np.sign(np.linalg.det(q))
