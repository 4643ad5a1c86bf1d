"""Open a rig by the suffix of its file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from rigcast._formats.readers import call, existing_file
from rigcast._formats.registry import RIG, readers
from rigcast._rigs.rig import Rig
from rigcast._rigs.skinned import SkinnedRig
from rigcast._rigs.source_notes import opened
from rigcast._validate import bad_argument
from rigcast.sources._blendshapes import naming


def load(
    path: str | os.PathLike[str],
    *,
    mesh: str | Sequence[str] | None = None,
    ranges: float | str | None = None,
    armature: str | None = None,
    limits: str | os.PathLike[str] | Mapping[str, tuple[float, float]] | None = None,
    blender: str | None = None,
    timeout: float | None = None,
    run_scripts: bool = False,
    hold: str | Sequence[str] | None = None,
    free: str | Sequence[str] | None = None,
) -> Rig:
    """Open a rig: ``.npz``, ``.safetensors``, ``.glb``, ``.gltf``, ``.vrm``, ``.blend`` or ``.fbx``.

    A blendshape rig that this package wrote, whatever its format, is a rig of dials: its correctives stay correctives.
    A ``.vrm`` is glTF. Blender reads an ``.fbx``, without the constraints of the file; ``notes`` says so. A glTF or FBX
    file of clips without a mesh opens as their skeleton, whose ``motion()`` can be retargeted.

    Parameters
    ----------
    path : path-like
    mesh : str or sequence of str, optional
        glTF and Blender: the meshes to take. Default: all meshes of one skin, or that one armature moves: a body, its
        clothes, eyes and teeth are one character, whose ``surface`` names them as parts.
    ranges : float, "actions" or "people", optional
        Degrees by which joints without limits turn either way. glTF: default what the file's clips use, and only joints
        that they move have channels; 30 for files without clips. Blender: also what the file's actions use, or joint
        limits of people; default, if the file limits no bone: for a control rig (Rigify, mGear, Auto-Rig Pro) its
        actions, else people; 30 for others.
    armature : str, optional
        Blender: the armature, where the file holds several.
    limits : path-like or mapping, optional
        Blender: (lowest, highest) by channel name in place of the file's limits, or a JSON file of them. Default:
        ``NAME.limits.json`` beside ``NAME.blend``, if it is there.
    blender : str, optional
        Blender: the program that evaluates the file (3.4 or later). Default: the ``bpy`` wheel of this Python, else
        ``blender`` on the PATH.
    timeout : float, optional
        Blender: seconds that opening the file, or one pose, may take. Default: 120.
    run_scripts : bool
        Blender: whether Python that is stored in the file may run. Only for files that you trust.
    hold, free : str or sequence of str, optional
        Blender: channels that stay as saved, and settings of a control rig that are channels after all: names, or
        patterns such as ``"*.rubber_tweak"``.

    Returns
    -------
    Rig
        A :class:`SkinnedRig` (glTF adds its clips), or a rig that Blender evaluates: close it when done, or use it in
        a ``with`` block.

    Raises
    ------
    FileNotFoundError
        If the file does not exist.
    ValueError
        If the suffix is unknown, the file is not what its suffix says, or an argument is not for such files.
    SourceError
        If Blender fails, or the rig cannot be learned from (its topology changes with the pose).
    rigcast._extras.MissingExtra
        If the format needs a package that is not installed.

    Examples
    --------
    >>> rc.sources.save_npz_rig("arm.npz", rc.sources.example_body())
    >>> rc.sources.load("arm.npz")
    <SkinnedRig 'example arm': 3 joints, 6 channels, 3 morphs, 1,122 vertices>
    """
    file = existing_file(path, "load", tuple(readers(RIG)))
    options = {"mesh": mesh, "ranges": ranges, "armature": armature, "limits": limits, "blender": blender}
    options |= {"hold": hold, "free": free}
    with naming(file, "load"):
        kind = file.suffix.lower()
        rig: Rig = call("load", RIG, kind, file, **options, timeout=timeout, run_scripts=run_scripts)
        _check_reach(rig)
    return opened(file, rig)


def _check_reach(rig: Rig) -> None:
    """Refuse a rig that no sampler could pose: its vertices overflow at the ends of its ranges."""
    if not isinstance(rig, SkinnedRig):
        return
    try:
        rig.sample(rig.channel_ranges.T)
    except ValueError as error:
        got = "a rig whose vertices overflow at an end of its channels' ranges"
        raise bad_argument("load", "path", got, "one of smaller numbers") from error
