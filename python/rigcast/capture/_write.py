"""A capture in the formats of other programs."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from rigcast._core import BlendshapeRig
from rigcast._formats.bvh_writer import write_bvh_motion
from rigcast._rigs.motions.motion import Motion
from rigcast._rigs.motions.moving_mesh import turn_between
from rigcast.capture._solution import Capture
from rigcast.exports._weights import WRITERS, write_blendshape_weights

HEAD = ".bvh"
WRITTEN = (*WRITERS, HEAD)


def write(path: str | os.PathLike[str], rig: BlendshapeRig, found: Capture) -> list[str]:
    """Write a capture: ``.npz`` as :meth:`Capture.save` does, ``.bvh`` the head alone, as one joint, y up.

    All other endings are those of :func:`rigcast.exports.write_blendshape_weights`: Live Link CSV, glTF, USD, Blender.
    The head moves against the neutral.

    Parameters
    ----------
    path : path-like
    rig : BlendshapeRig
        Whose names the weights get.
    found : Capture

    Returns
    -------
    list of str
        Notes: what the format cannot hold or does not state.

    Raises
    ------
    ValueError
        If the ending is unknown.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> landmarks = np.arange(0, 1500, 20)
    >>> shown = rig.evaluate(np.zeros((3, rig.num_shapes)))[:, landmarks] + [0, 0, -60]
    >>> pixels = np.array([320, 240]) + 800 * shown[:, :, :2] / shown[:, :, 2:] * [-1, 1]
    >>> found = rc.capture.solve(rig, pixels, landmarks, size=(640, 480), focal=800)
    >>> rc.capture.write("head.bvh", rig, found)
    ['head.bvh states no unit: positions are in units of 0.01 m']
    """
    file = Path(path)
    if file.suffix.lower() == ".npz":
        found.save(file, names=rig.shape_names)
        return []
    if file.suffix.lower() != HEAD:
        return write_blendshape_weights(file, rig, found.weights, found.fps, found.motion)
    rest = np.eye(3, 4)[None]
    motion = Motion(["head"], np.array([-1]), rest, found.motion[:, None], 1.0 / found.fps)
    notes = write_bvh_motion(file, motion, turn_between(str(rig.up_axis), "Y"))
    return [*notes, f"{file.name} states no unit: positions are in units of {float(rig.meters_per_unit):g} m"]
