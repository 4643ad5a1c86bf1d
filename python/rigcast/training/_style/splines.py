"""Random rotations, translations and thin-plate splines of pictures, with exact derivatives."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

Float64 = NDArray[np.float64]

SIDE = 4  # control points along each axis
EDGE = 1.0  # of the control points, in half widths
NEAR = 1e-12  # added to squared distances: r^2 log r is 0 at 0


def control_points() -> Float64:
    """(16, 2) control points over the picture."""
    line = np.linspace(-EDGE, EDGE, SIDE)
    return np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)


def spline_coefficients(targets: Float64) -> Float64:
    """(B, 19, 2) coefficients of the thin-plate splines that move the control points to targets (B, 16, 2).

    Of r^2 log r about each control point, then of 1, x and y (Bookstein 1989).
    """
    centers = control_points()
    count = len(centers)
    squares = ((centers[:, None] - centers) ** 2).sum(axis=2)
    affine = np.concatenate([np.ones((count, 1)), centers], axis=1)
    system = np.zeros((count + 3, count + 3))
    system[:count, :count] = 0.5 * squares * np.log(squares + NEAR)
    system[:count, count:], system[count:, :count] = affine, affine.T
    right = np.concatenate([targets, np.zeros((len(targets), 3, 2))], axis=1)
    return np.asarray(np.einsum("ij,bjd->bid", np.linalg.inv(system), right))


@functools.lru_cache(maxsize=8)
def pixel_basis(size: int) -> Float64:
    """(H H, 19) values at the centers of pixels of the functions that coefficients are of."""
    line = (2.0 * np.arange(size) + 1.0) / size - 1.0
    places = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)
    squares = ((places[:, None] - control_points()) ** 2).sum(axis=2) + NEAR
    return np.concatenate([0.5 * squares * np.log(squares), np.ones((len(places), 1)), places], axis=1)


def random_splines(
    rng: np.random.Generator, count: int, rotation: float, translation: float, warp: float
) -> NDArray[np.float32]:
    """(B, 19, 2) coefficients of random rotations and translations with displaced control points."""
    centers = control_points()
    angle = rng.normal(0.0, rotation, count)
    turn = np.stack([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]).transpose(2, 0, 1)
    moved = centers @ turn.transpose(0, 2, 1) + rng.normal(0.0, translation, (count, 1, 2))
    moved += rng.normal(0.0, warp, (count, len(centers), 2))
    return spline_coefficients(moved).astype(np.float32)


class Splines:
    """A batch of thin-plate splines of the plane, as functions of PyTorch's tensors.

    Parameters
    ----------
    torch : module
    coefficients : (B, 19, 2) tensor
    """

    def __init__(self, torch: Any, coefficients: Any) -> None:
        self._torch, self._coefficients = torch, coefficients
        self._centers = torch.from_numpy(control_points()).to(coefficients)

    def points(self, places: Any) -> Any:
        """Images (B, N, 2) of places (B, N, 2)."""
        squares = self._away(places)[1]
        bent = 0.5 * squares * squares.log()
        weights, affine = self._coefficients[:, :-3], self._coefficients[:, -3:]
        return bent @ weights + affine[:, :1] + places @ affine[:, 1:]

    def jacobians(self, places: Any) -> Any:
        """Derivatives (B, N, 2, 2) of the images by the places: rows are of the images."""
        away, squares = self._away(places)
        slopes = away * (squares.log() + 1.0)[..., None]
        bent = self._torch.einsum("bncx,bcd->bndx", slopes, self._coefficients[:, :-3])
        return bent + self._coefficients[:, None, -2:].transpose(2, 3)

    def pixels(self, size: int) -> Any:
        """Images (B, H, H, 2) of the centers of a picture's pixels."""
        basis = self._torch.from_numpy(pixel_basis(size)).to(self._coefficients)
        return (basis @ self._coefficients).unflatten(1, (size, size))

    def pictures(self, pictures: Any, mode: str = "bilinear") -> Any:
        """Pictures (B, C, H, H) that show at each place what the given ones show at its image."""
        return sampled(self._torch, pictures, self.pixels(pictures.shape[-1]), mode)

    def _away(self, places: Any) -> tuple[Any, Any]:
        away = places[:, :, None] - self._centers
        return away, away.square().sum(dim=3) + NEAR


def pixel_centers(torch: Any, size: int, device: Any) -> Any:
    """(H, H, 2) coordinates x and y of the centers of pixels, from -1 to 1 over the picture."""
    line = (2.0 * torch.arange(size, device=device) + 1.0) / size - 1.0
    return torch.stack([line.expand(size, size), line[:, None].expand(size, size)], dim=-1)


def sampled(torch: Any, pictures: Any, places: Any, mode: str = "bilinear") -> Any:
    """Values (B, C, h, w) of pictures (B, C, H, H) at places (B, h, w, 2); 0 outside."""
    return torch.nn.functional.grid_sample(pictures, places, mode=mode, padding_mode="zeros", align_corners=False)
