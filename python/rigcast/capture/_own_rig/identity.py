"""``fit_actor``: who the actor is, from his neutral frames, and the character's shapes on his face."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import BlendshapeRig
from rigcast._rigs.mesh import Mesh
from rigcast._shown import one_line
from rigcast._similarity import best_turn
from rigcast._validate import Arguments, bad_argument, check_blendshape_rig
from rigcast.capture._actors.cast import Cast, face_of
from rigcast.capture._detectors import of_count
from rigcast.capture._fit_places import fit_places
from rigcast.capture._neutral import (
    LEAST_NOISE,
    ShotStage,
    check_layout,
    face_size,
    find_neutral,
    full_frames,
    jitter_of,
    upright,
)
from rigcast.capture._own_rig.identity_fit import Identity, IdentityFit
from rigcast.capture._places import Places, places_of_vertices
from rigcast.capture._solver import usual_camera
from rigcast.capture._tracks import FEWEST, CaptureSettings, Tracks, checked_tracks
from rigcast.transfer._rigs import transfer_rig

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

LENSES = 0.5  # standard deviation of the logarithm of focal lengths about the usual one
GIVEN = 1e-6  # of one that is given


@one_line
@dataclass(frozen=True, eq=False)
class ActorFit:
    """An actor's neutral and his rig.

    Attributes
    ----------
    rig : BlendshapeRig
        His neutral with the character's shapes on it: weights that are found on it are the character's.
    neutral : (V, 3) float32
        In the topology of the cast.
    coefficients : (M,) float64
        Of the identity modes, in standard deviations.
    frames : (n,) int64
        The neutral frames that were fitted.
    head : (n, 3, 4) float64
        The head in each, as of :class:`Capture`.
    focal : float
        In pixels.
    residual : (n, P) float64
        Distance of each point from the fitted face, in pixels; NaN where it was not seen or has no place.
    noise : float
        Standard deviation of a point's coordinate that was counted with.
    determined : float
        How many modes the points determine: the trace of the share that they have in the modes' precision.
    places : Places
        Of the points on ``rig``.
    notes : tuple of str
    """

    rig: BlendshapeRig
    neutral: NDArray[np.float32]
    coefficients: Float64
    frames: Int64
    head: Float64
    focal: float
    residual: Float64
    noise: float
    determined: float
    places: Places
    notes: tuple[str, ...]


def fit_actor(
    cast: Cast,
    points: Tracks | ArrayLike,
    landmarks: Places | ArrayLike | None = None,
    *,
    neutral: int | ArrayLike | None = None,
    size: tuple[int, int] | None = None,
    focal: float | None = None,
    noise: float | None = None,
    spread: float = 1.0,
    character: BlendshapeRig | None = None,
    pairs: ArrayLike | None = None,
) -> ActorFit:
    """Find an actor's face from the points of his neutral frames, and give it a character's shapes.

    Minimizes, over coefficients c of the cast's identity modes B, the head's rotation R and translation t in each
    neutral frame, and the focal length if it is not given::

        sum_frames sum_points certainty |project(R (rest + sum_m c_m B_m) + t) - point|^2 / noise^2
          + sum_m c_m^2 / spread^2 + (log focal - log usual)^2 / 0.5^2

    which is the most probable face if points have normal noise and faces the cast's normal distribution. Gauss-Newton:
    linear in the modes given the heads, with the heads' own motion taken out of the columns, then the heads anew under
    the new face (variable projection). Frames in which the head is turned otherwise determine more of the face.

    The shapes come by deformation transfer (Sumner and Popovic 2004): those of ``cast.character`` as
    :meth:`Cast.actor` gives them, without any strength or mix of the actor's own, which points at rest do not tell.

    Parameters
    ----------
    cast : Cast
        Such as :func:`ict_cast`.
    points : Tracks, or (T, P, 2) array
        Pixels, as of :func:`solve`.
    landmarks : Places or (P,) int, optional
        Where the points lie on the cast's face; -1: not used. Default: the cast's own landmarks if there are as many,
        else they are found by :func:`fit_places`.
    neutral : int or (n,) int, optional
        Frames in which the face is at rest; several poses of the head help. Default: those most like the cast's face.
    size : (int, int), optional
        Width and height of the image in pixels.
    focal : float, optional
        Focal length in pixels.
    noise : float, optional
        Standard deviation of a point's coordinate, in pixels; default as of :func:`solve`.
    spread : float
        Standard deviation of the coefficients that is expected.
    character : BlendshapeRig, optional
        A face of any topology in place of the cast's character: its shapes are brought to the fitted neutral by
        :func:`rigcast.transfer.transfer_rig`, and weights on ``rig`` are this character's.
    pairs : (L, 2) int, optional
        Vertices of ``character`` and of the cast's face that correspond. Needed if the topology is another.

    Returns
    -------
    ActorFit
        To :func:`solve` on ``rig`` with ``places`` and ``focal``.

    Raises
    ------
    ValueError
        Naming argument, value and bound; if points lie otherwise than on the cast's face.

    Examples
    --------
    >>> cast = rc.capture.example_cast()
    >>> actor = cast.actor(3)
    >>> shot = rc.capture.film(actor, rc.capture.ShotPlan(frames=2, size=256))
    >>> points = shot.labels["landmarks_2d"][:1]
    >>> fit = rc.capture.fit_actor(cast, points, neutral=0, size=(256, 256), focal=float(shot.labels["focal"]))
    >>> off = [abs(face - actor.rig.rest_vertices)[cast.landmarks].mean() for face in
    ...        (cast.character.rest_vertices, fit.neutral)]
    >>> bool(off[1] < 0.5 * off[0])
    True
    """
    check = Arguments("fit_actor")
    tracks = points if isinstance(points, Tracks) else checked_tracks("fit_actor", points, None, 30.0, size)
    if tracks.points.shape[2] != 2:
        raise check.wrong("points", "in space", "pixels (T, P, 2)")
    seen = np.where(tracks.certainty[:, :, None] > 0.0, tracks.points, np.nan)
    tracks = replace(tracks, points=seen, size=size or tracks.size)
    given = None if noise is None else check.number("noise", noise, above=0.0)
    spread = check.number("spread", spread, above=0.0)
    focal = None if focal is None else check.number("focal", focal, above=0.0)
    _check_character(cast, character, pairs)
    places = places_on(cast, tracks, landmarks)
    stage = ShotStage(cast.character, places, np.ones(cast.character.num_shapes), tracks, CaptureSettings())
    given_frames = None if neutral is None else _given_frames(check, tracks, places, neutral)
    shown = tracks.points[full_frames(tracks)[:1] if given_frames is None else given_frames]
    first = min(shown, key=lambda points: _turned(stage, points))
    turn, axis = check_layout(cast.character, places, first, "fit_actor")
    if axis:
        raise check.wrong("points", "mirrored, or with y up", "x to the right and y down, as in the picture")
    usual = usual_camera(stage, first, turn, focal)
    layout = of_count(tracks.points.shape[1])
    frames = find_neutral(tracks, layout, stage.away(usual)) if given_frames is None else given_frames
    smallest = LEAST_NOISE * face_size(tracks.points[frames[0], places.used])
    sigma = given or max(jitter_of(tracks), smallest)
    spreads = sigma, spread, LENSES if focal is None else GIVEN
    found = IdentityFit(cast, places, (tracks.points[frames], tracks.certainty[frames]), usual, spreads).run()
    face = (cast.character.rest_vertices + np.tensordot(found.coefficients, cast.modes, axes=1)).astype(np.float32)
    residual = np.full((len(frames), len(places.vertices)), np.nan)
    residual[:, places.used] = found.residual
    return ActorFit(
        rig=_rig(cast, face, character, pairs),
        neutral=face,
        coefficients=found.coefficients,
        frames=frames,
        head=found.head,
        focal=found.focal,
        residual=residual,
        noise=sigma,
        determined=found.determined,
        places=places,
        notes=_said(found, frames, focal is None),
    )


def _check_character(cast: Cast, character: BlendshapeRig | None, pairs: ArrayLike | None) -> None:
    """Raise an error for a character whose shapes cannot come to the cast's face."""
    if character is None:
        if pairs is not None:
            raise bad_argument("fit_actor", "pairs", "given without a character", "None")
        return
    check_blendshape_rig("fit_actor", character)
    if pairs is None and character.num_vertices != cast.character.num_vertices:
        got = f"None for a character of {character.num_vertices:,} vertices"
        raise bad_argument("fit_actor", "pairs", got, "vertices of it and of the cast's face (L, 2)")
    if pairs is not None:
        rows = Arguments("fit_actor").integers("pairs", pairs, "L 2", low=0)
        for column, rig in ((0, character), (1, cast.character)):
            if rows[:, column].max(initial=0) >= rig.num_vertices:
                got = f"{rows[:, column].max()} in column {column}"
                raise bad_argument("fit_actor", "pairs", got, f"vertices below {rig.num_vertices}")


