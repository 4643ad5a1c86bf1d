"""A moving mesh as a layer over a stage: points of meshes that the stage has, at its rate, in its unit and axes.

The layer has the stage as its only sublayer, and opinions by prim path on the meshes alone: points, their extent, and
what would contradict them. Materials, subdivision, transforms and everything else stay the stage's.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast._atomic_files import atomic_file
from rigcast._extras import require
from rigcast._formats.usd.arrays import PURPOSE, extent, vectors
from rigcast._formats.usd.matching import Match, matched
from rigcast._formats.usd.names import state_places
from rigcast._formats.usd.stage import foreign_errors, meters_per_unit, opened
from rigcast._formats.usd.write_character import asset_path
from rigcast._formats.usd.write_points import FIRST_FRAME, upright
from rigcast._rigs.matching import listed
from rigcast._rigs.motions.moving_mesh import MovingMesh
from rigcast._rigs.motions.shot import TO_Y_UP

FUNCTION = "write_on_stage"
KEPT = (
    "defaultPrim",
    "metersPerUnit",
    "upAxis",
    "kilogramsPerUnit",
    "framesPerSecond",
    "colorConfiguration",
    "colorManagementSystem",
    "expressionVariables",
    "renderSettingsPrimPath",
)  # of a root layer, which other layers do not hand on
STALE = ("normals", "primvars:normals", "velocities", "accelerations")
FAR = 0.05  # of the size
MOST_RATE = 240.0  # above, time codes are parts of frames


@dataclass(frozen=True)
class StageFacts:
    """Statements of a stage about time and space.

    Attributes
    ----------
    codes_per_second, fps : float
        Time codes, and frames that a motion is sampled at.
    start : float
        Its first time code, 1 if it states none.
    meters_per_unit : float or None
    up_axis : str or None
        None if not stated.
    """

    codes_per_second: float
    fps: float
    start: float
    meters_per_unit: float | None
    up_axis: str | None


def stage_facts(path: Path, function: str = FUNCTION) -> StageFacts:
    """Read them.

    Raises
    ------
    ValueError
        If the file is no stage.
    """
    with foreign_errors(function, path):
        return _facts(opened(path))


def _facts(stage: Any) -> StageFacts:
    geometry = require("pxr.UsdGeom", extra="usd", purpose=PURPOSE)
    codes = float(stage.GetTimeCodesPerSecond())
    fps = codes
    if codes > MOST_RATE and stage.HasAuthoredMetadata("framesPerSecond"):
        fps = float(stage.GetFramesPerSecond()) or codes
    start = float(stage.GetStartTimeCode()) if stage.HasAuthoredMetadata("startTimeCode") else float(FIRST_FRAME)
    axis = str(geometry.GetStageUpAxis(stage)) if stage.HasAuthoredMetadata("upAxis") else None
    return StageFacts(codes, fps, start, meters_per_unit(stage), axis)


@dataclass(frozen=True)
class _StagePlaces:
    """The numbers in which the stage has the points of the mesh.

    ``matrix`` brings the given vertices there, in the world if ``world`` is true, else in the space of each mesh;
    ``note`` says so if it is not what the files state.
    """

    matrix: NDArray[np.float64]
    world: bool
    note: str


def write_usd_on_stage(
    path: Path, stage_file: Path, mesh: MovingMesh, rest: NDArray[np.float32], under: str | None, start: float | None
) -> list[str]:
    """Write ``.usd``, ``.usda`` or ``.usdc``.

    Parameters
    ----------
    path, stage_file : Path
    mesh : MovingMesh
    rest : (V, 3) array
        What the points of the stage are compared with.
    under : str, optional
        The prim that the character stands below.
    start : float, optional
        Time code of the first frame; default: the first of the stage.

    Returns
    -------
    list of str
        Which part lies on which mesh, what was converted, and what of the stage no longer counts.

    Raises
    ------
    ValueError
        If the stage cannot be read, or its meshes do not fit.
    """
    sdf, usd = (require(f"pxr.{name}", extra="usd", purpose=PURPOSE) for name in ("Sdf", "Usd"))
    with tempfile.TemporaryDirectory(prefix="rigcast-export-") as folder:
        place = Path(folder) / f"over{path.suffix.lower()}"
        layer = sdf.Layer.CreateNew(str(place))
        with foreign_errors(FUNCTION, stage_file):
            below = opened(stage_file)
            facts = _facts(below)
            _keep_metadata(below.GetRootLayer(), layer, facts)
            layer.subLayerPaths = [str(stage_file.resolve())]
            stage = usd.Stage.Open(layer)
            first = facts.start if start is None else start
            codes = [first + frame * facts.codes_per_second / mesh.fps for frame in range(len(mesh))]
            matches = matched(stage, mesh.pieces, under, stage_file, FUNCTION)
            space = _space(matches, mesh, rest, facts, codes[0])
            cleared = _cleared(matches)
            _set_times(stage, below, codes)
        _key(stage, matches, mesh, space, codes)
        notes = [f"{path.name} lies over {stage_file.name}: {'; '.join(map(str, matches))}", space.note, cleared]
        del stage, matches, below
        layer.subLayerPaths = [asset_path(stage_file, path)]
        layer.Save()
        del layer
        with place.open("rb") as source, atomic_file(path) as stream:
            shutil.copyfileobj(source, stream)
    return [note for note in [*notes, _frames_note(path, mesh, facts, codes)] if note]


def _keep_metadata(source: Any, layer: Any, facts: StageFacts) -> None:
    layer.pseudoRoot.SetInfo("customLayerData", {"generator": "rigcast"})
    for name in KEPT:
        if source.pseudoRoot.HasInfo(name):
            layer.pseudoRoot.SetInfo(name, source.pseudoRoot.GetInfo(name))
    layer.timeCodesPerSecond = facts.codes_per_second  # with another rate USD would scale the samples of the stage


def _set_times(stage: Any, below: Any, codes: list[float]) -> None:
    """A range that holds the stage's own and the motion."""
    has = below.HasAuthoredTimeCodeRange()
    stage.SetStartTimeCode(min(codes[0], float(below.GetStartTimeCode())) if has else codes[0])
    stage.SetEndTimeCode(max(codes[-1], float(below.GetEndTimeCode())) if has else codes[-1])


