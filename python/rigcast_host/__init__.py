"""Parts that the files for Houdini and Maya share: units and axes, joints by name, models of a node. NumPy alone.

It runs models by ``rigcast_runtime``, imports nothing of a host, and is packed beside both.
"""
