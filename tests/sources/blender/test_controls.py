"""Controls, resting bones, actions and limits of a .blend: nothing is left out without a word."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast._formats.blender import BlenderRig, load_limits, write_limits
from tests.sources.conftest import Host

AXES = "xyz"


@pytest.fixture(scope="module")
def limb(any_host: Host) -> BlenderRig:
    return any_host.rig("limb")


@pytest.fixture(scope="module")
def wide(any_host: Host):
    """The limb with ranges for bones that the file does not limit."""
    with any_host.open("limb", ranges=20) as rig:
        yield rig


@pytest.fixture(scope="module")
def acted(any_host: Host):
    """The limb with ranges from its own actions."""
    with any_host.open("limb", ranges="actions") as rig:
        yield rig


@pytest.fixture(scope="module")
def draped(any_host: Host) -> BlenderRig:
    return any_host.rig("draped")


@pytest.fixture(scope="module")
def clothed(any_host: Host) -> BlenderRig:
    return any_host.rig("clothed")


@pytest.fixture(scope="module")
def played(limb: BlenderRig):
    """Poses and vertices of an action as Blender plays it."""
    return limb.played("step")


def ranges_of(rig: BlenderRig) -> dict[str, list[float]]:
    return dict(zip(rig.channel_names, rig.channel_ranges.tolist(), strict=True))


def test_what_never_moves_is_named_with_the_reason(limb: BlenderRig) -> None:
    assert limb.channel_names == ["bone0.rotation_x"]
    assert limb.resting == {
        "target": "IK target of bone2; no limits",
        "pole": "IK pole target of bone2; no limits",
        "slider": "read by a driver; no limits",
        "shape.swell": "driven by slider.location_x, which never moves it inside the ranges",
        "shape.quiet": "muted",
        "property.free": "it has no range",
    }  # bone1 and bone2 reach for a target that stays where it is when bone0 turns


def test_a_bone_that_moves_is_not_said_to_rest(wide: BlenderRig) -> None:
    assert set(wide.resting) == {"shape.quiet", "property.free"}


def test_controls_are_channels_and_what_they_move_is_none(wide: BlenderRig) -> None:
    assert {name.rpartition("_")[0] for name in wide.channel_names} == {
        "bone0.rotation", "target.location", "pole.location", "slider.location",
    }  # fmt: skip
    assert "slider.location_y" not in wide.channel_names  # nothing reads it


def test_ranges_fill_in_what_the_file_does_not_limit(wide: BlenderRig) -> None:
    ranges = ranges_of(wide)
    assert (ranges["bone0.rotation_x"], ranges["bone0.rotation_y"]) == ([-40, 40], [-20, 20])
    sources = dict(zip(wide.channel_names, wide.range_sources, strict=True))
    assert sources["bone0.rotation_x"] == "Limit Rotation of the bone"
    assert sources["target.location_x"].startswith("IK target of bone2: ")


def test_a_target_ranges_over_a_share_of_its_chain(wide: BlenderRig, tolerance) -> None:
    chain = np.linalg.norm([(0, 0.1, 1), (0, 0.2, 1)], axis=1).sum()
    np.testing.assert_allclose(
        ranges_of(wide)["target.location_y"], [-0.2 * chain, 0.2 * chain], atol=tolerance["float32_character"]
    )


def test_a_limit_of_a_bone_in_a_chain_is_named(limb: BlenderRig) -> None:
    assert any("'bone2': its Limit Rotation gives no range" in note for note in limb.notes)


def test_ranges_from_actions_are_their_extremes(acted: BlenderRig, tolerance) -> None:
    ranges = ranges_of(acted)
    np.testing.assert_allclose(
        ranges.pop("bone0.rotation_z"), [0, np.degrees(0.3)], atol=tolerance["float32_character"]
    )
    np.testing.assert_allclose(ranges.pop("target.location_y"), [0, 0.4], atol=tolerance["float32_character"])
    assert ranges == {"bone0.rotation_x": [-40, 40]}
    assert "action 'step'" in acted.range_sources


def test_the_range_of_a_file_is_none(any_host: Host) -> None:
    for wrong in (0.0, -1, float("nan"), True, "all"):
        with pytest.raises(ValueError, match=r"ranges is .* degrees, positive"):
            any_host.open("limb", ranges=wrong)


def test_an_action_names_what_is_no_channel(limb: BlenderRig, wide: BlenderRig) -> None:
    assert limb.actions == {"gesture": 5, "step": 5}
    assert limb.action("step").missed == ["target.location_y", "bone0.rotation_z"]
    assert wide.action("step").missed == []
    assert wide.action("gesture").missed == ["bone1.rotation_y (moved by 'IK' of bone 'bone2')"]


def test_an_action_is_played_as_its_channels_say(wide: BlenderRig, played, tolerance) -> None:
    action = wide.action("step")
    assert action.fps == 24
    joints = 12 * len(wide.skeleton.names)
    poses, vertices = wide.sample(action.channels)
    np.testing.assert_allclose(played[0][:, :joints], poses[:, :joints], atol=10 * tolerance["float32"])
    np.testing.assert_allclose(played[1], vertices, atol=10 * tolerance["float32"])


def test_played_frames_have_what_channels_miss(limb: BlenderRig, played) -> None:
    assert np.abs(limb.sample(limb.action("step").channels)[1] - played[1]).max() > 0.1


def test_an_action_is_played_without_the_simulations_that_sampling_leaves_out(clothed: BlenderRig, tolerance) -> None:
    sampled = clothed.sample(clothed.action("nod").channels)[1]
    np.testing.assert_allclose(clothed.played("nod")[1], sampled, atol=10 * tolerance["float32"])


def test_what_is_left_out_of_sampling_is_still_listed(clothed: BlenderRig) -> None:
    assert clothed.contents["modifiers"] == ["Armature (ARMATURE)", "Blanket (CLOTH)", "Jelly (SOFT_BODY)"]


def test_what_sampling_cannot_reproduce_is_named(draped: BlenderRig) -> None:
    history = "depends on the frames before"
    assert draped.not_reproduced == [
        f"modifier 'Blanket', cloth: {history}",
        f"modifier 'Jelly', a soft body: {history}",
        f"modifier 'Fur', particles: {history}",
        "driver of shape.pulse in 'Key': depends on the frame",
        "object-level motion of 'Rig' in action 'stroll': no channel",
        "mesh 'Body' stays behind when action 'stroll' moves 'Rig': it is not parented to it",
    ]
    assert draped.action("stroll").missed == ["location x of object 'Rig'"]


def test_a_file_of_nothing_but_poses_is_reproduced(wide: BlenderRig) -> None:
    assert wide.not_reproduced == []


def test_contents_are_listed(limb: BlenderRig) -> None:
    assert limb.contents["modifiers"] == ["Armature (ARMATURE)"]
    assert "IK (IK) of bone 'bone2' to 'target'" in limb.contents["constraints"]
    assert limb.contents["drivers"] == ["shape.swell by slider.location_x"]
    assert limb.contents["actions"] == [["gesture", 1, 5], ["step", 1, 5]]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("bone0.rotaton_y", "did you mean 'bone0.rotation_"),
        ("tarjet.location_x", "did you mean 'target.location_"),
        ("shape.swell", "'shape.swell', which is driven by slider.location_x"),
    ],
)
def test_a_wrong_channel_is_told_what_is_meant(any_host: Host, name: str, words: str) -> None:
    with pytest.raises(ValueError, match=r"BlenderRig\.open: limits is ") as error:
        any_host.open("limb", limits={name: (0, 1)})
    assert words in str(error.value)


def test_limits_of_a_bone_that_a_constraint_poses_are_noted(any_host: Host) -> None:
    with any_host.open("limb", limits={"bone2.rotation_x": (-5, 5), "bone0.rotation_y": (-5, 5)}) as rig:
        (note,) = [note for note in rig.notes if "has limits, but" in note]
    assert note.startswith("bone2.rotation_x has limits, but ")
    assert "IK" in note


def test_the_template_reads_back(any_host: Host, wide: BlenderRig, tmp_path) -> None:
    path = tmp_path / "limb.limits.json"
    write_limits(path, wide)
    assert load_limits(path) == {name: tuple(ends) for name, ends in ranges_of(wide).items()}
    with any_host.open("limb", limits=path) as rig:
        assert ranges_of(rig) == ranges_of(wide)
        assert rig.limits_file == str(path)
        assert rig.range_sources == [f"the limits file: {source}" for source in wide.range_sources]


def test_a_data_set_keeps_what_never_moves(limb: BlenderRig, tmp_path) -> None:
    data = rc.sampling.sample(limb, tmp_path / "limb.rwdata", count=3, probe=0)
    assert data.resting == limb.resting
    assert rc.Dataset(data.path).resting == limb.resting


def test_actions_that_the_file_plays_at_once_are_one(draped: BlenderRig, tolerance) -> None:
    """The shape keys' own action comes with the armature's."""
    action = draped.action("stroll")
    shape = action.channels[:, draped.channel_names.index("shape.tide")]
    np.testing.assert_allclose(shape[[0, -1]], [0, 0.6], atol=tolerance["float64_converged"])
