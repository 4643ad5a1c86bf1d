"""Weights of any file that has some, arrays of ``numpy.save`` too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rigcast._core import BlendshapeRig
from rigcast._formats.npz.archive import Member, read_arrays
from rigcast.sources._arrays import read_array
from rigcast.sources._blendshapes import load_blendshape_weights

Float64 = NDArray[np.float64]


def read_weights(path: Path, rig: BlendshapeRig, missing: float = 0.0) -> Float64:
    """Weights (T, K): an array alone, as it is, or what :func:`load_blendshape_weights` reads.

    Parameters
    ----------
    path : Path
    rig : BlendshapeRig
    missing : float
        Of shapes that an archive's names leave out.

    Raises
    ------
    ValueError
        If the file holds no weights of the rig.
    """
    if path.suffix.lower() == ".npy":
        return read_array(path, "load_blendshape_weights").astype(np.float64)
    weights = load_blendshape_weights(path, rig)[0].astype(np.float64)
    if path.suffix.lower() == ".npz":
        stored = read_arrays(path, {"names": Member("U", ("K",))}, "load_blendshape_weights", others=True)
        named = set(map(str, stored.get("names", rig.shape_names)))
        weights[:, [name not in named for name in rig.shape_names]] = missing
    return weights
