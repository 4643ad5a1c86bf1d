"""The ``.npz`` rig: a character with joints, linear skinning and driven shapes in one NumPy archive.

The file is what ``numpy.savez`` writes from these arrays; nothing in it is pickled. Letters are sizes; (optional)
arrays may be left out together with their group.

==================  ==========  ===========================================================================
array               shape       meaning
==================  ==========  ===========================================================================
format              ()          the text ``rigcast.rig``
version             ()          the integer 1
name                ()          text (optional)
licence             ()          text (optional)
origin              ()          text: where the data comes from (optional)
meters_per_unit     ()          number, default 1 (optional)
up_axis             ()          ``X``, ``Y`` or ``Z``, default ``Y`` (optional)
vertices            (V, 3)      rest pose, world space
faces               (F, W)      integers, W 3 or 4, -1 in the fourth column pads a triangle
joint_names         (J,)        text (this and the next four: optional group)
joint_parents       (J,)        integers, -1 for a root; parents before children
joint_rest          (J, 3, 4)   parent-relative transform at rest; a root's is its world transform
skin_joint          (V, K)      integers: the joints that move a vertex
skin_weight         (V, K)      not negative, each row of sum 1
channel_names       (N,)        text (this and the next four: optional group)
channel_kinds       (N,)        ``rotate_x|y|z`` (degrees), ``translate_x|y|z`` (units), or ``dial``
channel_joints      (N,)        integers, -1 for a dial
channel_ranges      (N, 2)      lowest and highest value
channel_rest        (N,)        value at rest (optional, default 0)
morph_names         (M,)        text (this and the next five: optional group)
morph_offsets       (M+1,)      morph m owns rows ``morph_offsets[m]`` to ``morph_offsets[m+1]`` of the next two
morph_vertices      (P,)        integers, ascending inside a morph
morph_deltas        (P, 3)      displacement in the rest pose, world axes
morph_constants     (M,)        see below
morph_clamps        (M, 2)      see below, may be infinite
driver_morphs       (D,)        integers (this and the next two: optional group)
driver_channels     (D,)        integers
driver_slopes       (D,)        per degree, unit or dial
factor_morphs       (E,)        integers: correctives (this and the next two: optional group)
factor_channels     (E,)        integers
factor_tents        (E, 3)      x1, x2, x3 of a tent over the channel; three zeros for the channel itself
part_names          (Q,)        text: the meshes that the character is made of (this and the next: optional group)
vertex_parts        (V,)        integers, -1 for no part
material_names      (A,)        text (this and the next: optional group)
face_materials      (F,)        integers, -1 for no material
uvs                 (U, 2)      texture coordinates, v up, in any tile (this and the next: optional group)
uv_faces            (F, W)      integers: the row of ``uvs`` at each corner, -1 as in ``faces``, or at all corners
==================  ==========  ===========================================================================

Evaluation (column vectors): a joint's parent-relative pose is its rest transform, then its translation channels along
its rest axes, then its rotation channels multiplied in the order of the file, leftmost first. The amount of morph m is
``clip(sum of slope * channel over its drivers + constant, clamp)``, times the channels, or tents over them, of its
factors; morphs are added in the rest pose, before the joints bend; then linear blend skinning. Dials are the numeric
controls of a pose row; rotations and translations enter it through the joints' transforms.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from rigcast._atomic_files import atomic_npz
from rigcast._formats.npz.archive import Member, read_arrays
from rigcast._formats.npz.morphs import DRIVERS, FACTORS, MORPHS, Arrays, morph_arrays, read_morphs, texts
from rigcast._rigs.description import Facts, Joints, RigChannel, Skin
from rigcast._rigs.skinned import SkinnedRig
from rigcast._rigs.surface import Surface
from rigcast._validate import bad_argument

FORMAT, VERSION = "rigcast.rig", 1

FACTS = {
    "name": Member("U", ()),
    "licence": Member("U", ()),
    "origin": Member("U", ()),
    "meters_per_unit": Member("fiu", ()),
    "up_axis": Member("U", ()),
}
JOINTS = {
    "joint_names": Member("U", ("J",)),
    "joint_parents": Member("iu", ("J",)),
    "joint_rest": Member("f", ("J", 3, 4)),
    "skin_joint": Member("iu", ("V", "K")),
    "skin_weight": Member("f", ("V", "K")),
}
CHANNELS = {
    "channel_names": Member("U", ("N",)),
    "channel_kinds": Member("U", ("N",)),
    "channel_joints": Member("iu", ("N",)),
    "channel_ranges": Member("fiu", ("N", 2)),
}
PARTS = {"part_names": Member("U", ("Q",)), "vertex_parts": Member("iu", ("V",))}
MATERIALS = {"material_names": Member("U", ("A",)), "face_materials": Member("iu", ("F",))}
UVS = {"uvs": Member("f", ("U", 2)), "uv_faces": Member("iu", ("F", "W"))}
SURFACE = {**PARTS, **MATERIALS, **UVS}
REQUIRED = {
    "format": Member("U", ()),
    "version": Member("iu", ()),
    "vertices": Member("f", ("V", 3)),
    "faces": Member("iu", ("F", "W")),
}
MEMBERS = {
    **REQUIRED,
    **FACTS,
    **JOINTS,
    **CHANNELS,
    "channel_rest": Member("fiu", ("N",)),
    **MORPHS,
    **DRIVERS,
    **FACTORS,
    **SURFACE,
}


def load_npz_rig(path: str | os.PathLike[str]) -> SkinnedRig:
    """Read a rig with joints, skinning and morphs from the ``.npz`` that :func:`save_npz_rig` writes.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    SkinnedRig

    Raises
    ------
    ValueError
        If the file is no such rig: garbage, truncated, pickled, or of sizes that do not fit together.
    """
    arrays = read_arrays(path, MEMBERS, "load_npz_rig")
    _check_groups(arrays)
    joints, skin = _joints(arrays)
    return SkinnedRig(
        arrays["vertices"],
        arrays["faces"],
        joints,
        skin=skin,
        channels=_channels(arrays),
        morphs=read_morphs(arrays),
        facts=_facts(arrays),
        surface=_surface(arrays),
    )


def save_npz_rig(path: str | os.PathLike[str], rig: SkinnedRig) -> None:
    """Write a rig with joints, skinning and morphs to an ``.npz`` file (arrays: see :doc:`/reference/file_formats`).

    The file appears complete or not at all; the same rig gives the same bytes.

    Parameters
    ----------
    path : path-like
    rig : SkinnedRig

    Examples
    --------
    >>> rc.sources.save_npz_rig("arm.npz", rc.sources.example_body())
    >>> rc.sources.load_npz_rig("arm.npz").channel_names[:2]
    ['shoulder.rz', 'shoulder.rx']
    """
    atomic_npz(path, _arrays_of(rig), compressed=True)


def _check_groups(arrays: Arrays) -> None:
    for group in (REQUIRED, JOINTS, CHANNELS, MORPHS, DRIVERS, FACTORS, PARTS, MATERIALS, UVS):
        missing = [name for name in group if name not in arrays]
        if missing and (group is REQUIRED or len(missing) < len(group)):
            got = f"an archive without {', '.join(missing)}"
            raise bad_argument("load_npz_rig", "path", got, f"a rig with {', '.join(group)}")
    if _text(arrays, "format") != FORMAT or int(arrays["version"]) != VERSION:
        got = f"{_text(arrays, 'format')!r} version {int(arrays['version'])}"
        raise bad_argument("load_npz_rig", "format", got, f"{FORMAT!r} version {VERSION}")


def _text(arrays: Arrays, name: str) -> str:
    return str(arrays[name].item()) if name in arrays else ""


def _facts(arrays: Arrays) -> Facts:
    return Facts(
        name=_text(arrays, "name"),
        meters_per_unit=float(arrays.get("meters_per_unit", 1.0)),
        up_axis=_text(arrays, "up_axis") or "Y",
        licence=_text(arrays, "licence"),
        origin=_text(arrays, "origin"),
    )


def _surface(arrays: Arrays) -> Surface:
    names = {"parts": "part_names", "materials": "material_names"}
    content: dict[str, Any] = {field: texts(arrays, name) for field, name in names.items() if name in arrays}
    content |= {name: arrays[name] for name in SURFACE if name in arrays and name not in names.values()}
    return Surface(**content)


def _joints(arrays: Arrays) -> tuple[Joints | None, Skin | None]:
    if "joint_names" not in arrays:
        return None, None
    joints = Joints(texts(arrays, "joint_names"), arrays["joint_parents"], arrays["joint_rest"])
    return joints, Skin(arrays["skin_joint"], arrays["skin_weight"])


def _channels(arrays: Arrays) -> list[RigChannel]:
    if "channel_names" not in arrays:
        if "channel_rest" in arrays:
            raise bad_argument(
                "load_npz_rig", "channel_rest", "given without channels", f"beside {', '.join(CHANNELS)}"
            )
        return []
    names, kinds = texts(arrays, "channel_names"), texts(arrays, "channel_kinds")
    joints, ranges = arrays["channel_joints"].tolist(), arrays["channel_ranges"].astype(np.float64).tolist()
    rest = arrays.get("channel_rest", np.zeros(len(names))).astype(np.float64).tolist()
    return [
        RigChannel(name, kind, joint, low, high, value)
        for name, kind, joint, (low, high), value in zip(names, kinds, joints, ranges, rest, strict=True)
    ]


def _arrays_of(rig: SkinnedRig) -> dict[str, Any]:
    facts = rig.facts
    arrays: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "name": facts.name,
        "licence": facts.licence,
        "origin": facts.origin,
        "meters_per_unit": float(facts.meters_per_unit),
        "up_axis": facts.up_axis,
        "vertices": rig.rest_vertices,
        "faces": rig.faces,
    }
    if rig.joints is not None and rig.skin is not None:
        arrays |= {"joint_names": rig.joints.names, "joint_parents": rig.joints.parents, "joint_rest": rig.joints.rest}
        arrays |= {"skin_joint": rig.skin.joint, "skin_weight": rig.skin.weight}
    if rig.channels:
        arrays |= {
            "channel_names": rig.channel_names,
            "channel_kinds": [channel.kind for channel in rig.channels],
            "channel_joints": np.array([channel.joint for channel in rig.channels], np.int32),
            "channel_ranges": rig.channel_ranges,
            "channel_rest": rig.channel_rest,
        }
    if rig.morphs:
        arrays |= morph_arrays(rig.morphs)
    for name, entries in rig.surface.names().items():
        arrays[f"{name.removesuffix('s')}_names"] = np.array(entries, np.str_)
    arrays |= rig.surface.arrays()
    return {name: np.asarray(value) for name, value in arrays.items()}
