"""Style transfer of faces."""
