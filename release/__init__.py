"""Makes what is published: the sources, the C library, and the wheels of rigcast_runtime and rigcast.

``./run release`` runs it in an environment of its own. Each artifact is checked where it was made, and all are listed
with checksums and with the parts of others that they contain.
"""
