"""Animated weights of a blendshape rig, written for other programs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigwright._atomic_files import atomic_npz
from rigwright._formats.blender.write import write_blend, write_blender_script
from rigwright._formats.gltf.write import write_glb
from rigwright._formats.live_link.write import live_link_notes, write_live_link
from rigwright._validate import Arguments, bad_argument, check_blendshape_rig

if TYPE_CHECKING:
    from rigwright import BlendshapeRig

    Writer = Callable[[Path, BlendshapeRig, NDArray[np.float32], float], None]


def write_blendshape_weights(
    path: str | os.PathLike[str], rig: BlendshapeRig, weights: ArrayLike, fps: float = 30.0
) -> list[str]:
    """Write weights of blendshapes over time (T, K), one row per frame, in the format that the path's ending names.

    ==========  ====================================================================================================
    ``.npz``    ``weights``, ``names``, ``fps``; read back by :func:`rigwright.sources.load_blendshape_weights`
    ``.csv``    Live Link Face: timecode, 52 ARKit blendshapes, 9 angles (0). Names are mapped as
                :mod:`rigwright._formats.live_link.read` says; a column that stands for both sides of the rig gets
                their mean; shapes that no column holds exactly are appended under their own names, which the notes
                say and from which :func:`rigwright.sources.load_blendshape_weights` reads them back.
    ``.glb``    mesh, morph targets and a clip that any viewer plays. Combinations are targets of their own, keyed with
                their products, so that every keyed frame is the rig's.
    ``.blend``  mesh with shape keys, combinations as driven keys, and an action (needs Blender)
    ``.py``     a script that an artist runs in Blender: it keys the shape keys of the active object by name
    ==========  ====================================================================================================

    The file appears complete or not at all.

    Parameters
    ----------
    path : path
    rig : BlendshapeRig
    weights : (T, K)
    fps : float
        Frames a second.

    Returns
    -------
    list of str
        Notes: what other programs will see otherwise than the rig has it.

    Raises
    ------
    ValueError
        If the ending is unknown, or weights or rate are not as they must be.
    SourceError
        If Blender fails (``.blend``).
    """
    file = Path(path)
    writer = WRITERS.get(file.suffix.lower())
    if writer is None:
        raise bad_argument(
            "write_blendshape_weights", "path", repr(str(path)), f"a file that ends in {', '.join(WRITERS)}"
        )
    check_blendshape_rig("write_blendshape_weights", rig)
    check = Arguments("write_blendshape_weights", K=rig.num_shapes)
    rows = check.numbers("weights", weights, "T+ K", dtype=np.float32)
    writer(file, rig, rows, check.number("fps", fps, above=0.0, most=1000.0))
    return live_link_notes(rig.shape_names) if writer is write_live_link else []


def _write_npz(path: Path, rig: BlendshapeRig, weights: NDArray[np.float32], fps: float) -> None:
    arrays = {"weights": weights, "names": np.array(rig.shape_names, np.str_), "fps": np.float64(fps)}
    atomic_npz(path, arrays, compressed=True)


WRITERS: dict[str, Writer] = {
    ".npz": _write_npz,
    ".csv": write_live_link,
    ".glb": write_glb,
    ".blend": write_blend,
    ".py": write_blender_script,
}
