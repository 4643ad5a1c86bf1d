"""A rasterizer in slow, obvious Python, and meshes that are drawn with it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import rigcast as rc

Float64 = NDArray[np.float64]


def covered(corners: Float64, width: int, height: int) -> NDArray[np.bool_]:
    """Pixels (H, W) whose centers lie in a triangle (3, 2) of image positions, by whole numbers.

    A center on an edge counts if the triangle lies right of the edge or below it.
    """
    a, b, c = ([int(np.floor(256.0 * x + 0.5)) for x in corner] for corner in corners)
    if _side(a, b, c) < 0:
        b, c = c, b
    result = np.zeros((height, width), np.bool_)
    if _side(a, b, c) == 0:
        return result
    for y in range(height):
        for x in range(width):
            center = [256 * x + 128, 256 * y + 128]
            result[y, x] = all(_inside(p, q, center) for p, q in ((a, b), (b, c), (c, a)))
    return result


def _side(a: list[int], b: list[int], p: list[int]) -> int:
    return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0])


def _inside(a: list[int], b: list[int], p: list[int]) -> bool:
    side = _side(a, b, p)
    goes_up, is_top = b[1] < a[1], b[1] == a[1] and b[0] > a[0]
    return side > 0 or (side == 0 and (goes_up or is_top))


def depth(points: Float64, camera: rc.render.Camera, x: float, y: float) -> float:
    """z at which the ray through an image position meets the plane of a triangle (3, 3) in camera coordinates."""
    row = camera.numbers()[0]
    ray = np.array([(x - row[14]) / row[12], (y - row[15]) / row[13], 1.0])
    normal = np.cross(points[1] - points[0], points[2] - points[0])
    return float(normal @ points[0] / (normal @ ray))


def plain_camera(width: int = 24, height: int = 20, **settings: object) -> rc.render.Camera:
    """A camera in the origin whose axes are the world's, with a focal length of 20 pixels."""
    return rc.render.Camera(width, height, focal=20.0, rotation=np.eye(3), **settings)  # type: ignore[arg-type]
