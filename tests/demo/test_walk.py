"""The walk, and the kinematics it is solved with."""

from __future__ import annotations

import numpy as np
import pytest

from examples.characters import Walk, kinematics, walk, walk_channels
from examples.characters.assets import load_body
from rigcast._formats.mpfb.skeleton import bone_matrix
from rigcast.sources import BlenderRig


@pytest.fixture(scope="module")
def loop(rig: BlenderRig) -> Walk:
    return walk(rig)


def test_walk_reaches_its_targets_within_the_limits(rig: BlenderRig, loop: Walk) -> None:
    assert loop.channels.shape == (40, len(rig.channel_names))
    assert (loop.channels >= rig.channel_ranges[:, 0]).all()
    assert (loop.channels <= rig.channel_ranges[:, 1]).all()
    assert loop.ankle_error.max() < 0.01
    assert loop.wrist_error.max() < 0.01
    assert loop.clipped == 0.0


def test_walk_loops_smoothly(rig: BlenderRig) -> None:
    channels = walk_channels(rig, frames=60)
    assert len(channels) == 60
    steps = np.abs(np.diff(np.concatenate([channels, channels[:1]]), axis=0))
    assert steps.max() < 12.0  # degrees a frame


def test_the_file_plays_the_walk_at_its_own_rate(rig: BlenderRig) -> None:
    assert rig.actions == {"walk": 40}
    assert rig.fps == 24.0


def test_the_files_action_is_the_walk_and_nothing_beside_it(rig: BlenderRig, loop: Walk) -> None:
    action = rig.action("walk")
    assert action.missed == []
    np.testing.assert_allclose(action.channels, loop.channels, atol=1e-5)  # degrees; keys are float32


def test_blender_plays_the_walk_as_it_is_sampled(rig: BlenderRig, loop: Walk) -> None:
    np.testing.assert_array_equal(rig.played("walk")[1][7], rig.sample(rig.action("walk").channels[7:8])[1][0])


def test_walk_strides_in_turns(rig: BlenderRig, loop: Walk) -> None:
    poses, _ = rig.sample(loop.channels)
    places = np.asarray(rig.skeleton.globals(poses))[:, :, :, 3]
    left, right = (places[:, rig.skeleton.names.index(f"foot.{side}")] for side in "LR")
    forward = -(left - right)[:, 1]
    assert forward.max() > 0.25
    assert forward.min() < -0.25
    lowest = np.minimum(left[:, 2], right[:, 2])
    assert np.ptp(lowest) < 0.08  # one foot stays near the ground
    hands = [places[:, rig.skeleton.names.index(f"wrist.{side}"), 1] for side in "LR"]
    assert np.corrcoef(hands[0] - hands[1], left[:, 1] - right[:, 1])[0, 1] < -0.5  # arms swing against the legs


def test_another_rig_is_refused() -> None:
    class Other:
        skeleton = None
        channel_names: tuple[str, ...] = ()

    with pytest.raises(ValueError, match="the demo character"):
        walk(Other())
    with pytest.raises(ValueError, match="at least 2"):
        walk(Other(), frames=1)


def test_bone_matrix_is_blenders(rig: BlenderRig, assets) -> None:
    """For every bone whose roll the character keeps, against what Blender made of the same numbers."""
    from examples.characters.anatomy import z_axes

    bones = load_body(assets).bones
    turned = z_axes(bones)
    every = rig.mechanism.skeleton
    rest = dict(zip(every.names, np.asarray(every.rest_globals), strict=True))
    kept = [bone for bone in bones if bone.name not in turned]
    assert len(kept) > 100
    for bone in kept:
        expected = bone_matrix(bone.head, bone.tail, bone.roll)[:3]
        np.testing.assert_allclose(rest[bone.name], expected, atol=2e-4, err_msg=bone.name)  # short bones, float32


def test_euler_angles_come_back(tolerance) -> None:
    angles = np.random.default_rng(1).uniform(-1.4, 1.4, (50, 3))
    column = {f"b.rotation_{axis}": index for index, axis in enumerate("xyz")}
    rotations = kinematics.channel_rotation(np.degrees(angles), column, "b")
    np.testing.assert_allclose(kinematics.euler_yzx(rotations), angles, atol=tolerance["float64"])


def test_rotation_vector_has_axis_and_angle(tolerance) -> None:
    angles = np.linspace(0.0, 3.1, 20)
    vectors = kinematics.rotation_vector(kinematics.axis_rotation(1, angles))
    np.testing.assert_allclose(vectors, angles[:, None] * [0.0, 1.0, 0.0], atol=tolerance["float64"])


def test_pchip_meets_the_keys_and_does_not_overshoot(tolerance) -> None:
    times = np.array([0.0, 1.0, 3.0, 4.0, 7.0])
    values = np.array([[0.0], [1.0], [1.0], [-2.0], [5.0]])
    np.testing.assert_allclose(kinematics.pchip(times, values, times), values, atol=tolerance["float64"])
    dense = kinematics.pchip(times, values, np.linspace(1.0, 3.0, 50))
    np.testing.assert_allclose(dense, 1.0, atol=tolerance["float64"])
    rising = kinematics.pchip(times, values, np.linspace(4.0, 7.0, 50))[:, 0]
    assert (np.diff(rising) > 0).all()


def test_bounded_least_squares_finds_the_constrained_minimum() -> None:
    generator = np.random.default_rng(3)
    matrix, wanted = generator.normal(size=(6, 3)), generator.normal(size=(8, 6))
    ranges = np.array([[-0.1, 0.1], [-0.2, 0.05], [-5.0, 5.0]])
    found = kinematics.solve_bounded(lambda x: x @ matrix.T - wanted, np.zeros((8, 3)), ranges, settled=1e-14)
    gradient = (found @ matrix.T - wanted) @ matrix
    low, high = ranges.T
    free = (found > low) & (found < high)
    assert np.abs(gradient[free]).max() < 1e-6
    assert (gradient[found == low] >= 0).all()
    assert (gradient[found == high] <= 0).all()
    assert (found == low).any()
    assert (found == high).any()
