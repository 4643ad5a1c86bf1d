"""Opening a blendshape rig, or weights for one, by what the path looks like."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rigwright._validate import bad_argument

if TYPE_CHECKING:
    from rigwright import BlendshapeRig

    Weights = tuple[NDArray[np.float32], float]

SHARED = ("load_gltf_rig", r"BlenderRig\.open", "GltfRig")  # whose errors the readers below pass on


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
    ValueError
        If the suffix is unknown, the file does not exist, or is not what its suffix says.
    SourceError
        If Blender fails, or a shape key's driver is no product of other shape keys.
    rigwright._extras.MissingExtra
        If the format needs a package that is not installed.
    """
    file = _existing(path, "load_blendshapes", RIGS)
    with naming(file, "load_blendshapes"):
        return RIGS[file.suffix.lower()](file, **options)


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
    ValueError
        If the suffix is unknown, the file does not exist or is malformed, or it names none of the rig's shapes.
    """
    file = _existing(path, "load_weights", CURVES)
    with naming(file, "load_weights"):
        return CURVES[file.suffix.lower()](file, rig, **options)


@contextmanager
def naming(file: Path, function: str) -> Iterator[None]:
    """Errors of a shared reader in the name of the function that the user called, with the file."""
    try:
        yield
    except ValueError as error:
        text = re.sub(rf"^({'|'.join(SHARED)}):", f"{function}:", str(error))
        raise ValueError(text if str(file) in text else f"{text} (in {file})") from error


def _existing(path: str | os.PathLike[str], function: str, readers: dict[str, Any]) -> Path:
    file = Path(path)
    if file.suffix.lower() not in readers:
        raise bad_argument(function, "path", repr(str(path)), f"a file that ends in {', '.join(readers)}")
    if not file.is_file():
        raise bad_argument(function, "path", f"{str(path)!r}, which is no file", "an existing file")
    return file


# Each format's module is imported when a file of its is opened: formats must not wait for each other's packages.


def _npz(path: Path) -> BlendshapeRig:
    from rigwright._formats.npz.blendshapes import load_npz_blendshapes

    return load_npz_blendshapes(path)


def _safetensors(path: Path) -> BlendshapeRig:
    from rigwright import BlendshapeRig, load

    rig = load(str(path))
    if not isinstance(rig, BlendshapeRig):
        raise bad_argument("load_blendshapes", "path", f"{path}: a {type(rig).__name__}", "a blendshape rig")
    return rig


def _gltf(path: Path, **options: Any) -> BlendshapeRig:
    from rigwright._formats.gltf.blendshapes import load_gltf_blendshapes

    return load_gltf_blendshapes(path, **options)


def _blend(path: Path, **options: Any) -> BlendshapeRig:
    from rigwright._formats.blender.blendshapes import load_blend_shapes

    return load_blend_shapes(path, **options)


def _npz_weights(path: Path, rig: BlendshapeRig) -> Weights:
    from rigwright._formats.npz.blendshapes import load_npz_weights

    return load_npz_weights(path, rig)


def _csv_weights(path: Path, rig: BlendshapeRig, **options: Any) -> Weights:
    from rigwright._formats.live_link.read import load_live_link

    return load_live_link(path, rig, **options)


def _gltf_weights(path: Path, rig: BlendshapeRig, **options: Any) -> Weights:
    from rigwright._formats.gltf.blendshapes import load_gltf_weights

    return load_gltf_weights(path, rig, **options)


def _blend_weights(path: Path, rig: BlendshapeRig, **options: Any) -> Weights:
    from rigwright._formats.blender.blendshapes import load_blend_weights

    return load_blend_weights(path, rig, **options)


RIGS: dict[str, Callable[..., BlendshapeRig]] = {
    ".glb": _gltf,
    ".gltf": _gltf,
    ".npz": _npz,
    ".safetensors": _safetensors,
    ".blend": _blend,
}
CURVES: dict[str, Callable[..., Weights]] = {
    ".npz": _npz_weights,
    ".csv": _csv_weights,
    ".glb": _gltf_weights,
    ".gltf": _gltf_weights,
    ".blend": _blend_weights,
}
