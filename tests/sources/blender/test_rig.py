"""Channels, poses and vertices of small rigs, against plain NumPy."""

from __future__ import annotations

import json

import numpy as np
import pytest

from rigcast._rigs.rotations import euler_to_matrix
from tests.sources.conftest import Host


def rotation(axis: int, degrees: float) -> np.ndarray:
    result = np.eye(3)
    first, second = (axis + 1) % 3, (axis + 2) % 3
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    result[[first, second], [first, second]] = c
    result[second, first], result[first, second] = s, -s
    return result


def euler(order: str, x: float, y: float, z: float) -> np.ndarray:
    """Blender's Euler orders: the first letter is applied first."""
    result = np.eye(3)
    for letter in order:
        result = rotation("XYZ".index(letter), (x, y, z)["XYZ".index(letter)]) @ result
    return result


def affine(matrices: np.ndarray) -> np.ndarray:
    result = np.zeros((*matrices.shape[:-2], 4, 4))
    result[..., :3, :] = matrices
    result[..., 3, 3] = 1
    return result


def world_matrices(rig, poses: np.ndarray) -> np.ndarray:
    """Global joint transforms of pose rows, by chaining parents."""
    joints = len(rig.skeleton.names)
    local = affine(np.asarray(poses[:, : 12 * joints], float).reshape(-1, joints, 3, 4))
    for joint, parent in enumerate(rig.skeleton.parents):
        if parent >= 0:
            local[:, joint] = local[:, parent] @ local[:, joint]
    return local


def uniform(rig, count: int, seed: int = 0) -> np.ndarray:
    low, high = rig.channel_ranges.T
    return np.random.default_rng(seed).uniform(low, high, (count, len(low)))


def test_file_without_limits_says_so(host: Host) -> None:
    rig = host.rig("plain")
    assert rig.channel_names == [f"bone{i}.rotation_{a}" for i in range(3) for a in "xyz"]
    assert (rig.channel_ranges == [-30, 30]).all()
    assert any("limits no bone" in note for note in rig.notes)
    assert (rig.up_axis, rig.meters_per_unit, rig.name) == ("Z", 1.0, "plain")


def test_vertices_are_linear_blend_skinning(host: Host, tolerance) -> None:
    rig = host.rig("plain")
    poses, vertices = rig.sample(uniform(rig, 6))
    rest = affine(np.asarray(rig.skeleton.rest_globals, float))
    moved = world_matrices(rig, poses) @ np.linalg.inv(rest)
    # The tube's weights: hats around the middle of each bone, normalized.
    local = rig.rest_vertices.reshape(9, 8, 3)
    heights = np.repeat(np.linspace(0, 3, 9), 8)
    weights = np.clip(1 - np.abs(heights[:, None] - np.arange(3) - 0.5), 0, None)
    weights /= weights.sum(axis=1, keepdims=True)
    assert local.shape == (9, 8, 3)
    homogeneous = np.concatenate([rig.rest_vertices, np.ones((72, 1))], axis=1)
    expected = np.einsum("vj,tjab,vb->tva", weights, moved, homogeneous)[..., :3]
    np.testing.assert_allclose(vertices, expected, atol=3 * tolerance["float32"])


def test_bind_state_is_reached_by_the_rest_channels(host: Host, tolerance) -> None:
    for name in ("plain", "controls", "subdivided"):
        rig = host.rig(name)
        poses, vertices = rig.sample(rig.channel_rest[None])
        np.testing.assert_allclose(vertices[0], rig.rest_vertices, atol=3 * tolerance["float32"])
        joints = poses[0, : 12 * len(rig.skeleton.names)].reshape(-1, 3, 4)
        assert np.array_equal(joints, rig.skeleton.rest)


