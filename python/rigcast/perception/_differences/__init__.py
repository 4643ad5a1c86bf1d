"""How different two meshes or two pictures look: measures without labels."""
