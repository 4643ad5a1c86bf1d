"""How figures look: base colors and textures of glTF files, colors by the names of parts, eyes that look ahead."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast._formats.gltf.materials import SurfaceMaterial, read_materials
from rigcast.plot._image import png
from rigcast.viewer._drawing import _looks
from rigcast.viewer._drawing._looks import NOT_DRAWN, UNTEXTURED, FigureLook
from rigcast.viewer._figures._opening import figure_of
from rigcast.viewer._staging import stage_of
from tests.support.glb import character
from tests.view.frames import header_of, payload_of

PICTURE = png(np.full((2, 3, 3), (200, 90, 30), np.uint8))


def dressed(tmp_path, material, picture=PICTURE, embedded=False):
    """The test character in one material, whose image is the first one."""
    made = character(1)
    made.json["materials"] = [material]
    for primitive in made.json["meshes"][0]["primitives"]:
        primitive["material"] = 0
    view = made.view(np.frombuffer(picture, np.uint8)[:, None])
    made.json["images"] = [{"bufferView": view, "mimeType": "image/png"}]
    made.json["textures"] = [{"source": 0}]
    return made.write(tmp_path / ("hero.gltf" if embedded else "hero.glb"))


def textured(**more):
    return {"name": "fur", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}, **more}}


@pytest.mark.parametrize("embedded", [False, True])
def test_a_base_color_and_an_image_are_read(tmp_path, embedded):
    path = dressed(tmp_path, textured(baseColorFactor=[0.5, 0.25, 1, 1]), embedded=embedded)
    found, notes = read_materials(path)
    assert found == {"fur": SurfaceMaterial((0.5, 0.25, 1.0, 1.0), PICTURE, "image/png")}
    assert notes == []


@pytest.mark.parametrize(
    ("entry", "value", "said"),
    [
        ("textures", [], "index is 0"),
        ("images", [], "source is 0"),
        ("images", [{"bufferView": 999}], "bufferView is 999"),
        ("images", [{"uri": "../../secret.png"}], "base64 data or a file beside"),
    ],
)
def test_a_broken_texture_is_told_and_the_rest_is_read(tmp_path, entry, value, said):
    made = character(1)
    made.json |= {"materials": [textured()], "textures": [{"source": 0}], "images": [{}]} | {entry: value}
    found, notes = read_materials(made.write(tmp_path / "hero.glb"))
    assert found == {}
    assert len(notes) == 1
    assert said in notes[0]


def test_an_image_that_is_none_is_left_out(tmp_path):
    found, _ = read_materials(dressed(tmp_path, textured(), b"<html>"))
    assert found == {"fur": SurfaceMaterial()}


def test_a_rig_in_a_base_color_is_offered_in_it_first(tmp_path):
    rig = rc.sources.load(dressed(tmp_path, {"name": "red", "pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 1]}}))
    stage = stage_of(rig)
    assert stage.figure.look.tints.tolist() == [[255, 0, 0, 255]] * len(rig.rest_vertices)
    assert header_of(stage.scene())["colors"][:2] == ["material", "plain"]
    assert header_of(stage.step([], 0.0))["color"] == "material"


def test_a_character_without_materials_is_clay():
    stage = stage_of(rc.sources.example_body())
    scene = header_of(stage.scene())
    assert (scene["colors"][0], scene["figures"][0]["look"]) == ("plain", None)


def test_a_scene_has_colors_coordinates_and_images_after_the_edges():
    stage = stage_of(rc.sources.example_body())
    count = len(stage.figure.rest_vertices)
    uvs = np.random.default_rng(0).random((count, 2)).astype(np.float32)
    tints = np.full((count, 4), 255, np.uint8)
    image = np.where(np.arange(count) < count // 2, UNTEXTURED, 0)
    stage.figure.look = FigureLook(tints, image, uvs, [SurfaceMaterial(image=PICTURE, image_type="image/png")])
    message = stage.scene()
    (about,) = header_of(message)["figures"]
    (shape,) = about["look"]["images"]
    assert shape == {"type": "image/png", "bytes": len(PICTURE)}
    groups = about["look"]["groups"]["triangles"]
    assert [image for image, _ in groups] == [UNTEXTURED, 0]
    assert sum(size for _, size in groups) == about["triangles"]
    tail = payload_of(message)[12 * (about["triangles"] + about["reduced"]) + 8 * about["edges"] :]
    assert tail[: 4 * count] == tints.tobytes()
    assert tail[4 * count : 12 * count] == uvs.tobytes()
    assert tail[12 * count :].rstrip(b"\0") == PICTURE.rstrip(b"\0")
    triangles = np.frombuffer(payload_of(message), "<u4", 3 * about["triangles"]).reshape(-1, 3)
    assert (image[triangles[: groups[0][1], 0]] == UNTEXTURED).all()
    assert header_of(stage.scene(has_images=False))["figures"][0]["look"] is None


def sphere(center, radius=1.0, count=400):
    """Points on a sphere, spread by the golden angle."""
    k = np.arange(count) + 0.5
    height, turn = 1 - 2 * k / count, np.pi * (1 + 5**0.5) * k
    flat = np.sqrt(1 - height**2)
    return center + radius * np.stack([flat * np.cos(turn), height, flat * np.sin(turn)], axis=1)


@pytest.mark.parametrize("up", ["Y", "Z"])
def test_an_eye_is_dark_in_front_and_white_elsewhere(up):
    away = sphere(np.zeros(3))
    colors = _looks._eye_colors(away + 5.0, up).astype(int)
    front = away @ (np.array([0, 0, 1]) if up == "Y" else np.array([0, -1, 0]))
    angle = np.degrees(np.arccos(np.clip(front, -1, 1)))
    assert (colors[angle < 8] == _looks.PUPIL).all()
    assert (colors[angle > 35] == _looks.EYE).all()
    assert (colors[(angle > 14) & (angle < 24)].sum(axis=1) < sum(_looks.EYE) / 2).all()


def test_two_eyes_of_one_part_have_an_iris_each():
    one, other = sphere(np.array([-3.0, 0, 0])), sphere(np.array([3.0, 0, 0]))
    both = _looks._eye_colors(np.concatenate([one, other]), "Y")
    np.testing.assert_array_equal(both[: len(one)], _looks._eye_colors(one, "Y"))
    np.testing.assert_array_equal(both[len(one) :], _looks._eye_colors(other, "Y"))


def test_parts_of_the_ict_face_are_told_by_their_names(data_path):
    face = rc.faces.ict(data_path("ict_facekit"))
    look, notes = _looks.look_of(face, figure_of(face))
    segments = face.metadata["segments"]
    own = {name: slice(*ends) for name, ends in segments.items()}
    assert notes == []
    assert (look.tints[own["face"], :3] == _looks.CLAY).all()
    assert (look.image[own["eye_occlusion_left"]] == NOT_DRAWN).all()
    for name in ("eyeball_left", "eyeball_right"):
        colors = look.tints[own[name], :3]
        assert (colors == _looks.PUPIL).all(axis=1).any()
        assert (colors == _looks.EYE).all(axis=1).mean() > 0.3
