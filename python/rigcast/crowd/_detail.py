"""Level of detail from an error on the screen instead of a fixed number of shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import BlendshapeRig
from rigcast._shown import one_line
from rigcast._validate import Arguments, bad_argument
from rigcast.crowd._arguments import (
    checked_clips,
    checked_order,
    checked_rig,
    numbers_per_head,
    refuse,
    whole_per_head,
)
from rigcast.crowd._detail_errors import level_of_detail_error_bound, level_of_detail_errors

Float64 = NDArray[np.float64]


@one_line
@dataclass(frozen=True)
class Camera:
    """A perspective camera.

    Parameters
    ----------
    field_of_view : float
        Vertical, degrees, between 0 and 180.
    image_height : float
        Pixels.

    Raises
    ------
    ValueError
        If one of them is out of range.

    Examples
    --------
    >>> camera = rc.crowd.Camera(40.0, 1080)
    >>> round(float(camera.pixels_per_unit(100.0)), 1)
    14.8
    """

    field_of_view: float
    image_height: float

    def __post_init__(self) -> None:
        check = Arguments("Camera")
        check.number("field_of_view", self.field_of_view, above=0.0, below=180.0)
        check.number("image_height", self.image_height, above=0.0)

    def pixels_per_unit(self, distance: ArrayLike) -> Float64:
        """Pixels that a unit of length covers at a distance, seen in the middle of the image and face on.

        ``image_height / (2 distance tan(field_of_view / 2))``; ValueError unless distances are finite and above 0.
        """
        distances = _distances("pixels_per_unit", distance)
        return np.asarray(self.image_height / (2.0 * distances * np.tan(np.radians(self.field_of_view) / 2.0)))


@one_line
class LevelOfDetail:
    """Chooses for each head the shortest prefix whose error stays below a number of pixels.

    Parameters
    ----------
    rig : BlendshapeRig
    order : (K,) integers or None
        Shapes, most important first.
    weights : (T, K), or a sequence of clips (T_i, K), optional
        With weights, errors are the largest that were *measured* on these frames (:func:`level_of_detail_errors`): they
        hold on these frames, for a rig without combinations on all weights between them (the distance is a convex
        function of weights), and on nothing else. Without weights they are *bounds* for all weights inside the rig's
        bounds (:func:`level_of_detail_error_bound`), several times larger. Both leave the rounding of float32 vertices
        out.

    Attributes
    ----------
    order : (K,) int32, read-only
    errors : (K + 1,) float64, read-only
        Largest distance of a vertex with n shapes to where all shapes bring it, in the rig's unit.

    Raises
    ------
    ValueError
        If the order is no permutation, or weights are not (T, K) finite numbers with T at least 1.

    Notes
    -----
    ``distance`` is the distance of a head's nearest point along the line of sight, in the rig's unit. A perspective
    image is stretched towards its rim: a vertex at an angle from the line of sight is off by at most
    :meth:`screen_error` over the cosine of that angle. Multiply ``pixels`` with the cosine where the rim matters.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> lod = rc.crowd.LevelOfDetail(rig, rc.crowd.importance_order(rig))
    >>> near, far = lod.prefix([100.0, 10000.0], rc.crowd.Camera(40.0, 1080))
    >>> bool(near > far)
    True
    """

    def __init__(
        self,
        rig: BlendshapeRig,
        order: ArrayLike | None = None,
        weights: ArrayLike | Sequence[ArrayLike] | None = None,
    ) -> None:
        checked_rig("LevelOfDetail", rig)
        self.order = checked_order("LevelOfDetail", order, rig.num_shapes)
        if weights is None:
            self.errors = level_of_detail_error_bound(rig, self.order)
        else:
            frames = np.concatenate(checked_clips("LevelOfDetail", "weights", weights, rig))
            self.errors = level_of_detail_errors(rig, self.order, frames).max.max(axis=0)
        self.order.flags.writeable = self.errors.flags.writeable = False
        self._known = "bounds" if weights is None else f"measured on {len(frames):,} frames"

    def __repr__(self) -> str:
        half = len(self.order) // 2
        errors = f"error {self.errors[0]:.3g} without any, {self.errors[half]:.3g} with {half}"
        return f"<rigcast.crowd.LevelOfDetail: {len(self.order)} shapes, {errors}, {self._known}>"

    def prefix(self, distance: ArrayLike, camera: Camera, pixels: float = 1.0) -> NDArray[np.int32]:
        """Shortest prefixes whose error is at most ``pixels``.

        Parameters
        ----------
        distance : (H,) numbers, or one
            Of each head, in the rig's unit, above 0.
        camera : Camera
        pixels : float
            Largest error on the screen, above 0.

        Returns
        -------
        (H,) int32, or () for one distance
            From 0 (the neutral will do) to K.

        Raises
        ------
        ValueError
            If a distance or ``pixels`` is not a finite number above 0.
        """
        if not isinstance(camera, Camera):
            raise bad_argument("prefix", "camera", f"a {type(camera).__name__}", "a rigcast.crowd.Camera")
        error = Arguments("prefix").number("pixels", pixels, above=0.0)
        allowed = error / camera.pixels_per_unit(_distances("prefix", distance))
        # An error may rise with the length where a shape undoes another: the least error so far never does.
        least = np.minimum.accumulate(self.errors)
        return np.searchsorted(-least, -allowed).astype(np.int32)

    def screen_error(self, prefix: ArrayLike, distance: ArrayLike, camera: Camera) -> Float64:
        """Pixels that the given prefixes may be off at the given distances: (H,), or () for single numbers."""
        lengths = whole_per_head("screen_error", "prefix", prefix, len(self.order))
        return np.asarray(self.errors[lengths] * camera.pixels_per_unit(_distances("screen_error", distance)))


def _distances(function: str, distance: ArrayLike) -> Float64:
    distances = numbers_per_head(function, "distance", distance)
    refuse(function, "distance", distances, distances <= 0.0, "above 0")
    return distances
