"""What sources read, in memory: rigs, skins, motion, shots, rotations."""
