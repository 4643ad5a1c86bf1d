"""Skeletal animation of USD files as motion (UsdSkel of OpenUSD, ``usd-core``).

A joint's transform is relative to its parent; that of a root joint is in the world. At rest joints stand in their bind
pose (``bindTransforms``).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._extras import require
from rigcast._formats.gltf.document import unique_names
from rigcast._formats.usd.stage import PURPOSE, foreign_errors, frames_of, opened, prims_of
from rigcast._rigs.motions.motion import Motion, MotionFile
from rigcast._rigs.rotations import Float64, compose, invert
from rigcast._validate import bad_argument

FUNCTION = "load_motion"


@dataclass(frozen=True)
class _Moved:
    """A skeleton and what animates it."""

    skeleton: Any
    query: Any
    animation: Any


def usd_clips(path: Path) -> MotionFile:
    """The animations of joints, by the names of their prims."""
    with foreign_errors(FUNCTION, path):
        stage = opened(path)  # its prims end with it
        found = {str(moved.animation.GetPrim().GetPath()): moved for moved in _moved(stage)}
        motions = {place: _motion(stage, moved, place, path) for place, moved in found.items()}
    ends = [place.rpartition("/")[2] for place in motions]
    names = unique_names(ends)
    return MotionFile({name: motion.at for name, motion in zip(names, motions.values(), strict=True)})


def _moved(stage: Any) -> list[_Moved]:
    usd, skel = (require(f"pxr.{name}", extra="usd", purpose=PURPOSE) for name in ("Usd", "UsdSkel"))
    cache, prims = skel.Cache(), prims_of(stage)
    for prim in prims:
        if prim.IsA(skel.Root):
            cache.Populate(skel.Root(prim), usd.TraverseInstanceProxies())
    found = []
    for prim in prims:
        query = cache.GetSkelQuery(skel.Skeleton(prim)) if prim.IsA(skel.Skeleton) else None
        animation = query.GetAnimQuery() if query else None
        if animation and len(animation.GetJointOrder()):
            found.append(_Moved(skel.Skeleton(prim), query, animation))
    return found


def _motion(stage: Any, moved: _Moved, place: str, path: Path) -> Motion:
    geometry, usd = (require(f"pxr.{name}", extra="usd", purpose=PURPOSE) for name in ("UsdGeom", "Usd"))
    names, parents = _joints(moved)
    samples = np.array(moved.animation.GetJointTransformTimeSamples(), np.float64)
    per_second = float(stage.GetTimeCodesPerSecond())
    codes, rate, note = frames_of(samples, per_second, 128 * len(names), path, FUNCTION)
    cache, local = geometry.XformCache(), np.empty((len(codes), len(names), 3, 4))
    for frame, code in enumerate(codes):
        moment = usd.TimeCode(float(code))
        local[frame] = _affine(moved.query.ComputeJointLocalTransforms(moment), len(names), path)
        cache.SetTime(moment)
        world = _affine([cache.GetLocalToWorldTransform(moved.skeleton.GetPrim())], 1, path)[0]
        local[frame, parents < 0] = compose(world, local[frame, parents < 0])
    bind = moved.skeleton.GetBindTransformsAttr().Get()
    notes = (note,) if note else ()
    if bind is None or len(bind) != len(names):
        rest, notes = local[0].copy(), (*notes, "without bind transforms: the first frame stands for the rest pose")
    else:
        rest = _affine(bind, len(names), path)
        rest[parents >= 0] = compose(invert(rest[parents[parents >= 0]]), rest[parents >= 0])
    return Motion(names, parents, rest, local, 1.0 / rate, place.rpartition("/")[2], notes)


def _joints(moved: _Moved) -> tuple[list[str], NDArray[np.int32]]:
    """Names, as the file states them or the ends of the joints' paths, and parents."""
    paths = [str(name) for name in moved.query.GetJointOrder()]
    stated = [str(name) for name in moved.skeleton.GetJointNamesAttr().Get() or []]
    own = stated if len(stated) == len(paths) else [name.rpartition("/")[2] for name in paths]
    return unique_names(own), np.array(moved.query.GetTopology().GetParentIndices(), np.int32)


def _affine(matrices: Any, count: int, path: Path) -> Float64:
    """Matrices for row vectors as transforms (count, 3, 4) for column vectors."""
    found = np.array([] if matrices is None else list(map(np.array, matrices)), np.float64).reshape(-1, 4, 4)
    if len(found) != count or not np.isfinite(found).all():
        raise bad_argument(
            FUNCTION, "path", f"{path}: joints without finite transforms", "a skeleton with all of them", path
        )
    return np.ascontiguousarray(found.swapaxes(1, 2)[:, :3])