def places_on(cast: Cast, tracks: Tracks, landmarks: Places | ArrayLike | None = None) -> Places:
    """Places of points on the face of a cast: as given, its own landmarks if there are as many, else found."""
    count = tracks.points.shape[1]
    if landmarks is None and count == len(cast.landmarks):
        landmarks = cast.landmarks
    if landmarks is None:
        layout = of_count(count)
        if layout is None:
            got = f"None for {count} points, which are neither the cast's {len(cast.landmarks)} nor a known detector's"
            raise bad_argument("fit_actor", "landmarks", got, "vertices (P,)")
        return fit_places(cast.character, tracks.points[full_frames(tracks)[0]], layout.name)
    places = landmarks if isinstance(landmarks, Places) else places_of_vertices("fit_actor", landmarks, cast.character)
    if len(places.vertices) != count:
        raise bad_argument("fit_actor", "landmarks", f"of {len(places.vertices)} points", f"of the {count} points")
    return places


def pairs_of(character: Places, face: Places) -> NDArray[np.int64]:
    """(L, 2) vertices under the same points on two faces: the nearest corner of each."""
    both = np.intersect1d(character.used, face.used)
    corners = [p.vertices[both, np.argmax(p.weights[both], axis=1)] for p in (character, face)]
    pairs = np.stack(corners, axis=1).astype(np.int64)
    one, other = (np.unique(pairs[:, k], return_index=True)[1] for k in (0, 1))  # one partner each
    return pairs[np.intersect1d(one, other)]


