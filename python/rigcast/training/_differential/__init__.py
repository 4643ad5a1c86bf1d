"""Learning a differential subspace: coefficients of delta coordinates, and anchors (Song et al. 2020)."""
