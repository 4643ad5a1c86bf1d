"""The energy of a picture in vectorized NumPy with its analytic gradient, as one would write it for SciPy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from rigcast.capture._refine import OUTLIER, ShotRefinement

Float64 = NDArray[np.float64]
HALF = np.sqrt(1.0 / np.pi) / 2.0
SHARP = -0.5  # of Keys' cubic kernel


class NumpyEnergy:
    """The energy of a frame that the engine has solved; unknowns are K weights, a rotation vector and a shift.

    Parameters
    ----------
    refinement : ShotRefinement
    image : (H, W, 3) float64
        The frame's fine picture: linear light, blurred.
    used : (S,) int
        Samples that are compared.
    frame : int
    target, strength : (K,) arrays
    light : (3, 9) array
    """

    def __init__(
        self,
        refinement: ShotRefinement,
        image: Float64,
        used: NDArray[np.int64],
        frame: int,
        target: Float64,
        strength: Float64,
        light: Float64,
    ) -> None:
        found, rig, surface = refinement.request.found, refinement.request.rig, refinement.surface
        corners = surface.vertices[used]
        deltas = np.stack([rig.column(k) for k in range(rig.num_shapes)]).astype(np.float64)
        self.rest, self.deltas = rig.rest_vertices[corners].astype(np.float64), deltas[:, corners]  # (S, 3, 3)
        self.shares, self.albedo = surface.shares[used], refinement.solver.albedo[used]
        heavy = surface.importance[used]
        self.heavy = refinement.settings.photometric * heavy / (3.0 * heavy.sum())
        self.unit, self.light, self.image = refinement.solver.unit, light, image
        self.focal, self.center = found.focal, np.array(found.center)
        self.target, self.strength, self.sparsity = target, strength, refinement.settings.sparsity
        places = found.places
        at, shares = places.vertices[places.used], places.weights[places.used][:, :, None]
        self.point_rest = (rig.rest_vertices[at] * shares).sum(axis=1).astype(np.float64)
        self.point_deltas = (deltas[:, at] * shares).sum(axis=2)
        self.points, self.noise = refinement.request.tracks.points[frame, places.used], found.noise
        self.landmarks = refinement.settings.landmarks
        moved = (light - refinement.solver.calibrated_light) / self.unit
        self.constant = 0.25 * refinement.settings.photometric * 1e-3 * float((moved**2).sum())
        self.evaluations = 0

    def __call__(self, x: Float64, base: Float64) -> tuple[float, Float64]:
        """Energy and gradient at unknowns (K + 6,) relative to a pose (3, 4)."""
        self.evaluations += 1
        weights = x[:-6]
        turn = Rotation.from_rotvec(x[-6:-3]).as_matrix() @ base[:, :3]
        shift = base[:, 3] + x[-3:]
        colors, d_weights, d_turn, d_shift = self._colors(weights, turn, shift)
        points, p_weights, p_turn, p_shift = self._points(weights, turn, shift)
        away = weights - self.target
        value = colors + points + float(self.strength @ away**2) + self.sparsity * weights.sum() + self.constant
        gradient = d_weights + p_weights + 2.0 * self.strength * away + self.sparsity
        return value, np.concatenate([gradient, _of_vector(x[-6:-3]).T @ (d_turn + p_turn), d_shift + p_shift])

    def _colors(self, weights: Float64, turn: Float64, shift: Float64) -> tuple[float, Float64, Float64, Float64]:
        turned = (self.rest + np.tensordot(weights, self.deltas, axes=1)) @ turn.T
        placed = turned + shift
        middle = (placed * self.shares[:, :, None]).sum(axis=1)
        image = self.center + self.focal * middle[:, :2] / middle[:, 2:]
        seen, slopes = self._sampled(image)
        one, two = placed[:, 1] - placed[:, 0], placed[:, 2] - placed[:, 0]
        across = np.cross(one, two)
        length = np.linalg.norm(across, axis=1, keepdims=True)
        normal = across / length
        basis, d_basis = _harmonics(normal)
        off = (seen - self.albedo * (basis @ self.light.T)) / self.unit
        value = float((self.heavy[:, None] * np.where(np.abs(off) <= 1.0, off**2, 2.0 * np.abs(off) - 1.0)).sum())
        pull = 2.0 * self.heavy[:, None] * np.clip(off, -1.0, 1.0) / self.unit
        to_image = (pull[:, :, None] * slopes).sum(axis=1)
        to_middle = np.empty_like(middle)
        to_middle[:, :2] = self.focal * to_image / middle[:, 2:]
        to_middle[:, 2] = -(to_middle[:, :2] * middle[:, :2]).sum(axis=1) / middle[:, 2]
        to_normal = -np.einsum("sc,cb,sbi->si", pull * self.albedo, self.light, d_basis)
        to_across = (to_normal - normal * (normal * to_normal).sum(axis=1, keepdims=True)) / length
        to_placed = self.shares[:, :, None] * to_middle[:, None]
        to_one, to_two = np.cross(two, to_across), np.cross(to_across, one)
        to_placed[:, 0] -= to_one + to_two
        to_placed[:, 1] += to_one
        to_placed[:, 2] += to_two
        gradient = np.tensordot(self.deltas, to_placed @ turn, axes=3)
        return value, gradient, np.cross(turned, to_placed).sum(axis=(0, 1)), to_placed.sum(axis=(0, 1))

    def _points(self, weights: Float64, turn: Float64, shift: Float64) -> tuple[float, Float64, Float64, Float64]:
        turned = (self.point_rest + np.tensordot(weights, self.point_deltas, axes=1)) @ turn.T
        placed = turned + shift
        miss = (self.center + self.focal * placed[:, :2] / placed[:, 2:] - self.points) / self.noise
        far = np.linalg.norm(miss, axis=1, keepdims=True)
        share = self.landmarks / len(miss)
        value = share * float(np.where(far <= OUTLIER, far**2, 2.0 * OUTLIER * far - OUTLIER**2).sum())
        pull = 2.0 * share * miss * np.minimum(1.0, OUTLIER / np.maximum(far, 1e-12)) / self.noise
        to_placed = np.empty_like(placed)
        to_placed[:, :2] = self.focal * pull / placed[:, 2:]
        to_placed[:, 2] = -(to_placed[:, :2] * placed[:, :2]).sum(axis=1) / placed[:, 2]
        gradient = np.tensordot(self.point_deltas, to_placed @ turn, axes=2)
        return value, gradient, np.cross(turned, to_placed).sum(axis=0), to_placed.sum(axis=0)

    def _sampled(self, image: Float64) -> tuple[Float64, Float64]:
        """Colors (S, 3) by cubic convolution, and their slopes (S, 3, 2) along x and y."""
        place = image - 0.5
        corner = np.floor(place).astype(int)
        share = place - corner
        height, width = self.image.shape[:2]
        columns = np.clip(corner[:, :1] + np.arange(-1, 3), 0, width - 1)
        rows = np.clip(corner[:, 1:] + np.arange(-1, 3), 0, height - 1)
        patch = self.image[rows[:, :, None], columns[:, None]]  # (S, 4, 4, 3)
        (x, dx), (y, dy) = _keys(share[:, 0]), _keys(share[:, 1])
        colors = np.einsum("sr,sc,srcd->sd", y, x, patch)
        slopes = np.stack([np.einsum("sr,sc,srcd->sd", y, dx, patch), np.einsum("sr,sc,srcd->sd", dy, x, patch)], -1)
        return colors, slopes


def _keys(share: Float64) -> tuple[Float64, Float64]:
    """Weights (S, 4) of Keys' kernel and their derivatives."""
    t, a = share[:, None], SHARP
    powers = np.concatenate([np.ones_like(t), t, t**2, t**3], axis=1)
    slopes = np.concatenate([np.zeros_like(t), np.ones_like(t), 2.0 * t, 3.0 * t**2], axis=1)
    table = np.array(
        [[0.0, 1.0, 0.0, 0.0], [a, 0.0, -a, 0.0], [-2.0 * a, -a - 3.0, 2.0 * a + 3.0, a], [a, a + 2.0, -a - 2.0, -a]]
    )
    return powers @ table, slopes @ table


