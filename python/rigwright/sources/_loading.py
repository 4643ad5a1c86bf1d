"""Open a rig by the suffix of its file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rigwright._rigs.rig import Rig
from rigwright._validate import bad_argument


def load(path: str | os.PathLike[str], **options: Any) -> Rig:
    """Open a rig: ``.npz``, ``.glb``, ``.gltf`` or ``.blend``.

    Parameters
    ----------
    path : path
    **options
        Passed to the format's own function: :func:`rigwright._formats.gltf.load_gltf_rig` (``mesh``, ``ranges``),
        :meth:`rigwright._formats.blender.BlenderRig.open` (``mesh``, ``armature``, ``limits``, ``blender``);
        :func:`rigwright._formats.npz.rig.load_npz_rig` has none.

    Raises
    ------
    ValueError
        If the suffix is unknown, the file does not exist, or is not what its suffix says.
    rigwright._extras.MissingExtra
        If the format needs a package that is not installed.
    """
    file = Path(path)
    opener = OPENERS.get(file.suffix.lower())
    if opener is None:
        raise bad_argument("load", "path", repr(str(path)), f"a file that ends in {', '.join(OPENERS)}")
    if not file.is_file():
        raise bad_argument("load", "path", f"{str(path)!r}, which is no file", "an existing file")
    return opener(file, **options)


# Each format's module is imported when a file of its is opened: formats must not wait for each other's packages.


def _npz(path: Path, **options: Any) -> Rig:
    from rigwright._formats.npz.rig import load_npz_rig

    return load_npz_rig(path, **options)


def _gltf(path: Path, **options: Any) -> Rig:
    from rigwright._formats.gltf import load_gltf_rig

    return load_gltf_rig(path, **options)


def _blend(path: Path, **options: Any) -> Rig:
    from rigwright._formats.blender import BlenderRig

    rig: Rig = BlenderRig.open(path, **options)
    return rig


OPENERS: dict[str, Callable[..., Rig]] = {".npz": _npz, ".glb": _gltf, ".gltf": _gltf, ".blend": _blend}
