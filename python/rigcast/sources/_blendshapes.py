"""Opening a blendshape rig, or weights for one, by what the path looks like."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rigcast._formats.readers import call, existing_file
from rigcast._formats.registry import FACE, WEIGHTS, readers
from rigcast._rigs.source_notes import opened
from rigcast._safe_reading import with_file
from rigcast.errors import ArgumentError

if TYPE_CHECKING:
    from rigcast._core import BlendshapeRig

    Weights = tuple[NDArray[np.float32], float]

SHARED = (
    "load_bvh",
    "load_npz_rig",
    "load_gltf_rig",
    "BlenderRig.open",
    "GltfRig",
    "Shot",
)  # whose errors the readers below pass on


def load_blendshapes(
    path: str | os.PathLike[str],
    *,
    mesh: str | None = None,
    drop_unreadable: bool = False,
    run_scripts: bool = False,
    blender: str | None = None,
    timeout: float | None = None,
) -> BlendshapeRig:
    """Open a blendshape rig: ``.glb``, ``.gltf``, ``.vrm``, ``.npz``, ``.safetensors``, ``.blend`` or ``.fbx``.

    Parameters
    ----------
    path : path-like
    mesh : str, optional
        glTF and Blender: the mesh, where the file holds several. glTF merges all that have morph targets if none is
        named.
    drop_unreadable : bool
        Blender: leave out shape keys whose driver is no product of other shape keys, instead of refusing the file;
        ``metadata["dropped"]`` names them.
    run_scripts : bool
        Blender: run Python that is stored in the file, as drivers; for files that you trust. What was not run is named
        in ``metadata["notes"]``.
    blender : str, optional
        Blender: the program that reads the file. Default: the ``bpy`` wheel of this Python, else ``blender`` on the
        PATH.
    timeout : float, optional
        Blender: seconds that opening the file may take. Default: 120.

    Returns
    -------
    BlendshapeRig

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    ValueError
        If the suffix is unknown, the file is not what its suffix says, or an argument is not for such files.
    SourceError
        If Blender fails, or a shape key's driver is no product of other shape keys.
    rigcast._extras.MissingExtra
        If the format needs a package that is not installed.

    Examples
    --------
    >>> rc.exports.write_rig("face.glb", rc.faces.example())
    >>> rc.sources.load_blendshapes("face.glb").shape_names[:2]
    ['jawOpen', 'jawLeft']
    """
    file = existing_file(path, "load_blendshapes", tuple(readers(FACE)))
    options: dict[str, object] = {"mesh": mesh, "drop_unreadable": drop_unreadable, "run_scripts": run_scripts}
    options |= {"blender": blender, "timeout": timeout}
    with naming(file, "load_blendshapes"):
        rig: BlendshapeRig = call("load_blendshapes", FACE, file.suffix.lower(), file, **options)
    return opened(file, rig)


def load_blendshape_weights(
    path: str | os.PathLike[str],
    rig: BlendshapeRig,
    *,
    clip: str | None = None,
    action: str | None = None,
    fps: float | None = None,
    mesh: str | None = None,
    run_scripts: bool = False,
    blender: str | None = None,
    timeout: float | None = None,
) -> Weights:
    """Read weights of blendshapes over time.

    Files are ``.npz``, ``.csv`` (Live Link Face), ``.glb``, ``.gltf``, ``.vrm``, ``.blend``, ``.fbx`` or USD (UsdSkel
    blend shapes).

    Weights are matched with the rig's shapes by name as people spell them (``eyeBlink_L``, ``EyeBlinkLeft``,
    ``BS_node.eyeBlinkLeft``); a name that fits two is refused. Shapes that the file does not name stay at 0, and names
    that belong to no shape are reported (:class:`rigcast.errors.InputWarning`). Values are as the
    file has them: they may lie outside the rig's bounds.

    Parameters
    ----------
    path : path-like
    rig : BlendshapeRig
    clip : str, optional
        glTF and USD: the animation, where several move morph targets.
    action : str, optional
        Blender: the shape-key action. Default: the one in use.
    fps : float, optional
        glTF: frames per second to sample at; default: the rate of evenly spaced keys, else 30. CSV: the rate of the
        rows; default: that of their timecodes.
    mesh : str, optional
        Blender: the mesh, where several have shape keys.
    run_scripts : bool
        Blender: run Python that is stored in the file, as drivers; for files that you trust. What was not run is
        reported (:class:`rigcast.errors.InputWarning`).
    blender : str, optional
        Blender: the program that reads the file. Default: the ``bpy`` wheel of this Python, else ``blender`` on the
        PATH.
    timeout : float, optional
        Blender: seconds that opening the file may take. Default: 120.

    Returns
    -------
    weights : (T, K) float32 array
    fps : float
        Frames per second.

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    ValueError
        If the suffix is unknown, the file is malformed or names none of the rig's shapes, or an argument is not for
        such files.
    SourceError
        If Blender fails.
    """
    file = existing_file(path, "load_blendshape_weights", tuple(readers(WEIGHTS)))
    options: dict[str, object] = {"clip": clip, "action": action, "fps": fps, "mesh": mesh, "run_scripts": run_scripts}
    options |= {"blender": blender, "timeout": timeout}
    with naming(file, "load_blendshape_weights"):
        weights: Weights = call("load_blendshape_weights", WEIGHTS, file.suffix.lower(), file, rig, **options)
    return weights


@contextmanager
def naming(file: Path, function: str) -> Iterator[None]:
    """Errors of a shared reader in the name of the function that the user called, with the file."""
    try:
        yield
    except ValueError as error:
        shared = isinstance(error, ArgumentError) and error.function in SHARED
        raise with_file(error, file, function if shared else "") from error
