"""The latent space of one label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument, shown
from rigcast.synthesis._closest import closest_points
from rigcast.synthesis._coordinates import Coordinates
from rigcast.synthesis._figures import HeldOut

if TYPE_CHECKING:
    from rigcast._core import LatentSpace

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

MATCHINGS = "mesh", "components"


@one_line
@dataclass(frozen=True)
class Segment:
    """Successive training frames of one clip: rows ``begin`` to ``end - 1`` of a space's ``points`` and ``frames``."""

    name: str
    begin: int
    end: int
    origin: str = ""
    licence: str = ""
    fps: float = 0.0  # of the clip as it was given

    def __len__(self) -> int:
        return self.end - self.begin


@dataclass(frozen=True, eq=False)
class Embedding:
    """The linear map from a latent space's values (T, P) to coordinates (T, N): ``center + values @ basis``."""

    basis: Float64  # (P, N)
    center: Float64  # (N,)
    explained: float  # share of the variance of the scaled coordinates
    scale: Float64  # (N,) of the coordinates before components were taken, 0 where they stay at the center

    def coordinates(self, values: Float64) -> Float64:
        """(T, N) coordinates of values."""
        return np.asarray(self.center + values @ self.basis)

    def values(self, coordinates: Float64) -> Float64:
        """(T, P) values of coordinates: T^T W (z - m) in the unit of the values (Bailey 2020, equation 5.13)."""
        rows = self.basis * self.scale  # orthogonal, all of one length
        square = np.maximum((rows**2).sum(axis=1), 1e-300)
        return np.asarray(((coordinates - self.center) * self.scale) @ rows.T / square)


@one_line
class Space:
    """The latent space of one label. Immutable; made by :func:`rigcast.synthesis.fit`.

    Attributes
    ----------
    label : str
    latent : _core.LatentSpace
        Gaussian process from points (D) to the P principal components of scaled controls.
    points : (n, D) float64
        Where the training frames lie.
    frames : (n, N) float32
        Controls of the training frames, at the model's rate, inside the limits.
    segments : list of Segment
    explained : float
        Share of the variance that the P components hold.
    held_out : HeldOut or None
        How well frames that were left out are rebuilt, compared with principal components.
    """

    def __init__(
        self,
        label: str,
        latent: LatentSpace,
        frames: Float32,
        *,
        segments: Sequence[Segment],
        embedding: Embedding,
        around: Coordinates,
        effects: Float64,
        held_out: HeldOut | None = None,
    ) -> None:
        self.label, self.latent, self.frames = label, latent, frames
        self.segments, self.embedding, self.held_out = list(segments), embedding, held_out
        self._around, self._effects = around, effects

    @property
    def points(self) -> Float64:
        """(n, D) latent points of the training frames."""
        return np.asarray(self.latent.points)

    @property
    def explained(self) -> float:
        """Share of the variance that the components hold."""
        return self.embedding.explained

    @property
    def num_dimensions(self) -> int:
        """D."""
        return int(self.points.shape[1])

    @property
    def num_components(self) -> int:
        """P."""
        return len(self.embedding.basis)

    def coordinates(self, x: ArrayLike) -> Float64:
        """(T, N) coordinates of latent points: differences from the mean of all clips, of rotations as vectors."""
        given = Arguments("Space", D=self.num_dimensions).numbers("x", x, "T D")
        return self.embedding.coordinates(np.asarray(self.latent.mean(given)))

    def controls(self, x: ArrayLike) -> Float32:
        """(T, N) controls of latent points (T, D), clipped to the limits.

        Raises
        ------
        ValueError
            If the shape is wrong or a number is not finite.
        """
        return self._around.controls(self.coordinates(x))

    def unclipped(self, x: ArrayLike) -> Float64:
        """(T, N) controls of latent points before they are clipped: what exceeds the limits was cut off."""
        return self._around.unclipped(self.coordinates(x))

    def components(self, controls: ArrayLike) -> Float64:
        """(T, P) principal components of controls (T, N), in the unit of the latent space's values.

        ``T^T W (z - m)`` with the label's mean m, scale W and components T (Bailey 2020, equation 5.13).

        Raises
        ------
        ValueError
            If the shape is wrong or a number is not finite.
        """
        check = Arguments("Space.components", N=self.frames.shape[1])
        return self.embedding.values(self._around.of(check.numbers("controls", controls, "T N")))

    def closest(self, controls: ArrayLike, *, starts: int = 4, matching: str = "mesh") -> tuple[Float64, Float64]:
        """The latent points whose meshes, or components, are closest to those of given controls.

        Levenberg-Marquardt steps of at most half a length scale, from the nearest of each quarter (with 4 ``starts``)
        of the training frames. Distances are of the linearized mesh (``Synthesizer.effects``), or of
        :meth:`components` (Bailey 2020, equation 5.15).

        Parameters
        ----------
        controls : (T, N)
        starts : int
            Training frames to start from.
        matching : {"mesh", "components"}

        Returns
        -------
        points : (T, D) float64
        distances : (T,) float64
            Root mean square over vertices, in the rig's unit; or of the values of the components.

        Raises
        ------
        ValueError
            If a shape is wrong, a number is not finite, or ``matching`` is unknown.
        """
        check = Arguments("Space.closest", N=self.frames.shape[1])
        count = min(check.whole("starts", starts, least=1), len(self.frames))
        if matching not in MATCHINGS:
            raise bad_argument("Space.closest", "matching", shown(matching), f"one of {', '.join(MATCHINGS)}")
        given = self._around.of(check.numbers("controls", controls, "T N"))
        if matching == "mesh":
            linear = self.embedding.basis @ self._effects
            wanted = given @ self._effects - self.embedding.center @ self._effects
        else:
            linear, wanted = np.eye(self.num_components), self.embedding.values(given)
        own = np.asarray(self.latent.mean(self.points)) @ linear
        square = (own**2).sum(axis=1) - 2.0 * wanted @ own.T
        parts = np.array_split(np.arange(len(own)), count)
        nearest = np.stack([rows[square[:, rows].argmin(axis=1)] for rows in parts], axis=1)
        begin = self.points[nearest]
        return closest_points(self.latent, linear, wanted, begin)

    def __len__(self) -> int:
        return len(self.frames)

    def __repr__(self) -> str:
        size = f"{self.num_dimensions} dimensions, {self.num_components} components"
        return f"<rigcast.synthesis.Space {self.label!r}: {len(self)} frames, {len(self.segments)} clips, {size}>"
