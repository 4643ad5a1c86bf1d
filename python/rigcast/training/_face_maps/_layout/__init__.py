"""The layout of a face on maps: pieces, rigid parts, texture coordinates of each piece, coarse segments.

Whatever decides texture coordinates is double arithmetic in a fixed order, without BLAS, so that all machines decide
alike.
"""
