"""``solve_read``: a shot solved with what a network read in its pictures beside a detector's points."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import BlendshapeRig
from rigcast._rigs.matching import listed, plain_name
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument, check_blendshape_rig
from rigcast.capture._detectors import of_count
from rigcast.capture._fit_places import fit_places
from rigcast.capture._network.network import FaceReading
from rigcast.capture._neutral import neutral_points
from rigcast.capture._places import Places, places_of_vertices
from rigcast.capture._sides import exchanged, shares_of_names
from rigcast.capture._solution import Capture
from rigcast.capture._solver import solve
from rigcast.capture._tracks import CaptureSettings, Tracks, checked_tracks

Float64 = NDArray[np.float64]

# Strength of a prior whose error is 1. On shapes that are not the actor's, points mislead more than the network does;
# on shapes that were fitted to his own frames, the network's errors, which last over many frames, count for less.
PRIOR, OWN_SHAPES = 0.1, 0.0025
LEAST_ERROR = 0.02  # of a weight that is read: below, its prior grows no stronger
LANDMARKS = ("beside", "instead", "none")
KINDS = {"gaze": "look", "pupils": "pupil", "visemes": "viseme"}  # and a part of their names


@one_line
@dataclass(frozen=True)
class ReadingUse:
    """Uses of what a network read, of :func:`solve_read`.

    Attributes
    ----------
    prior : float
        Strength of the prior of a weight whose error is 1; it is divided by the square of the weight's error. 0:
        weights are not used. On a rig that :func:`personalize` fitted to the actor, 0.0025 is better than the default.
    landmarks : "beside", "instead" or "none"
        Read landmarks are solved for beside the points, in their place, or not at all.
    """

    prior: float = PRIOR
    landmarks: str = "beside"

    def __post_init__(self) -> None:
        Arguments("ReadingUse").number("prior", self.prior, least=0.0)
        if self.landmarks not in LANDMARKS:
            raise bad_argument("ReadingUse", "landmarks", repr(self.landmarks), " or ".join(map(repr, LANDMARKS)))


@one_line
@dataclass(frozen=True, eq=False)
class ReadCapture:
    """A shot that was solved with a reading, and what the steps after it take.

    Attributes
    ----------
    found : Capture
    tracks : Tracks
        All points that were solved: the detector's first, then the network's.
    priors : (T, K) float64 pair
        Targets and strengths, with those that were given.
    """

    found: Capture
    tracks: Tracks
    priors: tuple[Float64, Float64]


def solve_read(
    rig: BlendshapeRig,
    found: Capture,
    reading: FaceReading,
    *,
    points: Tracks | ArrayLike,
    landmarks: Places | ArrayLike | None = None,
    use: ReadingUse = ReadingUse(),
    fixed: ArrayLike | None = None,
    priors: tuple[ArrayLike, ArrayLike] | None = None,
    settings: CaptureSettings | None = None,
) -> ReadCapture:
    """Solve a shot again with the weights and landmarks that a network read in its pictures.

    Weights become priors of the shapes with the same names, as strong as the network's errors on unseen actors allow;
    landmarks are points with a certainty. The neutral, the camera, the places of points and the actor's strength are
    those of ``found``.

    Parameters
    ----------
    rig : BlendshapeRig
    found : Capture
        The shot solved from its points, with a frame of the shot as its neutral.
    reading : FaceReading
        Of :meth:`CaptureNetwork.read`, with that neutral frame.
    points : Tracks or (T, P, 2) array
        Those of ``found``, in pixels of the pictures.
    landmarks : Places or (Q,) int, optional
        Where the network's landmarks lie on the rig. By default those of ``found`` if they are as many, or found by
        :func:`fit_places` if they are 68; else they are not used, which a note says.
    use : ReadingUse
        Which of both are used, and how strongly.
    fixed, priors, settings : optional
        As of :func:`solve`.

    Raises
    ------
    ValueError
        If no shape of the rig has a name that the network reads, or lengths differ.

    Examples
    --------
    >>> cast = rc.capture.example_cast()
    >>> settings = rc.training.CaptureNetworkSettings(actors=4, poses=4, size=32, film_size=32, width=4, hidden=8)
    >>> network = rc.training.capture_network(cast, settings, steps=2)  # minutes=20 for one worth having
    >>> shot = rc.capture.film(cast.actor(1), rc.capture.ShotPlan(frames=3, size=64))
    >>> points = shot.labels["landmarks_2d"]
    >>> found = rc.capture.solve(cast.character, points, cast.landmarks, size=(64, 64), neutral=0)
    >>> weights, reading = rc.capture.ReadingUse(landmarks="none"), network.read(shot.color, points)
    >>> read = rc.capture.solve_read(cast.character, found, reading, points=points, use=weights)
    >>> read.found.weights.shape, bool((read.priors[1] > 0.0).any())
    ((3, 22), True)
    """
    check_blendshape_rig("solve_read", rig)
    frames, count = found.residual.shape
    check = Arguments("solve_read", T=frames, K=rig.num_shapes)
    tracks = points if isinstance(points, Tracks) else checked_tracks("solve_read", points, None, found.fps, None)
    if tracks.points.shape != (frames, count, 2):
        raise check.wrong("points", str(tracks.points.shape), f"{(frames, count, 2)}, in pixels, as of the capture")
    if len(reading.weights) != frames:
        raise check.wrong("reading", f"of {len(reading.weights)} frames", f"of the {frames} of the capture")
    if not len(found.neutral):
        raise check.wrong("found", "without a neutral frame", "solved with a frame of the shot as its neutral")
    if tracks.size is None:  # whose middle the camera looks at
        tracks = replace(tracks, size=(max(1, round(2 * found.center[0])), max(1, round(2 * found.center[1]))))
    partners = _partners(rig, reading)
    given = (0.0, 0.0) if priors is None else priors
    target, pull = (
        np.broadcast_to(check.numbers("priors", v, "", "K", "T K"), (frames, rig.num_shapes)) for v in given
    )
    both = _joined_priors((target, pull), _read_priors(rig, reading, partners, use.prior, found.mirrored))
    tracks, places, said = _joined_points(rig, found, reading, tracks, landmarks, use.landmarks)
    again = solve(
        rig,
        tracks,
        places,
        neutral=neutral_points(tracks, found.neutral),
        focal=found.focal,
        strength=found.strength,
        fixed=fixed,
        priors=both,
        mirrored=found.mirrored,
        settings=settings,
    )
    decided = [note for note in found.notes if note.startswith(("the neutral is", "the focal length"))]
    notes = dict.fromkeys((*decided, *again.notes, *reading.notes, *_notes(rig, reading, partners), *said))
    result = replace(again, neutral=found.neutral, focal_found=found.focal_found, notes=tuple(notes))
    return ReadCapture(result, tracks, both)


def _partners(rig: BlendshapeRig, reading: FaceReading) -> Float64:
    """(K, N) shares of the read weights in each shape of the rig; rows of 0 where nothing was read for it.

    Raises
    ------
    ValueError
        If nothing was read for any.
    """
    read = np.flatnonzero(reading.error > 0.0)
    shares = np.zeros((rig.num_shapes, len(reading.names)))
    shares[:, read] = shares_of_names([reading.names[k] for k in read], rig.shape_names)
    if not shares.any():
        some = listed([reading.names[k] for k in read])
        raise bad_argument("solve_read", "rig", f"without a shape that the network reads ({some})", "of such names")
    return shares


def _read_priors(
    rig: BlendshapeRig, reading: FaceReading, partners: Float64, prior: float, mirrored: bool
) -> tuple[Float64, Float64]:
    """Targets and strengths (T, K) by what was read, with the sides of the character."""
    error = np.maximum(partners @ reading.error, LEAST_ERROR)
    strength = np.where(partners.any(axis=1), prior / error**2, 0.0) * ~reading.lost[:, None]
    target = np.clip(reading.weights @ partners.T, *rig.bounds.T.astype(np.float64))
    swap = exchanged(rig) if mirrored else np.arange(rig.num_shapes)
    return np.asarray(target[:, swap]), np.asarray(strength[:, swap])


def _joined_priors(a: tuple[Float64, Float64], b: tuple[Float64, Float64]) -> tuple[Float64, Float64]:
    """The sum of two quadratic priors: strengths add up, targets are their weighted mean."""
    strength = a[1] + b[1]
    total = np.where(strength > 0.0, strength, 1.0)
    return np.asarray((a[0] * a[1] + b[0] * b[1]) / total), np.asarray(strength)


def _joined_points(
    rig: BlendshapeRig, found: Capture, reading: FaceReading, tracks: Tracks, landmarks: Any, how: str
) -> tuple[Tracks, Places, list[str]]:
    """Points and places to solve for, and a sentence about them."""
    if how == "none":
        return tracks, found.places, []
    read, count = reading.tracks, reading.tracks.points.shape[1]
    places = _places(rig, found, reading, landmarks)
    if places is None:
        text = f"the network's {count} landmarks were not used: where they lie on the rig is not known"
        if how == "instead":
            raise bad_argument("solve_read", "landmarks", "None", f"the vertices of the network's {count} landmarks")
        return tracks, found.places, [text]
    if how == "instead":
        return replace(tracks, points=read.points, certainty=read.certainty), places, [f"solved from {count} landmarks"]
    while of_count(tracks.points.shape[1] + count) is not None:  # it would be taken for a detector's layout
        count -= 1
    joined = replace(
        tracks,
        points=np.concatenate([tracks.points, read.points[:, :count]], axis=1),
        certainty=np.concatenate([tracks.certainty, read.certainty[:, :count]], axis=1),
    )
    corners = np.concatenate([found.places.vertices, places.vertices[:count]])
    shares = np.concatenate([found.places.weights, places.weights[:count]])
    return joined, Places(corners, shares), [f"{count} landmarks were read and solved for beside the points"]


def _places(rig: BlendshapeRig, found: Capture, reading: FaceReading, landmarks: Any) -> Places | None:
    """Places of the network's landmarks on the rig, if they can be known."""
    count = reading.tracks.points.shape[1]
    if landmarks is not None:
        places = landmarks if isinstance(landmarks, Places) else places_of_vertices("solve_read", landmarks, rig)
        if len(places.vertices) != count:
            raise bad_argument("solve_read", "landmarks", f"of {len(places.vertices)} points", f"of the {count} read")
        return places
    if len(found.places.vertices) == count:
        return found.places
    layout = of_count(count)
    return None if layout is None else fit_places(rig, reading.tracks.points[found.neutral[0]], layout.name)


def _notes(rig: BlendshapeRig, reading: FaceReading, partners: Float64) -> list[str]:
    """Sentences about which shapes were read."""
    read = int((reading.error > 0.0).sum())
    found = np.asarray(partners.any(axis=1))
    said = [f"{found.sum()} of {rig.num_shapes} shapes were read, of the {read} that the network reads"]
    left = [name for name, known in zip(rig.shape_names, found, strict=True) if not known]
    groups = {kind: [name for name in left if part in plain_name(name)] for kind, part in KINDS.items()}
    others = [name for name in left if not any(name in group for group in groups.values())]
    parts = [kind for kind, group in groups.items() if group] + ([listed(others)] if others else [])
    return [*said, f"not read: {', '.join(parts)}"] if parts else said
