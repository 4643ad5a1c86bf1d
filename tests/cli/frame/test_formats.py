"""``info`` and ``evaluate`` take files of every format, and say frames, rate, unit and size."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import rigcast as rc
from rigcast._formats import registry
from rigcast.cli import _dispatch as dispatch
from rigcast.exports import write_blendshape_weights, write_rig, write_vertices
from tests.cli.command import json_of
from tests.support.blender import has_blender
from tests.support.characters.plain_face import plain_face
from tests.support.glb import character

FRAMES, FPS = 60, 24.0  # Live Link Face counts its rate in a whole second
PLY = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
PLY += "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 2 0\n3 0 1 2\n"


def both(read, written):
    """Endings of the files that are read and that writers make."""
    return [ending for ending in registry.written_endings(written) if ending in registry.readers(read)]


ENDINGS = {
    "rig": both(registry.FACE, registry.MADE_RIG),
    "weights": both(registry.WEIGHTS, registry.MADE_WEIGHTS),
    "shot": [*both(registry.SHOT, registry.MADE_SHOT), ".obj"],
    "mesh": [".obj", ".ply", ".npy", ".npz", ".glb", ".usdc", ".abc"],
}
FILES = [(kind, ending) for kind, endings in ENDINGS.items() for ending in endings]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("formats")


@pytest.fixture(scope="module")
def curves():
    return np.random.default_rng(0).uniform(0, 1, (FRAMES, plain_face().num_shapes)).astype(np.float32)


def made(folder, kind, ending, curves):
    face, path = plain_face(), folder / f"{kind}{ending}"
    if ending in (".usd", ".usda", ".usdc"):
        pytest.importorskip("pxr.Usd", reason="usd-core is not installed")
    if ending in (".blend", ".abc") and not has_blender():
        pytest.skip("no blender executable on the PATH and no bpy wheel")
    if kind == "rig":
        face.save(path) if ending == ".safetensors" else write_rig(path, face) if ending != ".blend" else (
            write_blendshape_weights(path, face, curves, fps=FPS)
        )
    elif kind == "weights":
        write_blendshape_weights(path, face, curves, fps=FPS)
    elif ending == ".ply":
        pytest.importorskip("trimesh", reason="trimesh is not installed")
        path.write_text(PLY)
    elif ending == ".obj":
        path.write_text("v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n")
    else:
        frames = face.evaluate(curves if kind == "shot" else curves[:1])
        try:
            write_vertices(path, frames, face.faces, fps=FPS, meters_per_unit=0.01, up_axis="Y")
        except rc.errors.SourceError as error:
            if "without Alembic" not in str(error):
                raise
            pytest.skip("this Blender was built without Alembic")
    return path


@pytest.fixture
def told(capsys):
    def call(*words):
        code = dispatch.main([*map(str, words), "--json"])
        shown = capsys.readouterr()
        assert code == 0, shown.err
        return json.loads(shown.out.splitlines()[-1])

    return call


@pytest.mark.parametrize(("kind", "ending"), FILES)
def test_info_takes_every_format(folder, curves, told, kind, ending):
    facts = told("info", made(folder, kind, ending, curves))
    if kind in ("weights", "shot") and ending not in (".npy", ".obj", ".blend", ".pc2"):
        frames = facts["clips"][0] if "clips" in facts else facts
        assert (frames["frames"], frames["fps"]) == (FRAMES, FPS)
    if kind != "weights":
        assert "size" in facts


@pytest.mark.parametrize("ending", ENDINGS["weights"])
def test_evaluate_takes_weights_of_every_format(folder, curves, told, ending):
    path = made(folder, "weights", ending, curves)
    plain_face().save(folder / "face.safetensors")
    told("evaluate", folder / "face.safetensors", path, "-o", folder / "v.npy", "--overwrite")
    expected = plain_face().evaluate(curves)
    np.testing.assert_allclose(np.load(folder / "v.npy"), expected, atol=1e-4 * np.abs(expected).max())


@pytest.mark.parametrize("ending", ENDINGS["rig"])
def test_evaluate_takes_a_blendshape_rig_of_every_format(folder, curves, told, ending):
    path = made(folder, "rig", ending, curves)
    np.save(folder / "w.npy", curves)
    done = told("evaluate", path, folder / "w.npy", "-o", folder / "u.npy", "--overwrite")
    assert done["shape"] == [FRAMES, len(rc.sources.load_blendshapes(path).rest_vertices), 3]


def test_info_says_that_a_glb_shot_moves(folder, curves, capsys):
    path = made(folder, "shot", ".glb", curves)
    assert dispatch.main(["info", str(path)]) == 0
    assert re.search(r"clip: .*: 60 frames at 24 per second, moves \d+ shapes", capsys.readouterr().out)


def test_info_knows_bvh(tmp_path, told):
    text = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\nJOINT b\n{\nOFFSET 0 10 0\nCHANNELS 1 Xrotation\n"
    text += "End Site\n{\nOFFSET 0 9 0\n}\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.04\n0 0\n0 9\n"
    (tmp_path / "a.bvh").write_text(text)
    facts = told("info", tmp_path / "a.bvh")
    assert (facts["frames"], facts["fps"], facts["joints"], facts["moving_channels"]) == (2, 25.0, 2, 1)
    assert facts["size"] == "0 x 10 x 0"


def test_the_rate_of_an_mdd_file_is_that_of_its_times(folder, curves, told):
    facts = told("info", made(folder, "shot", ".mdd", curves))
    assert (facts["fps"], facts["seconds"]) == (FPS, FRAMES / FPS)
    assert facts["notes"] == ["fps from the differences of the times that the file holds"]


def test_an_mdd_file_of_uneven_times_states_no_rate(folder, curves, told):
    content = bytearray(made(folder, "shot", ".mdd", curves).read_bytes())
    content[8 + 4 * 3 : 8 + 4 * 4] = np.array(0.131, ">f4").tobytes()
    (folder / "uneven.mdd").write_bytes(bytes(content))
    facts = told("info", folder / "uneven.mdd")
    assert facts["fps"] == "not stated"
    assert "--fps" in facts["notes"][0]


def test_solve_takes_the_rate_of_an_mdd_file(folder, curves, told):
    plain_face().save(folder / "face.safetensors")
    shot = made(folder, "shot", ".mdd", curves)
    given = ["solve", folder / "face.safetensors", shot, "-o", folder / "w.npz", "--unit", "cm", "--overwrite"]
    assert told(*given)["fps"] == FPS


def test_a_scene_without_triangles_is_described(tmp_path, told):
    scene = character()
    scene.json["meshes"] = []
    del scene.json["nodes"][0]["mesh"], scene.json["nodes"][0]["skin"]
    facts = told("info", scene.write(tmp_path / "bare.glb"))
    assert (facts["type"], facts["nodes"], facts["joints"]) == ("scene without a surface", 6, 3)
    assert [clip["name"] for clip in facts["clips"]] == ["wave", "steps"]
    assert "hip" in facts["node_names"]
    assert "no triangles" in facts["notes"][0]


def test_info_counts_the_nodes_and_shapes_that_a_clip_moves(tmp_path):
    hero = character()
    hero.write(tmp_path / "hero.glb")
    for clip, told in zip(hero.json["animations"], json_of("info", "hero.glb", folder=tmp_path)["clips"], strict=True):
        targets = [channel["target"] for channel in clip["channels"]]
        assert told["nodes"] == len({target["node"] for target in targets if target["path"] != "weights"})
        assert told["shapes"] == (2 if any(target["path"] == "weights" for target in targets) else 0)
