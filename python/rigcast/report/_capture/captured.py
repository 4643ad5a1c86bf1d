"""A capture beside the points and pictures that it was made of: what its page measures and draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rigcast._core import BlendshapeRig, PointModel
from rigcast._validate import bad_argument
from rigcast.capture import Capture, Tracks
from rigcast.capture._neutral import face_size, jitter_of, upright
from rigcast.capture._refine import ELSEWHERE
from rigcast.capture._sides import mirror_image
from rigcast.inverse import head_angles

Float64 = NDArray[np.float64]
Picture = NDArray[np.uint8]

ON = 1e-3  # a weight above it is counted as on
MARGIN = 0.35  # of the face's size in the image, around it
ROUGHNESS = np.sqrt(6.0)  # second differences of independent noise are so much larger


@dataclass(frozen=True)
class CapturedShot:
    """A capture, and what it was made of.

    Attributes
    ----------
    rig : BlendshapeRig
    found : Capture
    tracks : Tracks
    pictures : sequence of (H, W, 3) uint8 arrays, or None
    turned : (bool, bool)
        Whether x and y of the pictures run against those of the capture.
    mirrored : bool
        Whether the pictures are mirror images, whose sides the capture has exchanged.
    """

    rig: BlendshapeRig
    found: Capture
    tracks: Tracks
    pictures: Sequence[Picture] | None
    turned: tuple[bool, bool] = (False, False)
    mirrored: bool = False

    @cached_property
    def filmed(self) -> Capture:
        """The capture of what the pictures show: of mirror images the mirrored actor."""
        return mirror_image(self.rig, self.found) if self.mirrored else self.found

    @property
    def is_flat(self) -> bool:
        """True if the points are pixels of an image."""
        return int(self.tracks.points.shape[2]) == 2

    @property
    def unit(self) -> str:
        """Of residuals."""
        return "pixels" if self.is_flat else "units of the points"

    @property
    def pose(self) -> Float64:
        """(T, 3, 4) from the rig to the camera's axes: x right, y down, z forward."""
        return np.asarray(upright(self.rig) @ self.filmed.head)

    @cached_property
    def seen(self) -> Float64:
        """(T,) share of the used points that were found and not occluded."""
        return np.asarray((self.tracks.certainty[:, self.found.places.used] > 0.0).mean(axis=1))

    @cached_property
    def errors(self) -> Float64:
        """(T, 2) mean and 95th percentile of the residuals of each frame; NaN in lost ones."""
        result = np.full((len(self.found.lost), 2), np.nan)
        for t in np.flatnonzero(~self.found.lost):
            known = self.found.residual[t][np.isfinite(self.found.residual[t])]
            if len(known):
                result[t] = known.mean(), np.percentile(known, 95)
        return result

    @cached_property
    def by_point(self) -> Float64:
        """(P,) mean residual of each point over the shot; NaN of those that were never found or are not used."""
        known = np.isfinite(self.found.residual) & ~self.found.lost[:, None]
        total = np.where(known, self.found.residual, 0.0).sum(axis=0)
        return np.where(known.any(axis=0), total / np.maximum(known.sum(axis=0), 1), np.nan)

    @cached_property
    def head(self) -> Float64:
        """(T, 6): yaw, pitch and roll of the head in degrees against the neutral, and its way in millimeters."""
        motion = self.found.motion
        millimeters = 1e3 * float(self.rig.meters_per_unit)
        return np.hstack([head_angles(motion, str(self.rig.up_axis)), millimeters * motion[:, :, 3]])

    @property
    def point_jitter(self) -> float:
        """Standard deviation of a coordinate of the points from frame to frame."""
        return jitter_of(self.tracks)

    @property
    def weight_jitter(self) -> float:
        """Standard deviation of noise that would bend the weights as they bend."""
        return _roughness(self.found.weights)

    @property
    def head_jitter(self) -> tuple[float, float]:
        """The same of the head's angles in degrees and of its place in millimeters."""
        return _roughness(self.head[:, :3]), _roughness(self.head[:, 3:])

    @property
    def cardinality(self) -> NDArray[np.int64]:
        """(T,) weights that are on."""
        return np.asarray((self.found.weights > ON).sum(axis=1))

    def posed(self, frame: int) -> NDArray[np.float32]:
        """The rig (V, 3) at the weights of a frame."""
        return np.asarray(self.rig.evaluate(self.filmed.weights[frame].astype(np.float32)))

    @cached_property
    def _model(self) -> PointModel:
        places, used = self.found.places, self.found.places.used
        return PointModel(
            self.rig, places.vertices[used], places.weights[used], self.filmed.strength, self.found.offsets[used]
        )

    def projected(self, frame: int) -> Float64:
        """(U, 2) where the character has the used points in the image."""
        pose = self.pose[frame]
        placed = self._model.evaluate(self.filmed.weights[frame]) @ pose[:, :3].T + pose[:, 3]
        return np.asarray(np.array(self.found.center) + self.found.focal * placed[:, :2] / placed[:, 2:])

    @cached_property
    def size(self) -> tuple[int, int]:
        """Width and height of the image: of the pictures, as it was given, or what holds all points."""
        if self.pictures is not None:
            height, width = np.shape(self.pictures[0])[:2]
            return int(width), int(height)
        if self.tracks.size is not None:
            return self.tracks.size
        reach = np.nanmax(self.tracks.points[..., :2], axis=(0, 1))
        return max(16, int(1.05 * reach[0])), max(16, int(1.05 * reach[1]))

    def order(self) -> NDArray[np.int64]:
        """Frames with a face, from the least mean residual to the largest."""
        known = np.flatnonzero(np.isfinite(self.errors[:, 0]))
        return known[np.argsort(self.errors[known, 0], kind="stable")]

    def marked(self) -> dict[str, int]:
        """The frames that pictures show, by name."""
        order = self.order()
        chosen = {"neutral": int(self.found.neutral[0])} if len(self.found.neutral) else {}
        strongest = order[int(np.argmax(self.found.weights[order].sum(axis=1)))]
        chosen |= {
            "strongest expression": int(strongest),
            "median residual": int(order[len(order) // 2]),
            "largest residual": int(order[-1]),
        }
        frames = dict.fromkeys(chosen.values())
        return {", ".join(name for name, own in chosen.items() if own == frame): frame for frame in frames}


def _roughness(rows: Float64) -> float:
    """Root mean square second difference of rows (T, N), over that of independent noise of size 1."""
    if len(rows) < 3:
        return 0.0
    return float(np.sqrt(np.square(np.diff(rows, n=2, axis=0)).mean()) / ROUGHNESS)


def captured_shot(
    rig: BlendshapeRig, found: Capture, tracks: Tracks, pictures: Sequence[Picture] | None
) -> CapturedShot:
    """Check that rig, capture, points and pictures belong together.

    Raises
    ------
    ValueError
    """
    if found.weights.shape[1] != rig.num_shapes:
        got = f"with {found.weights.shape[1]} weights"
        raise bad_argument("write_capture", "found", got, f"the {rig.num_shapes} of the rig")
    if tracks.points.shape[:2] != found.residual.shape:
        must = f"{found.residual.shape[0]} frames of {found.residual.shape[1]} points, as of the capture"
        got = f"{tracks.points.shape[0]} frames of {tracks.points.shape[1]} points"
        raise bad_argument("write_capture", "points", got, must)
    if pictures is not None and len(pictures) != len(found.weights):
        must = f"{len(found.weights)}, one per frame of the capture"
        raise bad_argument("write_capture", "pictures", f"{len(pictures)} of them", must)
    if found.lost.all():
        raise bad_argument("write_capture", "found", "without a frame that has a face", "a capture of a face")
    if tracks.points.shape[2] == 3:
        return CapturedShot(rig, found, tracks, None)
    return _as_captured(CapturedShot(rig, found, tracks, pictures))


def _as_captured(shot: CapturedShot) -> CapturedShot:
    """The shot with the axes and the side of its capture, which may have turned x or y around.

    Raises
    ------
    ValueError
        If the points are those of another shot under each of them.
    """
    frame, center = int(shot.order()[0]), np.array(shot.found.center)
    used = shot.found.places.used
    size = face_size(shot.tracks.points[frame, used])
    tried = []
    for mirrored in (False, True):
        for axes in ((False, False), (True, False), (False, True), (True, True)):
            points = np.where(axes, 2.0 * center - shot.tracks.points, shot.tracks.points)
            made = replace(shot, tracks=replace(shot.tracks, points=points), turned=axes, mirrored=mirrored)
            tried.append(
                (float(np.nanmedian(np.linalg.norm(points[frame, used] - made.projected(frame), axis=1))), made)
            )
    off, best = min(tried, key=lambda one: one[0])
    if off > ELSEWHERE * size:
        must = "those that were solved"
        raise bad_argument("write_capture", "points", "elsewhere than the character has them", must)
    return best