def _harmonics(n: Float64) -> tuple[Float64, Float64]:
    """Nine real spherical harmonics (S, 9) and their derivatives (S, 9, 3) along the normal's coordinates."""
    x, y, z = n.T
    a, b, c = HALF * np.sqrt(3.0), HALF * np.sqrt(15.0), HALF * np.sqrt(5.0) / 2.0
    one, zero = np.ones_like(x), np.zeros_like(x)
    values = [HALF * one, a * x, a * y, a * z, b * x * y, b * x * z, b * y * z, c * (3 * z * z - 1)]
    values.append(0.5 * b * (x * x - y * y))
    slopes = [
        (zero, zero, zero), (a * one, zero, zero), (zero, a * one, zero), (zero, zero, a * one), (b * y, b * x, zero),
        (b * z, zero, b * x), (zero, b * z, b * y), (zero, zero, 6 * c * z), (b * x, -b * y, zero),
    ]  # fmt: skip
    return np.stack(values, axis=1), np.array(slopes).transpose(2, 0, 1)


def _of_vector(omega: Float64) -> Float64:
    """The left Jacobian of a rotation vector, by which a gradient at 0 becomes one there."""
    angle = max(float(np.linalg.norm(omega)), 1e-9)
    cross = np.cross(np.eye(3), -omega)
    first, second = (1.0 - np.cos(angle)) / angle**2, (angle - np.sin(angle)) / angle**3
    return np.asarray(np.eye(3) + first * cross + second * cross @ cross)
