"""Opening a blendshape rig, or weights for one, by what the path looks like."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rigwright._formats.readers import call, existing_file
from rigwright._validate import bad_argument

if TYPE_CHECKING:
    from rigwright import BlendshapeRig

    Weights = tuple[NDArray[np.float32], float]

SHARED = ("load_npz_rig", "load_gltf_rig", r"BlenderRig\.open", "GltfRig")  # whose errors the readers below pass on


def load_blendshapes(path: str | os.PathLike[str], **options: Any) -> BlendshapeRig:
    """Open a blendshape rig: ``.glb``, ``.gltf``, ``.npz``, ``.safetensors`` or ``.blend``.

    Parameters
    ----------
    path : path
    **options
        Of the format's own function: :func:`rigwright._formats.gltf.blendshapes.load_gltf_blendshapes` (``mesh``),
        :func:`rigwright._formats.blender.blendshapes.load_blend_shapes` (``mesh``, ``drop``, ``blender``);
        :func:`rigwright._formats.npz.blendshapes.load_npz_blendshapes` documents its format.

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    ValueError
        If the suffix is unknown, or the file is not what its suffix says.
    TypeError
        If the format has no such option.
    SourceError
        If Blender fails, or a shape key's driver is no product of other shape keys.
    rigwright._extras.MissingExtra
        If the format needs a package that is not installed.
    """
    file = existing_file(path, "load_blendshapes", tuple(RIGS))
    with naming(file, "load_blendshapes"):
        place = RIGS[file.suffix.lower()]
        rig: BlendshapeRig = call("load_blendshapes", place, file, **options) if place else _safetensors(file, options)
    return rig


def load_weights(path: str | os.PathLike[str], rig: BlendshapeRig, **options: Any) -> Weights:
    """Read an animation of a rig's weights: ``.npz``, ``.csv`` (Live Link Face), ``.glb``, ``.gltf`` or ``.blend``.

    Weights are matched with the rig's shapes by name; shapes that the file does not name stay at 0. Values are as the
    file has them: they may lie outside the rig's bounds.

    Parameters
    ----------
    path : path
    rig : BlendshapeRig
    **options
        Of the format's own function: ``clip`` and ``fps`` for glTF, ``fps`` for CSV, ``action``, ``mesh`` and
        ``blender`` for Blender.

    Returns
    -------
    weights : (T, K) float32 array
    fps : float
        Frames a second.

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    ValueError
        If the suffix is unknown, the file is malformed, or it names none of the rig's shapes.
    TypeError
        If the format has no such option.
    """
    file = existing_file(path, "load_weights", tuple(CURVES))
    with naming(file, "load_weights"):
        weights: Weights = call("load_weights", CURVES[file.suffix.lower()], file, rig, **options)
    return weights


@contextmanager
def naming(file: Path, function: str) -> Iterator[None]:
    """Errors of a shared reader in the name of the function that the user called, with the file."""
    try:
        yield
    except ValueError as error:
        text = re.sub(rf"^({'|'.join(SHARED)}):", f"{function}:", str(error))
        raise ValueError(text if str(file) in text else f"{text} (in {file})") from error


def _safetensors(path: Path, options: dict[str, Any]) -> BlendshapeRig:
    from rigwright import BlendshapeRig, load

    for name in options:
        got = f"load_blendshapes() got an unexpected keyword argument {name!r}"
        raise TypeError(f"{got}; for .safetensors files it takes none")
    rig = load(path)
    if not isinstance(rig, BlendshapeRig):
        raise bad_argument("load_blendshapes", "path", f"{path}: a {type(rig).__name__}", "a blendshape rig")
    return rig


RIGS = {
    ".glb": "gltf.blendshapes:load_gltf_blendshapes",
    ".gltf": "gltf.blendshapes:load_gltf_blendshapes",
    ".npz": "npz.blendshapes:load_npz_blendshapes",
    ".safetensors": "",
    ".blend": "blender.blendshapes:load_blend_shapes",
}
CURVES = {
    ".npz": "npz.blendshapes:load_npz_weights",
    ".csv": "live_link.read:load_live_link",
    ".glb": "gltf.blendshapes:load_gltf_weights",
    ".gltf": "gltf.blendshapes:load_gltf_weights",
    ".blend": "blender.blendshapes:load_blend_weights",
}
