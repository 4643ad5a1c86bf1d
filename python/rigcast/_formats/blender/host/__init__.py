"""The part that runs inside Blender: bpy, NumPy and the standard library only, nothing from the rest of rigcast."""
