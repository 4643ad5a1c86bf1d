"""The part that runs inside Blender: bpy, NumPy and the standard library only, nothing from the rest of rigcast.

The package talks to it over a socket pair, with framed JSON and raw arrays. ``serve`` answers requests: it finds the
channels of a file and their ranges, measures what no channel moves, poses the scene, and evaluates its meshes one after
another, in the order of the parts.
"""
