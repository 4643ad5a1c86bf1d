"""Joints and skin weights that an engine takes, fitted to frames of a model: its own joints, or free rigid bones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._regression.skin_weights import SAME_MOTION, gathered
from rigcast._regression.skinning_decomposition import skinning_decomposition
from rigcast._rigs.description import Joints, Skin
from rigcast._rigs.motions.skinned_motion import Keys
from rigcast._rigs.rotations import Float64, compose, transform_of
from rigcast._rigs.skinned import SkinnedRig
from rigcast._rigs.surface import surface_of
from rigcast.exports._residual_shapes import PosedFrames
from rigcast.exports._skinned import FRAMES_AT_ONCE, facts_of, linear_rig, skin_of

PER_VERTEX = 4  # joints: what engines take
BETTER = 0.95  # of the root mean square distance by a vertex's own weights: refitted ones must be below
Float32 = NDArray[np.float32]


@dataclass(frozen=True)
class EngineBones:
    """A rig without shapes, and its joints in any frames.

    Attributes
    ----------
    rig : SkinnedRig
    local : function of poses (t, C) and vertices (t, V, 3)
        Parent-relative transforms (t, J, 3, 4), as the keys of a file hold them.
    about : str
        The kind of the joints.
    notes : tuple of str
    """

    rig: SkinnedRig
    local: Callable[[Float32, Float32], Float64]
    about: str
    notes: tuple[str, ...] = ()


def own_joints(model: _core.Deformer, poses: Float32, vertices: Float32, threads: int) -> EngineBones:
    """The model's joints, with weights fitted to frames: poses (F, C) and vertices (F, V, 3).

    A vertex keeps the weights that the model has for it, its four largest, unless others miss less by a twentieth, and
    by more than rounding: the frames cannot tell joints apart that move alike in them, and other motion does.
    """
    skeleton = model.skeleton
    columns = 12 * skeleton.num_joints

    def local(some: Float32, _: Float32) -> Float64:
        given = some[:, :columns].astype(np.float64).reshape(len(some), -1, 3, 4)
        return Keys.of(given).local()

    rows = np.array(poses)
    rows[:, :columns] = local(poses, vertices).reshape(len(poses), -1)
    batches = ((rows[some], vertices[some]) for some in _steps(len(rows)))
    fit = gathered(skeleton, model.rest_vertices, rows, batches, threads)
    joint, weight, squares = fit.solve(PER_VERTEX, threads)
    rig, kept, own = _rig(model, Skin(joint, weight.astype(np.float64))), 0, skin_of(model)
    if own is not None:
        own = _four(own)
        by_own = _squares(_rig(model, own), local(poses, vertices), vertices)
        least = SAME_MOTION * float(np.linalg.norm(np.ptp(model.rest_vertices, axis=0)))
        keeps = np.sqrt(squares / len(rows)) >= BETTER * np.sqrt(by_own / len(rows)) - least
        kept = int(keeps.sum())
        rig = _rig(model, _mixed(keeps, own, Skin(joint, weight.astype(np.float64))))
    skin = rig.own_skin
    assert skin is not None
    idle = skeleton.num_joints - len(np.unique(skin.joint[skin.weight > 0]))
    notes = [f"{kept:,} of {len(squares):,} vertices keep the model's own weights"] * (own is not None)
    notes += [f"{idle} of {skeleton.num_joints} joints move no vertex"] * (idle > 0)
    return EngineBones(rig, local, f"{skeleton.num_joints} joints of the character", tuple(notes))


def rigid_bones(model: _core.Deformer, vertices: Float32, count: int, threads: int) -> EngineBones:
    """Free rigid bones (SSDR; Le and Deng 2012) of frames (F, V, 3): roots all of them, each about its vertices."""
    found = skinning_decomposition(
        model.rest_vertices, vertices, count, influences=min(PER_VERTEX, count), threads=threads
    )
    share = np.zeros((len(model.rest_vertices), count))
    np.add.at(share, (np.arange(len(share))[:, None], found.bone), found.weight)
    total = np.maximum(share.sum(axis=0), 1e-12)[:, None]
    rest = transform_of(np.tile(np.eye(3), (count, 1, 1)), share.T @ model.rest_vertices.astype(np.float64) / total)

    def local(_: Float32, some: Float32) -> Float64:
        same = some is vertices
        motions = found.motions if same else found.bones_of(some).motions
        return Keys.of(compose(motions, rest)).local()

    joints = Joints([f"bone {number + 1}" for number in range(count)], np.full(count, -1, np.int32), rest)
    rig = _rig(model, Skin(found.bone, found.weight), joints)
    return EngineBones(rig, local, f"{count} free rigid bones")


def _rig(model: _core.Deformer, skin: Skin, joints: Joints | None = None) -> SkinnedRig:
    facts, surface = facts_of(model), surface_of(model)
    if joints is None:
        return linear_rig(model.skeleton, model.rest_vertices, model.faces, skin, facts, surface)
    return SkinnedRig(model.rest_vertices, model.faces, joints, skin=skin, facts=facts, surface=surface)


def _four(skin: Skin) -> Skin:
    """The four largest weights of each vertex, with the sum 1."""
    narrow = skin.narrowed()
    joint, weight = narrow.joint[:, :PER_VERTEX], narrow.weight[:, :PER_VERTEX]
    return Skin(joint, weight / weight.sum(axis=1, keepdims=True))


def _mixed(first: NDArray[np.bool_], one: Skin, other: Skin) -> Skin:
    """The rows of one skin where ``first``, else those of the other."""
    width = max(one.joint.shape[1], other.joint.shape[1])
    padded = [np.pad(part, ((0, 0), (0, width - part.shape[1]))) for part in (one.joint, other.joint)]
    joint = np.where(first[:, None], *padded)
    padded = [np.pad(part, ((0, 0), (0, width - part.shape[1]))) for part in (one.weight, other.weight)]
    return Skin(joint, np.where(first[:, None], *padded))


def _squares(rig: SkinnedRig, local: Float64, vertices: Float32) -> Float64:
    """Sums (V,) over frames of squared distances."""
    total = np.zeros(len(rig.rest_vertices))
    nothing = np.zeros((0, *rig.rest_vertices.shape), np.float32)
    for some in _steps(len(local)):
        shown = PosedFrames.of(rig, local[some], vertices[some]).played(nothing, np.zeros((len(local[some]), 0)))
        total += np.square(shown - vertices[some], dtype=np.float64).sum(axis=(0, 2))
    return total


def _steps(count: int) -> Iterator[slice]:
    return (slice(start, start + FRAMES_AT_ONCE) for start in range(0, count, FRAMES_AT_ONCE))
