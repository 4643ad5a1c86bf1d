"""Synthetic actors: who they are, how they look, and how they are filmed."""
