"""How far an approximation is from the truth: distances, normals, enveloping error, seams.

Vertices are (V, 3) for one frame or (T, V, 3) for T frames, in any one unit; distances come back in that unit.
"""

from rigwright.metrics.distortion import triangle_distortion, triangles
from rigwright.metrics.enveloping import enveloping_error
from rigwright.metrics.normals import NormalAngle, normal_angle
from rigwright.metrics.seams import EdgeError, SeamError, seam_error
from rigwright.metrics.vertices import VertexError, vertex_error

__all__ = [
    "EdgeError",
    "NormalAngle",
    "SeamError",
    "VertexError",
    "enveloping_error",
    "normal_angle",
    "seam_error",
    "triangle_distortion",
    "triangles",
    "vertex_error",
]
