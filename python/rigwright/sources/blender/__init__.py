"""Characters in Blender as rigs: the ``bpy`` wheel, an artist's Blender executable, or inside a running Blender."""

from rigwright.sources.blender.limits import limits_path, load_limits
from rigwright.sources.blender.process import run_script
from rigwright.sources.blender.rig import BlenderRig

__all__ = ["BlenderRig", "limits_path", "load_limits", "run_script"]
