"""The results of sources, in memory: rigs, skins, motion, shots, rotations."""
