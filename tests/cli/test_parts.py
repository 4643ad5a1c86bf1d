"""Parts, materials, texture coordinates and clips on the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rigwright as rw
from rigwright._formats.blender import run_script
from rigwright._formats.gltf.surface import read_surface
from tests.cli.command import json_of, rigwright_command
from tests.support.dog import has_blender
from tests.support.small_rig import small_rig

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
    rw.sources.save_npz_rig(place / "small.npz", small_rig())
    ds = rw.sampling.sample(small_rig(), place / "small.rwdata", count=4, probe=0)
    rw.baselines.linear_blend(ds, influences=2).save(place / "small.safetensors")
    return place


@pytest.mark.parametrize("name", ["small.npz", "small.rwdata", "small.safetensors"])
def test_info_names_parts_materials_tiles_and_licence(folder, name):
    found = json_of("info", name, folder=folder)
    assert {key: found[key] for key in FACTS} == FACTS


def test_evaluate_writes_parts(folder):
    model = rw.load(folder / "small.safetensors")
    np.save(folder / "rest.npy", np.tile(model.poses_from_channels([small_rig().channel_rest]), (2, 1)))
    json_of("evaluate", "small.safetensors", "rest.npy", "-o", "m.glb", "--fps", "24", folder=folder)
    assert read_surface(folder / "m.glb").surface.parts[:2] == ["body", "eyes"]


@pytest.fixture(scope="module")
def eel(tmp_path_factory):
    """The creature of two meshes among the examples."""
    if not has_blender():
        pytest.skip("no Blender is installed")
    place = tmp_path_factory.mktemp("eel")
    script = Path(__file__).parents[2] / "examples" / "rigs" / "creature.py"
    run_script(script, [str(place / "eel.blend")])
    return place


def test_sample_says_which_meshes_are_the_character(eel):
    command = ("sample", "eel.blend", "-o", "eel.rwdata", "--count", "3", "--probe", "0")
    assert "one character of 2 meshes: Eel, Eyes" in rigwright_command(*command, folder=eel).stdout
    assert rw.Dataset(eel / "eel.rwdata").surface.parts == ["Eel", "Eyes"]


def test_actions_are_clips_of_the_data_set(eel):
    json_of("sample", "eel.blend", "-o", "both.rwdata", "--actions", folder=eel)
    ds = rw.Dataset(eel / "both.rwdata")
    assert sorted((clip.name, clip.fps) for clip in ds.clips) == [("look", 30.0), ("swim", 30.0)]
    assert set(ds.clip.tolist()) == {0, 1}
    assert "swim (" in rigwright_command("info", "both.rwdata", folder=eel).stdout


def test_a_mesh_may_be_chosen(eel):
    found = json_of("info", "eel.blend", "--mesh", "Eyes", folder=eel)
    assert (list(found["parts"]), found["left_out"]) == (["Eyes"], ["'Eel': not asked for"])


def test_an_unknown_mesh_is_refused(eel):
    done = rigwright_command("info", "eel.blend", "--mesh", "Eyse", folder=eel)
    assert done.returncode == 2
    assert "must be one of 'Eel', 'Eyes'" in done.stderr
