"""A character's own file at the command line: what rests, its actions, its limits file."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import rigcast as rc
from tests.cli.command import json_of, rigcast_command
from tests.support.blender import has_blender
from tests.support.characters.dog import dog_files
from tests.support.glb import character

pytestmark = pytest.mark.skipif(not has_blender(), reason="no Blender is installed")


@pytest.fixture(scope="module")
def kennel(tmp_path_factory):
    """A folder with a dog, its data set, and a model that has seen ranges of 30 degrees."""
    folder = tmp_path_factory.mktemp("kennel")
    dog_files(folder)
    return folder


@pytest.fixture(scope="module")
def described(kennel):
    """What ``info`` prints of the dog as it is."""
    return rigcast_command("info", "dog.blend", folder=kennel).stdout


@pytest.mark.parametrize(
    "line",
    [
        "limits file        none",
        "actions            gesture (5 frames), walk (5 frames)",
        "modifier: Armature (ARMATURE)",
        "constraint: IK (IK) of bone 'bone2' to 'target'",
        "driver: shape.swell by slider.location_x",
        "resting: IK target of bone2; no limits: target",
        "resting: give them ranges: --ranges DEGREES, --ranges actions, or a limits file",
        "bone0.rotation_x   -40  40     0  Limit Rotation of the bone",
    ],
)
def test_info_says_what_the_file_is_made_of(described, line):
    assert line in described


def test_sample_names_what_rests_and_what_an_action_moves_beside_channels(kennel):
    done = rigcast_command("sample", "dog.blend", "-o", "walk.rwdata", "--action", "walk", folder=kennel)
    assert "note: IK target of bone2; no limits: target" in done.stdout
    assert "note: action walk also moves what is no channel: target.location_y, bone0.rotation_z" in done.stdout
    assert len(rc.Dataset(kennel / "walk.rwdata")) == 5


def test_training_counts_what_rests_in_one_line(kennel):
    data = ["sample", "dog.blend", "-o", "few.rwdata", "--count", "40", "--ranges", "actions", "--probe", "0"]
    assert rigcast_command(*data, folder=kennel).returncode == 0
    done = rigcast_command("train", "body", "few.rwdata", "-o", "few.safetensors", "--steps", "1", folder=kennel)
    told = [line for line in done.stdout.splitlines() if "never move" in line or "no limits" in line]
    resting = rc.Dataset(kennel / "few.rwdata").resting
    assert told == [
        f"note: {len(resting)} of its joints, controls, shapes and dials never move: a pose that moves them lies "
        "outside what the model learns"
    ]


def test_all_actions_are_sampled_one_after_another(kennel, tolerance):
    made = json_of("sample", "dog.blend", "-o", "all.rwdata", "--ranges", "actions", "--actions", folder=kennel)
    data = rc.Dataset(kennel / "all.rwdata")
    assert made["poses"] == 10
    column = data.channels[:, data.channel_names.index("target.location_y")]
    np.testing.assert_allclose(column[[0, 4, 5, 9]], [0, 0, 0, 0.4], atol=tolerance["float64_converged"])


def test_an_action_of_another_name_is_told_what_is_meant(kennel):
    done = rigcast_command("sample", "dog.blend", "-o", "x.rwdata", "--action", "wolk", folder=kennel)
    assert (done.returncode, done.stderr) == (
        2,
        "rigcast sample: --action 'wolk' is no action of the file; did you mean 'walk'? "
        "(rigcast sample --help shows an example)\n",
    )


def test_evaluate_plays_an_action_on_the_rig(kennel, tolerance):
    found = json_of("evaluate", "dog.safetensors", "dog.blend", "--action", "walk", folder=kennel)["actions"]["walk"]
    with rc.sources.load(kennel / "dog.blend") as rig:
        poses, vertices = rig.played("walk")
    error = rc.metrics.vertex_error(vertices, rc.load(kennel / "dog.safetensors").evaluate(poses))
    assert found["max_mm"] == pytest.approx(1000 * error.max, rel=tolerance["float64_converged"])
    assert found["no_channel"] == []  # the model's ranges make channels of what it moves


def test_the_files_own_ranges_count_where_they_are_asked_for(kennel):
    (kennel / "few.json").write_text(
        '{"format": "rigcast.limits", "version": 1, "channels": {"bone0.rotation_x": [-40, 40]}}'
    )
    given = ["dog.safetensors", "dog.blend", "--limits", "few.json", "--action", "walk"]
    found = json_of("evaluate", *given, folder=kennel)["actions"]["walk"]
    assert found["no_channel"] == ["target.location_y", "bone0.rotation_z"]


def test_a_rig_is_opened_with_the_channels_of_its_data_set(kennel):
    from argparse import Namespace

    from rigcast.cli._inputs.rigs import opened_rig

    data = rc.Dataset(kennel / "dog_held_out.rwdata")
    nothing = Namespace(mesh=None, armature=None, limits=None, ranges=None, blender=None, dials_only=False)
    with opened_rig(nothing, kennel / "dog.blend", data) as rig:
        assert list(rig.channel_names) == data.channel_names
        np.testing.assert_array_equal(rig.channel_ranges, data.channel_ranges)


@pytest.mark.parametrize(
    ("known", "option"),
    [
        ({"hip.rx": (-20.0, 20.0), "hip.tx": (0.0, 1.0), "smile": (0.0, 1.0)}, {"ranges": 20.0}),
        ({"hip.rx": (-20.0, 20.0), "knee.rx": (-5.0, 5.0)}, {}),
        ({"smile": (0.0, 1.0)}, {}),
    ],
)
def test_a_gltf_rig_takes_the_one_range_of_its_joints(known, option):
    from rigcast.cli._inputs.rigs import _as_learned

    assert _as_learned(".glb", known) == option


class Together:
    """A rig whose file plays two actions at once, as those of an armature and of its shape keys."""

    name = "pair"
    actions = {"walk": 2, "KeyAction": 2, "run": 3}  # noqa: RUF012
    played_together = ["walk", "KeyAction"]  # noqa: RUF012

    def action(self, name):
        from rigcast._rigs.motions.action import Action

        return Action(name, np.zeros((self.actions[name], 1)), 24.0)


@pytest.mark.parametrize(
    ("asked", "every", "names"),
    [
        ([], True, ["walk", "run"]),
        (["KeyAction", "walk"], False, ["KeyAction"]),
        (["run", "run"], True, ["walk", "run"]),
    ],
)
def test_actions_that_are_played_together_are_listed_once(asked, every, names, capsys):
    from argparse import Namespace

    from rigcast.cli._console import Console
    from rigcast.cli._inputs.actions import chosen_actions

    found = chosen_actions(Namespace(action=asked, all_actions=every), Together(), Console())
    assert [action.name for action in found] == names
    assert "the file plays" in capsys.readouterr().out


def test_the_template_has_every_channel_and_its_source(kennel):
    made = json_of("limits", "dog.blend", "-o", "other.limits.json", "--from-actions", folder=kennel)
    written = json.loads((kennel / "other.limits.json").read_text())
    assert made["channels"] == written["channels"]
    assert written["sources"]["target.location_y"] == "action 'walk'"
    assert written["sources"].keys() == written["channels"].keys()
    assert "bone0.scale_x" in written["without_range"]
    again = rigcast_command("limits", "dog.blend", "-o", "other.limits.json", folder=kennel)
    assert (again.returncode, "--overwrite replaces it" in again.stderr) == (2, True)


def test_info_names_the_limits_file_that_it_read(kennel):
    (kennel / "mine.limits.json").write_text(
        '{"format": "rigcast.limits", "version": 1, "channels": {"pole.location_x": [0, 1]}}'
    )
    found = json_of("info", "dog.blend", "--limits", "mine.limits.json", folder=kennel)
    assert found["limits_file"].endswith("mine.limits.json")
    assert found["channels"]["pole.location_x"] == [0, 1]


def test_channels_are_paged(capsys):
    from rigcast.cli._commands.info import _print_channels
    from rigcast.cli._console import Console

    result = {"channels": {f"bone{number}": (0.0, 1.0) for number in range(45)}}
    _print_channels(result, 2, Console())
    shown = capsys.readouterr().out
    assert ("bone40" in shown, "bone39" in shown) == (True, False)
    with pytest.raises(ValueError, match="--page 3: there are 45 channels on 2 pages"):
        _print_channels(result, 3, Console())


def test_a_clip_of_another_file_is_retargeted_by_name(kennel):
    character().write(kennel / "other.glb")
    arguments = ["--motion", "other.glb", "--clip", "wave"]
    (kennel / "map.json").write_text('{"hip": "hip", "knee": "knee"}')
    done = rigcast_command(
        "sample", "other.glb", "-o", "wave.rwdata", *arguments, "--joint-map", "map.json", folder=kennel
    )
    assert done.returncode == 0, done.stderr
    assert (
        "note: other.glb also moves what is left out here: joint 'ankle' (mapped to no joint: --joint-map)"
        in done.stdout
    )
    assert len(rc.Dataset(kennel / "wave.rwdata")) == 37  # at the rate of its keys


BVH = """HIERARCHY
ROOT bone0
{
  OFFSET 0 0 0
  CHANNELS 3 Zrotation Xrotation Yrotation
  JOINT stray
  {
    OFFSET 0 0 1
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 0 1
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.04
0 0 0 0 0 0
0 10 0 5 0 0
0 20 0 9 0 0
"""


def test_a_bvh_file_is_an_action_too(kennel):
    (kennel / "bend.bvh").write_text(BVH)
    done = rigcast_command(
        "evaluate", "dog.safetensors", "dog.blend", "--ranges", 30, "--action", "bend.bvh", folder=kennel
    )
    assert done.returncode == 0, done.stderr
    assert (
        "note: bend.bvh also moves what is left out here: joint 'stray' (mapped to no joint: --joint-map)"
        in done.stdout
    )
    assert re.search(r"bend\.bvh +3 ", done.stdout)
    assert re.search(r"by its controls +3 ", done.stdout)
    again = json_of("evaluate", "dog.safetensors", "dog.blend", "--action", "bend.bvh", folder=kennel)
    assert again["actions"]["bend.bvh"]["no_channel"] == ["joint 'stray' (mapped to no joint: --joint-map)"]


def test_one_motion_under_two_names_of_its_file_is_one(kennel):
    (kennel / "bend.bvh").write_text(BVH)
    given = ["dog.safetensors", "dog.blend", "--action", "bend.bvh", "--action", "./bend.bvh"]
    shown = rigcast_command("evaluate", *given, folder=kennel).stdout
    assert shown.count("bend.bvh: 3 frames") == 1


def test_sampling_a_motion_states_what_is_no_channel(kennel):
    (kennel / "bend.bvh").write_text(BVH)
    given = ["sample", "dog.blend", "-o", "bend.rwdata", "--motion", "bend.bvh"]
    assert json_of(*given, folder=kennel)["no_channel"] == ["joint 'stray' (mapped to no joint: --joint-map)"]


def test_limits_hold_what_motions_do_not_move_and_take_all_that_they_do(kennel):
    """Two files of one name are two motions."""
    for folder, degrees in (("near", 20), ("far", 25)):
        (kennel / folder).mkdir()
        (kennel / folder / "bend.bvh").write_text(BVH.replace("0 20 0 9 0 0", f"0 {degrees} 0 9 0 0"))
    given = ["--from-motion", "far/bend.bvh", "--from-motion", "near/bend.bvh"]
    made = json_of("limits", "dog.blend", "-o", "bend.json", *given, folder=kennel)
    moving = {name: ends for name, ends in made["channels"].items() if ends[0] < ends[1]}
    assert set(moving) <= {f"bone0.rotation_{axis}" for axis in "xyz"}
    alone = json_of("limits", "dog.blend", "-o", "far.json", *given[:2], folder=kennel)
    assert moving == {name: alone["channels"][name] for name in moving}  # it goes farther
    assert {made["sources"][name] for name in moving} == {"motion bend.bvh, bend.bvh"}
    assert set(made["retargeted"]) == {"far/bend.bvh", "near/bend.bvh"}
    written = json.loads((kennel / "bend.json").read_text())
    assert {written["origins"][name] for name in moving} == {"motion"}
    with rc.sources.load(kennel / "dog.blend", limits=kennel / "bend.json") as rig:
        assert set(rig.channel_names) == set(moving)
