"""The actor's own rig: his face, and frames that were corrected."""
