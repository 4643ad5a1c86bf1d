"""The commands on a real rig, one after another, and interruptions of them in processes of their own."""

from __future__ import annotations

import json
import os
import re
import subprocess

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli._described.skinning import NO_GAIN
from tests.cli.command import broken_off, command, environment, json_of, rigcast_command
from tests.support.characters.cylinder import CylinderRig
from tests.support.made.cylinder_models import cylinder_file, cylinder_skinning


@pytest.fixture(scope="module")
def workplace(tmp_path_factory):
    """A folder with a rig and a data set made from the command line."""
    folder = tmp_path_factory.mktemp("workplace")
    cylinder_file(folder / "hero.npz")
    made = json_of("sample", "hero.npz", "-o", "held_out.rwdata", "--count", 30, "--seed", 1, folder=folder)
    assert made["poses"] == 30
    return folder


def test_sample_makes_the_data_set_of_the_library(workplace):
    by_command = rc.Dataset(workplace / "held_out.rwdata")
    rig = rc.sources.load(workplace / "hero.npz")
    by_library = rc.sampling.sample(rig, workplace / "library.rwdata", 30, seed=1)
    assert by_command.hash == by_library.hash
    assert by_command.probe is not None


def test_sample_from_animation(workplace):
    rig = rc.sources.load(workplace / "hero.npz")
    frames = np.linspace(0.1, 0.9, 7)[:, None] * rig.channel_ranges[:, 1]
    np.save(workplace / "frames.npy", frames)
    json_of("sample", "hero.npz", "-o", "wave.rwdata", "--motion", "frames.npy", folder=workplace)
    wave = rc.Dataset(workplace / "wave.rwdata")
    np.testing.assert_array_equal(wave.channels, frames.astype(np.float32))
    assert wave.probe is None


def test_frames_are_probed_when_that_is_asked_for_and_when_noise_leaves_them(workplace):
    rig = rc.sources.load(workplace / "hero.npz")
    np.save(workplace / "still.npy", np.tile(rig.channel_rest, (5, 1)))
    for place, given in (("asked", ["--probe", 1]), ("noisy", ["--noise", 0.1])):
        json_of("sample", "hero.npz", "-o", place, "--motion", "still.npy", *given, folder=workplace)
        assert rc.Dataset(workplace / place).probe is not None


def test_sample_from_a_bvh_by_a_joint_map(workplace, tolerance):
    (workplace / "bend.bvh").write_text(BVH)
    (workplace / "map.json").write_text(json.dumps({"a": "root", "b": "joint1"}))
    arguments = ["--motion", "bend.bvh", "--joint-map", "map.json"]
    shown = rigcast_command("sample", "hero.npz", "-o", "bend.rwdata", *arguments, folder=workplace)
    assert shown.returncode == 0, shown.stderr
    assert "3 frames, 2 joints mapped" in shown.stdout
    bend = rc.Dataset(workplace / "bend.rwdata")
    column = bend.channel_names.index("joint1.rx")
    np.testing.assert_allclose(bend.channels[:, column], [0, 20, 40], atol=tolerance["float32_character"])


def test_info_describes_rigs_and_data_sets(workplace):
    rig = json_of("info", "hero.npz", folder=workplace)
    assert rig["dials"] == 0
    assert "numeric_controls" not in rig
    assert (rig["type"], rig["vertices"], rig["joints"]) == ("rig", 290, 4)
    assert rig["channels"]["joint1.rx"] == [-60, 60]
    data = json_of("info", "held_out.rwdata", "--verify", folder=workplace)
    assert (data["type"], data["poses"], data["verified"]) == ("data set", 30, True)
    assert data["hash"] == rc.Dataset(workplace / "held_out.rwdata").hash
    assert data["topology_hash"] == rig["topology_hash"]


def test_evaluate_measures_and_writes_vertices(workplace, tolerance):
    """The bulge is all that linear skinning misses."""
    dataset = rc.Dataset(workplace / "held_out.rwdata")
    model = cylinder_skinning(CylinderRig(extra_control=False), 4)
    model.save(workplace / "skinning.safetensors")
    off = 10.0 * np.linalg.norm(model.evaluate(dataset.poses) - dataset.vertices, axis=2)
    table = json_of("evaluate", "skinning.safetensors", "held_out.rwdata", folder=workplace)
    assert table["mean_mm"] == pytest.approx(off.mean(), rel=tolerance["float32_character"])
    assert table["max_mm"] == pytest.approx(off.max(), rel=tolerance["float32_character"])
    np.save(workplace / "poses.npy", dataset.poses[:5])
    done = json_of("evaluate", "skinning.safetensors", "poses.npy", "-o", "vertices.npy", folder=workplace)
    assert done["shape"] == [5, 290, 3]
    np.testing.assert_array_equal(np.load(workplace / "vertices.npy"), model.evaluate(dataset.poses[:5]))


