"""``personalize``: an actor's own strengths and mixes of shapes, from frames that an artist has corrected."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import BlendshapeRig, PointModel, solve_points
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument, check_blendshape_rig
from rigcast.capture._actors.cast import neighbors
from rigcast.capture._neutral import engine_terms, upright
from rigcast.capture._own_rig.projection import Projection, head_columns, without_head
from rigcast.capture._sides import Sides
from rigcast.capture._solution import Capture
from rigcast.capture._tracks import CaptureSettings, Tracks, checked_tracks

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

ROUNDS = 3  # of shapes and head poses in turn
ELSEWHERE = 5.0  # times the residual and the noise of a capture: other points than those that it was made of
FAR = 1e3  # noises: no point of a corrected frame is an outlier
ON = 1e-3  # weight from which a corrected frame tells about a shape


@one_line
@dataclass(frozen=True, eq=False)
class PersonalRig:
    """A rig whose shapes move as an actor's do; of a mirrored video, those of the mirrored actor, whom it shows.

    Attributes
    ----------
    rig : BlendshapeRig
        The same neutral, names and combinations; its shapes are mixes of the given rig's.
    mixes : (K, K) float64
        Row k: how much of each given shape the actor's shape k has. The identity where no corrected frame tells.
    frames : (n,) int64
        The corrected ones.
    residual : (2,) float64
        Root mean square distance of their points from the given rig, and from this one, in pixels.
    """

    rig: BlendshapeRig
    mixes: Float64
    frames: Int64
    residual: Float64

    @property
    def strength(self) -> Float64:
        """(K,) how strong each shape of the actor is against the given one."""
        return np.asarray(np.diag(self.mixes).copy())


def frames_to_correct(found: Capture, count: int = 10) -> Int64:
    """Frames whose correction tells most about an actor's shapes, in their order.

    Each next one has the largest part of its weights that those before it do not span (pivoted Gram-Schmidt).

    Parameters
    ----------
    found : Capture
    count : int

    Returns
    -------
    (n,) int64 array
        Fewer than ``count`` if the rest of the shot shows nothing more.
    """
    count = Arguments("frames_to_correct").whole("count", count, least=1)
    left = np.where(found.lost[:, None], 0.0, found.weights)
    chosen: list[int] = []
    for _ in range(min(count, len(left))):
        sizes = np.linalg.norm(left, axis=1)
        best = int(np.argmax(sizes))
        if sizes[best] < ON:
            break
        chosen.append(best)
        along = left[best] / sizes[best]
        left = left - np.outer(left @ along, along)
    return np.array(sorted(chosen), np.int64)


def personalize(
    rig: BlendshapeRig,
    found: Capture,
    points: Tracks | ArrayLike,
    *,
    corrected: ArrayLike,
    strength: float = 0.2,
    mix: float = 0.12,
) -> PersonalRig:
    """Refit an actor's shapes to the points of frames whose weights an artist has corrected.

    The weights of these frames are true, so what their points are off by is the shapes' fault: each of the actor's
    shapes becomes a mix of the given rig's shape and of those that move the same vertices. Minimizes, over the mixes,
    linearly, and in turn over the head's pose in each frame::

        sum_frames sum_points |projected - point|^2 / noise^2
          + sum_k (a_kk - 1)^2 / strength^2 + sum_(k, j) a_kj^2 / mix^2

    :func:`solve` and :func:`refine` on the returned rig, with the corrected frames as pins, solve the shot again, of a
    mirrored video with ``mirrored``, too.

    Parameters
    ----------
    rig : BlendshapeRig
        The actor's neutral with a character's shapes, or the character.
    found : Capture
        Of :func:`solve` on that rig.
    points : Tracks or (T, P, D) array
        Those that were solved, with the axes of the capture.
    corrected : (T, K) array
        Rows without NaN are corrected frames, 3 to 10 as a rule (:func:`frames_to_correct`); others are not used.
    strength, mix : float
        Standard deviations that are expected: of an actor's strength of a shape, and of his share of a neighbor.

    Returns
    -------
    PersonalRig

    Raises
    ------
    ValueError
        If shapes do not fit, no row is whole, or no corrected frame has a face.

    Examples
    --------
    >>> cast = rc.capture.example_cast()
    >>> actor = cast.actor(4, rc.capture.ActorVariation(identity=0.0))
    >>> shot = rc.capture.film(actor, rc.capture.ShotPlan(frames=8, size=64))
    >>> points, truth = shot.labels["landmarks_2d"], shot.labels["weights"]
    >>> focal = float(shot.labels["focal"])
    >>> found = rc.capture.solve(cast.character, points, cast.landmarks, size=(64, 64), neutral=0, focal=focal)
    >>> corrected = np.full(truth.shape, np.nan)
    >>> corrected[[2, 4, 6]] = truth[[2, 4, 6]]  # what an artist would set
    >>> personal = rc.capture.personalize(cast.character, found, points, corrected=corrected)
    >>> bool(personal.residual[1] < 0.5 * personal.residual[0])
    True
    """
    check_blendshape_rig("personalize", rig)
    check = Arguments("personalize", T=len(found.weights), K=rig.num_shapes)
    if found.weights.shape[1] != rig.num_shapes:
        raise check.wrong("found", f"with {found.weights.shape[1]} weights", f"the {rig.num_shapes} of the rig")
    tracks = points if isinstance(points, Tracks) else checked_tracks("personalize", points, None, found.fps, None)
    if tracks.points.shape[:2] != found.residual.shape:
        raise check.wrong("points", f"of shape {tracks.points.shape}", f"of {found.residual.shape}, as of the capture")
    rows = check.numbers("corrected", corrected, "T K", missing=True)
    spread = check.number("strength", strength, above=0.0), check.number("mix", mix, above=0.0)
    frames = np.flatnonzero(~np.isnan(rows).any(axis=1) & ~found.lost)
    if not len(frames) or not (np.abs(rows[frames]) > ON).any():
        raise check.wrong("corrected", "without a whole row that shows an expression", "whole rows for some frames")
    sides = Sides(rig, found)
    return _Fit(rig, sides.found, tracks, frames, sides.filmed(rows[frames]), spread).run()


class _Fit:
    """Mixes of a rig's shapes, and the corrected frames that they are fitted to."""

    def __init__(
        self,
        rig: BlendshapeRig,
        found: Capture,
        tracks: Tracks,
        frames: Int64,
        weights: Float64,
        spread: tuple[float, float],
    ) -> None:
        self.rig, self.found, self.frames, self.weights = rig, found, frames, weights
        used = found.places.used
        self.corners, self.shares, self.offsets = found.places.vertices[used], found.places.weights[used], found.offsets
        self.points, self.certainty = tracks.points[np.ix_(frames, used)], tracks.certainty[np.ix_(frames, used)]
        self.lens = Projection(found.focal, found.center, tracks.points.shape[2])
        self.deltas = np.stack([rig.column(k) for k in range(rig.num_shapes)]).astype(np.float64)
        self.at_points = (self.deltas[:, self.corners] * self.shares[:, :, None]).sum(axis=2)  # (K, U, 3)
        shown = np.abs(weights).max(axis=0) > ON
        pairs = shown[:, None] & (neighbors(self.deltas) | np.eye(len(shown), dtype=np.bool_))
        self.shape, self.source = np.nonzero(pairs)
        self.spread = np.where(self.shape == self.source, *spread)
        self._check_points()

    def _check_points(self) -> None:
        """Raise an error if the points are not those that the capture met: of another shot, or turned around."""
        model, found = self._model(self.rig), self.found
        away = []
        for frame, points in zip(self.frames, self.points, strict=True):
            pose = upright(self.rig) @ found.head[frame]
            placed = model.evaluate(found.weights[frame]) @ pose[:, :3].T + pose[:, 3]
            away.append(np.linalg.norm(self.lens.project(placed) - points, axis=1))
        met = np.nanmedian(found.residual[self.frames])
        off = float(np.nanmedian(away))
        if off > ELSEWHERE * (met + found.noise):
            got = f"{off:.3g} pixels from where the capture has them, which met its own within {met:.3g}"
            raise bad_argument("personalize", "points", got, "those that were solved, with the axes of the capture")

    def run(self) -> PersonalRig:
        """Fit shapes and head poses in turn."""
        mixes = np.eye(self.rig.num_shapes)
        before = 0.0
        for number in range(ROUNDS):
            model = self._model(self._rig(mixes))
            poses, off = self._poses(model)
            before = off if number == 0 else before
            mixes = self._mixes(mixes, model, poses)
        own = self._rig(mixes)
        _, after = self._poses(self._model(own))
        return PersonalRig(own, mixes, self.frames, np.array([before, after]))

    def _rig(self, mixes: Float64) -> BlendshapeRig:
        """The rig of mixes."""
        rig = self.rig
        deltas = np.tensordot(mixes, self.deltas, axes=1).astype(np.float32)
        combined = [(drivers, rig.column(rig.num_shapes + c)) for c, drivers in enumerate(rig.combinations)]
        return BlendshapeRig(
            rig.rest_vertices,
            deltas,
            combined,
            names=rig.shape_names,
            faces=rig.faces,
            bounds=rig.bounds,
            metadata=rig.metadata,
        )

    def _model(self, rig: BlendshapeRig) -> PointModel:
        used = self.found.places.used
        return PointModel(rig, self.corners, self.shares, self.found.strength, self.offsets[used])

    def _poses(self, model: PointModel) -> tuple[Float64, float]:
        """Head poses (n, 3, 4) under the corrected weights, and the root mean square distance of the points."""
        none = np.zeros_like(self.weights)
        found = solve_points(
            model,
            self.points,
            self.certainty,
            self.weights,
            none,
            none,
            self.lens.camera,
            upright(self.rig),
            engine_terms(CaptureSettings(outlier=FAR), self.found.noise, self.found.fps),
        )
        return found["pose"], float(np.sqrt(np.nanmean(np.square(found["residual"]))))

    def _mixes(self, mixes: Float64, model: PointModel, poses: Float64) -> Float64:
        """The next mixes: a linear least-squares problem, the head free to move a little."""
        gram, right = np.diag(1.0 / self.spread**2), np.zeros(len(self.shape))
        now = (mixes - np.eye(len(mixes)))[self.shape, self.source]
        for i, pose in enumerate(poses):
            placed = model.evaluate(self.weights[i]) @ pose[:, :3].T + pose[:, 3]
            slopes = self.lens.slopes(placed)
            moved = self.at_points[self.source] * (self.found.strength * self.weights[i])[self.shape][:, None, None]
            columns = np.einsum("uda,nua->udn", slopes @ pose[:, :3], moved)
            miss = self.points[i] - self.lens.project(placed)
            sure = np.sqrt(self.certainty[i]) / self.found.noise
            seen = np.isfinite(miss).all(axis=1) & (sure > 0.0)
            a = (sure[:, None, None] * columns)[seen].reshape(-1, len(now))
            b = (sure[:, None] * miss)[seen].reshape(-1)
            head = (sure[:, None, None] * (slopes @ head_columns(placed, pose)))[seen].reshape(-1, 6)
            a, b = without_head(a, b, head)
            gram += a.T @ a
            right += a.T @ (b + a @ now)
        result = np.eye(len(mixes))
        result[self.shape, self.source] += np.linalg.solve(gram, right)
        return result
