"""Motion: of skeletons and of meshes over time, actions, shots, heads; resampled and skinned."""
