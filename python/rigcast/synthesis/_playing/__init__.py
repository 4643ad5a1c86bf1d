"""Playing in latent spaces: particles on paths, commands, scripts, layers and crowds.

A character expands commands into tasks, and tasks into items of at most a second: paths with one point per frame, ball
radii, seeds. Items of any number of characters are simulated together. Nothing is decided inside an item, and an item
holds all that it needs, so a state in the middle of one is saved and simulated again to the same bytes. Random forces
and layers are functions of time and seed alone.
"""
