"""Pictures of meshes without a display or a GPU: by z-buffer in the engine, in linear light, with a sensor.

Every function takes one mesh in T poses, or in one, and T cameras. Bytes do not depend on the number of threads.
"""

from rigcast.render._camera import Camera
from rigcast.render._occlusion import ambient_occlusion
from rigcast.render._render import RenderedPictures, SurfaceMaps, render, survey, visible
from rigcast.render._scene import Lights, Material, Sensor

__all__ = [
    "Camera",
    "Lights",
    "Material",
    "RenderedPictures",
    "Sensor",
    "SurfaceMaps",
    "ambient_occlusion",
    "render",
    "survey",
    "visible",
]
