"""Many heads of one blendshape rig: clips that stay in memory, orders of importance, and level of detail.

Carrigan 2020, chapter 4: shapes are sorted by importance, and a head that is small on the screen is evaluated with the
first few of them only, its *prefix*.
"""

from rigwright.crowd._crowd import Crowd
from rigwright.crowd._detail import Camera, LevelOfDetail
from rigwright.crowd._importance import MEASURES, importance, importance_order
from rigwright.crowd._instances import DeviceInstances, Instances
from rigwright.crowd._prefix_errors import PrefixErrors, prefix_error_bound, prefix_errors

__all__ = [
    "MEASURES",
    "Camera",
    "Crowd",
    "DeviceInstances",
    "Instances",
    "LevelOfDetail",
    "PrefixErrors",
    "importance",
    "importance_order",
    "prefix_error_bound",
    "prefix_errors",
]
