"""The section of a report on a face on deformation maps."""
