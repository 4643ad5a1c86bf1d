"""Moving meshes in USD, read by OpenUSD itself."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast._rigs.motions import moving_mesh as chunking
from rigcast.exports import write_vertices
from tests.exports.moving import FACES, FPS, UNIT, moving_mesh

usd = pytest.importorskip("pxr.Usd", reason="usd-core is not installed")
geometry = pytest.importorskip("pxr.UsdGeom", reason="usd-core is not installed")


@pytest.mark.parametrize("ending", ["usd", "usda", "usdc"])
def test_a_stage_has_the_frames_and_states_rate_unit_and_axis(tmp_path, ending, monkeypatch):
    monkeypatch.setattr(chunking, "BYTES_AT_ONCE", 4 * 12 * 5)  # three parts
    mesh, path = moving_mesh(), tmp_path / f"m.{ending}"
    options = {"meters_per_unit": UNIT, "up_axis": "Z", "name": "2 creatures", "licence": "CC0-1.0"}
    assert write_vertices(path, mesh, FACES, fps=FPS, **options) == []
    stage = usd.Stage.Open(str(path))
    assert (stage.GetTimeCodesPerSecond(), stage.GetFramesPerSecond()) == (FPS, FPS)
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (1, len(mesh))
    assert (geometry.GetStageUpAxis(stage), geometry.GetStageMetersPerUnit(stage)) == ("Z", UNIT)
    assert stage.GetRootLayer().customLayerData["licence"] == "CC0-1.0"
    prim = geometry.Mesh(stage.GetDefaultPrim())
    assert str(prim.GetPath()) == "/_2_creatures"
    points = prim.GetPointsAttr()
    assert points.GetTimeSamples() == list(range(1, len(mesh) + 1))
    np.testing.assert_array_equal([points.Get(code) for code in points.GetTimeSamples()], mesh)
    np.testing.assert_array_equal(prim.GetExtentAttr().Get(3), [mesh[2].min(axis=0), mesh[2].max(axis=0)])
    assert list(prim.GetFaceVertexCountsAttr().Get()) == [4, 3, 3]
    assert list(prim.GetFaceVertexIndicesAttr().Get()) == [0, 1, 2, 3, 0, 1, 4, 1, 2, 4]


def test_x_up_becomes_y_up(tmp_path):
    """USD knows no other axes."""
    mesh = moving_mesh()
    write_vertices(tmp_path / "m.usdc", mesh, FACES, fps=FPS, up_axis="X")
    stage = usd.Stage.Open(str(tmp_path / "m.usdc"))
    assert geometry.GetStageUpAxis(stage) == "Y"
    points = geometry.Mesh(stage.GetDefaultPrim()).GetPointsAttr().Get(4)
    np.testing.assert_array_equal(points, np.stack([-mesh[3, :, 1], mesh[3, :, 0], mesh[3, :, 2]], axis=1))
