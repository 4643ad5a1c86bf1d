"""The whole way on one character, from its rig in Blender to a learned model, a solved shot and their reports."""
