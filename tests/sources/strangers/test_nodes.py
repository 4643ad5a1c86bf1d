"""Which nodes belong: the scene's, one level of detail, instances; two things stay two; mirrors face outwards."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.errors import InputWarning
from tests.sources.strangers.triangles import Gltf, morphing, still

OUTSIDE = {"nodes": [{"mesh": 0, "name": "face"}, {"mesh": 1, "name": "spare"}]}
BY_NAME = {
    "nodes": [{"mesh": 0, "name": "face_LOD0"}, {"mesh": 1, "name": "face_LOD1"}, {"mesh": 1, "name": "face_LOD2"}],
    "scenes": [{"nodes": [0, 1, 2]}],
}
BY_EXTENSION = {
    "nodes": [
        {"mesh": 0, "name": "face", "extensions": {"MSFT_lod": {"ids": [1]}}},
        {"mesh": 1, "name": "coarse"},
    ],
    "scenes": [{"nodes": [0, 1]}],
}
HIDDEN = {
    "nodes": [
        {"mesh": 0, "name": "face"},
        {"children": [2], "extensions": {"KHR_node_visibility": {"visible": False}}},
        {"mesh": 1, "name": "spare"},
    ],
    "scenes": [{"nodes": [0, 1]}],
}
INSTANCED = {
    "nodes": [{"mesh": 0, "name": "face"}, {"mesh": 1, "name": "leaf", "extensions": {"EXT_mesh_gpu_instancing": {}}}],
    "scenes": [{"nodes": [0, 1]}],
}


@pytest.mark.parametrize(("nodes", "words"), [(OUTSIDE, "outside of the file's scene: spare"),
                                              (BY_NAME, "lower levels of detail: face_LOD1, face_LOD2"),
                                              (HIDDEN, "outside of the file's scene: spare"),
                                              (INSTANCED, "outside of the file's scene: leaf"),
                                              (BY_EXTENSION, "outside of the file's scene: coarse")])  # fmt: skip
@pytest.mark.parametrize("mesh", [morphing, still])
def test_what_the_scene_does_not_show_is_left_out_and_named(nodes, words, mesh, tmp_path):
    path = Gltf(meshes=[mesh(), mesh()], **nodes).write(tmp_path / "lod.gltf")
    if mesh is morphing:
        with pytest.warns(InputWarning, match=words):
            assert len(rc.sources.load_blendshapes(path).rest_vertices) == 3
    rig = rc.sources.load(path)
    assert len(rig.rest_vertices) == 3
    assert any(words in note for note in rig.notes)


def test_meshes_without_shapes_are_no_part_of_a_face_and_named(tmp_path):
    nodes = {"nodes": [{"mesh": 0, "name": "face"}, {"mesh": 1, "name": "hat"}], "scenes": [{"nodes": [0, 1]}]}
    path = Gltf(meshes=[morphing(), still()], **nodes).write(tmp_path / "hat.gltf")
    with pytest.warns(InputWarning, match="left out, without morph targets: hat"):
        assert len(rc.sources.load_blendshapes(path).rest_vertices) == 3


def test_a_named_mesh_may_stand_anywhere(tmp_path):
    path = Gltf(meshes=[morphing(), morphing("spare")], **OUTSIDE).write(tmp_path / "lod.gltf")
    assert rc.sources.load_blendshapes(path, mesh="spare").shape_names == ["spare"]


@pytest.mark.parametrize(
    ("names", "shapes"),
    [
        ((None, None), ["lids.morph 0", "tongue.morph 0"]),
        (("open", None), ["open", "tongue.morph 0"]),
        (("open", "open"), ["open"]),  # parts of one avatar
        (("open", "out"), ["open", "out"]),
    ],
)
def test_shapes_of_two_meshes(names, shapes, tmp_path):
    meshes = [morphing(name) for name in names]
    for mesh, name in zip(meshes, names, strict=True):
        if name is None:
            del mesh["extras"]
    nodes = [{"mesh": 0, "name": "lids"}, {"mesh": 1, "name": "tongue"}]
    path = Gltf(nodes=nodes, meshes=meshes, scenes=[{"nodes": [0, 1]}]).write(tmp_path / "two.gltf")
    rig = rc.sources.load_blendshapes(path)
    assert rig.shape_names == shapes
    assert len(rig.rest_vertices) == 6


@pytest.mark.parametrize("place", ["mesh", "repeated", "primitive", "target"])
def test_names_of_targets_are_found_where_exporters_put_them(place, tmp_path):
    mesh = morphing("jawOpen")
    extras = mesh.pop("extras")
    if place == "primitive":
        mesh["primitives"][0]["extras"] = extras
    elif place == "target":
        mesh["primitives"][0]["targets"][0]["extras"] = {"name": "jawOpen"}
    else:
        mesh["extras"] = {"targetNames": ["jawOpen"] * (2 if place == "repeated" else 1)}
    path = Gltf(nodes=[{"mesh": 0}], meshes=[mesh]).write(tmp_path / "named.gltf")
    assert rc.sources.load_blendshapes(path).shape_names == ["jawOpen"]


def test_a_list_may_name_the_first_targets_alone(tmp_path):
    mesh = morphing("jawOpen")
    mesh["primitives"][0]["targets"] *= 3
    path = Gltf(nodes=[{"mesh": 0}], meshes=[mesh]).write(tmp_path / "named.gltf")
    assert rc.sources.load_blendshapes(path).shape_names == ["jawOpen", "morph 1", "morph 2"]


def test_two_shapes_of_one_name_stay_two(tmp_path):
    mesh = morphing()
    mesh["primitives"][0]["targets"] *= 2
    mesh["extras"]["targetNames"] = ["open", "open"]
    path = Gltf(nodes=[{"mesh": 0}], meshes=[mesh]).write(tmp_path / "twice.gltf")
    assert rc.sources.load_blendshapes(path).num_shapes == 2


def front(vertices, faces):
    a, b, c = np.asarray(vertices, float)[faces[0, :3]]
    return np.cross(b - a, c - a)


MIRRORS = [[-1, 1, 1], [1, -1, 1], [-1, -1, 1], [-2, 0.5, 1], [1, 1, 1]]


@pytest.mark.parametrize("scale", MIRRORS)
@pytest.mark.parametrize("mesh", [morphing, still])
@pytest.mark.parametrize("parent", [False, True])
def test_fronts_of_gltf_stay_fronts(scale, mesh, parent, tmp_path):
    nodes = [{"scale": scale, "children": [1]}, {"mesh": 0}] if parent else [{"mesh": 0, "scale": scale}]
    path = Gltf(nodes=nodes, meshes=[mesh()]).write(tmp_path / "mirrored.gltf")
    read = rc.sources.load_mesh(path)
    assert front(read.vertices, read.faces)[2] > 0
    rig = rc.sources.load(path)
    assert front(rig.rest_vertices, rig.faces)[2] > 0
    if mesh is morphing:
        face = rc.sources.load_blendshapes(path)
        assert front(face.rest_vertices, np.asarray(face.faces))[2] > 0


@pytest.mark.parametrize("scale", MIRRORS)
def test_fronts_of_a_mirrored_skin_stay_fronts(scale, tmp_path):
    g = Gltf(nodes=[{"name": "root", "scale": scale}, {"mesh": 0, "skin": 0}], scenes=[{"nodes": [0, 1]}])
    attributes = {"POSITION": 0, "JOINTS_0": g.add([[0] * 4] * 3, "u1"), "WEIGHTS_0": g.add([[1, 0, 0, 0]] * 3)}
    g.properties |= {"meshes": [{"primitives": [{"attributes": attributes}]}], "skins": [{"joints": [0]}]}
    rig = rc.sources.load(g.write(tmp_path / "skin.gltf"))
    assert front(rig.rest_vertices, rig.faces)[2] > 0


@pytest.mark.parametrize("scale", MIRRORS)
@pytest.mark.parametrize("hand", ["rightHanded", "leftHanded"])
@pytest.mark.parametrize("instance", [False, True])
def test_fronts_of_usd_stay_fronts(scale, hand, instance, tmp_path):
    pytest.importorskip("pxr", reason="usd-core is not installed")
    from pxr import Gf, Usd, UsdGeom

    stage = Usd.Stage.CreateInMemory()
    source = "/prototype" if instance else "/half"
    if instance:
        stage.OverridePrim(source).SetSpecifier(__import__("pxr.Sdf", fromlist=["x"]).SpecifierClass)
    half = UsdGeom.Xform.Define(stage, "/half")
    half.AddScaleOp().Set(Gf.Vec3f(*scale))
    mesh = UsdGeom.Mesh.Define(stage, f"{source}/mesh")
    mesh.CreatePointsAttr([(0, 0, 0), (1, 0, 0), (0, 1, 0)])
    mesh.CreateFaceVertexCountsAttr([3])
    mesh.CreateFaceVertexIndicesAttr([0, 1, 2] if hand == "rightHanded" else [0, 2, 1])
    mesh.CreateOrientationAttr(hand)
    if instance:
        half.GetPrim().GetReferences().AddInternalReference(source)
        half.GetPrim().SetInstanceable(True)
    stage.GetRootLayer().Export(str(tmp_path / "mirrored.usda"))
    read = rc.sources.load_mesh(tmp_path / "mirrored.usda")
    assert front(read.vertices, read.faces)[2] > 0
