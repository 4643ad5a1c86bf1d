"""Motion of another skeleton at the command line: what is said of it, and limbs that would stand still."""

from __future__ import annotations

import json

import pytest

import rigcast as rc
from tests.cli.command import json_of, rigcast_command
from tests.support.characters.dancer import LEGS, NAMES, body, dance, model_without_legs


@pytest.fixture(scope="module")
def stage(tmp_path_factory):
    """A clip, a rig that follows it, and a rig and a model whose legs cannot turn."""
    folder = tmp_path_factory.mktemp("stage")
    whole = body()
    made = rc.sources.retarget(dance(frames=20), whole, {name: name for name in NAMES})
    rc.exports.write_bvh(folder / "dance.bvh", whole, made.channels, fps=25)
    rc.sources.save_npz_rig(folder / "whole.npz", body(limit=20.0))
    rc.sources.save_npz_rig(folder / "legless.npz", body(without=LEGS))
    (folder / "same.json").write_text(json.dumps({name: name for name in NAMES}))
    model_without_legs(folder).save(folder / "legless.safetensors")
    return folder


COMMANDS = {
    "sample": ["sample", "legless.npz", "-o", "a.rwdata", "--motion", "dance.bvh"],
    "an action": ["sample", "legless.npz", "-o", "b.rwdata", "--action", "dance.bvh"],
    "evaluate": ["evaluate", "legless.safetensors", "dance.bvh", "--joint-map", "same.json", "-o", "c.npy"],
    "synth fit": [
        "synth",
        "fit",
        "legless.npz",
        "--take",
        "calm=dance.bvh",
        "-o",
        "d.safetensors",
        "--max-iterations",
        2,
    ],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_limbs_that_stand_still_are_refused_unless_that_is_asked_for(stage, name):
    done = rigcast_command(*COMMANDS[name], folder=stage)
    assert done.returncode == 2
    assert "left leg, right leg would stand still on the rig" in done.stderr
    assert "--allow-frozen" in done.stderr
    assert rigcast_command(*COMMANDS[name], "--allow-frozen", folder=stage).returncode == 0


def test_the_miss_of_deforming_joints_is_printed_and_in_json(stage):
    arguments = ["sample", "whole.npz", "--motion", "dance.bvh"]
    said = rigcast_command(*arguments, "-o", "e.rwdata", folder=stage).stdout
    found = json_of(*arguments, "-o", "f.rwdata", folder=stage)["retargeted"]["dance.bvh"]
    assert "deforming joints miss the motion's turns by " in said
    assert f"{found['degrees_max']:.1f} at worst" in said
    assert f"{found['mm_max']:.0f} at worst" in said
    assert found["joints"].keys() == set(NAMES)
    assert found["degrees_max"] == max(joint["degrees_max"] for joint in found["joints"].values()) > 5


def test_the_root_goes_the_motions_way_beyond_its_range(stage):
    clip = dance(frames=20)
    clip.local[:, 0, 0, 3] += [0.7 * frame for frame in range(20)]
    rig = body()
    made = rc.sources.retarget(clip, rig, {name: name for name in NAMES}, root_translation=True)
    rc.exports.write_bvh(stage / "far.bvh", rig, made.channels, fps=25)
    done = rigcast_command("sample", "whole.npz", "-o", "g.rwdata", "--motion", "far.bvh", folder=stage)
    assert "note: far.bvh: the root is not clipped and leaves its ranges, in degrees or the rig's unit: " in done.stdout
    assert "Hips.tx by 4.3" in done.stdout
    assert "location of" not in done.stdout
