"""Where each vertex of a target lies on a source of another topology."""
