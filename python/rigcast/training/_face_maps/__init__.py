"""Learning deformation maps: the layout of a face on maps, their networks, one model (Bailey et al. 2020).

``_layout``: the face is cut into pieces, rigid parts are found, each piece gets texture coordinates (mended ones, or
charts) and a coarse segment. ``_refine``: refinements are rectangles of the texture that grow until they hold the error
that a map leaves. ``_train``: networks learn coefficients of a basis of maps, or maps (the published ones), and at last
the vertices.
"""
