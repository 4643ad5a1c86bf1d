"""Refinements of a layout: rectangles of the texture that hold the error which coarse maps leave."""
