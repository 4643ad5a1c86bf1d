"""Blendshape rigs and curves from glTF, archives and CSV, and refusals of broken files."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast._formats.live_link.read import ANGLES, BLENDSHAPES, COLUMNS, column_sources
from rigcast._rigs.matching import plain_name
from rigcast.errors import InputWarning
from tests.support.characters.faces import small_face
from tests.support.glb import Gltf, world

HATLESS = pytest.mark.filterwarnings("ignore:left out, without morph targets. hat")


def arrays_of(rig: rc.BlendshapeRig) -> dict[str, np.ndarray]:
    """The documented archive, filled from a rig."""
    columns, factors = rig.columns(), [f for c in rig.combinations for f in c]
    return {
        "neutral": rig.rest_vertices,
        "deltas": columns[: rig.num_shapes],
        "names": np.array(rig.shape_names),
        "bounds": rig.bounds,
        "faces": rig.faces,
        "factor_offsets": np.cumsum([0, *map(len, rig.combinations)]),
        "factor_shapes": np.array([f if isinstance(f, int) else f.shape for f in factors]),
        "factor_tents": np.array([(0.0, 0, 0) if isinstance(f, int) else (f.x1, f.x2, f.x3) for f in factors]),
        "combination_deltas": columns[rig.num_shapes :],
        "licence": np.array("CC0"),
        "constructed": np.array(["combination 0"]),
    }


@pytest.mark.parametrize("ending", ["npz", "safetensors"])
def test_archives_come_back_whole(tmp_path, ending):
    rig = small_face()
    path = tmp_path / f"face.{ending}"
    if ending == "npz":
        np.savez(path, **arrays_of(rig))
    else:
        rig.save(str(path))
    again = rc.sources.load_blendshapes(path)
    np.testing.assert_array_equal(again.columns(), rig.columns())
    np.testing.assert_array_equal(again.bounds, rig.bounds)
    np.testing.assert_array_equal(again.faces, rig.faces)
    assert again.combinations == rig.combinations
    assert again.shape_names == rig.shape_names
    assert again.metadata["licence"] == "CC0"


def test_the_least_archive_is_a_neutral_and_deltas(tmp_path):
    np.savez(tmp_path / "least.npz", neutral=np.zeros((4, 3)), deltas=np.ones((2, 4, 3)))
    rig = rc.sources.load_blendshapes(tmp_path / "least.npz")
    assert (rig.num_columns, rig.metadata["name"], rig.bounds.tolist()) == (2, "least", [[0, 1], [0, 1]])


@pytest.mark.parametrize(
    "change",
    [
        {"neutral": None},
        {"deltas": np.ones((6, 4, 3))},
        {"factor_tents": None},
        {"factor_offsets": np.array([0, 5, 4, 5])},
        {"factor_offsets": np.array([0, 2, 4, 9])},
        {"factor_shapes": np.array([0, 1, 0, 2, 99])},
        {"factor_shapes": np.array([1, 1, 0, 2, 3])},
        {"names": np.array(["a"] * 6)},
        {"faces": np.array([[0, 1, 99]])},
        {"surprise": np.zeros(3)},
        {"neutral": np.full((30, 3), np.nan)},
    ],
    ids=lambda change: "-".join(change),
)
def test_broken_archives_are_refused(tmp_path, change):
    arrays = {name: array for name, array in {**arrays_of(small_face()), **change}.items() if array is not None}
    np.savez(tmp_path / "broken.npz", **arrays)
    with pytest.raises(ValueError, match=r"broken\.npz"):
        rc.sources.load_blendshapes(tmp_path / "broken.npz")


def test_every_truncation_of_an_archive_is_refused(tmp_path):
    np.savez_compressed(tmp_path / "whole.npz", **arrays_of(small_face()))
    whole = (tmp_path / "whole.npz").read_bytes()
    for length in range(0, len(whole), 97):
        (tmp_path / "part.npz").write_bytes(whole[:length])
        with pytest.raises(ValueError, match=r"part\.npz"):
            rc.sources.load_blendshapes(tmp_path / "part.npz")


def two_heads(mode: str = "LINEAR") -> Gltf:
    """Two meshes that share the target "smile", the first of two primitives, under turned and scaled nodes."""
    random = np.random.default_rng(0)
    g = Gltf()
    g.json["nodes"] = [
        {"name": "root", "scale": [2, 2, 2], "children": [1, 2, 3]},
        {"name": "head", "mesh": 0, "translation": [1, 2, 3], "rotation": [0.6, 0, 0, 0.8]},
        {"name": "teeth", "mesh": 1, "scale": [1, 2, 3]},
        {"name": "hat", "mesh": 2},
    ]

    def primitive(count, targets):
        return {
            "attributes": {"POSITION": g.add(random.normal(size=(count, 3)))},
            "targets": [{"POSITION": g.add(random.normal(size=(count, 3)), sparse=s)} for s in targets],
        }

    hat = {"attributes": {"POSITION": g.add(random.normal(size=(3, 3)))}}
    g.json["meshes"] = [
        {
            "primitives": [primitive(6, [None, [1, 4]]), primitive(3, [None, None])],
            "extras": {"targetNames": ["smile", "frown"]},
            "weights": [0.0, 0.25],
        },
        {"primitives": [primitive(9, [[0, 8]])], "extras": {"targetNames": ["smile"]}},
        {"primitives": [hat]},
    ]
    times = g.add(np.array([[0.0], [0.5], [1.25]]))
    width = 3 if mode == "CUBICSPLINE" else 1
    output = g.add(random.uniform(-0.5, 1.5, size=(3 * width * 2, 1)))
    sampler = {"input": times, "output": output, "interpolation": mode}
    channel = {"sampler": 0, "target": {"node": 1, "path": "weights"}}
    g.json["animations"] = [{"name": "talk", "samplers": [sampler], "channels": [channel]}]
    return g


@HATLESS
def test_meshes_are_merged_by_the_names_of_their_targets(tmp_path, tolerance):
    g = two_heads()
    rig = rc.sources.load_blendshapes(g.write(tmp_path / "heads.glb"))
    assert rig.shape_names == ["smile", "frown"]
    assert rig.rest_vertices.shape == (18, 3)
    assert rig.metadata["default_weights"] == [0.0, 0.25]
    keys = np.append(g.data[-1].reshape(-1, 2), [[0.0, 0.25]], axis=0)
    assert keys.max() > 1
    np.testing.assert_allclose(rig.bounds[:, 0], np.minimum(0, keys.min(axis=0)), rtol=tolerance["float32"])
    np.testing.assert_allclose(rig.bounds[:, 1], np.maximum(1, keys.max(axis=0)), rtol=tolerance["float32"])
    start = 0
    for node in (1, 2):
        matrix = world(g, node, {})
        for primitive in g.json["meshes"][node - 1]["primitives"]:
            points = g.data[primitive["attributes"]["POSITION"]]
            rows = slice(start, start + len(points))
            expected = points @ matrix[:3, :3].T + matrix[:3, 3]
            np.testing.assert_allclose(rig.rest_vertices[rows], expected, atol=20 * tolerance["float32"])
            for k, target in enumerate(primitive["targets"]):
                record = g.json["accessors"][target["POSITION"]]
                offsets = g.data[target["POSITION"]].copy()
                if "sparse" in record:
                    kept = np.zeros(len(offsets), bool)
                    kept[{6: [1, 4], 9: [0, 8]}[len(offsets)]] = True
                    offsets[~kept] = 0
                np.testing.assert_allclose(
                    rig.column(k)[rows], offsets @ matrix[:3, :3].T, atol=20 * tolerance["float32"]
                )
            start += len(points)
    assert rc.sources.load_blendshapes(tmp_path / "heads.glb", mesh="teeth").shape_names == ["smile"]
    with pytest.raises(ValueError, match=r"load_blendshapes: mesh.*heads\.glb"):
        rc.sources.load_blendshapes(tmp_path / "heads.glb", mesh="hand")


@HATLESS
def test_merged_meshes_are_parts_with_materials_and_texture_coordinates(tmp_path):
    g = two_heads()
    g.json["materials"] = [{"name": "skin"}]
    primitive, uvs = g.json["meshes"][0]["primitives"][0], np.random.default_rng(1).random((6, 2)).astype(np.float32)
    primitive["material"] = 0
    primitive["attributes"]["TEXCOORD_0"] = g.add(uvs)
    rig = rc.sources.load_blendshapes(g.write(tmp_path / "heads.glb"))
    assert rig.parts == ["head", "teeth"]
    assert np.bincount(rig.vertex_parts).tolist() == [9, 9]
    assert rig.materials == ["skin"]
    seen = rig.uvs[rig.uv_faces[rig.face_materials == 0][:, :3]].reshape(-1, 2)
    flipped = uvs * [1, -1] + [0, 1]  # the origin of texture coordinates is the lower left corner here
    np.testing.assert_array_equal(np.unique(seen, axis=0), np.unique(flipped.astype(np.float32), axis=0))


@HATLESS
@pytest.mark.parametrize("mode", ["STEP", "LINEAR", "CUBICSPLINE"])
def test_clips_are_sampled_as_gltf_says(tmp_path, tolerance, mode):
    from tests.support.glb import animated_values

    g = two_heads(mode)
    rig = rc.sources.load_blendshapes(g.write(tmp_path / "heads.gltf"))
    weights, fps = rc.sources.load_blendshape_weights(tmp_path / "heads.gltf", rig, clip="talk", fps=8.0)
    assert (len(weights), fps) == (11, 8.0)
    for frame in range(11):
        expected = animated_values(g, "talk", frame / 8)[1, "weights"]
        np.testing.assert_allclose(weights[frame], expected, atol=10 * tolerance["float32"])
    with pytest.warns(InputWarning, match="3 keys, not at every frame: sampled at 24 frames per second"):
        assert rc.sources.load_blendshape_weights(tmp_path / "heads.gltf", rig)[1] == 24.0
    with pytest.raises(ValueError, match="talk"):
        rc.sources.load_blendshape_weights(tmp_path / "heads.gltf", rig, clip="sing")


def test_the_morph_stress_test_is_read(data_path):
    path = data_path("skinned_glb", "MorphStressTest.gltf")
    rig = rc.sources.load_blendshapes(path)
    assert rig.num_shapes == 8
    assert len(rig.rest_vertices) >= 1504
    with pytest.raises(ValueError, match="clip"):
        rc.sources.load_blendshape_weights(path, rig)
    for clip in ("Individuals", "TheWave", "Pulse"):
        weights, _ = rc.sources.load_blendshape_weights(path, rig, clip=clip)
        assert weights.max() > 0.5
        shot = rc.sources.load_shot(path, clip=clip)
        np.testing.assert_array_equal(shot.vertices, rig.evaluate(weights))


def test_broken_gltf_files_are_refused_in_the_name_of_the_call(tmp_path):
    (tmp_path / "garbage.glb").write_bytes(b"glTF" + b"\xff" * 40)
    with pytest.raises(ValueError, match=r"load_blendshapes.*garbage\.glb"):
        rc.sources.load_blendshapes(tmp_path / "garbage.glb")
    g = two_heads()
    for mesh in g.json["meshes"]:
        for primitive in mesh["primitives"]:
            primitive.pop("targets", None)
    with pytest.raises(ValueError, match="no mesh has morph targets"):
        rc.sources.load_blendshapes(g.write(tmp_path / "bare.glb"))
    g = two_heads()
    g.json["meshes"][0]["primitives"][0]["targets"] = [{"POSITION": 99}]
    with pytest.raises(ValueError, match="load_blendshapes"):
        rc.sources.load_blendshapes(g.write(tmp_path / "beyond.glb"))
    (tmp_path / "x.gltf").write_text(json.dumps([]))
    with pytest.raises(ValueError, match=r"x\.gltf"):
        rc.sources.load_blendshapes(tmp_path / "x.gltf")
    with pytest.raises(FileNotFoundError, match=r"nowhere\.npz', which does not exist"):
        rc.sources.load_blendshapes(tmp_path / "nowhere.npz")
    (tmp_path / "face.fbx").write_bytes(b"Kaydara")
    with pytest.raises(ValueError, match=r"\.fbx"):
        rc.sources.load_blendshapes(tmp_path / "face.fbx")


def arkit_rig(names):
    return rc.BlendshapeRig(np.zeros((1, 3)), np.zeros((len(names), 1, 3)), names=names)


def test_live_link_names_are_mapped_whatever_their_spelling(data_path):
    assert (len(BLENDSHAPES), len(COLUMNS)) == (52, 61)
    for name in ("eyeBlink_L", "eyeBlinkLeft", "EyeBlinkLeft", "eye_blink.L", "EYE-BLINK-LEFT"):
        assert plain_name(name) == "eyeblinkleft"
    assert plain_name("jawLeft") == "jawleft"
    ict = np.load(data_path("ict_facekit") / "expressions.npz")["names"].tolist()
    found = column_sources(ict)
    assert [column for column, own in found.items() if not own] == ["TongueOut", *ANGLES]
    assert [column for column, own in found.items() if len(own) == 2] == ["BrowInnerUp", "CheekPuff"]
    makehuman = np.load(data_path("makehuman_hm08") / "arkit_visemes_talkinghead.npz")["names"].tolist()
    assert all(len(own) == 1 for column, own in column_sources(makehuman).items() if column in BLENDSHAPES)


def test_a_recording_of_the_app_is_read(tmp_path):
    """Timecodes with part frames, a row without a face, angles that no shape takes."""
    rows = [[f"16:41:{15 + (20 + i) // 60}:{(20 + i) % 60:02d}.123", "61", *["0.0"] * 61] for i in range(130)]
    rows[3][2 + COLUMNS.index("JawOpen")] = "0.75"
    rows[4][2 + COLUMNS.index("BrowInnerUp")] = "0.5"
    rows[5] = [rows[5][0], "0"]
    text = "\n".join(",".join(row) for row in [["Timecode", "BlendshapeCount", *COLUMNS], *rows])
    (tmp_path / "take.csv").write_text("\ufeff" + text + "\n", encoding="utf-8")
    with pytest.warns(InputWarning, match="1 of 3 shapes stay at 0, since no curve names them: other"):
        weights, fps = rc.sources.load_blendshape_weights(
            tmp_path / "take.csv", arkit_rig(["jawOpen", "browInnerUp_L", "other"])
        )
    assert fps == 60.0
    expected = np.zeros((130, 3), np.float32)
    expected[3, 0], expected[4, 1] = 0.75, 0.5
    np.testing.assert_array_equal(weights, expected)


def test_broken_curves_are_refused(tmp_path):
    head = "Timecode,BlendshapeCount,JawOpen"
    for text in (
        "",
        "JawOpen\n0.5",
        head,
        f"{head},JawOpen\n00:00:00:00,1,0,0",
        f"{head}\n00:00:00:00,1,x",
        f"{head}\n00:00:00:00,1,nan",
        f"{head}\n00:00:00:00,1,0,0",
        f"{head}\nnoon,1,0.5",
        "Timecode,BlendshapeCount,Unknown\n00:00:00:00,1,0.5",
        '"',
        "\0\0",
    ):
        (tmp_path / "take.csv").write_text(text)
        with pytest.raises(ValueError, match=r"load_blendshape_weights.*take\.csv"):
            rc.sources.load_blendshape_weights(tmp_path / "take.csv", arkit_rig(["jawOpen"]))
    for arrays in (
        {"curves": np.zeros((2, 1))},
        {"weights": np.zeros((2, 3))},
        {"weights": np.zeros((2, 1)), "names": np.array(["other"])},
        {"weights": np.zeros((2, 1)), "fps": np.array(-1.0)},
        {"weights": np.full((2, 1), np.inf)},
    ):
        np.savez(tmp_path / "w.npz", **arrays)
        with pytest.raises(ValueError, match=r"load_blendshape_weights.*w\.npz"):
            rc.sources.load_blendshape_weights(tmp_path / "w.npz", arkit_rig(["jawOpen"]))