def test_every_kind_of_channel(host: Host) -> None:
    rig = host.rig("controls")
    ranges = {n: tuple(r) for n, r in zip(rig.channel_names, rig.channel_ranges.tolist(), strict=True)}
    rotations = {f"bone0.rotation_{a}": (-40.0, 60.0) for a in "xyz"}
    assert ranges == {
        **rotations,
        "bone0.location_y": (-0.5, 0.25),
        "bone0.location_z": (-0.5, 0.25),
        "bone1.rotation_x": (-20.0, 20.0),
        "bone1.rotation_y": (-20.0, 20.0),
        "bone2.rotation_x": (-45.0, 45.0),
        "bone2.rotation_z": (-45.0, 45.0),
        "bone2.scale_x": (0.75, 1.25),
        "shape.wide": (0.0, 0.5),
        "property.dial": (-1.0, 1.0),
        "property.switch": (0.0, 3.0),
        "bone2.curl": (0.0, 0.5),
    }
    assert rig.dial_names == ["shape.wide", "property.dial", "property.switch", "bone2.curl"]
    rest = dict(zip(rig.channel_names, rig.channel_rest.tolist(), strict=True))
    assert (rest["property.dial"], rest["property.switch"], rest["bone2.scale_x"]) == (0.25, 1.0, 1.0)
    assert rest["bone0.rotation_x"] == 0.0  # the pose left in the file is not the bind state
    assert any("property.free" in note for note in rig.notes)
    assert rig.meters_per_unit == pytest.approx(0.01)


def test_bones_turn_in_their_own_order(host: Host, tolerance) -> None:
    rig = host.rig("controls")
    channels = np.tile(rig.channel_rest, (4, 1))
    names = rig.channel_names
    moving = [i for i, name in enumerate(names) if ".rotation_" in name]
    channels[:, moving] = uniform(rig, 4)[:, moving]
    poses, _ = rig.sample(channels)
    locals_ = poses[:, :36].reshape(4, 3, 3, 4).astype(float)
    for row, values in enumerate(channels):
        value = dict(zip(names, values, strict=True))
        for joint, order in enumerate(("YZX", "ZYX", "XYZ")):
            angles = [value.get(f"bone{joint}.rotation_{axis}", 0.0) for axis in "xyz"]
            rest = rig.skeleton.rest[joint].astype(float)
            expected = rest[:, :3] @ euler(order, *angles)
            np.testing.assert_allclose(locals_[row, joint, :, :3], expected, atol=3 * tolerance["float32"])


def test_rotation_channels_say_how_the_bones_turn(host: Host, tolerance) -> None:
    rig = host.rig("controls")
    assert [entry.order for entry in rig.rotation_channels] == ["XZY", "XY", "ZX"]
    channels = np.tile(rig.channel_rest, (3, 1))
    moving = [i for i, name in enumerate(rig.channel_names) if ".rotation_" in name]
    channels[:, moving] = uniform(rig, 3, seed=1)[:, moving]
    poses, _ = rig.sample(channels)
    locals_ = poses[:, :36].reshape(3, 3, 3, 4).astype(float)
    for entry in rig.rotation_channels:
        turns = euler_to_matrix(channels[:, entry.channels], entry.order)
        expected = rig.skeleton.rest[entry.joint, :, :3].astype(float) @ turns
        np.testing.assert_allclose(locals_[:, entry.joint, :, :3], expected, atol=3 * tolerance["float32"])


def test_numeric_controls_act_and_stand_in_the_pose(host: Host, tolerance) -> None:
    rig = host.rig("controls")
    names = rig.channel_names
    channels = np.tile(rig.channel_rest, (3, 1))
    channels[1, names.index("shape.wide")] = 0.5
    channels[2, names.index("property.dial")] = 1.0
    channels[:, names.index("property.switch")] = 1.7
    poses, vertices = rig.sample(channels)
    np.testing.assert_allclose(poses[:, -4:], [[0, 0.25, 2, 0], [0.5, 0.25, 2, 0], [0, 1, 2, 0]])
    middle = np.array([0.5, -0.25, 0.0])
    radius = np.linalg.norm((vertices - middle)[:, :, 1], axis=1)
    assert radius[1] / radius[0] == pytest.approx(1.25, rel=tolerance["float32_sum"])
    assert np.ptp(vertices[2, :, 0]) / np.ptp(vertices[0, :, 0]) == pytest.approx(1.6, rel=tolerance["float32_sum"])


def test_driven_shape_key_follows_its_bone(host: Host, tolerance) -> None:
    rig = host.rig("controls")
    assert not any("driven" in name for name in rig.channel_names)
    channels = np.tile(rig.channel_rest, (2, 1))
    channels[1, rig.channel_names.index("bone1.rotation_x")] = 18.0  # beyond the driver's 0.3 radians
    _, vertices = rig.sample(channels)
    bottom = vertices[:, :8, 1]  # the first bone's, which stays
    np.testing.assert_allclose(bottom[1] - bottom[0], 0.1, atol=tolerance["float64_converged"])


