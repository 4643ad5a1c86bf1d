"""The place of each vertex of a target on a source of another topology."""
