"""Characters with joints and linear skinning, written with their motion, and what linear skinning misses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast._formats.gltf.write_skinned import write_glb_skinned
from rigcast._formats.registry import GLTF, USD, Format, by_ending
from rigcast._formats.usd.write_skinned import write_usd_skinned
from rigcast._rigs.description import Facts, Joints, Skin
from rigcast._rigs.motions.moving_mesh import MovingMesh
from rigcast._rigs.motions.skinned_motion import SkinnedMotion
from rigcast._rigs.skinned import SkinnedRig
from rigcast._rigs.surface import Surface, surface_of
from rigcast.exports._miss import MissSum
from rigcast.exports._playback import Playback

FRAMES_AT_ONCE = 64
OWN_BONES = ("regressed_skinning", "rotational_regression")  # whose weights are not of joints and all vertices
EXACT = 1e-5  # of the size: below, what is missed is rounding
Writer = Callable[[Path, SkinnedMotion, dict[str, Any] | None], list[str]]
FORMATS: dict[Format, Writer] = {GLTF: write_glb_skinned, USD: write_usd_skinned}
WRITERS = by_ending(FORMATS)


@dataclass(frozen=True)
class Shown:
    """The motion that a file with a skeleton shows, and its distances from the character's.

    Attributes
    ----------
    motion : SkinnedMotion
    worst, mean : float
        Distances of its vertices from the character's, in the character's unit.
    """

    motion: SkinnedMotion
    worst: float
    mean: float


def shown_of_model(playback: Playback, mesh: MovingMesh, facts: Facts) -> Shown | None:
    """The joints of a model over its poses; None if it has none, or no linear skinning.

    Parameters
    ----------
    playback : Playback
    mesh : MovingMesh
        Says faces, rate and surface.
    facts : Facts
        Of the character; its unit and axis are those of the model's vertices.
    """
    model = playback.model
    skin = skin_of(model)
    if model.skeleton is None or skin is None:
        return None
    rig = linear_rig(model.skeleton, model.rest_vertices, mesh.faces, skin, facts, mesh.surface)
    columns = 12 * model.skeleton.num_joints
    local = playback.poses[:, :columns].astype(np.float64).reshape(len(playback), -1, 3, 4)
    motion = SkinnedMotion(rig, local, np.zeros((len(local), 0)), mesh.fps)
    miss = MissSum()
    for start in range(0, len(local), FRAMES_AT_ONCE):
        frames = slice(start, start + FRAMES_AT_ONCE)
        miss.add(playback[frames], motion.shown(frames))
    return Shown(motion, miss.worst, miss.mean)


def shown_of_rig(rig: Any, channels: NDArray[np.float32], fps: float) -> Shown | None:
    """The joints of a rig over rows of its channels; None if it has none, or no skin weights of its own."""
    skeleton, skin = getattr(rig, "skeleton", None), getattr(rig, "own_skin", None)
    if skeleton is None or skin is None:
        return None
    plain = rig
    if not isinstance(rig, SkinnedRig):
        plain = linear_rig(skeleton, rig.rest_vertices, rig.faces, skin, facts_of(rig), surface_of(rig))
    miss, local, amounts = MissSum(), [], []
    for start in range(0, len(channels), FRAMES_AT_ONCE):
        rows = channels[start : start + FRAMES_AT_ONCE]
        poses, vertices = rig.sample(rows)
        local.append(poses[:, : 12 * skeleton.num_joints].astype(np.float64).reshape(len(rows), -1, 3, 4))
        amounts.append(rig.activations(rows) if isinstance(rig, SkinnedRig) else np.zeros((len(rows), 0)))
        miss.add(vertices, SkinnedMotion(plain, local[-1], amounts[-1], fps).shown(slice(None)))
    return Shown(SkinnedMotion(plain, np.concatenate(local), np.concatenate(amounts), fps), miss.worst, miss.mean)


def write_shown(path: Path, shown: Shown, meters_per_unit: float, up_axis: str) -> list[str]:
    """Write the file; notes say what it misses, in its unit of length."""
    rig, ending, said = shown.motion.rig, path.suffix.lower(), ""
    if shown.worst > EXACT * float(np.linalg.norm(np.ptp(rig.rest_vertices, axis=0))):
        unit = 1.0 if ending == ".glb" else meters_per_unit
        worst, mean = (rig.meters_per_unit / unit * value for value in (shown.worst, shown.mean))
        said = (
            f"holds joints with linear skinning, which misses the character's vertices by {mean:.3g} units "
            f"of {unit:g} m on average, {worst:.3g} at most"
        )
    placed = shown.motion.placed(meters_per_unit, up_axis)
    notes = WRITERS[ending](path, placed, {"fallback": said} if said and ending in USD.written else None)
    ways = "(--shapes, rigcast.exports.approximate: with morph targets for most of that; --vertices, as_vertices=True: "
    return [*notes, f"{path.name} {said} {ways}without joints, and exact)"] if said else notes


def skin_of(model: _core.Deformer) -> Skin | None:
    """The skinning of an analytic model, or the one that was fitted for comparison with a learned one."""
    tensors = model.tensors()
    for name in ("beside",) if model.kind in OWN_BONES else ("skin", "beside"):
        if f"{name}.joint" in tensors and f"{name}.weight" in tensors:
            own = tensors.get("mush.output", slice(None))  # of a restricted one, which reads more vertices
            return Skin(tensors[f"{name}.joint"][own], tensors[f"{name}.weight"][own])
    return None


def linear_rig(
    skeleton: _core.Skeleton, vertices: Any, faces: Any, skin: Skin, facts: Facts, surface: Surface
) -> SkinnedRig:
    joints = Joints(list(skeleton.names), np.asarray(skeleton.parents), np.asarray(skeleton.rest, np.float64))
    return SkinnedRig(vertices, faces, joints, skin=skin, channels=[], morphs=[], facts=facts, surface=surface)


def facts_of(rig_or_model: Any) -> Facts:
    """Name, unit, up axis, licence and origin of a rig or a model."""
    stated = rig_or_model.metadata if isinstance(rig_or_model, _core.Deformer) else {}
    about = [str(stated.get(name) or getattr(rig_or_model, name, "")) for name in ("name", "licence", "origin")]
    unit = float(getattr(rig_or_model, "meters_per_unit", 1.0))
    return Facts(about[0], unit, str(getattr(rig_or_model, "up_axis", "Y")), *about[1:])
