"""Control rigs in Blender files: which controls pose what, how far they turn, and what stays as saved."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pytest

import rigcast as rc
from rigcast._formats.blender.limits import write_limits
from tests.sources.conftest import Host

LENGTH = 2 * np.hypot(0.3, 0.02)  # of the arm, shoulder to wrist


@dataclass(frozen=True)
class Arm:
    """A file of ``arms.py``, and what must be found in it."""

    file: str
    habit: str
    fk: tuple[str, ...]
    target: str
    switch: str
    fk_at: float
    settings: tuple[str, ...]


ARMS = [
    Arm(
        "rigify_arm",
        "Rigify",
        ("upper_arm_fk.L", "forearm_fk.L", "hand_fk.L"),
        "hand_ik.L",
        "upper_arm_parent.L.IK_FK",
        1.0,
        ("upper_arm_parent.L.IK_Stretch", "upper_arm_parent.L.FK_limb_follow"),
    ),
    Arm(
        "mgear_arm",
        "mGear",
        ("arm_L0_fk0_ctl", "arm_L0_fk1_ctl", "arm_L0_fk2_ctl"),
        "arm_L0_ik_ctl",
        "armUI_L0_ctl.arm_blend",
        0.0,
        ("armUI_L0_ctl.arm_maxstretch", "armUI_L0_ctl.arm_ikref"),
    ),
    Arm(
        "arp_arm",
        "Auto-Rig Pro",
        ("c_arm_fk.l", "c_forearm_fk.l", "c_hand_fk.l"),
        "c_hand_ik.l",
        "c_hand_ik.l.ik_fk_switch",
        1.0,
        ("c_hand_ik.l.auto_stretch", "c_hand_ik.l.arm_pin"),
    ),
]
HABITS = pytest.mark.parametrize("arm", ARMS, ids=[arm.file for arm in ARMS])


def vertices(rig, **values: float):
    """Of one pose: ``values`` by the names of channels."""
    row = rig.channel_rest.copy()
    for name, value in values.items():
        row[rig.channel_names.index(name)] = value
    return rig.sample(row[None])[1][0]


@HABITS
def test_an_arm_has_two_sets_and_a_switch(any_host: Host, arm: Arm) -> None:
    rig = any_host.rig(arm.file)
    (limb,) = rig.control_sets.limbs
    assert (rig.control_sets.habit, limb.name, limb.fk, limb.ik[0]) == (arm.habit, "arm.L", arm.fk, arm.target)
    assert (limb.switch, limb.fk_at, limb.ik_at) == (arm.switch, arm.fk_at, 1.0 - arm.fk_at)
    assert rig.switches == [arm.switch]


@HABITS
def test_settings_are_held_as_saved(any_host: Host, arm: Arm) -> None:
    rig = any_host.rig(arm.file)
    assert tuple(rig.held_as_saved) == arm.settings
    assert not set(arm.settings) & set(rig.channel_names)


def test_a_setting_that_is_asked_for_is_a_channel(any_host: Host) -> None:
    with any_host.open("rigify_arm", free="*_Stretch") as rig:
        assert set(ARMS[0].settings) & set(rig.channel_names) == {"upper_arm_parent.L.IK_Stretch"}


@HABITS
@pytest.mark.parametrize("by_fk", [True, False])
def test_the_set_that_the_switch_names_moves_the_arm(any_host: Host, arm: Arm, by_fk: bool) -> None:
    rig = any_host.rig(arm.file)
    at = arm.fk_at if by_fk else 1.0 - arm.fk_at
    still = vertices(rig, **{arm.switch: at})
    fk = vertices(rig, **{arm.switch: at, f"{arm.fk[0]}.rotation_y": 30.0})
    ik = vertices(rig, **{arm.switch: at, f"{arm.target}.location_y": -0.2})
    moved, resting = (fk, ik) if by_fk else (ik, fk)
    assert np.abs(moved - still).max() > 0.01
    np.testing.assert_array_equal(resting, still)


@HABITS
def test_an_elbow_bends_forward_as_far_as_in_people(any_host: Host, arm: Arm) -> None:
    rig = any_host.rig(arm.file)
    ranges = dict(zip(rig.channel_names, rig.channel_ranges.tolist(), strict=True))
    turns = {name: ends for name, ends in ranges.items() if name.startswith(f"{arm.fk[1]}.rotation")}
    turns.pop(f"{arm.fk[1]}.rotation_y")  # the twist of the forearm
    ((name, ends),) = turns.items()
    assert np.ptp(ends) == pytest.approx(143.0, abs=0.11)  # each end is rounded to a tenth of a degree
    far = max(ends, key=abs)
    rest, bent = (vertices(rig, **{arm.switch: arm.fk_at, name: value}) for value in (0.0, far))
    tip = np.argmax(rest[:, 0])
    assert bent[tip, 0] < 0.5  # folded back over the upper arm
    assert bent[tip, 1] < rest[tip, 1] - 0.1  # toward the front, which is -y


@HABITS
def test_assumed_ranges_are_told_in_a_line(any_host: Host, arm: Arm) -> None:
    rig = any_host.rig(arm.file)
    assert rig.assumed_ranges == (
        "ranges: none in the file, joint limits of people for 4 controls (Boone and Azen 1979, AAOS 1965)"
    )
    kinds = dict(zip(rig.channel_names, rig.range_origins, strict=True))
    assert {kinds.pop(arm.switch), *kinds.values()} == {"file", "people"}


@HABITS
def test_an_ik_target_goes_half_the_length_of_its_limb(any_host: Host, arm: Arm) -> None:
    rig = any_host.rig(arm.file)
    for axis in "xyz":
        low, high = rig.channel_ranges[rig.channel_names.index(f"{arm.target}.location_{axis}")]
        assert -low == high == pytest.approx(LENGTH / 2, abs=1e-4)  # rounded so far


def test_ranges_are_asked_for(any_host: Host) -> None:
    arm = ARMS[0]
    with any_host.open(arm.file, ranges=20) as rig:
        assert set(rig.range_origins) == {"degrees", "file"}
        assert not set(arm.settings) & set(rig.channel_names)
    with any_host.open(arm.file, limits={arm.settings[0]: (0, 0.5)}) as rig:
        assert rig.channel_names == [arm.settings[0], arm.switch]
        assert rig.held_as_saved.keys() == {arm.settings[1]}
    with any_host.open(arm.file, limits={arm.settings[0]: (0, 0.5)}, hold="*") as rig:
        assert rig.channel_names == [arm.settings[0]]
    with any_host.open("plain", ranges="people") as rig:  # no control rig
        assert rig.control_sets is None
        assert set(rig.range_origins) == {"degrees"}


@pytest.mark.parametrize("pattern", ["forearm_fk.L.rotation_z", "*fk.L.rotation_[yz]"])
def test_what_is_held_is_no_channel(any_host: Host, pattern: str) -> None:
    with any_host.open("rigify_arm", hold=pattern) as rig:
        assert "forearm_fk.L.rotation_z" not in rig.channel_names
        assert rig.held_as_saved["forearm_fk.L.rotation_z"] == 0.0
        assert rig.held_sources["forearm_fk.L.rotation_z"] == "held as saved: asked for"


@pytest.mark.parametrize(
    ("option", "pattern", "near"),
    [
        ("hold", "forearm_fk.L.rotaton_z", "did you mean 'forearm_fk.L.rotation_z'"),
        ("free", "upper_arm_parent.L.IK_Strech", "did you mean 'upper_arm_parent.L.IK_Stretch'"),
        ("hold", "nothing.*", "the name of a channel, or a pattern"),
        ("free", "nothing.*", "the name of a channel with a range of its own, or a pattern"),
        ("hold", "", "names of channels, or patterns"),
    ],
)
def test_a_pattern_that_matches_nothing_is_refused(any_host: Host, option: str, pattern: str, near: str) -> None:
    with pytest.raises(ValueError, match=rf"BlenderRig\.open: {option} is ") as error:
        any_host.open("rigify_arm", **{option: pattern})
    assert near in str(error.value)


@pytest.fixture
def written(any_host: Host, tmp_path):
    """The limits file of an arm, as an object and a path."""
    path = tmp_path / "arm.limits.json"
    write_limits(path, any_host.rig("rigify_arm"))
    return json.loads(path.read_text()), path


def test_a_limits_file_has_groups(any_host: Host, written) -> None:
    content, path = written
    rig, arm = any_host.rig("rigify_arm"), ARMS[0]
    groups = content["groups"]
    assert (groups["switch"], groups["held"]) == ([arm.switch], list(arm.settings))
    assert set(groups["on"]) == set(rig.channel_names) - {arm.switch}
    assert list(content["channels"]) == [*groups["on"], *groups["switch"], *groups["held"]]
    with any_host.open(arm.file, limits=path) as again:
        assert (again.channel_names, again.switches) == (rig.channel_names, rig.switches)
        assert again.range_origins == rig.range_origins


def test_groups_may_be_edited(any_host: Host, written) -> None:
    content, path = written
    switch, twist = ARMS[0].switch, "forearm_fk.L.rotation_y"
    content["groups"] = {"on": [], "switch": ["hand_fk.L.rotation_x"], "held": [twist]}
    path.write_text(json.dumps(content))
    with any_host.open("rigify_arm", limits=path) as rig:
        assert twist not in rig.channel_names
        assert switch in rig.channel_names
        assert rig.switches == ["hand_fk.L.rotation_x"]


def test_a_limits_file_without_groups_is_read(any_host: Host, written) -> None:
    content, path = written
    for key in ("groups", "sources", "origins", "without_range", "resting"):
        del content[key]
    path.write_text(json.dumps(content))
    with any_host.open("rigify_arm", limits=path) as rig:
        assert rig.switches == [ARMS[0].switch]
        assert set(rig.range_origins) == {"limits file"}


@pytest.mark.parametrize("groups", [[], {"off": []}, {"on": "all"}, {"held": [1]}])
def test_other_groups_are_refused(any_host: Host, written, groups) -> None:
    content, path = written
    path.write_text(json.dumps(content | {"groups": groups}))
    with pytest.raises(ValueError, match="groups on, switch, held of channel names"):
        any_host.open("rigify_arm", limits=path)


def test_an_arm_without_an_action_is_sampled_by_fk_or_ik(any_host: Host, tmp_path) -> None:
    rig, arm = any_host.rig("mgear_arm"), ARMS[1]
    data = rc.sampling.sample(rig, tmp_path / "arm.rwdata", 60, sampler=rc.sampling.animators_poses(rig), probe=0)
    names = data.channel_names
    switch = data.channels[:, names.index(arm.switch)]
    fk = [names.index(name) for name in names if name.startswith("arm_L0_fk")]
    assert np.isin(switch, [0, 1]).mean() > 0.8
    assert (data.channels[switch == 1][:, fk] == 0).all()
