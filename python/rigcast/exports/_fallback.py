"""The character that programs without this package show in place of a model, and how far it is from the model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._blendshapes import Tent
from rigcast._core import BlendshapeRig
from rigcast._formats.usd.skinned_meshes import Inbetween, Inbetweens
from rigcast._rigs.description import Joints, Morph, Skin
from rigcast._rigs.motions.skinned_motion import SkinnedMotion
from rigcast._rigs.skinned import SkinnedRig
from rigcast._rigs.surface import surface_of
from rigcast.exports._miss import MissSum
from rigcast.exports._skinned import FRAMES_AT_ONCE, facts_of, skin_of

MOST_DIALS = 512  # shapes that a model's dials may make
ROOT = "root"  # the joint of a character that has none


@dataclass(frozen=True)
class Fallback:
    """Linear skinning and blend shapes in place of a model.

    Attributes
    ----------
    rig : SkinnedRig
        At rest, with a skeleton and morphs.
    inbetweens : mapping
        Of its morphs, by name.
    correctives : dict of str to str
        Morphs that rest unless another program multiplies weights itself: name, and the product.
    drivers : dict of str to str
        What the weight of each other morph is, in terms of the model's controls.
    words : str
        What it is.
    moves : bool
        False if nothing of it does.
    """

    rig: SkinnedRig
    inbetweens: Inbetweens
    correctives: dict[str, str]
    drivers: dict[str, str]
    words: str
    moves: bool = True

    def at_rest(self) -> SkinnedMotion:
        """No frames of it."""
        joints = 0 if self.rig.joints is None else len(self.rig.joints.names)
        return SkinnedMotion(self.rig, np.zeros((0, joints, 3, 4)), np.zeros((0, len(self.rig.morphs))), 1.0)

    def played(self, model: _core.Deformer, poses: NDArray[np.float32], fps: float) -> SkinnedMotion:
        """Joints and weights of blend shapes at poses (T, C) of the model, those of correctives among them."""
        assert self.rig.joints is not None
        local = np.tile(self.rig.joints.rest, (len(poses), 1, 1, 1))
        if model.skeleton is not None:
            local = poses[:, : 12 * model.skeleton.num_joints].astype(np.float64).reshape(local.shape)
        shapes = [morph.name for morph in self.rig.morphs]
        if isinstance(model, BlendshapeRig):
            columns, names = model.activations(poses).astype(np.float64), list(model.column_names)
        else:
            columns, names = poses.astype(np.float64) - rest_pose(model), list(model.control_names)
        return SkinnedMotion(self.rig, local, columns[:, [names.index(name) for name in shapes]], fps)

    def miss(self, model: _core.Deformer, poses: NDArray[np.float32]) -> MissSum:
        """Distances of its vertices from the model's, in the model's unit, with its correctives at 0."""
        found, names = MissSum(), [] if not isinstance(model, BlendshapeRig) else list(model.column_names)
        for start in range(0, len(poses), FRAMES_AT_ONCE):
            rows = poses[start : start + FRAMES_AT_ONCE]
            if not isinstance(model, BlendshapeRig):
                found.add(model.evaluate(rows), self.played(model, rows, 1.0).shown(slice(None)))
                continue
            activations = model.activations(rows)  # what keeps them exact, in-betweens too, but for the correctives
            for name in self.correctives:
                activations[:, names.index(name)] = 0.0
            shown = np.tensordot(activations, model.columns(), 1) + np.asarray(model.rest_vertices)
            found.add(model.evaluate(rows), shown)
        return found


def fallback_of(model: _core.Deformer) -> Fallback:
    """Linear skinning as the model states it, the shapes of a blendshape rig, a shape per dial of other models."""
    if isinstance(model, BlendshapeRig):
        return _of_blendshapes(model)
    skin = skin_of(model)
    morphs, drivers = _of_dials(model)
    words, has_joints = ["linear skinning"] if skin is not None else [], model.skeleton is not None
    if skin is None and (has_joints or not morphs):
        words = ["the mesh at rest, as the model states no linear skinning"]
    if morphs:
        shapes = "1 blend shape" if len(morphs) == 1 else f"{len(morphs)} blend shapes, one per dial"
        words.append(f"{shapes}, straight from rest to the far end of its range")
    moves = skin is not None or (not has_joints and bool(morphs))
    return Fallback(_rig(model, skin, morphs), {}, {}, drivers, "; ".join(words), moves)


def rest_pose(model: _core.Deformer) -> NDArray[np.float64]:
    """(C,): joints at rest, dials where their channels rest, other controls at the value nearest to 0."""
    ranges = np.asarray(model.control_ranges, np.float64)
    rest = np.asarray(np.clip(0.0, ranges[:, 0], ranges[:, 1]), np.float64)
    dials = {channel.name: channel.rest for channel in model.channels if channel.kind == "dial"}
    for column, name in enumerate(model.control_names):
        rest[column] = dials.get(name, rest[column])
    if model.skeleton is not None:
        rest[: 12 * model.skeleton.num_joints] = np.asarray(model.skeleton.rest, np.float64).reshape(-1)
    return rest


def _rig(model: _core.Deformer, skin: Skin | None, morphs: Sequence[Morph]) -> SkinnedRig:
    vertices = np.asarray(model.rest_vertices)
    still = Skin(np.zeros((len(vertices), 1), np.int32), np.ones((len(vertices), 1)))
    joints = Joints([ROOT], np.array([-1], np.int32), np.eye(3, 4)[None])
    if model.skeleton is not None:
        own = model.skeleton
        joints = Joints(list(own.names), np.asarray(own.parents), np.asarray(own.rest, np.float64))
    return SkinnedRig(
        vertices,
        model.faces,
        joints,
        skin=still if skin is None else skin,
        morphs=morphs,
        facts=facts_of(model),
        surface=surface_of(model),
    )


def _of_dials(model: _core.Deformer) -> tuple[list[Morph], dict[str, str]]:
    """A shape per dial: the secant between rest and the end of its range that is farther away, per unit of the dial."""
    first = 0 if model.skeleton is None else 12 * model.skeleton.num_joints
    rest, ranges = rest_pose(model), np.asarray(model.control_ranges, np.float64)
    names = list(model.control_names)
    dials = [column for column in range(first, len(rest)) if ranges[column, 0] < ranges[column, 1]]
    if not 0 < len(dials) <= MOST_DIALS:
        return [], {}
    poses = np.tile(rest, (len(dials) + 1, 1))
    for row, column in enumerate(dials, 1):
        low, high = ranges[column]
        poses[row, column] = high if high - rest[column] >= rest[column] - low else low
    still = np.asarray(model.evaluate(poses[:1])[0], np.float64)
    morphs, drivers = [], {}
    for row, column in enumerate(dials, 1):
        step = poses[row, column] - rest[column]
        delta = (model.evaluate(poses[row : row + 1])[0] - still) / step
        if np.abs(delta).max() > 0.0:
            morphs.append(Morph.dense(names[column], delta))
            drivers[names[column]] = names[column] + (f" - {rest[column]:g}" if rest[column] else "")
    return morphs, drivers


def _of_blendshapes(rig: BlendshapeRig) -> Fallback:
    columns, names = rig.columns(), list(rig.column_names)
    tents: dict[int, list[int]] = {}
    correctives: dict[str, str] = {}
    for number, factors in enumerate(rig.combinations):
        column = rig.num_shapes + number
        if len(factors) == 1 and isinstance(factors[0], Tent):
            tents.setdefault(factors[0].shape, []).append(number)
        else:
            correctives[names[column]] = product_words(names, factors)
    morphs: list[Morph] = []
    inbetweens: dict[str, list[Inbetween]] = {}
    within = {rig.num_shapes + number for numbers in tents.values() for number in numbers}
    for column, name in enumerate(names):
        if column in within:
            continue
        own = [columns[rig.num_shapes + number] for number in tents.get(column, [])]
        moved = np.flatnonzero(np.stack([columns[column], *own]).any(axis=(0, 2))).astype(np.int32)
        morphs.append(Morph(name, moved, columns[column][moved]))
        if own:
            drawn = [rig.combinations[number][0] for number in tents[column]]
            inbetweens[name] = _inbetweens(columns[column], own, drawn, rig.bounds[column], moved)
    words = f"blend shapes: {rig.num_shapes} shapes"
    if within:
        words += f", {len(within)} in-betweens"
    if correctives:
        words += f", {len(correctives)} correctives as shapes, as USD multiplies no weights"
    fallback = Fallback(_rig(rig, None, morphs), inbetweens, correctives, {}, words)
    drivers = {name: name for name in names[: rig.num_shapes]}
    return replace(fallback, drivers=drivers)


def _inbetweens(
    shape: NDArray[np.float32],
    deltas: list[NDArray[np.float32]],
    tents: list[Tent],
    bounds: NDArray[np.float32],
    moved: NDArray[np.int32],
) -> list[Inbetween]:
    """The offsets at all corners of the tents, and at the bounds, beyond which straight lines go on: exact between."""
    low, high = (float(value) for value in bounds)
    corners = {x for tent in tents for x in (tent.x1, tent.x2, tent.x3) if low < x < high} | {low, high}
    found = []
    for at in sorted(corners - {0.0, 1.0}):
        total = at * shape[moved].astype(np.float64)
        for delta, tent in zip(deltas, tents, strict=True):
            total += np.interp(at, [tent.x1, tent.x2, tent.x3], [0.0, 1.0, 0.0]) * delta[moved]
        found.append(Inbetween(at, total.astype(np.float32)))
    return found


def product_words(names: Sequence[str], factors: Sequence[int | Tent]) -> str:
    """``jawOpen * tent(smile, 0, 0.5, 1)``."""
    words = []
    for factor in factors:
        if isinstance(factor, Tent):
            words.append(f"tent({names[factor.shape]}, {factor.x1:g}, {factor.x2:g}, {factor.x3:g})")
        else:
            words.append(names[factor])
    return " * ".join(words)
