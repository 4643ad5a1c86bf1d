"""The converter of the figure Antonia, on the real files."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

from rigcast.sources import joint_map, load_bvh, load_npz_rig, retarget, save_npz_rig
from tests.support.characters.small_rig import slow_sample

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "systems" / "body" / "antonia.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("antonia", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def folder(data_path):
    return data_path("antonia_body")


@pytest.fixture(scope="module")
def rig(script, folder):
    return script.antonia(folder)


def at(rig, **values):
    row = np.zeros(len(rig.channel_names))
    for name, value in values.items():
        row[rig.channel_names.index(name.replace("_", "."))] = value
    return row


def amount(rig, name, row):
    return rig.activations(row[None])[0, [morph.name for morph in rig.morphs].index(name)]


def test_has_all_parts(rig):
    assert (len(rig.rest_vertices), len(rig.faces), len(rig.joints.names), len(rig.morphs)) == (9763, 9656, 65, 41)
    assert all(len(morph.vertices) for morph in rig.morphs)
    assert "Olaf Delgado-Friedrichs" in rig.origin
    assert rig.licence == "CC-BY-3.0"
    # Her height in meters, to the centimeter.
    np.testing.assert_allclose(np.ptp(rig.rest_vertices[:, 1]), 1.75, atol=0.01)


def test_joint_places_are_the_files(rig, folder, tolerance):
    records = json.loads((folder / "antonia_rig.json").read_text())["joints"]
    np.testing.assert_allclose(
        rig.joints.rest_globals[:, :, 3], [record["origin"] for record in records], atol=tolerance["float64"]
    )


def test_the_twist_axis_points_along_the_bone(rig):
    world = rig.joints.rest_globals
    for upper, lower, axis in [("lForeArm", "lHand", 0), ("rForeArm", "rHand", 0), ("lShin", "lFoot", 1)]:
        a, b = rig.joints.names.index(upper), rig.joints.names.index(lower)
        bone = world[b, :, 3] - world[a, :, 3]
        assert abs(world[a, :, axis] @ bone) / np.linalg.norm(bone) > 0.98


@pytest.mark.parametrize(
    ("name", "channel", "values", "expected"),
    [
        ("JCM-lKneeBend", "lShin.rx", [-5, 0, 45, 135], [0, 0, 0.5, 1]),
        ("JCM-lKneeBend-B", "lShin.rx", [0, 45, 90, 120, 135], [0, 0, 0, 0.5, 0.75]),
        ("JCM-lThighKick", "lThigh.rx", [-90, 0, 30], [1.5, 0, -0.5]),
        ("JCM-lElbowBend", "lForeArm.ry", [-120, 0, 5], [2, 0, 0]),
        ("JCM-rElbowBend", "rForeArm.ry", [-5, 0, 120], [0, 0, 2]),
        ("JCM-TongueOut", "tongue1.tz", [0, 0.04], [0, 1]),
    ],
)
def test_correctives_follow_their_channels(rig, name, channel, values, expected, tolerance):
    index = rig.channel_names.index(channel)
    got = []
    for value in values:
        row = np.zeros(len(rig.channel_names))
        row[index] = value
        got.append(amount(rig, name, row))
    np.testing.assert_allclose(got, expected, atol=tolerance["printed"])  # slopes are given to five digits


def test_every_corrective_is_reached_inside_the_ranges(rig):
    for morph in rig.morphs:
        slopes = np.zeros(len(rig.channel_names))
        for channel, slope in morph.drivers:
            slopes[channel] += slope
        best = np.maximum(slopes * rig.channel_ranges[:, 0], slopes * rig.channel_ranges[:, 1]).sum() + morph.constant
        assert best > 0.4, morph.name


def test_limbs_bend_the_way_people_do(rig):
    def place(joint, **values):
        from rigcast._rigs.rotations import globals_of

        return globals_of(rig.joints.parents, rig.local_transforms(at(rig, **values)[None]))[
            0, rig.joints.names.index(joint), :, 3
        ]

    up, forward = 1, 2
    assert place("lFoot", lShin_rx=90)[forward] < place("lFoot")[forward] - 0.3
    assert place("lShin", lThigh_rx=-80)[forward] > place("lShin")[forward] + 0.3
    assert place("lHand", lForeArm_ry=-90)[forward] > place("lHand")[forward] + 0.05
    assert place("lHand", lShldr_rz=-60)[up] < place("lHand")[up] - 0.3
    assert place("rHand", rShldr_rz=60)[up] < place("rHand")[up] - 0.3
    assert place("rFoot", rThigh_rz=-30)[0] < place("rFoot")[0] - 0.3
    assert place("lMid3", lMid1_rz=-60)[up] < place("lMid3")[up] - 0.01


@pytest.mark.slow
def test_agrees_with_the_formulas(rig, tolerance):
    channels = np.random.default_rng(0).uniform(*rig.channel_ranges.T, size=(1, len(rig.channel_names)))
    poses, vertices = rig.sample(channels)
    expected_pose, expected = slow_sample(rig, channels[0])
    np.testing.assert_allclose(poses[0], expected_pose, atol=tolerance["float32"])
    np.testing.assert_allclose(vertices[0], expected, atol=tolerance["float32_sum"])


def test_travels_through_our_file(rig, tmp_path):
    save_npz_rig(tmp_path / "antonia.npz", rig)
    again = load_npz_rig(tmp_path / "antonia.npz")
    channels = np.random.default_rng(1).uniform(*rig.channel_ranges.T, size=(2, len(rig.channel_names)))
    np.testing.assert_array_equal(again.sample(channels)[1], rig.sample(channels)[1])


@pytest.mark.parametrize(("name", "bound"), [("01_01", 3.0), ("jumping_jacks", 4.0), ("makehuman_walk1", 5.0)])
def test_mocap_plays(script, folder, data_path, name, bound):
    """Feet on the ground, and joints that miss their rotations by a few degrees on average."""
    whole = script.antonia(folder, root_motion=True)
    motion = load_bvh(data_path("body_motion_bvh", f"{name}.bvh.gz")).motion()[::50]
    result = retarget(motion, whole, joint_map(motion.joint_names, whole.joints.names))
    assert result.miss.mean() < bound
    vertices = whole.sample(result.channels)[1]
    height = np.ptp(vertices[..., 1], axis=1)
    assert (height > 1.2).all()
    assert (height < 2.4).all()
