"""Measures, without labels, of how different two meshes or two pictures look."""
