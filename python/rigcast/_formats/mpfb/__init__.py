"""Files of MakeHuman and MPFB: targets, the bones of ``rig.*.json``, and ``weights.*.json``; plain or gzipped."""
