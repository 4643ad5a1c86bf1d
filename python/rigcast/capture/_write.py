"""A capture in files: read from its own, written in this and in the formats of other programs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._core import BlendshapeRig
from rigcast._formats.bvh_writer import write_bvh_motion
from rigcast._formats.npz.archive import Member, read_arrays
from rigcast._rigs.motions.motion import Motion
from rigcast._rigs.motions.moving_mesh import turn_between
from rigcast._safe_reading import errors_naming
from rigcast._validate import Arguments, bad_file, check_blendshape_rig
from rigcast.capture._detectors import DETECTORS
from rigcast.capture._places import UNUSED, Places
from rigcast.capture._solution import OF_PICTURES, PLAIN, VERSION, Capture, LipSlides, PictureFit
from rigcast.exports._weights import WRITERS, write_blendshape_weights

HEAD = ".bvh"
WRITTEN = (*WRITERS, HEAD)
LARGEST = 1e30  # of a number in a file: products of two are finite
MEMBERS = {
    "version": Member("iu", ()),
    "weights": Member("f", ("T", "K")),
    "names": Member("U", ("K",)),
    "fps": Member("f", ()),
    "head": Member("f", ("T", 3, 4)),
    "residual": Member("f", ("T", "P")),
    "lost": Member("b", ("T",)),
    "neutral": Member("iu", ("N",)),
    "focal": Member("f", ()),
    "focal_found": Member("b", ()),
    "center": Member("f", (2,)),
    "noise": Member("f", ()),
    "offsets": Member("f", ("P", 3)),
    "vertices": Member("iu", ("P", 3)),
    "vertex_weights": Member("f", ("P", 3)),
    "strength": Member("f", ("K",)),
    "energy": Member("f", ("T",)),
    "settled": Member("b", ("T",)),
    "notes": Member("U", ("notes",)),
    "seconds": Member("f", ()),
    "neutral_head": Member("f", (3, 4)),
    "still": Member("iu", ("still",)),
    "mirrored": Member("b", ()),
}
OPTIONAL = {
    "fixed": Member("f", ("T", "K")),
    "detector": Member("U", ()),
    "slid_weights": Member("f", ("slides", "T", "K")),
    "slid_pose": Member("f", ("slides", "T", 3, 4)),
    "pictures_light": Member("f", ("T", 3, 9)),
    "pictures_albedo": Member("f", ("S", 3)),
    "pictures_vertices": Member("iu", ("S", 3)),
    "pictures_shares": Member("f", ("S", 3)),
    "pictures_used": Member("iu", ("T",)),
    "pictures_gates": Member("f", ("T", "K")),
    "pictures_start_energy": Member("f", ("T",)),
    "pictures_steps": Member("iu", ("T",)),
}


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
        return write_blendshape_weights(file, rig, found.weights, fps=found.fps, transforms=found.motion)
    rest = np.eye(3, 4)[None]
    motion = Motion(["head"], np.array([-1]), rest, found.motion[:, None], 1.0 / found.fps)
    notes = write_bvh_motion(file, motion, turn_between(str(rig.up_axis), "Y"))
    return [*notes, f"{file.name} states no unit: positions are in units of {float(rig.meters_per_unit):g} m"]


def load_capture(path: str | os.PathLike[str], rig: BlendshapeRig) -> Capture:
    """Read a capture that :meth:`Capture.save` wrote.

    Parameters
    ----------
    path : path-like
    rig : BlendshapeRig
        That it was solved on.

    Returns
    -------
    Capture
        With equal arrays. ``pictures.request`` is None: :func:`solve_again` needs the capture in memory.

    Raises
    ------
    FileNotFoundError
    ValueError
        If the file is no capture, of an older version, damaged, or of a rig with other shapes or fewer vertices.

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> landmarks = np.arange(0, 1500, 20)
    >>> shown = rig.evaluate(np.zeros((3, rig.num_shapes)))[:, landmarks] + [0, 0, -60]
    >>> pixels = np.array([320, 240]) + 800 * shown[:, :, :2] / shown[:, :, 2:] * [-1, 1]
    >>> found = rc.capture.solve(rig, pixels, landmarks, size=(640, 480), focal=800)
    >>> found.save("captured.npz")
    >>> again = rc.capture.load_capture("captured.npz", rig)
    >>> np.array_equal(again.weights, found.weights), again.notes == found.notes
    (True, True)
    """
    check_blendshape_rig("load_capture", rig)
    stored = read_arrays(path, MEMBERS | OPTIONAL, "load_capture", others=True)
    must, function = "a capture that this version has written: solve the shot again", "load_capture"
    if (missing := next((name for name in MEMBERS if name not in stored), None)) is not None:
        raise bad_file(
            path, f"no capture: without {missing!r}, weights alone or one of an older version", must, "load_capture"
        )
    if int(stored["version"]) != VERSION:
        raise bad_file(path, f"version {int(stored['version'])}", must, function)
    names = tuple(map(str, stored["names"]))
    if names != tuple(rig.shape_names):
        got = f"weights of {len(names)} shapes that are not those of the rig, which has {rig.num_shapes}"
        raise bad_file(path, got, "a capture of this rig", function)
    with errors_naming(path):
        return _capture(stored, names, rig)


def _capture(stored: dict[str, NDArray[Any]], names: tuple[str, ...], rig: BlendshapeRig) -> Capture:
    """The record of checked arrays."""
    check, frames = Arguments("load_capture"), len(stored["lost"])
    for name in (
        "weights",
        "head",
        "offsets",
        "vertex_weights",
        "strength",
        "center",
        "neutral_head",
        "focal",
        "noise",
    ):
        if not (np.abs(stored[name]) < LARGEST).all():
            raise check.wrong(name, "not finite, or too large somewhere", f"numbers below {LARGEST:g}")
    below = rig.num_vertices
    vertices = check.integers("vertices", stored["vertices"], "P 3", low=UNUSED, below=below, dtype=np.int32)
    for name, bound in (("neutral", frames), ("still", len(names))):
        Arguments("load_capture").integers(name, stored[name], "n", low=0, below=bound)
    plain: dict[str, Any] = {name: stored[name] if stored[name].ndim else stored[name].item() for name in PLAIN}
    return Capture(
        **plain,
        places=Places(vertices, stored["vertex_weights"]),
        names=names,
        fps=check.rate("fps", float(stored["fps"])),
        notes=tuple(map(str, stored["notes"])),
        center=(float(stored["center"][0]), float(stored["center"][1])),
        pictures=_pictures(stored, below),
        fixed=stored.get("fixed"),
        slides=_slides(stored),
    )


def _slides(stored: dict[str, NDArray[Any]]) -> LipSlides | None:
    keys = ("detector", "slid_weights", "slid_pose")
    if not all(key in stored for key in keys):
        return None
    detector = str(stored["detector"])
    if detector not in DETECTORS:
        raise Arguments("load_capture").wrong("detector", repr(detector[:40]), f"one of {', '.join(DETECTORS)}")
    return LipSlides(detector, stored["slid_weights"], stored["slid_pose"])


def _pictures(stored: dict[str, NDArray[Any]], below: int) -> PictureFit | None:
    if not all(f"pictures_{name}" in stored for name in OF_PICTURES):
        return None
    fit = {name: stored[f"pictures_{name}"] for name in OF_PICTURES}
    Arguments("load_capture").integers("pictures_vertices", fit["vertices"], "S 3", low=0, below=below)
    return PictureFit(**fit, request=None)