def _given_frames(check: Arguments, tracks: Tracks, places: Places, neutral: int | ArrayLike) -> Int64:
    """The neutral frames (n,) of a call, each of which shows enough points."""
    frames = check.integers("neutral", np.atleast_1d(np.asarray(neutral)), "N+", low=0, below=len(tracks.points))
    frames = np.unique(frames).astype(np.int64)
    for frame in frames:
        seen = np.isfinite(tracks.points[frame, places.used]).all(axis=1) & (tracks.certainty[frame, places.used] > 0.0)
        if seen.sum() < FEWEST:
            got = f"frame {frame} with {seen.sum()} of the points that have places"
            raise check.wrong("neutral", got, f"frames with at least {FEWEST}")
    return frames


def _turned(stage: ShotStage, points: Float64) -> float:
    """Distance of points (P, 2) from the face as it is seen from the front, as a share of its size."""
    used = stage.places.used[np.isfinite(points[stage.places.used]).all(axis=1)]
    at = stage.places.positions(np.asarray(stage.rig.rest_vertices, np.float64)) @ upright(stage.rig).T
    return best_turn(at[np.isin(stage.places.used, used), :2], points[used])[1]


def _rig(
    cast: Cast, face: NDArray[np.float32], character: BlendshapeRig | None, pairs: ArrayLike | None
) -> BlendshapeRig:
    """The shapes of the cast's character, or of another, on the fitted face."""
    if character is None:
        return face_of(cast.character, face, "the actor")
    unit, up = float(cast.character.meters_per_unit), str(cast.character.up_axis)
    return transfer_rig(character, Mesh(face, cast.character.faces, "", unit, up), landmarks=pairs)


def _said(found: Identity, frames: Int64, has_free_lens: bool) -> tuple[str, ...]:
    off = float(np.sqrt(np.nanmean(np.square(found.residual))))
    where = f"{len(frames)} neutral frames" if len(frames) > 1 else f"neutral frame {frames[0]}"
    lens = f"; the focal length, {found.focal:.0f} pixels, was fitted with it" if has_free_lens else ""
    return (
        f"the actor's face was fitted to {where}: points within {off:.2g} pixels; they determine "
        f"{found.determined:.1f} of {len(found.coefficients)} identity modes, the others stay at the mean face{lens}",
        "the shapes on the fitted face are the character's: how strong and how mixed the actor's own are, frames at "
        "rest do not tell; colors played no part",
    )
