"""Videos: their frames, the face in them, and a preview of what was solved."""
