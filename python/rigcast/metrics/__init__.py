"""Measures of an approximation against the truth: distances, normals, triangles, seams, pictures, weights; rankings;
errors of simple methods (:func:`difficulty`).

Where one argument is exact and the other is to be judged they are called ``truth`` and ``approximation``, in this
order; what compares two meshes as equals calls them ``a`` and ``b``. Vertices are (V, 3) for one frame or (T, V, 3) for
T frames, in any one unit; distances come back in that unit.
"""

from rigcast.metrics._difficulty import difficulty
from rigcast.metrics._distortion import triangle_distortion
from rigcast.metrics._gate import Difficulty, SimpleMethod
from rigcast.metrics._images import image_mse, structural_similarity
from rigcast.metrics._map_floor import map_floor
from rigcast.metrics._normals import NormalAngle, normal_angle
from rigcast.metrics._outside import Outside, outside_training
from rigcast.metrics._perceptual import perceptual_difference
from rigcast.metrics._ranking import bradley_terry
from rigcast.metrics._seams import EdgeError, SeamError, seam_error
from rigcast.metrics._vertices import VertexError, enveloping_error, hausdorff, vertex_error
from rigcast.metrics._weights import WeightError, weight_error

__all__ = [
    "Difficulty",
    "EdgeError",
    "NormalAngle",
    "Outside",
    "SeamError",
    "SimpleMethod",
    "VertexError",
    "WeightError",
    "bradley_terry",
    "difficulty",
    "enveloping_error",
    "hausdorff",
    "image_mse",
    "map_floor",
    "normal_angle",
    "outside_training",
    "perceptual_difference",
    "seam_error",
    "structural_similarity",
    "triangle_distortion",
    "vertex_error",
    "weight_error",
]
