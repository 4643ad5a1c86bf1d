"""The points of a detector on a character whose shapes have ARKit's names, from one neutral frame.

Shapes say where things are on a mesh: what ``eyeBlinkLeft`` moves is the left lid, what ``mouthSmileLeft`` moves most
is that corner of the mouth. A thin-plate spline (Bookstein 1989) through such anchors brings the image of the actor's
neutral to the character's front view, where a ray through each point meets the surface. Points of lips and lids are
brought to the nearest place that the jaw or a blink moves as it must.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rigcast._core import BlendshapeRig, SurfacePicker
from rigcast._rigs.matching import plain_name
from rigcast._rigs.motions.shot import TO_Y_UP
from rigcast._similarity import residual
from rigcast._validate import Arguments, bad_argument, check_blendshape_rig
from rigcast.capture._detectors import DETECTORS, Detector
from rigcast.capture._places import UNUSED, Places
from rigcast.transfer._matching.components import parts_of

Float64 = NDArray[np.float64]

STRONGEST = 0.7  # of the largest offset of a shape: vertices that stand for its place
IMPLAUSIBLE = 0.35  # residual of the anchors under a similarity: no points of that detector
STIFF = 1e-3  # ridge of the spline, in squares of the face's size
NEAR = 0.12  # of the distance between the eyes and the mouth: how far a point may be brought
GRAZED = 0.4  # cosine of the angle to the view below which a place is on the outline: it slides as the head turns
MOST = 0.2  # of the motion of the part that moves most
DEEP, DEEPEST_LID = 4.5, 1.5  # in units of NEAR: how far behind the lids a point, a lid or a lip may lie
MOVED = 0.3  # of the largest offset: a vertex that a shape moves
SIDES = ("right", "left")


def fit_places(rig: BlendshapeRig, neutral: NDArray[np.float64], detector: str = "mediapipe") -> Places:
    """Find where the points of a detector lie on a character, from a neutral frame that faces the camera.

    Parameters
    ----------
    rig : BlendshapeRig
        With faces, and shapes that have ARKit's names in any spelling: at least the two of ``eyeBlink`` and of
        ``mouthSmile``, better also ``browInnerUp``, ``jawOpen``, ``noseSneer`` and ``browOuterUp``.
    neutral : (P, 2) float64
        Points in pixels, y down; NaN where one is missing.
    detector : "mediapipe", "ibug68" or "openface"

    Returns
    -------
    Places
        Points that miss the mesh are not used.

    Raises
    ------
    ValueError
        If the rig lacks those shapes, or the points do not lie as that detector's.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> rc.capture.fit_places(rig, np.zeros((68, 2)), "ibug68")
    Traceback (most recent call last):
    rigcast.errors.ArgumentError: fit_places: neutral is one point, 68 times; it must be points of a face
    """
    check_blendshape_rig("fit_places", rig)
    if detector not in DETECTORS:
        raise bad_argument("fit_places", "detector", repr(detector), f"one of {', '.join(DETECTORS)}")
    layout = DETECTORS[detector]
    points = Arguments("fit_places").numbers("neutral", neutral, "P 2", finite=False)
    if len(points) not in layout.counts:
        counts = " or ".join(map(str, layout.counts))
        raise bad_argument("fit_places", "neutral", f"{len(points)} points", f"{counts} points of {detector}")
    if not np.ptp(points[np.isfinite(points).all(axis=1)], axis=0).any():
        raise bad_argument("fit_places", "neutral", f"one point, {len(points)} times", "points of a face")
    front = _Front(rig)
    flat = _level(points, layout) * [1.0, -1.0]
    here, there = _anchors(front, flat, layout)
    off = residual(here, there)
    if not off < IMPLAUSIBLE:
        raise bad_argument(
            "fit_places",
            "neutral",
            f"points whose eyes, mouth and brows lie otherwise than on the character, by {100 * off:.0f} % of the face",
            f"a neutral frame of {detector} that faces the camera, upright and not mirrored",
        )
    warped = _spline(here, there)(flat)
    return _on_surface(front, warped, layout)


def eyes_and_mouth(points: Float64, layout: Detector) -> tuple[Float64, Float64]:
    """From the right eye to the left one, and from between the eyes to the mouth, (2,) each; x right, y down."""
    right, left = (np.nanmean(points[eye, :2], axis=0) for eye in (layout.right_eye, layout.left_eye))
    mouth = np.mean(points[[layout.right_corner, layout.left_corner], :2], axis=0)
    return np.asarray(left - right), np.asarray(mouth - (left + right) / 2)


def _level(points: Float64, layout: Detector) -> Float64:
    """Points (P, 2) turned so that the eyes are level."""
    across, _ = eyes_and_mouth(points, layout)
    if not np.isfinite(across).all() or not across.any():
        return points
    cosine, sine = across / np.linalg.norm(across)
    return np.asarray(points @ np.array([[cosine, -sine], [sine, cosine]]))


class _Front:
    """A rig upright, seen from the front."""

    def __init__(self, rig: BlendshapeRig) -> None:
        self.turn = TO_Y_UP[str(rig.up_axis)]
        self.vertices: Float64 = np.asarray(rig.rest_vertices, np.float64) @ self.turn.T
        self.names = [plain_name(name) for name in rig.shape_names]
        self.sizes = np.linalg.norm(rig.columns()[: rig.num_shapes], axis=2)
        self.skin = _skin(np.asarray(rig.faces), self.sizes.sum(axis=0))
        self.picker = SurfacePicker(self.vertices.astype(np.float32), np.asarray(rig.faces)[self.skin[rig.faces[:, 0]]])
        self.far = float(self.vertices[:, 2].max() + np.ptp(self.vertices[:, 2]))

    def shares(self, name: str) -> Float64 | None:
        """(V,) how far a shape moves each vertex, 1 at most; None without that shape."""
        rows = [self.sizes[k] for k, own in enumerate(self.names) if own == name]
        if not rows and name in ("browinnerup",):
            rows = [self.sizes[k] for k, own in enumerate(self.names) if own in (f"{name}left", f"{name}right")]
        size = np.sum(rows, axis=0) if rows else np.zeros(1)
        return np.asarray(size / size.max()) if size.max() > 0 else None

    def place(self, name: str) -> Float64 | None:
        """(2,) center of what a shape moves most, in front view."""
        share = self.shares(name)
        if share is None:
            return None
        chosen = share > STRONGEST
        return np.asarray(np.average(self.vertices[chosen, :2], axis=0, weights=share[chosen]))

    def middle(self, stem: str) -> Float64:
        """(2,) between the places of the shapes of both sides, which exist."""
        places = [place for side in SIDES if (place := self.place(f"{stem}{side}")) is not None]
        return np.asarray(np.mean(places, axis=0))

    def either(self, stem: str) -> Float64:
        """(V,) the larger share of the shapes of both sides, which exist."""
        shares = [share for side in SIDES if (share := self.shares(f"{stem}{side}")) is not None]
        return np.asarray(np.max(shares, axis=0))

    def pick(self, x: float, y: float) -> tuple[NDArray[np.int32], Float64] | None:
        """Corners and weights of the first place of the surface along a ray from the front."""
        hit = self.picker.pick([x, y, self.far], [0.0, 0.0, -1.0])
        if hit is None:
            return None
        corners = self.vertices[np.asarray(hit[1])]
        normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
        if abs(normal[2]) < GRAZED * np.linalg.norm(normal):
            return None
        return np.asarray(hit[1], np.int32), np.asarray(hit[2], np.float64)


def _skin(faces: NDArray[np.int32], motion: Float64) -> NDArray[np.bool_]:
    """(V,) vertices of the connected parts that the shapes move most: no eyeballs, teeth or lashes."""
    corners = np.where(faces < 0, faces[:, [0]], faces)
    part = parts_of(
        np.concatenate([corners[:, [0, c]] for c in range(1, corners.shape[1])]).astype(np.int64), len(motion)
    )
    total = np.bincount(part, motion)
    return np.asarray((total >= MOST * total.max())[part])


def _anchors(front: _Front, points: Float64, layout: Detector) -> tuple[Float64, Float64]:
    """(A, 2) places of the face in the image and on the character."""

    def mean(indices: NDArray[np.int64]) -> Float64:
        return np.asarray(points[indices].mean(axis=0))

    eyes, brows = (layout.right_eye, layout.left_eye), (layout.right_brow, layout.left_brow)
    corners = (layout.right_corner, layout.left_corner)
    pairs: list[tuple[Float64, Float64 | None]] = []
    for side, eye, brow, corner in zip(SIDES, eyes, brows, corners, strict=True):
        lid = np.intersect1d(eye, layout.upper_lids)
        needed = [(mean(lid), front.place(f"eyeblink{side}")), (points[corner], front.place(f"mouthsmile{side}"))]
        if any(there is None for _, there in needed):
            must = "shapes named eyeBlink and mouthSmile, left and right, or `landmarks`"
            raise bad_argument("fit_places", "rig", f"one without eyeBlink or mouthSmile of the {side}", must)
        pairs += [*needed, (mean(brow[:3]), front.place(f"browouterup{side}"))]
    inner = np.array([layout.right_brow[-1], layout.left_brow[-1]])
    pairs.append((mean(inner), front.place("browinnerup")))
    known = [(here, there) for here, there in pairs if there is not None and np.isfinite(here).all()]
    if len(known) < 4:
        raise bad_argument("fit_places", "neutral", "a frame without eyes or mouth", "a frame with both")
    return np.array([here for here, _ in known]), np.array([there for _, there in known])


def _spline(here: Float64, there: Float64):  # type: ignore[no-untyped-def]
    """The thin-plate spline through pairs of points (A, 2)."""
    center, size = here.mean(axis=0), float(np.sqrt(np.square(here - here.mean(axis=0)).sum(axis=1).mean()))

    def basis(points: Float64) -> tuple[Float64, Float64]:
        own, other = (points - center) / size, (here - center) / size
        square = np.square(own[:, None] - other).sum(axis=2)
        return square * np.log(np.maximum(square, 1e-30)), np.column_stack([np.ones(len(own)), own])

    kernel, affine = basis(here)
    count = len(here)
    system = np.zeros((count + 3, count + 3))
    system[:count, :count] = kernel + STIFF * np.eye(count)
    system[:count, count:], system[count:, :count] = affine, affine.T
    solved = np.linalg.lstsq(system, np.concatenate([there, np.zeros((3, 2))]), rcond=None)[0]

    def warp(points: Float64) -> Float64:
        bends, straight = basis(points)
        return np.asarray(bends @ solved[:count] + straight @ solved[count:])

    return warp


def _on_surface(front: _Front, warped: Float64, layout: Detector) -> Places:
    """Places at which rays through points (P, 2) of the front view meet the mesh, lips and lids put right."""
    count = len(warped)
    eyes = front.middle("eyeblink")
    mouth = front.middle("mouthsmile")
    reach = NEAR * float(np.linalg.norm(eyes - mouth))
    blink = front.either("eyeblink")
    depth = front.vertices[:, 2]
    lid = float(np.average(depth, weights=np.where(blink > STRONGEST, blink, 0.0)))
    places = Places(np.full((count, 3), UNUSED, np.int32), np.zeros((count, 3)))
    for i in np.flatnonzero(np.isfinite(warped).all(axis=1)):
        hit = front.pick(*warped[i]) if i not in layout.unused else None
        if hit is not None and depth[hit[0]] @ hit[1] > lid - DEEP * reach:
            places.vertices[i], places.weights[i] = hit
    jaw = front.shares("jawopen")
    outside = depth > lid - DEEPEST_LID * reach  # a ray through an open eye, or between lips, meets what lies behind
    allowed = [(layout.upper_lids, (blink > MOVED) & outside), (layout.eyes, outside)]
    if jaw is not None:
        allowed += [(layout.upper_lip, (jaw <= MOVED) & outside), (layout.lower_lip, (jaw > MOVED) & outside)]
    for indices, where in allowed:
        _bring(front, places, warped, indices, where, 3.0 * reach)
    return places


def _bring(
    front: _Front,
    places: Places,
    warped: Float64,
    indices: NDArray[np.int64],
    allowed: NDArray[np.bool_],
    reach: float,
) -> None:
    """Put points that lie on other vertices than the allowed ones on the nearest visible vertex that is allowed."""
    candidates = np.flatnonzero(allowed & front.skin)
    flat = front.vertices[candidates, :2]
    for i in indices[np.isfinite(warped[indices]).all(axis=1)]:
        corners = places.vertices[i]
        if corners[0] != UNUSED and (places.weights[i] * allowed[corners]).sum() > 0.5:
            continue
        distance = np.linalg.norm(flat - warped[i], axis=1)
        near = distance < max(1.05 * distance.min(), distance.min() + 0.02 * reach) if len(distance) else distance > 0
        places.vertices[i], places.weights[i] = UNUSED, 0.0
        if len(distance) and distance.min() < reach:
            frontmost = candidates[near][np.argmax(front.vertices[candidates[near], 2])]
            places.vertices[i], places.weights[i] = frontmost, [1.0, 0.0, 0.0]
