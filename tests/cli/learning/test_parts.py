"""Parts, materials, texture coordinates and clips on the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rigcast as rc
from rigcast._formats.blender import run_script
from rigcast._formats.gltf.surface import read_surface
from rigcast.cli._dispatch import main
from tests.cli.command import json_of, rigcast_command
from tests.support.blender import has_blender
from tests.support.characters.small_rig import small_rig

FACTS = {
    "parts": {"body": 12, "eyes": 14},
    "materials": ["skin", "iris"],
    "uvs": 31,
    "uv_tiles": ["0 0", "1 0"],
    "licence": "CC0-1.0",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A rig, its data set and a model."""
    place = tmp_path_factory.mktemp("parts")
    rc.sources.save_npz_rig(place / "small.npz", small_rig())
    ds = rc.sampling.sample(small_rig(), place / "small.rwdata", count=4, probe=0)
    rc.baselines.linear_blend(ds, influences=2).save(place / "small.safetensors")
    return place


@pytest.mark.parametrize("name", ["small.npz", "small.rwdata", "small.safetensors"])
def test_info_names_parts_materials_tiles_and_licence(folder, name):
    found = json_of("info", name, folder=folder)
    assert {key: found[key] for key in FACTS} == FACTS


def test_evaluate_writes_parts(folder):
    model = rc.load(folder / "small.safetensors")
    np.save(folder / "rest.npy", np.tile(model.poses_from_channels([small_rig().channel_rest]), (2, 1)))
    json_of("evaluate", "small.safetensors", "rest.npy", "-o", "m.glb", "--fps", "24", folder=folder)
    assert read_surface(folder / "m.glb").surface.parts[:2] == ["body", "eyes"]


@pytest.fixture(scope="module")
def eel(tmp_path_factory):
    """The creature of two meshes among the examples."""
    if not has_blender():
        pytest.skip("no Blender is installed")
    place = tmp_path_factory.mktemp("eel")
    script = Path(__file__).parents[3] / "examples" / "rigs" / "creature.py"
    run_script(script, [str(place / "eel.blend")])
    return place


def test_sample_says_which_meshes_are_the_character(eel):
    command = ("sample", "eel.blend", "-o", "eel.rwdata", "--count", "3", "--probe", "0")
    assert "one character of 2 meshes: Eel, Eyes" in rigcast_command(*command, folder=eel).stdout
    assert rc.Dataset(eel / "eel.rwdata").surface.parts == ["Eel", "Eyes"]


@pytest.fixture(scope="module")
def swimmer(eel):
    """A model of the eel without training."""
    with rc.sources.load(eel / "eel.blend") as rig:
        data = rc.sampling.sample(rig, eel / "few.rwdata", count=8, probe=0)
    rc.baselines.linear_blend(data, influences=2).save(eel / "eel.safetensors")
    return eel


def test_evaluate_gives_the_error_of_each_part(swimmer):
    done = rigcast_command("evaluate", "eel.safetensors", "eel.blend", "--action", "swim", folder=swimmer)
    line = next(line for line in done.stdout.splitlines() if line.startswith("swim: by part: "))
    assert {part.split()[0] for part in line.removeprefix("swim: by part: ").split("; ")} == {"Eel", "Eyes"}


@pytest.mark.parametrize("output", [[], ["-o", "eyes.npy"]])
def test_another_character_is_refused_before_its_action_plays(swimmer, monkeypatch, capsys, output):
    def played(self, name):
        raise AssertionError("it played")

    monkeypatch.chdir(swimmer)
    monkeypatch.setattr(rc.sources.BlenderRig, "played", played)
    assert main(["evaluate", "eel.safetensors", "eel.blend", "--mesh", "Eyes", "--action", "swim", *output]) == 2
    assert "open it with the options that its data set was sampled with" in capsys.readouterr().err


def test_info_takes_a_blend_of_several_caches(tmp_path):
    if not has_blender():
        pytest.skip("no Blender is installed")
    write_two_parts(tmp_path / "m.blend")
    found = json_of("info", "m.blend", folder=tmp_path)
    assert found["parts"] == {"body": 3, "eyes": 4}
    assert found["channels"] == {}
    assert any("Mesh Cache" in entry for entry in found["contents"]["modifiers"])


def test_a_rig_as_motion_needs_an_action(swimmer):
    done = rigcast_command("evaluate", "eel.safetensors", "eel.blend", "-o", "swim.usd", folder=swimmer)
    assert done.returncode == 2
    assert "eel.blend is a rig: say which of its actions to play, --action NAME or --actions (" in done.stderr


def test_info_takes_a_moving_glb_of_several_meshes(tmp_path):
    write_two_parts(tmp_path / "m.glb")
    found = json_of("info", "m.glb", folder=tmp_path)
    assert (found["type"], found["vertices"], found["frames"]) == ("shot", 7, 2)


@pytest.mark.parametrize(("options", "vertices"), [((), 7), (("--mesh", "eyes"), 4)])
def test_info_takes_all_moving_meshes_of_a_usd_file(tmp_path, options, vertices):
    pytest.importorskip("pxr", reason="usd-core is not installed")
    write_two_parts(tmp_path / "m.usda")
    assert json_of("info", "m.usda", *options, folder=tmp_path)["vertices"] == vertices


@pytest.mark.parametrize("ending", ["pc2", "mdd"])
def test_each_mesh_has_a_point_cache_of_its_own(tmp_path, ending):
    moving, notes = write_two_parts(tmp_path / f"m.{ending}")
    assert f"m.body.{ending}, m.eyes.{ending}" in notes[-1]
    for part, own in (("body", slice(0, 3)), ("eyes", slice(3, 7))):
        np.testing.assert_array_equal(rc.sources.load_shot(tmp_path / f"m.{part}.{ending}").vertices, moving[:, own])


def write_two_parts(path):
    """Two frames of a triangle and a quad as two parts, and what writing them says."""
    moving = np.random.default_rng(0).normal(size=(2, 7, 3)).astype(np.float32)
    surface = rc.sources.Surface(["body", "eyes"], [0, 0, 0, 1, 1, 1, 1])
    return moving, rc.exports.write_vertices(path, moving, [[0, 1, 2, -1], [3, 4, 5, 6]], surface=surface)


def test_actions_are_clips_of_the_data_set(eel):
    json_of("sample", "eel.blend", "-o", "both.rwdata", "--actions", folder=eel)
    ds = rc.Dataset(eel / "both.rwdata")
    assert sorted((clip.name, clip.fps) for clip in ds.clips) == [("look", 30.0), ("swim", 30.0)]
    assert set(ds.clip.tolist()) == {0, 1}
    assert "swim (" in rigcast_command("info", "both.rwdata", folder=eel).stdout


def test_a_mesh_may_be_chosen(eel):
    found = json_of("info", "eel.blend", "--mesh", "Eyes", folder=eel)
    assert (list(found["parts"]), found["left_out"]) == (["Eyes"], ["'Eel': not asked for"])


def test_an_unknown_mesh_is_refused(eel):
    done = rigcast_command("info", "eel.blend", "--mesh", "Eyse", folder=eel)
    assert done.returncode == 2
    assert "must be one of 'Eel', 'Eyes'" in done.stderr
