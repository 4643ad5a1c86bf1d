"""Shared parts of the pages: words, colors, pictures, drawings, templates."""
