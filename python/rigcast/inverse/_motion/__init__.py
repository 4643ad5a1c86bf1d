"""Motion of the head: removed from targets, found together with the weights, noticed in a solution."""
