"""Many heads of one blendshape rig: clips that stay in memory, orders of importance, and level of detail.

Carrigan 2020, chapter 4: shapes are sorted by importance, and a head that is small on the screen is evaluated with the
first few of them only, its *prefix*.
"""

from rigcast.crowd._budget import DetailChoice, level_of_detail
from rigcast.crowd._crowd import Crowd
from rigcast.crowd._detail import Camera, LevelOfDetail
from rigcast.crowd._detail_errors import LevelOfDetailErrors, level_of_detail_error_bound, level_of_detail_errors
from rigcast.crowd._importance import importance, importance_order
from rigcast.crowd._instances import DeviceInstances, Instances

__all__ = [
    "Camera",
    "Crowd",
    "DetailChoice",
    "DeviceInstances",
    "Instances",
    "LevelOfDetail",
    "LevelOfDetailErrors",
    "importance",
    "importance_order",
    "level_of_detail",
    "level_of_detail_error_bound",
    "level_of_detail_errors",
]