def test_bones_that_do_not_move_have_constant_columns(host: Host) -> None:
    rig = host.rig("plain")
    channels = np.zeros((5, 9))
    channels[:, 3:6] = uniform(rig, 5)[:, 3:6]
    poses, _ = rig.sample(channels)
    still = np.ptp(poses.reshape(5, 3, 12), axis=0).max(axis=1)
    assert still[0] == still[2] == 0.0
    assert still[1] > 0


def test_faces_are_those_of_the_evaluated_mesh(host: Host) -> None:
    rig = host.rig("plain")
    assert rig.faces.shape == (64 + 6, 4)
    assert (rig.faces[:64] >= 0).all()
    assert (rig.faces[64:, 3] == -1).all()
    assert sorted(set(rig.faces[64:, :3].ravel().tolist())) == list(range(64, 72))
    rig = host.rig("subdivided")
    assert len(rig.rest_vertices) == 72 + 136 + 65
    assert rig.sample(uniform(rig, 2))[1].shape == (2, 273, 3)


def test_limits_beside_the_file_replace_its_own(any_host: Host, tmp_path, tolerance) -> None:
    blend = tmp_path / "hero.blend"
    blend.write_bytes((any_host.folder / "controls.blend").read_bytes())
    wanted = {
        "bone1.rotation_x": [-5, 5],
        "bone1.rotation_z": [1, 2],
        "shape.wide": [0.25, 0.25],
        "property.free": [0, 9],
    }
    limits = {"format": "rigcast.limits", "version": 1, "channels": wanted}
    (tmp_path / "hero.limits.json").write_text(json.dumps(limits))
    with any_host.__class__(any_host.blender, tmp_path).open("hero") as rig:
        ranges = dict(zip(rig.channel_names, rig.channel_ranges.tolist(), strict=True))
        assert ranges["bone1.rotation_x"] == [-5, 5]
        assert ranges["bone1.rotation_z"] == [1, 2]
        assert ranges["property.free"] == [0, 9]
        assert ranges["bone0.rotation_x"] == [-40, 60]
        assert "shape.wide" not in ranges
        assert rig.channel_rest[rig.channel_names.index("bone1.rotation_z")] == 1
        held, _ = np.linalg.norm(rig.sample(rig.channel_rest[None])[1][0, :8, 1] + 0.25), None
    rig = any_host.rig("controls")
    free = np.linalg.norm(rig.sample(rig.channel_rest[None])[1][0, :8, 1] + 0.25)
    assert held / free == pytest.approx(1 + 0.25 * 0.5, rel=tolerance["float32_scaled"])


def test_action_gives_channels(host: Host, tolerance) -> None:
    rig = host.rig("action")
    rows = rig.action("bend").channels
    angles = rows[:, rig.channel_names.index("bone1.rotation_x")]
    assert len(rows) == 10
    assert angles[[0, -1]] == pytest.approx([0.0, np.degrees(0.5)], abs=tolerance["float32_scaled"])
    assert (np.diff(angles) > 0).all()
    assert (np.delete(rows, rig.channel_names.index("bone1.rotation_x"), axis=1) == 0).all()
    # The action does not fight the channels.
    poses, _ = rig.sample(np.zeros((1, len(rig.channel_names))))
    assert np.array_equal(poses[0, :36].reshape(3, 3, 4), rig.skeleton.rest)
    with pytest.raises(ValueError, match="'bend'"):
        rig.action("walk")


def test_mesh_without_armature(host: Host) -> None:
    rig = host.rig("shapes_only")
    assert rig.skeleton is None
    assert rig.channel_names == rig.dial_names == ["shape.wide"]
    poses, vertices = rig.sample([[0.0], [1.0]])
    assert poses.tolist() == [[0.0], [1.0]]
    assert np.ptp(vertices[1, :, 0]) == pytest.approx(1.5 * np.ptp(vertices[0, :, 0]))


def test_time_of_a_pose(any_host: Host) -> None:
    rig = any_host.rig("plain")
    seconds = rig.time_pose(uniform(rig, 3))
    assert seconds.shape == (3,)
    assert (seconds > 0).all()
