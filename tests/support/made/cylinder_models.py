"""Models of the cylinder rig that need no training: its own linear skinning, and the same as vertex sets."""

from __future__ import annotations

import numpy as np

import rigcast as rc
from rigcast import _core
from rigcast._hashing import padded_faces
from tests.support.characters.cylinder import CylinderRig
from tests.support.made.models import metadata


def shared_tensors(rig: CylinderRig) -> dict[str, np.ndarray]:
    width = 12 * rig.skeleton.num_joints + len(rig.dial_names)
    return {
        "skeleton.parents": rig.skeleton.parents,
        "skeleton.rest": rig.skeleton.rest,
        "rest_vertices": rig.rest_vertices,
        "faces": padded_faces(rig.faces),
        "control_ranges": np.tile(np.float32([-1, 1]), (width, 1)),
    }


def facts(rig: CylinderRig, kind: str, **more: object) -> str:
    character = {name: getattr(rig, name) for name in ("name", "licence", "origin", "meters_per_unit", "up_axis")}
    return metadata(kind, rig.skeleton, rig.dial_names, **(character | more))


def cylinder_skinning(rig: CylinderRig, influences: int, **more: object) -> rc.Deformer:
    """The rig's linear skinning by each vertex's strongest joints; the bulge is missing."""
    joints = np.argsort(-rig.weights, axis=1, kind="stable")[:, :influences]
    weights = np.take_along_axis(rig.weights, joints, axis=1)
    weights = weights / weights.sum(axis=1, keepdims=True)
    tensors = {"skin.joint": joints.astype(np.int32), "skin.weight": weights.astype(np.float32)}
    return _core.model_from_tensors(shared_tensors(rig) | tensors, facts(rig, "linear_blend", **more))


def cylinder_body(rig: CylinderRig, hard: bool = False, **more: object) -> rc.Deformer:
    """A body without networks: one set per joint, weighted as the skinning, or hard sets of the strongest joint."""
    weight = rig.weights if not hard else np.eye(rig.weights.shape[1])[rig.weights.argmax(axis=1)]
    members = [np.flatnonzero(column) for column in weight.T]
    tensors = {
        "sets.joint": np.arange(len(members), dtype=np.int32),
        "sets.offset": np.cumsum([0, *map(len, members)]).astype(np.int32),
        "sets.vertex": np.concatenate(members).astype(np.int32),
        "sets.weight": np.concatenate([weight[m, i] for i, m in enumerate(members)]).astype(np.float32),
        "inputs.offset": np.zeros(len(members) + 1, np.int32),
        "inputs.column": np.zeros(0, np.int32),
    }
    for i, m in enumerate(members):
        tensors[f"set.{i:03d}.basis"] = np.zeros((3 * len(m), 0), np.float32)
        tensors[f"set.{i:03d}.mean"] = np.zeros(3 * len(m), np.float32)
    return _core.model_from_tensors(shared_tensors(rig) | tensors, facts(rig, "body", **more))


def learned_looking_body(rig: CylinderRig, **more: object) -> rc.Deformer:
    """The same with a small random network per set that adds next to nothing: what a training leaves, without one."""
    rng = np.random.default_rng(0)
    plain = cylinder_body(rig)
    tensors = {name: np.array(values) for name, values in plain.tensors().items()}
    count = len(tensors["sets.joint"])
    tensors["inputs.offset"] = np.arange(0, 12 * count + 1, 12, dtype=np.int32)
    tensors["inputs.column"] = np.tile(np.arange(12, 24, dtype=np.int32), count)
    for i in range(count):
        shapes = {"layer1": (8, 12), "layer2": (8, 8), "layer3": (2, 8)}
        for layer, shape in shapes.items():
            tensors[f"set.{i:03d}.{layer}.weight"] = rng.standard_normal(shape).astype(np.float32)
            tensors[f"set.{i:03d}.{layer}.bias"] = np.zeros(shape[0], np.float32)
        rows = len(tensors[f"set.{i:03d}.mean"])
        tensors[f"set.{i:03d}.basis"] = 1e-3 * rng.standard_normal((rows, 2)).astype(np.float32)
    return _core.model_from_tensors(tensors, facts(rig, "body", **more))


def cylinder_file(path, bulge: float = 1.0) -> None:
    """The cylinder as an ``.npz`` rig: its skinning, and a bulge beside each joint that the bend about x drives.

    Without a bulge (0) it is skinning alone.
    """
    from rigcast._formats.npz.rig import save_npz_rig
    from rigcast._rigs.description import Facts, Joints, Morph, RigChannel, Skin
    from rigcast._rigs.skinned import SkinnedRig

    rig = CylinderRig()
    rest = rig.rest_vertices.astype(np.float64)
    joints = Joints(rig.skeleton.names, rig.skeleton.parents, rig.skeleton.rest)
    every = np.tile(np.arange(joints.rest.shape[0]), (len(rest), 1))
    channels, morphs = [], []
    for j in range(1, len(joints.rest)):
        near = np.exp(-(((rest[:, 1] - 10.0 * j) / 2.5) ** 2))
        outward = bulge * near[:, None] * rest * [0.5, 0.0, 0.5]
        morphs.append(Morph.dense(f"bulge{j}", outward, drivers=((len(channels), 1 / 60),), clamp=(0, 1)))
        channels += [RigChannel(f"{rig.joint_names[j]}.r{axis}", f"rotate_{axis}", j, -60, 60) for axis in "xz"]
    facts = Facts("hero", 0.01, "Y", "CC0-1.0", "an analytic test rig")
    skin = Skin(every, rig.weights)
    save_npz_rig(
        path,
        SkinnedRig(rest, rig.faces, joints, skin=skin, channels=channels, morphs=morphs if bulge else (), facts=facts),
    )
