"""Learning deformation maps: the layout of a face on maps, their networks, one model (Bailey et al. 2020)."""
