"""Players that need no learning: motion graphs, motion matching, cross-fades."""
