"""A crowd as a ``PointInstancer`` of animated prototypes.

An instancer has no time offset per instance ("UsdGeomPointInstancer" of the OpenUSD API reference): instances of one
prototype move as one. So each clip is stored once, below a class that no program draws, and each prototype is a
reference to it with a layer offset ("SdfLayerOffset"): one prototype per clip and phase, without copies of samples.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._atomic_files import atomic_file
from rigcast._extras import require
from rigcast._formats.usd.arrays import PURPOSE, integers, vectors
from rigcast._formats.usd.names import ABOUT, unique_identifiers
from rigcast._formats.usd.skinned_meshes import ANIMATION, Inbetweens, define_character
from rigcast._formats.usd.write_character import turned
from rigcast._formats.usd.write_points import FIRST_FRAME, define_meshes, key_points, upright
from rigcast._formats.usd.write_skinned import define_animation, in_stage_axes
from rigcast._rigs.motions.moving_mesh import MovingMesh, turn_between
from rigcast._rigs.motions.skinned_motion import SkinnedMotion

CHARACTER, CLIPS = "/_Character", "/_Clips"
ROOT, PEOPLE, PROTOTYPES = "/Crowd", "/Crowd/People", "/Crowd/People/Prototypes"
AXES = {"Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


@dataclass(frozen=True)
class CrowdClip:
    """A motion of the character, long enough for its last phase.

    Attributes
    ----------
    name : str
    motion : SkinnedMotion or MovingMesh
        Joints and blend shapes, or points.
    boxes : (T, 2, 3) array
        Lowest and highest corner of what is shown, frame by frame, in the axes of the motion.
    phases : list of int
        Frames at which prototypes begin.
    """

    name: str
    motion: SkinnedMotion | MovingMesh
    boxes: NDArray[np.float64]
    phases: list[int]


@dataclass(frozen=True)
class CrowdPlaces:
    """Places of the instances.

    Attributes
    ----------
    positions : (N, 3) float64 array
        In the unit and the axes of the character.
    turns : (N,) float64 array
        Degrees about the up axis.
    prototypes : (N,) int array
        Clip by clip, phase by phase.
    """

    positions: NDArray[np.float64]
    turns: NDArray[np.float64]
    prototypes: NDArray[np.int64]


def write_usd_crowd(
    path: Path, clips: Sequence[CrowdClip], inbetweens: Inbetweens, places: CrowdPlaces, frames: int, words: str
) -> None:
    """Write ``.usd``, ``.usda`` or ``.usdc`` with time codes 1 to ``frames``; X up is turned to Y.

    ``/Crowd/People`` is the instancer and the parent of its prototypes, ``/_Character`` and ``/_Clips`` are classes.
    """
    usd, geometry = (require(f"pxr.{name}", extra="usd", purpose=PURPOSE) for name in ("Usd", "UsdGeom"))
    facts = clips[0].motion.rig if isinstance(clips[0].motion, SkinnedMotion) else clips[0].motion
    axis = upright(facts.up_axis)
    turn = turn_between(facts.up_axis, axis)
    with tempfile.TemporaryDirectory(prefix="rigcast-export-") as folder:
        place = Path(folder) / f"crowd{path.suffix.lower()}"
        stage = usd.Stage.CreateNew(str(place))
        geometry.SetStageUpAxis(stage, axis)
        geometry.SetStageMetersPerUnit(stage, facts.meters_per_unit)
        stage.SetTimeCodesPerSecond(clips[0].motion.fps)
        stage.SetFramesPerSecond(clips[0].motion.fps)
        stage.SetStartTimeCode(FIRST_FRAME)
        stage.SetEndTimeCode(FIRST_FRAME + frames - 1)
        stage.GetRootLayer().customLayerData = {"generator": "rigcast", "licence": facts.licence}
        root = geometry.Xform.Define(stage, ROOT).GetPrim()
        root.SetDocumentation(words)
        root.SetCustomDataByKey(ABOUT, {"fallback": words})
        usd.ModelAPI(root).SetKind("assembly")
        stage.SetDefaultPrim(root)
        names = _clips(stage, clips, turned(inbetweens, turn), axis)
        targets = _prototypes(stage, clips, names)
        boxes = [_turned_boxes(clip.boxes, turn)[begin : begin + frames] for clip in clips for begin in clip.phases]
        _people(stage, targets, np.stack(boxes, axis=1), places, turn, axis)
        stage.GetRootLayer().Save()
        del stage, root
        with atomic_file(path) as stream:
            stream.write(place.read_bytes())


def _clips(stage: Any, clips: Sequence[CrowdClip], inbetweens: Inbetweens, axis: str) -> list[str]:
    """Define the character once, and each clip as a reference to it with samples; gives their paths."""
    stage.CreateClassPrim(CLIPS)
    places = []
    names = unique_identifiers([clip.name for clip in clips], "clip")
    for number, (clip, name) in enumerate(zip(clips, names, strict=True)):
        place = f"{CLIPS}/{name}"
        if isinstance(clip.motion, SkinnedMotion):
            _skinned(stage, place, in_stage_axes(clip.motion), clip, inbetweens if number == 0 else None)
        else:
            _points(stage, place, clip.motion.placed(up_axis=axis), first=number == 0)
        places.append(place)
    return places


def _skinned(stage: Any, place: str, motion: SkinnedMotion, clip: CrowdClip, inbetweens: Inbetweens | None) -> None:
    skel = require("pxr.UsdSkel", extra="usd", purpose=PURPOSE)
    if inbetweens is not None:
        stage.CreateClassPrim(CHARACTER).SetTypeName("SkelRoot")
        define_character(stage, CHARACTER, motion, inbetweens)
    root = skel.Root.Define(stage, place)
    root.GetPrim().GetReferences().AddInternalReference(CHARACTER)
    animation = define_animation(stage, f"{place}/{ANIMATION}", motion)
    skel.BindingAPI.Apply(root.GetPrim()).CreateAnimationSourceRel().SetTargets([animation.GetPath()])
    boxes = _turned_boxes(clip.boxes, turn_between(clip_axis(clip), motion.rig.up_axis))
    attribute = root.CreateExtentAttr()
    for frame, box in enumerate(boxes):
        attribute.Set(vectors(box), float(FIRST_FRAME + frame))


def clip_axis(clip: CrowdClip) -> str:
    """The up axis of a clip."""
    return clip.motion.rig.up_axis if isinstance(clip.motion, SkinnedMotion) else clip.motion.up_axis


def _points(stage: Any, place: str, motion: MovingMesh, first: bool) -> None:
    geometry = require("pxr.UsdGeom", extra="usd", purpose=PURPOSE)
    if first:
        stage.CreateClassPrim(CHARACTER).SetTypeName("Xform")
        define_meshes(stage, CHARACTER, motion)
    root = geometry.Xform.Define(stage, place).GetPrim()
    root.GetReferences().AddInternalReference(CHARACTER)
    meshes = [geometry.Mesh(prim) for prim in root.GetAllChildren() if prim.IsA(geometry.Mesh)]  # of classes, too
    key_points(stage, motion, meshes, [float(FIRST_FRAME + frame) for frame in range(len(motion))])


def _prototypes(stage: Any, clips: Sequence[CrowdClip], places: list[str]) -> list[str]:
    sdf, geometry = (require(f"pxr.{name}", extra="usd", purpose=PURPOSE) for name in ("Sdf", "UsdGeom"))
    geometry.PointInstancer.Define(stage, PEOPLE)
    geometry.Scope.Define(stage, PROTOTYPES)
    targets = []
    for clip, place in zip(clips, places, strict=True):
        for number, begin in enumerate(clip.phases):
            target = f"{PROTOTYPES}/{place.rpartition('/')[2]}_{number}"
            prim = stage.DefinePrim(target)
            prim.GetReferences().AddInternalReference(place, sdf.LayerOffset(-float(begin)))
            targets.append(target)
    return targets


def _people(
    stage: Any,
    targets: list[str],
    boxes: NDArray[np.float64],
    places: CrowdPlaces,
    turn: NDArray[np.float64],
    axis: str,
) -> None:
    """The instancer; ``boxes`` (T, P, 2, 3) are those of the prototypes in the axes of the stage."""
    geometry, arrays = (require(f"pxr.{name}", extra="usd", purpose=PURPOSE) for name in ("UsdGeom", "Vt"))
    people = geometry.PointInstancer(stage.GetPrimAtPath(PEOPLE))
    people.CreatePrototypesRel().SetTargets(targets)
    positions = places.positions @ turn.T
    half = np.radians(places.turns) / 2
    quaternions = np.concatenate([np.sin(half)[:, None] * AXES[axis], np.cos(half)[:, None]], axis=1)
    people.CreatePositionsAttr(vectors(positions))
    people.CreateProtoIndicesAttr(integers(places.prototypes))
    people.CreateIdsAttr(arrays.Int64Array.FromNumpy(np.arange(len(positions), dtype=np.int64)))
    people.CreateOrientationsAttr(arrays.QuathArray.FromNumpy(quaternions.astype(np.float16)))
    if hasattr(people, "CreateOrientationsfAttr"):  # of OpenUSD 24.08 on, which prefers it
        people.CreateOrientationsfAttr(arrays.QuatfArray.FromNumpy(quaternions.astype(np.float32)))
    attribute = people.CreateExtentAttr()
    for frame, box in enumerate(_whole(boxes, positions, places, axis)):
        attribute.Set(vectors(box), float(FIRST_FRAME + frame))


def _whole(
    boxes: NDArray[np.float64], positions: NDArray[np.float64], places: CrowdPlaces, axis: str
) -> NDArray[np.float64]:
    """(T, 2, 3): boxes around all turned boxes of prototypes."""
    angles = np.radians(places.turns)
    cos, sin = np.cos(angles), np.sin(angles)
    rotations = np.tile(np.eye(3), (len(angles), 1, 1))
    one, two = {"Y": (2, 0), "Z": (0, 1)}[axis]
    rotations[:, one, one] = rotations[:, two, two] = cos
    rotations[:, two, one], rotations[:, one, two] = sin, -sin
    corners = np.array(list(np.ndindex(2, 2, 2)))
    found = np.empty((len(boxes), 2, 3))
    for frame, own in enumerate(boxes):
        points = own[:, corners, np.arange(3)][places.prototypes]  # (N, 8, 3)
        moved = np.einsum("nij,ncj->nci", rotations, points) + positions[:, None]
        found[frame] = moved.min(axis=(0, 1)), moved.max(axis=(0, 1))
    return found


def _turned_boxes(boxes: NDArray[np.float64], turn: NDArray[np.float64]) -> NDArray[np.float64]:
    """Boxes in other axes, which a quarter turn exchanges."""
    moved = boxes @ turn.T
    return np.stack([moved.min(axis=1), moved.max(axis=1)], axis=1)
