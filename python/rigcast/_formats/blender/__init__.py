"""Characters in Blender as rigs: the ``bpy`` wheel, an artist's Blender executable, or inside a running Blender."""

from rigcast._formats.blender.limits import limits_path, load_limits, write_limits
from rigcast._formats.blender.process import run_script
from rigcast._formats.blender.rig import BlenderRig

__all__ = ["BlenderRig", "limits_path", "load_limits", "run_script", "write_limits"]
