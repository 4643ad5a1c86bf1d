"""Parts are objects of their own in formats that have objects, with materials by name and texture coordinates."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rigcast._formats.blender import run_script
from rigcast._formats.gltf.surface import read_surface
from rigcast.errors import SourceError
from rigcast.exports import write_vertices
from rigcast.sources import Surface, load_shot
from tests.exports.moving import FPS, UNIT, in_blender
from tests.support.blender import has_wheel
from tests.support.characters.surfaces import FACES, two_moving_parts, two_parts

RUN = Path(__file__).with_name("run_parts.py")
UP = "Y"
PARTS = {"the body": slice(0, 5), "eyes": slice(5, 10)}
OPTIONS = {"meters_per_unit": UNIT, "up_axis": UP, "name": "creature", "surface": two_parts(), "max_error": 1e-5}
IN_USD = {"the body": "the_body", "eyes": "eyes"}


def written(path):
    return write_vertices(path, two_moving_parts(), FACES, fps=FPS, **OPTIONS)


def expected(part):
    """By the places of a face's vertices in its part: material, and texture coordinates at the corners."""
    surface, chosen = two_parts(), PARTS[part]
    found = {}
    for row, face in enumerate(FACES):
        if face[0] in range(10)[chosen]:
            corners = [corner for corner in surface.uv_faces[row] if corner >= 0]
            key = tuple(int(v) - chosen.start for v in face if v >= 0)
            found[key] = (surface.materials[surface.face_materials[row]], surface.uvs[corners].tolist())
    return found


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    usd = pytest.importorskip("pxr.Usd", reason="usd-core is not installed")
    path = tmp_path_factory.mktemp("usd") / "m.usda"
    written(path)
    return usd.Stage.Open(str(path))


@pytest.mark.parametrize("part", PARTS)
def test_usd_has_a_mesh_per_part(stage, part):
    geometry = pytest.importorskip("pxr.UsdGeom", reason="usd-core is not installed")
    points = geometry.Mesh(stage.GetPrimAtPath(f"/creature/{IN_USD[part]}")).GetPointsAttr()
    frames = np.array([points.Get(code) for code in points.GetTimeSamples()])
    np.testing.assert_array_equal(frames, two_moving_parts()[:, PARTS[part]])


@pytest.mark.parametrize("part", PARTS)
def test_usd_has_texture_coordinates_by_corner(stage, part):
    geometry = pytest.importorskip("pxr.UsdGeom", reason="usd-core is not installed")
    mesh = geometry.Mesh(stage.GetPrimAtPath(f"/creature/{IN_USD[part]}"))
    primvar = geometry.PrimvarsAPI(mesh).GetPrimvar("st")
    flat = [uv for _, uvs in expected(part).values() for uv in uvs]
    assert primvar.GetInterpolation() == geometry.Tokens.faceVarying
    np.testing.assert_allclose(primvar.ComputeFlattened(), flat)


def test_usd_binds_materials_to_faces(stage):
    shade = pytest.importorskip("pxr.UsdShade", reason="usd-core is not installed")
    body = shade.MaterialBindingAPI(stage.GetPrimAtPath("/creature/the_body"))
    bound = {s.GetPrim().GetName(): list(s.GetIndicesAttr().Get()) for s in body.GetMaterialBindSubsets()}
    assert bound == {"skin": [0], "nails": [1, 2]}
    eyes = shade.MaterialBindingAPI(stage.GetPrimAtPath("/creature/eyes")).ComputeBoundMaterial()[0]
    assert str(eyes.GetPath()) == "/creature/materials/iris"


def test_usd_without_parts_is_one_mesh(tmp_path):
    usd = pytest.importorskip("pxr.Usd", reason="usd-core is not installed")
    write_vertices(tmp_path / "m.usda", two_moving_parts(), FACES, fps=FPS, name="creature")
    opened = usd.Stage.Open(str(tmp_path / "m.usda"))
    assert [str(prim.GetPath()) for prim in opened.Traverse()] == ["/creature"]


def test_glb_is_read_back_with_its_parts(tmp_path):
    written(tmp_path / "m.glb")
    found = read_surface(tmp_path / "m.glb").surface
    assert (found.parts, found.materials, found.tiles) == (
        ["the body", "eyes"],
        ["skin", "nails", "iris"],
        [(0, 0), (1, 0)],
    )