@pytest.mark.parametrize("count", [100, 150])
def test_a_body_no_better_than_linear_skinning_says_so_first(workplace, count):
    """One step learns nothing: the file holds the skinning."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    data, model = f"few{count}.rwdata", f"few{count}.safetensors"
    json_of("sample", "hero.npz", "-o", data, "--count", count, "--probe", 1, folder=workplace)
    training = ["train", "body", data, "-o", model, "--steps", "1", "--linear", "rigid", "--threads", "1"]
    for arguments in (training, ["evaluate", model, "held_out.rwdata"], ["info", model]):
        shown = rigcast_command(*arguments, folder=workplace)
        assert shown.returncode == 0, shown.stderr
        assert shown.stdout.startswith(NO_GAIN), shown.stdout
        assert "linear skinning" in shown.stdout.split("\n", 1)[1]
    told = json_of(*training, "--overwrite", folder=workplace)
    assert (told["linear"], told["linear_trials"]) == ("rigid", None)
    assert set(told["linear_skinning_mm"]) == {"mean", "max"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["sample", "hero.npz", "-o", "x.rwdata", "--count", "0"], "--count: 0 is not a whole number of at least 1"),
        (["sample", "hero.npz", "-o", "nowhere/x.rwdata"], "the folder nowhere does not exist"),
        (["sample", "hero.npz", "-o", "x.rwdata", "--mesh", "Body"], "--mesh does not apply to .npz files"),
        (["sample", "bend.txt", "-o", "x.rwdata"], "must be a file that ends in"),
        (["sample", "hero.npz", "-o", "x.rwdata", "--motion", "bend.txt"], "must be"),
        (["evaluate", "skinning.safetensors", "held_out.rwdata", "-o", "v.pc2"], "v.pc2 must have some: --fps"),
        (["evaluate", "skinning.safetensors", "bend.txt", "-o", "v.npy"], "must be a file that ends in"),
        (["evaluate", "hero.npz", "held_out.rwdata"], "hero.npz has morphs beside its joints"),
        (["info", "folder"], "or one that rigcast sample has finished"),
        (["info", "broken.npz"], "broken.npz"),
        (
            ["train", "body", "held_out.rwdata", "-o", "skinning.safetensors"],
            "skinning.safetensors exists; --overwrite",
        ),
        (["train", "face", "held_out.rwdata", "-o", "m.safetensors"], "invalid choice: 'face'"),
    ],
)
def test_wrong_input_is_one_sentence_and_code_two(workplace, arguments, words):
    (workplace / "bend.txt").write_text("no motion")
    (workplace / "broken.npz").write_bytes(b"PK\x03\x04 no archive")
    (workplace / "folder").mkdir(exist_ok=True)
    cylinder_skinning(CylinderRig(extra_control=False), 4).save(workplace / "skinning.safetensors")
    done = rigcast_command(*arguments, folder=workplace)
    assert done.returncode == 2, done.stderr
    assert words in done.stderr.splitlines()[-1]
    assert done.stdout == ""


def test_an_interrupted_sample_goes_on(workplace):
    """Ctrl-C in the middle, then the same command: the same data set as without the interruption."""
    arguments = ["sample", "hero.npz", "--count", "300", "--probe", "0"]
    stopped = broken_off(*arguments, "-o", "broken.rwdata", folder=workplace, when="progress.done >= 64")
    assert stopped.returncode == 130, stopped.stderr
    assert list((workplace / "broken.rwdata").glob("*.done"))
    assert stopped.stderr.splitlines()[-1] == "rigcast sample: interrupted; run the same command again to continue"
    again = json_of(*arguments, "-o", "broken.rwdata", folder=workplace)
    whole = json_of(*arguments, "-o", "whole.rwdata", folder=workplace)
    assert again["hash"] == whole["hash"]


def test_ctrl_c_while_the_commands_load_is_one_line(tmp_path):
    """A press at the moment that NumPy, or what stands in for it, is imported."""
    (tmp_path / "numpy.py").write_text("import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(9)\n")
    paths = os.pathsep.join([str(tmp_path), environment()["PYTHONPATH"]])
    settings = environment() | {"PYTHONPATH": paths}
    done = subprocess.run(command("info", "hero.npz"), cwd=tmp_path, env=settings, capture_output=True, text=True)
    assert (done.returncode, done.stderr, done.stdout) == (130, "rigcast: interrupted\n", "")


def test_a_reader_that_leaves_is_no_error(workplace):
    """As in ``rigcast info hero.npz | head -1``."""
    line = " ".join(command("info", "hero.npz"))
    done = subprocess.run(
        ["bash", "-c", f"{line} | head -n 1"], cwd=workplace, env=environment(), capture_output=True, text=True
    )
    assert re.match(r"type +rig", done.stdout)
    assert done.stderr == ""


BVH = """HIERARCHY
ROOT a
{
 OFFSET 0 0 0
 CHANNELS 3 Zrotation Yrotation Xrotation
 JOINT b
 {
  OFFSET 0 10 0
  CHANNELS 3 Zrotation Yrotation Xrotation
  End Site
  {
   OFFSET 0 10 0
  }
 }
}
MOTION
Frames: 3
Frame Time: 0.1
0 0 0 0 0 0
0 0 0 0 0 20
0 0 0 0 0 40
"""
