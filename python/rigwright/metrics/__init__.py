"""How far an approximation is from the truth: distances, normals, triangles, seams, pictures, weights; rankings.

Vertices are (V, 3) for one frame or (T, V, 3) for T frames, in any one unit; distances come back in that unit.
"""

from rigwright.metrics.distortion import triangle_distortion, triangles
from rigwright.metrics.enveloping import enveloping_error
from rigwright.metrics.hausdorff import hausdorff
from rigwright.metrics.images import image_mse, structural_similarity
from rigwright.metrics.normals import NormalAngle, normal_angle
from rigwright.metrics.ranking import bradley_terry
from rigwright.metrics.seams import EdgeError, SeamError, seam_error
from rigwright.metrics.vertices import VertexError, vertex_error
from rigwright.metrics.weights import WeightError, weight_error

__all__ = [
    "EdgeError",
    "NormalAngle",
    "SeamError",
    "VertexError",
    "WeightError",
    "bradley_terry",
    "enveloping_error",
    "hausdorff",
    "image_mse",
    "normal_angle",
    "seam_error",
    "structural_similarity",
    "triangle_distortion",
    "triangles",
    "vertex_error",
    "weight_error",
]
