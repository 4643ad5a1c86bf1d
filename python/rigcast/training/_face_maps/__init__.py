"""Learning deformation maps: the layout of a face on maps, their networks, one model (Bailey et al. 2020).

Order: the face is cut into pieces, rigid parts are found, each piece gets texture coordinates (mended ones, or charts)
and a coarse segment; refinements are rectangles of the texture that grow until they hold the error that a map leaves.
Then networks learn coefficients of a basis of maps, or maps (the published ones), and at last the vertices. Whatever
decides texture coordinates is double arithmetic in a fixed order, without BLAS, so that all machines decide alike.
"""
