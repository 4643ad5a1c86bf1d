"""The actor's own rig: his face from neutral frames, his shapes from frames that an artist has corrected."""
