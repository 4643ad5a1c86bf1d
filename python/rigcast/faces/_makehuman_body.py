"""MakeHuman's body with one of MPFB's skeletons: joints placed on the mesh, linear skinning."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._formats.mpfb.files import either
from rigcast._formats.mpfb.skeleton import Bone, bone_matrix, read_bones, read_weights, vertex_groups
from rigcast._rigs.description import ROTATIONS, TRANSLATIONS, Facts, Joints, RigChannel, Skin
from rigcast._rigs.rotations import compose, invert
from rigcast._rigs.skinned import SkinnedRig
from rigcast._validate import as_array, bad_argument
from rigcast.faces._makehuman import BODY_VERTICES, NUM_VERTICES, base_mesh, makehuman_folder

FUNCTION = "faces.makehuman_body"
TO_BLENDER = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # from the files' axes: y up to z up
ROOT_REACH = 100.0  # decimeters that the root may be moved


def makehuman_body(
    folder: str | os.PathLike[str], rig: str = "cmu_mb", *, vertices: ArrayLike | None = None
) -> SkinnedRig:
    """MakeHuman's body as a rig to sample and to play motion on.

    Parameters
    ----------
    folder : path-like
        As for :func:`rigcast.faces.makehuman`: skeletons are ``rigs/standard/rig.NAME.json`` and
        ``weights.NAME.json``.
    rig : str
        NAME: ``"cmu_mb"`` (31 joints, named as those of CMU's motion files), ``"mixamo"``, ``"game_engine"``,
        ``"default"`` (163 joints), or any other that the folder has.
    vertices : array_like, shape (19158, 3), optional
        The whole base mesh in another shape: ``makehuman_macro_targets(folder, whole=True).evaluate(dials)``.
        Joints go where their vertices are.

    Returns
    -------
    SkinnedRig
        V 13,380; each joint turns about the axes that Blender gives its bone, the root also moves. Units are
        decimeters, y is up. Weights are divided by their sum, as Blender does.

    Raises
    ------
    FileNotFoundError
        If a file is missing; the message lists the rigs that there are.
    ValueError
        If a file is malformed, or ``vertices`` are not those of the base mesh.
    """
    path = makehuman_folder(folder, FUNCTION)
    home = path / "rigs/standard" if (path / "rigs/standard").is_dir() else path
    _check_name(home, rig)
    whole = base_mesh(path, True, FUNCTION)[0] if vertices is None else _vertices(vertices)
    _, faces = base_mesh(path, False, FUNCTION)
    metadata = path / "mesh_metadata" if (path / "mesh_metadata").is_dir() else path
    groups = vertex_groups(either(metadata / "basemesh_vertex_groups.json"), FUNCTION)
    bones = read_bones(either(home / f"rig.{rig}.json"), whole.astype(np.float64), groups, FUNCTION)
    joints = _joints(bones)
    skin = _skin(either(home / f"weights.{rig}.json"), joints.names)
    facts = Facts(
        f"MakeHuman hm08, rig {rig}", 0.1, "Y", "CC0", "MakeHuman / MPFB2 (makehumancommunity), base mesh hm08"
    )
    return SkinnedRig(whole[:BODY_VERTICES], faces, joints, skin=skin, channels=_channels(joints), facts=facts)


def _check_name(home: Path, rig: str) -> None:
    known = sorted({path.name.removesuffix(".gz")[4:-5] for path in home.glob("rig.*.json*")})
    if rig not in known:
        raise FileNotFoundError(f"{FUNCTION}: rig is {rig!r}, which {home} does not have; it has {', '.join(known)}")


def _vertices(vertices: ArrayLike) -> NDArray[np.float64]:
    must = f"finite numbers ({NUM_VERTICES}, 3)"
    array = as_array(FUNCTION, "vertices", vertices, must)
    if array.dtype.kind not in "fiu" or array.shape != (NUM_VERTICES, 3) or not np.isfinite(array).all():
        raise bad_argument(FUNCTION, "vertices", f"{array.dtype} {array.shape}", must)
    return array.astype(np.float64)


def _joints(bones: list[Bone]) -> Joints:
    place = {bone.name: index for index, bone in enumerate(bones)}
    parents = np.array([-1 if bone.parent is None else place[bone.parent] for bone in bones], np.int32)
    turned = [bone_matrix(TO_BLENDER @ bone.head, TO_BLENDER @ bone.tail, bone.roll)[:3] for bone in bones]
    world = np.array([TO_BLENDER.T @ matrix for matrix in turned])
    rest = world.copy()
    child = np.flatnonzero(parents >= 0)
    rest[child] = compose(invert(world[parents[child]]), world[child])
    return Joints([bone.name for bone in bones], parents, rest)


def _skin(path: Path, names: list[str]) -> Skin:
    dense = np.zeros((BODY_VERTICES, len(names)))
    for name, (index, weight) in read_weights(path, BODY_VERTICES, FUNCTION).items():
        if name not in names:
            raise bad_argument(FUNCTION, "folder", f"with weights of {name!r} in {path}", "weights of the rig's bones")
        np.add.at(dense[:, names.index(name)], index, weight)
    total = dense.sum(axis=1, keepdims=True)
    if not total.all():
        got = f"with no weight for vertex {int(np.argmin(total))} in {path}"
        raise bad_argument(FUNCTION, "folder", got, "weights for every vertex of the body")
    count = int((dense > 0).sum(axis=1).max())
    joint = np.argsort(-dense, axis=1, kind="stable")[:, :count].astype(np.int32)
    return Skin(joint, np.take_along_axis(dense, joint.astype(np.int64), axis=1) / total)


def _channels(joints: Joints) -> list[RigChannel]:
    found: list[RigChannel] = []
    for index, (name, parent) in enumerate(zip(joints.names, joints.parents, strict=True)):
        if parent < 0:
            moves = [RigChannel(f"{name}.location_{k[-1]}", k, index, -ROOT_REACH, ROOT_REACH) for k in TRANSLATIONS]
            found += moves
        found += [RigChannel(f"{name}.rotation_{k[-1]}", k, index, -180.0, 180.0) for k in ROTATIONS]
    return found
