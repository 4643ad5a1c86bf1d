"""Training of the networks of a layout: coarse level, then refinements of the frozen coarse model."""
