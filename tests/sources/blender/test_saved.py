"""What was saved in a file stays as it is: sampling its actions' channels gives what Blender plays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rigcast as rc
from rigcast._formats.blender.limits import write_limits
from tests.sources.conftest import Host

WHOLE = {f"bone{bone}.rotation_{axis}": (-60, 60) for bone in range(3) for axis in "xyz"}

# The file, its action, the limits it is opened with, and whether its channels reach all that the action moves.
CASES = [
    ("posed_chain", "wag", None, True),
    ("posed_chain", "wag", "actions", True),
    ("posed_chain", "wag", {"bone2.rotation_x": (-60, 60)}, True),
    ("posed_chain", "wag", {"bone1.rotation_y": (-60, 60), "bone2.rotation_x": (-60, 60)}, True),
    ("posed_chain", "wag", {"bone1.rotation_y": (-60, 60)}, False),
    ("posed_quaternion", "slide", "actions", True),
    ("posed_quaternion", "slide", WHOLE | {"bone1.location_x": (-1, 1)}, True),
    ("posed_quaternion", "slide", {"bone0.rotation_z": (-60, 60)}, False),
    ("posed_locked", "nod", "actions", True),
    ("posed_locked", "nod", None, False),  # the file limits bone0 alone
    ("posed_helper", "wag", None, True),
    ("posed_helper", "wag", "actions", True),
    ("posed_dials", "wag", "actions", True),
    ("posed_dials", "wag", {"bone2.rotation_x": (-60, 60), "shape.swell": (0.2, 0.2)}, False),
    ("mechanism", "wave", None, True),
]


def opened(host: Host, name: str, limits: Any) -> Any:
    options = {} if limits is None else {"ranges": limits} if limits == "actions" else {"limits": limits}
    return host.open(name, **options)


@pytest.mark.parametrize(("name", "action", "limits", "reached"), CASES)
def test_channels_give_what_blender_plays(
    any_host: Host, name: str, action: str, limits: Any, reached: bool, tolerance
) -> None:
    with opened(any_host, name, limits) as rig:
        vertices = rig.sample(rig.action(action).channels)[1]
        apart = np.linalg.norm(vertices - rig.played(action)[1], axis=2).max()
        named = [note for note in rig.differences if note.startswith(f"action {action!r} differs")]
    assert (apart <= 10 * tolerance["float32"]) == reached
    assert len(named) == (not reached)


@pytest.mark.parametrize("name", ["posed_chain", "posed_quaternion", "posed_locked", "posed_helper"])
def test_a_saved_pose_is_sampled(host: Host, name: str, tolerance) -> None:
    """Bones that no channel turns stay as saved: at rest, the samples are not the bind pose."""
    with host.open(name, limits={"bone2.rotation_x": (-60, 60)}) as rig:
        vertices = rig.sample(rig.channel_rest[None])[1][0]
    assert np.abs(vertices - rig.rest_vertices).max() > 0.1


@pytest.mark.parametrize(
    ("name", "limits", "cause"),
    [
        ("posed_chain", {"bone1.rotation_y": (-60, 60)}, "bone2"),
        ("posed_quaternion", {"bone0.rotation_z": (-60, 60)}, "bone1"),
        ("posed_dials", {"bone2.rotation_x": (-60, 60), "shape.swell": (0.2, 0.2)}, "shape.swell"),
    ],
)
def test_what_channels_do_not_reach_is_named(any_host: Host, name: str, limits: Any, cause: str) -> None:
    with any_host.open(name, limits=limits) as rig:
        (note,) = [note for note in rig.differences if note.startswith("action ")]
    assert "mm from what the channels reach: channels do not set " in note
    assert note.endswith(f" {cause}")


def test_opening_leaves_nothing_of_the_actions(any_host: Host, tolerance) -> None:
    with any_host.open("posed_chain", ranges="actions") as rig:
        once, again = (rig.sample(rig.channel_rest[None])[1] for _ in range(2))
        rig.action("wag")
        after = rig.sample(rig.channel_rest[None])[1]
    np.testing.assert_array_equal(once, again)
    np.testing.assert_array_equal(once, after)


def test_switches_that_no_action_keys_are_held_as_saved(any_host: Host, tmp_path) -> None:
    """With ranges from actions, and again with the limits file that was written of them."""
    with any_host.open("mechanism", ranges="actions") as rig:
        assert rig.held_as_saved == {"property.follow": 1.0}
        assert "property.follow" not in rig.channel_names
        write_limits(tmp_path / "limits.json", rig)
        names = rig.channel_names
    with any_host.open("mechanism", limits=tmp_path / "limits.json") as again:
        assert again.channel_names == names


def test_ranges_of_actions_mix_poses_near_them_in(any_host: Host, tmp_path) -> None:
    """From the file itself, and from a limits file that says so."""
    with any_host.open("posed_chain", ranges="actions") as rig:
        write_limits(tmp_path / "limits.json", rig)
        assert isinstance(rc.sampling.animators_poses(rig), rc.sampling.Mixture)
    with any_host.open("posed_chain", limits=tmp_path / "limits.json") as again:
        assert isinstance(rc.sampling.animators_poses(again), rc.sampling.Mixture)
    with any_host.open("posed_chain") as other:
        assert rc.sampling.animators_poses(other) == rc.sampling.Normal()