def _space(
    matches: list[Match], mesh: MovingMesh, rest: NDArray[np.float32], facts: StageFacts, code: float
) -> _StagePlaces:
    """The space in which the character at rest is nearest to the points that the stage has."""
    axis = upright(mesh.up_axis) if facts.up_axis is None else facts.up_axis
    unit = mesh.meters_per_unit if facts.meters_per_unit is None else facts.meters_per_unit
    stated = mesh.meters_per_unit / unit * TO_Y_UP[axis].T @ TO_Y_UP[mesh.up_axis]
    plain = np.array_equal(stated, np.eye(3))
    spaces = [_StagePlaces(stated, False, ""), _StagePlaces(stated, True, "")]
    spaces += [] if plain else [_StagePlaces(np.eye(3), False, ""), _StagePlaces(np.eye(3), True, "")]
    far = [_rms(matches, rest @ space.matrix.T, code if space.world else None) for space in spaces]
    best = int(np.argmin([round(value, 9) for value in far]))
    chosen, size = spaces[best], float(np.linalg.norm(np.ptp(rest @ spaces[best].matrix.T, axis=0)))
    said, own = [], f"units of {mesh.meters_per_unit:g} m, {mesh.up_axis.lower()} up"
    there = f"units of {unit:g} m, {axis.lower()} up"
    if not plain:
        numbers = "its points have the character's own numbers, which are kept"
        said.append(
            f"brought from {own}, to the stage's {there}" if best < 2 else f"the stage states {there}: {numbers}"
        )
    if chosen.world:
        said.append("the stage's points are the character's in the world: transforms above them are undone")
    if far[best] > FAR * size:
        words = "away from the character at rest (root mean square): another pose, or another order of vertices"
        said.append(f"the stage's points are {far[best]:.3g} units {words}")
    return _StagePlaces(chosen.matrix, chosen.world, "; ".join(said))


