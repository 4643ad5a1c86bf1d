"""Control rigs, as Rigify, mGear and Auto-Rig Pro make them: which controls pose a limb by FK, which by IK, and how far
each turns in people."""
