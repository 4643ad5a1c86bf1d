"""Texture coordinates, materials' names and the licence of a glTF target stay with what is transferred to it."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast._formats.gltf.surface import read_surface
from tests.cli.command import json_of
from tests.support.characters.second_face import first_face, second_face_files, second_neutral
from tests.support.glb import Gltf


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A target in two materials that share vertices, with texture coordinates and a licence of its own."""
    place, rig = tmp_path_factory.mktemp("surface"), first_face()
    rig.save(place / "face.safetensors")
    second_face_files(place)
    g = Gltf()
    triangles = np.concatenate([rig.faces[:, [0, 1, 2]], rig.faces[:, [0, 2, 3]]])
    attributes = {"POSITION": g.add(0.01 * second_neutral()), "TEXCOORD_0": g.add(coordinates())}
    primitives = [
        {"attributes": attributes, "indices": g.add(part.reshape(-1), "u2"), "material": kind}
        for kind, part in enumerate((triangles[:50], triangles[50:]))
    ]
    g.json |= {"meshes": [{"primitives": primitives}], "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}], "scene": 0}
    g.json["materials"] = [{"name": "skin"}, {"name": "lips"}]
    g.json["asset"]["copyright"] = "Apache-2.0"
    g.write(place / "other.glb")
    return place


def coordinates() -> np.ndarray:
    return (second_neutral()[:, :2] / 20.0 + 0.5).astype(np.float32)


def transferred(folder, output: str, *more: str) -> None:
    given = ["--overwrite", "face.safetensors", "other.glb", "-o", output, "--contacts", "off", "--no-measure", *more]
    json_of("transfer", *given, folder=folder)


@pytest.mark.parametrize("more", [[], ["--landmarks", "landmarks.csv"]])
def test_a_transfer_keeps_the_targets_surface(folder, more):
    transferred(folder, "out.glb", *more)
    before, after = read_surface(folder / "other.glb"), read_surface(folder / "out.glb")
    assert np.array_equal(coordinates_of(after), coordinates_of(before))
    assert after.surface.materials == ["skin", "lips"]
    if more:  # with the target's own triangles
        assert materials_of(after) == materials_of(before)


def coordinates_of(covered) -> np.ndarray:
    uvs = np.zeros((covered.count, 2), np.float32)
    corners = covered.faces[:, :3]
    uvs[corners] = covered.surface.uvs[covered.surface.uv_faces[:, :3]]
    return uvs


def materials_of(covered) -> dict[tuple[int, ...], str]:
    names = covered.surface.materials
    kinds = covered.surface.face_materials.tolist()
    return {tuple(sorted(face)): names[kind] for face, kind in zip(covered.faces.tolist(), kinds, strict=True)}


def test_a_transfer_names_both_licences(folder):
    transferred(folder, "out.glb")
    assert read_surface(folder / "out.glb").licence == "Apache-2.0 (mesh); CC0 1.0 (shapes)"
    transferred(folder, "out.npz")
    made = rc.sources.load_blendshapes(folder / "out.npz")
    assert made.metadata["licence"] == "Apache-2.0 (mesh); CC0 1.0 (shapes)"


def test_shapes_are_read_back_as_without_a_surface(folder, tolerance):
    transferred(folder, "out.glb")
    transferred(folder, "plain.npz")
    made, plain = (rc.sources.load_blendshapes(folder / name) for name in ("out.glb", "plain.npz"))
    assert made.rest_vertices.shape == plain.rest_vertices.shape
    np.testing.assert_allclose(made.columns(), plain.columns(), atol=tolerance["float64_converged"])


def test_a_surface_of_another_mesh_is_refused(folder, tmp_path):
    small = rc.BlendshapeRig(np.eye(3), np.ones((1, 3, 3)), faces=[[0, 1, 2]])
    with pytest.raises(ValueError, match=r"surface_of is .*117 vertices; it must be a mesh of the rig's 3"):
        rc.exports.write_rig(tmp_path / "small.glb", small, surface_of=folder / "other.glb")
