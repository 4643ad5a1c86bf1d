"""OBJ meshes and sequences of them."""
