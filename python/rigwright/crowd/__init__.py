"""Many heads of one blendshape rig: clips that stay in memory, orders of importance, and level of detail.

Carrigan 2020, chapter 4: shapes are sorted by importance, and a head that is small on the screen is evaluated with the
first few of them only, its *prefix*.
"""

from rigwright.crowd._crowd import Crowd
from rigwright.crowd._detail import Camera, LevelOfDetail
from rigwright.crowd._detail_errors import LevelOfDetailErrors, level_of_detail_error_bound, level_of_detail_errors
from rigwright.crowd._importance import importance, importance_order
from rigwright.crowd._instances import DeviceInstances, Instances

__all__ = [
    "Camera",
    "Crowd",
    "DeviceInstances",
    "Instances",
    "LevelOfDetail",
    "LevelOfDetailErrors",
    "importance",
    "importance_order",
    "level_of_detail_error_bound",
    "level_of_detail_errors",
]
