"""Animated weights of a blendshape rig, written for other programs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._atomic_files import atomic_npz
from rigcast._formats.blender.write import write_blend, write_blender_script
from rigcast._formats.gltf.write import write_glb
from rigcast._formats.live_link.write import live_link_notes, write_live_link
from rigcast._formats.registry import BLEND, GLTF, LIVE_LINK, NPZ, SCRIPT, USD, Format, by_ending
from rigcast._formats.usd.write_weights import write_usd_weights
from rigcast._rigs.motions.head import checked_transforms
from rigcast._validate import FPS, Arguments, bad_argument, check_blendshape_rig

if TYPE_CHECKING:
    from rigcast._core import BlendshapeRig

    Writer = Callable[[Path, BlendshapeRig, NDArray[np.float32], float, NDArray[np.float64] | None], None]


def write_blendshape_weights(
    path: str | os.PathLike[str],
    rig: BlendshapeRig,
    weights: ArrayLike,
    *,
    fps: float = FPS,
    transforms: ArrayLike | None = None,
) -> list[str]:
    """Write weights (T, K), one row per frame, and the motion of the head, in the format that the path's ending names.

    ==========  ====================================================================================================
    ``.npz``    ``weights``, ``names``, ``fps``, ``transforms``; read back by
                :func:`rigcast.sources.load_blendshape_weights`
    ``.csv``    Live Link Face: timecode, 52 ARKit blendshapes, 9 angles. HeadYaw, HeadPitch and HeadRoll are radians,
                :func:`rigcast.inverse.head_angles` says about which axes; those of the eyes are 0. Names are mapped
                as :doc:`/reference/file_formats` says; a column that stands for both sides of the rig gets
                their mean; shapes that no column holds exactly are appended under their own names, which the notes
                say and from which :func:`rigcast.sources.load_blendshape_weights` reads them back.
    ``.glb``    mesh, morph targets and a clip that any viewer plays. Combinations are targets of their own, keyed with
                their products, so that every keyed frame is the rig's. The head moves the node.
    ``.usd``    ``.usda``, ``.usdc``, too: mesh with UsdSkel blend shapes, combinations among them as for ``.glb``, and
                their animation, which is read back as that of ``.npz``. The head moves the root (needs ``usd-core``).
    ``.blend``  mesh with shape keys, combinations as driven keys, and an action; upright, z up. The head moves the
                object (needs Blender).
    ``.py``     a script that an artist runs in Blender: it keys the shape keys of the active object by name, and the
                object for the head's motion
    ==========  ====================================================================================================

    The file appears complete or not at all.

    Parameters
    ----------
    path : path-like
    rig : BlendshapeRig
    weights : array_like, shape (T, K)
    fps : float
        Frames per second; 30 unless stated.
    transforms : array_like, shape (T, 3, 4), optional
        The head's motion, as ``Solution.transforms`` holds it: rotations, times a scale, next to translations.

    Returns
    -------
    list of str
        Notes: what other programs will see otherwise than the rig has it.

    Raises
    ------
    ValueError
        If the ending is unknown, or weights, rate or transforms are not as they must be.
    MissingExtra
        Without ``usd-core`` (``.usd``).
    SourceError
        If Blender fails (``.blend``).

    Examples
    --------
    >>> rig = rc.faces.example()
    >>> weights = np.linspace(0, 1, 24)[:, None] * [name == "jawOpen" for name in rig.shape_names]
    >>> notes = rc.exports.write_blendshape_weights("open.npz", rig, weights, fps=24)
    >>> weights, fps = rc.sources.load_blendshape_weights("open.npz", rig)
    >>> weights.shape, fps
    ((24, 22), 24.0)
    """
    file = Path(path)
    writer = WRITERS.get(file.suffix.lower())
    if writer is None:
        raise bad_argument(
            "write_blendshape_weights",
            "path",
            repr(str(path)),
            f"a file that ends in {', '.join(WRITERS)}",
            path,
        )
    check_blendshape_rig("write_blendshape_weights", rig)
    check = Arguments("write_blendshape_weights", K=rig.num_shapes)
    rows = check.numbers("weights", weights, "T+ K", dtype=np.float32)
    motion = None if transforms is None else checked_transforms("write_blendshape_weights", transforms, len(rows))
    writer(file, rig, rows, check.rate("fps", fps), motion)
    return live_link_notes(rig.shape_names, motion) if writer is write_live_link else []


def _write_npz(
    path: Path, rig: BlendshapeRig, weights: NDArray[np.float32], fps: float, motion: NDArray[np.float64] | None = None
) -> None:
    arrays = {"weights": weights, "names": np.array(rig.shape_names, np.str_), "fps": np.float64(fps)}
    arrays |= {} if motion is None else {"transforms": motion}
    atomic_npz(path, arrays, compressed=True)


FORMATS: dict[Format, Writer] = {
    NPZ: _write_npz,
    LIVE_LINK: write_live_link,
    GLTF: write_glb,
    USD: write_usd_weights,
    BLEND: write_blend,
    SCRIPT: write_blender_script,
}
WRITERS = by_ending(FORMATS)
