"""Open a rig by the suffix of its file."""

from __future__ import annotations

import os
from typing import Any

from rigwright._formats.readers import call, existing_file
from rigwright._rigs.rig import Rig
from rigwright.sources._blendshapes import naming


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
    FileNotFoundError
        If the file does not exist.
    ValueError
        If the suffix is unknown, or the file is not what its suffix says.
    TypeError
        If the format has no such option.
    rigwright._extras.MissingExtra
        If the format needs a package that is not installed.
    """
    file = existing_file(path, "load", tuple(OPENERS))
    with naming(file, "load"):
        rig: Rig = call("load", OPENERS[file.suffix.lower()], file, **options)
    return rig


OPENERS = {
    ".npz": "npz.rig:load_npz_rig",
    ".glb": "gltf:load_gltf_rig",
    ".gltf": "gltf:load_gltf_rig",
    ".blend": "blender:BlenderRig.open",
}
