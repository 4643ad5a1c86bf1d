"""Differential subspaces: speed of the reconstruction and of whole models, anchors, recipes."""
