"""A moving mesh as a USD mesh with time samples of its points (OpenUSD, ``usd-core``)."""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigwright._atomic_files import atomic_file
from rigwright._extras import require
from rigwright._rigs.moving_mesh import MovingMesh

FIRST_FRAME = 1
AXES = ("Y", "Z")  # the up axes that USD knows


def write_usd_points(path: Path, mesh: MovingMesh) -> None:
    """Write ``.usd``, ``.usda`` or ``.usdc``: one polygonal mesh, points and extent at time codes 1 to T.

    The stage states rate, unit and up axis; a mesh whose x axis is up is turned to y. Binary files are saved every few
    frames, so that memory holds no whole motion.
    """
    usd = require("pxr.Usd", extra="usd", purpose="writing USD files")
    with tempfile.TemporaryDirectory(prefix="rigwright-export-") as folder:
        scene = Path(folder) / f"scene{path.suffix.lower()}"
        stage = usd.Stage.CreateNew(str(scene))
        upright = mesh if mesh.up_axis in AXES else mesh.placed(up_axis=AXES[0])
        points, extent = _stage(stage, upright)
        code = FIRST_FRAME
        for chunk in upright.chunks():
            for frame in chunk:
                points.Set(_vectors(frame), float(code))
                extent.Set(_vectors(np.stack([frame.min(axis=0), frame.max(axis=0)])), float(code))
                code += 1
            if scene.suffix != ".usda":
                stage.Save()
        stage.Save()
        del stage, points, extent
        with scene.open("rb") as source, atomic_file(path) as stream:
            shutil.copyfileobj(source, stream)


def _stage(stage: Any, mesh: MovingMesh) -> tuple[Any, Any]:
    """Fill in all but the frames; gives the attributes that take them."""
    geometry = require("pxr.UsdGeom", extra="usd", purpose="writing USD files")
    geometry.SetStageUpAxis(stage, mesh.up_axis)
    geometry.SetStageMetersPerUnit(stage, mesh.meters_per_unit)
    stage.SetTimeCodesPerSecond(mesh.fps)
    stage.SetFramesPerSecond(mesh.fps)
    stage.SetStartTimeCode(FIRST_FRAME)
    stage.SetEndTimeCode(FIRST_FRAME + len(mesh) - 1)
    prim = geometry.Mesh.Define(stage, f"/{_identifier(mesh.name)}")
    stage.SetDefaultPrim(prim.GetPrim())
    stage.GetRootLayer().customLayerData = {"generator": "rigwright", "licence": mesh.licence}
    faces = mesh.faces
    prim.CreateFaceVertexCountsAttr((faces >= 0).sum(axis=1).tolist())
    prim.CreateFaceVertexIndicesAttr(faces[faces >= 0].tolist())
    prim.CreateSubdivisionSchemeAttr(geometry.Tokens.none)
    return prim.CreatePointsAttr(), prim.CreateExtentAttr()


def _vectors(rows: NDArray[np.float32]) -> Any:
    types = require("pxr.Vt", extra="usd", purpose="writing USD files")
    return types.Vec3fArray.FromNumpy(np.ascontiguousarray(rows, np.float32))


def _identifier(name: str) -> str:
    """A prim name: letters, digits and underscores, not beginning with a digit."""
    plain = re.sub(r"\W", "_", name, flags=re.ASCII)
    return f"_{plain}" if plain[:1].isdigit() else plain or "mesh"
