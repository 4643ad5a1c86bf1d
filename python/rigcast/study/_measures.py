"""Measures of what a participant is shown, stored with each trial: what may foretell an answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast.metrics import hausdorff, image_mse, structural_similarity
from rigcast.perception import screen_motion
from rigcast.perception._differences.shapes import by_vertices
from rigcast.perception._differences.surface import checked_triangles
from rigcast.render import Camera

#: Of columns of a table of answers; of what several methods show, ``_METHOD`` follows.
MEASURE = "measure_"
#: Name to what it says; all are 0 for equal faces. The first five need meshes of one topology, the others pictures.
MEASURES = {
    "screen_motion": "largest distance across the picture, in its pixels",
    "rms": "root mean square of distances over the area",
    "thesis_rms": "sum over the vertices of |d| / sqrt 3 (Carrigan 2020, equation 5.1)",
    "hausdorff": "farthest vertex from the other's vertices (equation 5.2)",
    "distortion": "triangle distortion less 2, mean over the area (equation 5.3)",
    "image_mse": "squared difference of pictures (equation 5.4)",
    "dissimilarity": "1 - SSIM of pictures",
}
SMALLEST_PICTURE = 11  # pixels, of SSIM's window


@dataclass(frozen=True, eq=False)
class ShownFace:
    """A stimulus where its activation is highest.

    Attributes
    ----------
    name : str
        Of the stimulus.
    vertices : (V, 3) array
        In the rig's own unit, as the camera sees it.
    faces : (F, 3) or (F, 4) ints
    picture : (H, W, 3) uint8 or None
        None for live figures.
    """

    name: str
    vertices: NDArray[np.float64]
    faces: NDArray[np.int32]
    picture: NDArray[np.uint8] | None


def measures_of(reference: ShownFace, face: ShownFace, camera: Camera) -> dict[str, float]:
    """Measures of how different a face is from the reference, by the names of MEASURES.

    What cannot be measured is left out: distances between meshes of different topology, differences of pictures that
    the participants' browsers draw.
    """
    found: dict[str, float] = {}
    if reference.faces.shape == face.faces.shape and np.array_equal(reference.faces, face.faces):
        found = _of_meshes(reference, face, camera)
    if reference.picture is not None and face.picture is not None:
        found["image_mse"] = image_mse(reference.picture, face.picture)
        if min(face.picture.shape[:2]) >= SMALLEST_PICTURE:
            found["dissimilarity"] = 1.0 - structural_similarity(reference.picture, face.picture)
    return found


def _of_meshes(reference: ShownFace, face: ShownFace, camera: Camera) -> dict[str, float]:
    first, second = reference.vertices, face.vertices
    corners = checked_triangles("measures_of", face.faces, len(first))
    figures = by_vertices(first, second, corners)
    return {
        "screen_motion": screen_motion(first, second, corners, camera=camera).max,
        "rms": figures["rms"],
        "thesis_rms": figures["thesis_sum"],
        "hausdorff": hausdorff(first, second),
        "distortion": figures["distortion"],
    }