def _rms(matches: list[Match], rest: NDArray[np.float64], code: float | None) -> float:
    squares, count = 0.0, 0
    for match in matches:
        attribute = match.mesh.GetPointsAttr()
        samples = attribute.GetTimeSamples()
        points = np.asarray(attribute.Get(samples[0]) if samples else attribute.Get(), np.float64)
        if code is not None:
            matrix = _to_world(match.mesh, code)
            points = points @ matrix[:3, :3] + matrix[3, :3]
        squares += float(((points - rest[match.part.vertices]) ** 2).sum())
        count += len(points)
    return float(np.sqrt(squares / max(1, count)))


def _to_world(mesh: Any, code: float) -> NDArray[np.float64]:
    """The matrix for row vectors at a time code."""
    geometry = require("pxr.UsdGeom", extra="usd", purpose=PURPOSE)
    return np.array(geometry.XformCache(code).GetLocalToWorldTransform(mesh.GetPrim()), np.float64)


def _cleared(matches: list[Match]) -> str:
    """Take away what contradicts new points: skinning, normals, velocities, stored bounds; and say so."""
    skel = require("pxr.UsdSkel", extra="usd", purpose=PURPOSE)
    gone: dict[str, list[str]] = {}
    for match in matches:
        prim = match.mesh.GetPrim()
        if skel.BindingAPI(prim).GetInheritedSkeleton():
            skel.BindingAPI.Apply(prim).CreateSkeletonRel().SetTargets([])  # "explicitly unbound", for UsdSkel
            gone.setdefault("skinning", []).append(prim.GetName())
        for name in STALE:
            if prim.GetAttribute(name).HasAuthoredValue():
                prim.GetAttribute(name).Block()
                gone.setdefault(name, []).append(prim.GetName())
        above = prim.GetParent()
        while above and not above.IsPseudoRoot():
            for name in ("extent", "extentsHint"):
                if above.GetAttribute(name).HasAuthoredValue():
                    above.GetAttribute(name).Block()
                    gone.setdefault(name, []).append(above.GetName())
            above = above.GetParent()
    words = [f"{what} of {listed(list(dict.fromkeys(names)))}" for what, names in gone.items()]
    return f"of the stage no longer counts: {'; '.join(words)}" if words else ""


def _frames_note(path: Path, mesh: MovingMesh, facts: StageFacts, codes: list[float]) -> str:
    rate = f"{facts.codes_per_second:g} of which are a second"
    said = f"{path.name}: {len(mesh)} frames at time codes {codes[0]:g} to {codes[-1]:g}, {rate}"
    whole = np.abs(np.array(codes) - np.round(codes)).max() < 1e-6
    return said + ("" if whole else f"; frames of {mesh.fps:g} per second fall between time codes")


def _key(stage: Any, matches: list[Match], mesh: MovingMesh, space: _StagePlaces, codes: list[float]) -> None:
    if len(matches) > 1:
        for match in matches:
            state_places(match.mesh, match.part.vertices)
    binary = not stage.GetRootLayer().identifier.endswith(".usda")
    following = iter(codes)
    for chunk in mesh.chunks():
        for frame in chunk:
            code = next(following)
            for match, points in _points(matches, frame @ space.matrix.T, space.world, code):
                match.mesh.GetPointsAttr().Set(vectors(points), code)
                match.mesh.CreateExtentAttr().Set(extent(points), code)
        if binary:
            stage.GetRootLayer().Save()


def _points(
    matches: list[Match], frame: NDArray[np.float64], world: bool, code: float
) -> Iterator[tuple[Match, NDArray[np.float64]]]:
    for match in matches:
        own = frame[match.part.vertices]
        if world:
            matrix = np.linalg.inv(_to_world(match.mesh, code))
            own = own @ matrix[:3, :3] + matrix[3, :3]
        yield match, own
