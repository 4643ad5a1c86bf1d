"""The description of a file: meshes, joints, channels with their ranges, controls, actions, contents."""
