"""The importance of each shape of a rig, measured between the neutral and the shape at full weight."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import BlendshapeRig
from rigcast._validate import Arguments, bad_argument
from rigcast.crowd._arguments import checked_rig
from rigcast.metrics import hausdorff, image_mse, perceptual_difference, structural_similarity, triangle_distortion
from rigcast.perception import Viewing, screen_motion

Float64 = NDArray[np.float64]
Picture = Callable[[NDArray[np.float32]], NDArray[np.uint8] | NDArray[np.float64]]


def _rms(neutral: Float64, shape: Float64, faces: NDArray[np.int32]) -> float:
    return float(np.sqrt(np.square(shape - neutral).sum(axis=1).mean()))


def _displacement(neutral: Float64, shape: Float64, faces: NDArray[np.int32]) -> float:
    return float(np.linalg.norm(shape - neutral, axis=1).mean() / np.sqrt(3.0))


def _hausdorff(neutral: Float64, shape: Float64, faces: NDArray[np.int32]) -> float:
    return hausdorff(neutral, shape)


def _triangles(neutral: Float64, shape: Float64, faces: NDArray[np.int32]) -> float:
    return float(triangle_distortion(neutral, shape, faces).mean())


def _dissimilarity(neutral: ArrayLike, shape: ArrayLike) -> float:
    return 1.0 - structural_similarity(neutral, shape)


GEOMETRY: dict[str, Callable[[Float64, Float64, NDArray[np.int32]], float]] = {
    "rms": _rms,
    "displacement": _displacement,
    "hausdorff": _hausdorff,
    "triangle_distortion": _triangles,
}
IMAGES: dict[str, Callable[[ArrayLike, ArrayLike], float]] = {
    "image_mse": image_mse,
    "image_ssim": _dissimilarity,
    "image_perceptual": perceptual_difference,
}
SCREEN = "screen_motion"
MEASURES = (*GEOMETRY, SCREEN, *IMAGES)


def importance(
    rig: BlendshapeRig,
    by: str | Mapping[str, float] | ArrayLike = "rms",
    *,
    picture: Picture | None = None,
    viewing: Viewing | None = None,
) -> Float64:
    """Score how much each shape changes the face: the larger, the later it may be left out.

    A shape is compared with the neutral at full weight, its bound that is farther from 0; corrections that
    the shape drives on its own (in-betweens) take part.

    Parameters
    ----------
    rig : BlendshapeRig
    by : str, mapping or (K,) numbers
        What is measured (Carrigan 2020; V vertices, d_i the movement of vertex i):

        - ``"rms"``: ``sqrt(sum_i |d_i|^2 / V)``; sorts as the mean squared error of equation 4.1.
        - ``"displacement"``: ``sum_i sqrt(|d_i|^2 / 3) / V``; the "RMS" of equation 5.1 over the number of vertices.
        - ``"hausdorff"``: two-sided, between vertices, equation 5.2 (:func:`rigcast.metrics.hausdorff`).
        - ``"triangle_distortion"``: mean over triangles of equation 5.3
          (:func:`rigcast.metrics.triangle_distortion`).
        - ``"screen_motion"``: the largest distance on the screen, in pixels (:func:`rigcast.perception.screen_motion`):
          with the order nearest to published ratings, as far as eleven units can show.
        - ``"image_mse"``: of two pictures, equation 4.3 (:func:`rigcast.metrics.image_mse`).
        - ``"image_ssim"``: 1 - SSIM of two pictures, Wang et al. 2004
          (:func:`rigcast.metrics.structural_similarity`).
        - ``"image_perceptual"``: the share of the pixels that a person would see differ, Yee 2004
          (:func:`rigcast.metrics.perceptual_difference`).

        Or your own scores, from perceptual ratings for instance: by name, of every shape, or one per shape. Shapes that
        a measure underrates (most of them rate blinks low) are raised by changing what a first call returned; times
        how much a clip uses each shape, ``np.sqrt(np.square(clip).mean(axis=0))``, they fit that clip far better.
    picture : callable, optional
        Draws vertices (V, 3) as pixels (h, w) or (h, w, 3) of 0 to 255; needed by the measures of images, for example
        :func:`rigcast.plot.portrait_renderer`.
    viewing : rigcast.perception.Viewing, optional
        The viewer of ``"screen_motion"``; default: 2 m in front of the face.

    Returns
    -------
    (K,) float64

    Raises
    ------
    ValueError
        If the measure is unknown, ``picture`` is missing, the rig has no triangle to measure, or scores are not
        finite, too few, or of shapes that there are not.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> scores = rc.crowd.importance(rig, "rms")
    >>> rig.shape_names[int(scores.argmax())]
    'jawOpen'
    """
    checked_rig("importance", rig)
    if not isinstance(by, str):
        return _given(rig, by)
    if by not in MEASURES:
        raise bad_argument("importance", "by", repr(by), "scores, or one of: " + ", ".join(MEASURES))
    if by in IMAGES:
        return _from_images(rig, by, picture)
    if by in ("triangle_distortion", SCREEN) and not len(rig.faces):
        raise bad_argument("importance", "rig", "without faces", "a mesh where triangles are measured")
    if by == SCREEN:
        return _on_screen(rig, viewing or Viewing())
    neutral, measure = _states(rig, None), GEOMETRY[by]
    first = neutral.astype(np.float64)
    return np.array([measure(first, _states(rig, k).astype(np.float64), rig.faces) for k in range(rig.num_shapes)])


def importance_order(
    rig: BlendshapeRig,
    by: str | Mapping[str, float] | ArrayLike = "rms",
    *,
    picture: Picture | None = None,
    viewing: Viewing | None = None,
) -> NDArray[np.int32]:
    """Sort shapes by :func:`importance`.

    Parameters
    ----------
    rig, by, picture, viewing
        As in :func:`importance`.

    Returns
    -------
    (K,) int32
        The most important first; of equally important ones the lower index.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> [rig.shape_names[k] for k in rc.crowd.importance_order(rig, "rms")[:3]]
    ['jawOpen', 'jawLeft', 'jawRight']
    """
    return np.argsort(-importance(rig, by, picture=picture, viewing=viewing), kind="stable").astype(np.int32)


def _states(rig: BlendshapeRig, shape: int | None) -> NDArray[np.float32]:
    """(V, 3) with one shape at full weight, or with none."""
    weights = np.zeros(rig.num_shapes, np.float32)
    if shape is not None:
        low, high = rig.bounds[shape]
        weights[shape] = low if abs(low) > abs(high) else high
    return rig.evaluate(weights)


def _on_screen(rig: BlendshapeRig, viewing: Viewing) -> Float64:
    neutral = _states(rig, None)
    camera = viewing.camera(neutral, rig.meters_per_unit, rig.up_axis)
    states = (_states(rig, k) for k in range(rig.num_shapes))
    return np.array([screen_motion(neutral, state, rig.faces, camera=camera).max for state in states])


def _from_images(rig: BlendshapeRig, by: str, picture: Picture | None) -> Float64:
    if not callable(picture):
        expected = f"a function from vertices to pixels where by is {by!r}"
        raise bad_argument("importance", "picture", repr(picture), expected)
    measure = IMAGES[by]
    neutral = np.array(picture(_states(rig, None)))
    return np.array([measure(neutral, np.asarray(picture(_states(rig, k)))) for k in range(rig.num_shapes)])


def _given(rig: BlendshapeRig, by: Mapping[str, float] | ArrayLike) -> Float64:
    if isinstance(by, Mapping):
        unknown = [name for name in by if name not in rig.shape_names]
        missing = [name for name in rig.shape_names if name not in by]
        if unknown:
            raise bad_argument("importance", "by", f"with a score of {unknown[0]!r}", "scores of the rig's shapes")
        if missing:
            raise bad_argument("importance", "by", f"without a score of {missing[0]!r}", "scores of all shapes")
        by = [by[name] for name in rig.shape_names]
    return np.array(Arguments("importance", K=rig.num_shapes).numbers("by", by, "K"))
