"""A constructed face: a bumpy shield, mirrored across x = 0, with left, right and middle shapes."""

from __future__ import annotations

import numpy as np

import rigcast as rc


def bumpy_shield(half: int = 6, rows: int = 9):
    """Vertices, quads, and the mirror image of every vertex; cells of irregular sizes."""
    rng = np.random.default_rng(0)
    x = np.cumsum(rng.uniform(0.6, 1.4, half))
    x = np.concatenate([-x[::-1], [0.0], x])
    y = np.cumsum(rng.uniform(0.6, 1.4, rows))
    height = rng.uniform(0, 0.5, (half + 1, rows))
    height = np.concatenate([height[:0:-1], height])
    points = np.stack([*np.meshgrid(x, y, indexing="ij"), height], axis=-1)
    number = np.arange(points.shape[0] * rows).reshape(-1, rows)
    quads = np.stack([number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]], axis=-1)
    return points.reshape(-1, 3), quads.reshape(-1, 4).astype(np.int32), number[::-1].ravel()


def plain_face() -> rc.BlendshapeRig:
    """Six shapes: left and right of two kinds, one for both sides, one on the left alone."""
    points, faces, partner = bumpy_shield()
    neutral = points.astype(np.float32)
    x, y = neutral[:, 0], neutral[:, 1]
    offsets = np.zeros((6, len(neutral), 3), np.float32)
    offsets[0] = np.exp(-((x + 4) ** 2 + (y - 3) ** 2))[:, None] * np.float32([0.3, 0.1, 1.0])
    offsets[2] = np.exp(-((x + 1) ** 2 + (y - 7) ** 2))[:, None] * np.float32([-0.2, 0.5, 0.4])
    for left, right in ((0, 1), (2, 3)):
        offsets[right] = offsets[left][partner] * [-1, 1, 1]
    offsets[4] = np.exp(-(x**2 + (y - 6) ** 2) / 4)[:, None] * np.float32([0, 0, 1])
    offsets[5] = np.exp(-((x + 4) ** 2 + (y - 8) ** 2))[:, None] * np.float32([0, 1, 0])
    names = ["left_smile", "right_smile", "left_brow", "right_brow", "brow_up", "left_wink"]
    return rc.BlendshapeRig(neutral, offsets, faces=faces, names=names)
