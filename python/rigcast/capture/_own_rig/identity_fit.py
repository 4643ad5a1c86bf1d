"""Coefficients of identity modes, head poses and focal length of neutral frames, by regularized least squares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast._core import BlendshapeRig, PointModel, solve_points, solve_positive_definite
from rigcast.capture._actors.cast import Cast
from rigcast.capture._neutral import Lens, engine_terms, upright
from rigcast.capture._own_rig.projection import Projection, head_columns, without_head
from rigcast.capture._places import Places
from rigcast.capture._tracks import CaptureSettings

Float64 = NDArray[np.float64]

STEPS = 30
DONE = 1e-8  # of the energy: steps end when one lowers it by less
HALVINGS = 6
FAR = 1e3  # noises: no point is an outlier
WIDEST = 30.0  # standard deviations: bounds of coefficients, which nothing reaches


@dataclass(frozen=True, eq=False)
class Identity:
    """A fitted face: coefficients (M,), heads (n, 3, 4), focal length, distances (n, U), number of determined modes."""

    coefficients: Float64
    head: Float64
    focal: float
    residual: Float64
    determined: float


class IdentityFit:
    """Gauss-Newton over coefficients, with the heads fitted to each face that is tried.

    Parameters
    ----------
    cast : Cast
    places : Places
    points : (n, P, 2) and (n, P) arrays
        Of the neutral frames, and how certain each is.
    camera : Lens
        With the usual focal length, or the one that is given.
    spread : (float, float, float)
        Standard deviations: of a coordinate in pixels, of a coefficient, of the logarithm of the focal length.
    """

    def __init__(
        self,
        cast: Cast,
        places: Places,
        points: tuple[Float64, Float64],
        camera: Lens,
        spread: tuple[float, float, float],
    ) -> None:
        self.camera, (self.noise, *self.spread) = camera, spread
        used = places.used
        corners, shares = places.vertices[used], places.weights[used]
        rest = places.positions(np.asarray(cast.character.rest_vertices, np.float64))
        self.modes = (cast.modes[:, corners].astype(np.float64) * shares[:, :, None]).sum(axis=2)  # (M, U, 3)
        bounds = np.tile([-WIDEST, WIDEST], (len(self.modes), 1))
        facts = cast.character.metadata
        face = BlendshapeRig(rest.astype(np.float32), self.modes.astype(np.float32), bounds=bounds, metadata=facts)
        itself = np.repeat(np.arange(len(used), dtype=np.int32)[:, None], 3, axis=1)
        alone = np.tile([1.0, 0.0, 0.0], (len(used), 1))
        self.model = PointModel(face, itself, alone, np.ones(len(self.modes)), np.zeros((len(used), 3)))
        self.facing = upright(cast.character)
        self.points = points[0][:, used]
        self.certainty = points[1][:, used] * np.isfinite(self.points).all(axis=2)

    def run(self) -> Identity:
        """Find the minimum."""
        now = np.zeros(len(self.modes) + 1)  # coefficients, and the logarithm of focal over usual
        energy, poses, off = self._energy(now)
        for _ in range(STEPS):
            data, right = self._equations(now, poses)
            step = solve_positive_definite(data + np.diag(self._precision()), right[:, None])[:, 0]
            for halving in range(HALVINGS):
                tried = now + 0.5**halving * step
                lower, moved, left = self._energy(tried)
                if lower < energy:
                    break
            else:
                break
            gain, energy = energy - lower, lower
            now, poses, off = tried, moved, left
            if gain <= DONE * energy:
                break
        data, _ = self._equations(now, poses)
        share = solve_positive_definite(data + np.diag(self._precision()), data)
        determined = float(np.trace(share[:-1, :-1]))
        return Identity(now[:-1], self.facing.T @ poses, self._lens(now).focal, off, determined)

    def _lens(self, now: Float64) -> Projection:
        return Projection(float(self.camera.focal * np.exp(now[-1])), self.camera.center, 2)

    def _precision(self) -> Float64:
        """(M + 1,) of the prior."""
        modes, lens = self.spread
        return np.append(np.full(len(self.modes), modes**-2), lens**-2)

    def _energy(self, now: Float64) -> tuple[float, Float64, Float64]:
        """The energy, the heads (n, 3, 4), and the distances (n, U) of the points."""
        rows = np.tile(now[:-1], (len(self.points), 1))
        found = solve_points(
            self.model,
            self.points,
            self.certainty,
            rows,
            np.zeros_like(rows),
            np.zeros_like(rows),
            self._lens(now).camera,
            self.camera.rotation,
            engine_terms(CaptureSettings(outlier=FAR), self.noise, 30.0),
        )
        off = np.where(self.certainty > 0.0, found["residual"], np.nan)
        data = float(np.nansum(self.certainty * np.square(off))) / self.noise**2
        return data + float((self._precision() * now**2).sum()), found["pose"], off

    def _equations(self, now: Float64, poses: Float64) -> tuple[Float64, Float64]:
        """Normal matrix (M + 1, M + 1) of the points, and the right side of the next step, prior included."""
        lens, count = self._lens(now), len(now)
        gram, right = np.zeros((count, count)), -self._precision() * now
        places = self.model.evaluate(now[:-1])
        for i, pose in enumerate(poses):
            seen, sure = self.certainty[i] > 0.0, np.sqrt(self.certainty[i]) / self.noise
            placed = places @ pose[:, :3].T + pose[:, 3]
            slopes, shown = lens.slopes(placed), lens.project(placed)
            columns = np.concatenate([np.einsum("uda,mua->udm", slopes @ pose[:, :3], self.modes),
                                      (shown - lens.center)[:, :, None]], axis=2)  # fmt: skip
            a = (sure[:, None, None] * columns)[seen].reshape(-1, count)
            b = (sure[:, None] * (self.points[i] - shown))[seen].reshape(-1)
            head = (sure[:, None, None] * (slopes @ head_columns(placed, pose)))[seen].reshape(-1, 6)
            a, b = without_head(a, b, head)
            gram += a.T @ a
            right += a.T @ b
        return gram, right
