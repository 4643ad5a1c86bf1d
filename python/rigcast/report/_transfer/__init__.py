"""The page of a transferred rig."""
