"""Perceived differences: orders of shapes beside ratings, and training on motion on the screen."""