def test_glb_says_how_many_vertices_are_doubled_at_seams(tmp_path, tolerance):
    notes = written(tmp_path / "m.glb")
    assert "1 vertices were duplicated: they have several texture coordinates, and glTF has one per vertex" in notes
    again = load_shot(tmp_path / "m.glb").vertices
    assert again.shape[1] == 11
    np.testing.assert_allclose(
        again[:, [*range(5), *range(6, 11)]], UNIT * two_moving_parts(), atol=tolerance["float32_scaled"]
    )


def test_glb_faces_keep_materials_and_texture_coordinates(tmp_path, tolerance):
    written(tmp_path / "m.glb")
    read = read_surface(tmp_path / "m.glb")
    at_eyes = {}
    for face, corners, kind in zip(read.faces, read.surface.uv_faces, read.surface.face_materials, strict=True):
        if face.min(initial=99, where=face >= 0) >= 6:
            at_eyes[tuple(int(v) - 6 for v in face if v >= 0)] = (kind, read.surface.uvs[corners[corners >= 0]])
    (quad, _), (triangle, _) = sorted(expected("eyes").items())
    assert set(at_eyes) == {quad[:3], (quad[0], quad[2], quad[3]), triangle}
    for face, (kind, uvs) in at_eyes.items():
        whole = dict(zip(quad, expected("eyes")[quad][1], strict=True)) if face != triangle else None
        truth = [whole[v] for v in face] if whole else expected("eyes")[triangle][1]
        assert read.surface.materials[kind] == "iris"
        np.testing.assert_allclose(uvs, truth, atol=tolerance["float64_converged"])


@pytest.mark.parametrize("ending", ["npy", "npz", "pc2", "mdd"])
def test_other_formats_hold_one_array(tmp_path, ending):
    written(tmp_path / f"m.{ending}")
    np.testing.assert_array_equal(load_shot(tmp_path / f"m.{ending}").vertices, two_moving_parts())


def test_a_surface_of_another_mesh_is_refused(tmp_path):
    surface = Surface(["all"], np.zeros(3, int))
    with pytest.raises(ValueError, match=r"write_vertices: surface\.vertex_parts is of 3 rows; it must be of 10"):
        write_vertices(tmp_path / "m.pc2", two_moving_parts(), FACES, fps=FPS, surface=surface)


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """What Blender shows of the files: objects, and their positions."""
    if not has_wheel():
        pytest.skip("the bpy wheel is not installed")
    folder = tmp_path_factory.mktemp("parts")
    for name in ("m.blend", "m.abc", "m.glb"):
        try:
            written(folder / name)
        except SourceError as error:
            assert name == "m.abc", error
            assert "built without Alembic" in str(error)
    run_script(RUN, [str(folder)])
    return json.loads((folder / "parts.json").read_text()), dict(np.load(folder / "parts.npz")), folder


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("name", ["m.blend", "m.abc", "m.glb"])
def test_blender_moves_each_part(seen, name, part, tolerance):
    facts, frames, _ = seen
    if name not in facts:
        pytest.skip("this Blender was built without Alembic")
    (found,) = [array for key, array in frames.items() if key.startswith(name) and key.replace("_", " ").endswith(part)]
    scale = UNIT if name == "m.glb" else 1.0
    truth = in_blender(two_moving_parts()[:, PARTS[part]], UP, scale)
    order = np.abs(found[:, :, None] - truth[:, None]).max(axis=(0, 3)).argmin(axis=0)  # glTF's importer sorts anew
    np.testing.assert_allclose(found[:, order], truth, atol=tolerance["float32_sum"] * np.abs(truth).max())


@pytest.mark.parametrize("part", PARTS)
def test_blender_shows_materials_and_texture_coordinates(seen, part, tolerance):
    found = seen[0]["m.blend"][part]
    faces = [tuple(face) for face in found["faces"]]
    assert dict(zip(faces, found["materials"], strict=True)) == {f: m for f, (m, _) in expected(part).items()}
    for face, uvs in zip(faces, found["uvs"], strict=True):
        np.testing.assert_allclose(uvs, expected(part)[face][1], atol=tolerance["float64_converged"])


def test_a_blend_has_a_cache_per_part(seen):
    names = sorted(path.name for path in seen[2].glob("*.pc2"))
    assert names == ["m.eyes.pc2", "m.the_body.pc2"]
