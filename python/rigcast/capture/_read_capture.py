"""Captures read back from the ``.npz`` files that ``Capture.save`` writes."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from rigcast._core import BlendshapeRig
from rigcast._formats.npz.archive import Member, read_arrays
from rigcast._rigs.motions.head import checked_transforms
from rigcast._validate import bad_file, check_blendshape_rig, missing_file
from rigcast.capture._places import Places
from rigcast.capture._solution import Capture

LARGEST = 1e30  # of a number: products of two are finite
STORED = {
    "weights": Member("f", ("T", "K")),
    "names": Member("U", ("K",)),
    "fps": Member("f", ()),
    "transforms": Member("f", ("T", 3, 4)),
    "head": Member("f", ("T", 3, 4)),
    "residual": Member("f", ("T", "P")),
    "lost": Member("b", ("T",)),
    "neutral": Member("i", ("n",)),
    "focal": Member("f", ()),
    "center": Member("f", (2,)),
    "noise": Member("f", ()),
    "offsets": Member("f", ("P", 3)),
    "vertices": Member("i", ("P", 3)),
    "vertex_weights": Member("f", ("P", 3)),
    "strength": Member("f", ("K",)),
    "mirrored": Member("b", ()),
    "notes": Member("U", ("m",)),
}


def load_capture(path: str | os.PathLike[str], rig: BlendshapeRig) -> Capture:
    """Read a capture that :meth:`Capture.save` wrote, to go on with :func:`personalize` or :func:`solve_again`.

    Parameters
    ----------
    path : path-like
    rig : BlendshapeRig
        That it was solved on: with the same shapes and at least the vertices of its points.

    Returns
    -------
    Capture
        Without what files do not hold: energies, pins, slid lips and pictures.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is no capture, or one of another rig.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> landmarks = np.arange(0, 1500, 20)
    >>> shown = rig.evaluate(np.zeros((3, rig.num_shapes)))[:, landmarks] + [0, 0, -60]
    >>> pixels = np.array([320, 240]) + 800 * shown[:, :, :2] / shown[:, :, 2:] * [-1, 1]
    >>> found = rc.capture.solve(rig, pixels, landmarks, size=(640, 480), focal=800)
    >>> found.save("captured.npz")
    >>> rc.capture.load_capture("captured.npz", rig).focal
    800.0
    """
    check_blendshape_rig("load_capture", rig)
    file = Path(path)
    if not file.exists():
        raise missing_file("load_capture", "path", file)
    try:
        arrays = read_arrays(file, STORED, "load_capture", others=True)
    except (OSError, ValueError) as error:
        reason = str(error).removeprefix("load_capture: path is ")
        raise bad_file(file, f"no capture ({reason})", function="load_capture") from None
    if missing := sorted(set(STORED) - set(arrays)):
        raise bad_file(file, f"no capture: it has no {missing[0]}", "what Capture.save writes", "load_capture")
    names = tuple(str(name) for name in arrays["names"])
    if names != tuple(rig.shape_names):
        got = f"weights of {len(names)} shapes, not those of the rig"
        raise bad_file(file, got, f"the rig's {rig.num_shapes}", "load_capture")
    if arrays["vertices"].max(initial=-1) >= rig.num_vertices or arrays["vertices"].min(initial=0) < -1:
        raise bad_file(file, "points on vertices that the rig lacks", "a capture of this rig", "load_capture")
    finite = ("weights", "transforms", "head", "focal", "center", "noise", "offsets", "vertex_weights", "strength")
    if bad := [name for name in finite if not (np.abs(arrays[name]) < LARGEST).all()]:
        raise bad_file(file, f"{bad[0]} that are not finite, or too large", f"below {LARGEST:g}", "load_capture")
    frames = len(arrays["weights"])
    checked_transforms("load_capture", arrays["transforms"], frames)
    turn, moved = arrays["head"][0, :, :3], arrays["transforms"][0]
    first = turn @ moved[:, :3].T  # the neutral's head: the head is the motion after it
    return Capture(
        weights=arrays["weights"].astype(np.float64),
        head=arrays["head"],
        residual=arrays["residual"],
        lost=arrays["lost"],
        neutral=arrays["neutral"],
        focal=float(arrays["focal"]),
        focal_found=False,
        noise=float(arrays["noise"]),
        offsets=arrays["offsets"],
        places=Places(arrays["vertices"].astype(np.int32), arrays["vertex_weights"]),
        strength=arrays["strength"],
        energy=np.full(frames, np.nan),
        settled=np.ones(frames, np.bool_),
        names=names,
        fps=float(arrays["fps"]),
        notes=tuple(str(note) for note in arrays["notes"]),
        neutral_head=np.column_stack([first, arrays["head"][0, :, 3] - first @ moved[:, 3]]),
        center=(float(arrays["center"][0]), float(arrays["center"][1])),
        mirrored=bool(arrays["mirrored"]),
    )
