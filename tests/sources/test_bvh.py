import gzip

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rigcast._rigs.rotations import axis_rotation
from rigcast.sources import load_bvh
from tests.sampling.motions import ARM, write


def test_reads_hierarchy_channels_and_frames(tmp_path):
    bvh = load_bvh(write(tmp_path, ARM))
    assert [(joint.name, joint.parent) for joint in bvh.joints] == [("Hips", -1), ("Left Arm", 0), ("Tail", 0)]
    assert bvh.joints[1].channels == ["Yrotation", "Zrotation", "Xrotation"]
    assert [joint.column for joint in bvh.joints] == [0, 6, 9]
    np.testing.assert_array_equal(bvh.end_sites[0][1], [0, 5, 0])
    np.testing.assert_array_equal(bvh.values[1], [4, 5, 6, 10, 20, 30, 40, 50, 60, 70])
    assert (bvh.frame_time, bvh.name) == (0.04, "arm")


def test_motion_multiplies_rotations_in_the_order_of_the_file(tmp_path, tolerance):
    motion = load_bvh(write(tmp_path, ARM)).motion()
    world = motion.globals()
    np.testing.assert_array_equal(motion.rest[:, :, 3], [[1, 2, 3], [0, 10, 0], [0, -1, 0]])
    np.testing.assert_array_equal(world[0, :, :, 3], [[0, 0, 0], [0, 10, 0], [0, -1, 0]])
    hips = axis_rotation("Z", 10) @ axis_rotation("X", 20) @ axis_rotation("Y", 30)
    arm = axis_rotation("Y", 40) @ axis_rotation("Z", 50) @ axis_rotation("X", 60)
    np.testing.assert_allclose(world[1, 1, :, :3], hips @ arm, atol=tolerance["float64"])
    np.testing.assert_allclose(world[1, 1, :, 3], hips @ [0, 10, 0] + [4, 5, 6], atol=tolerance["float64"] * 10)
    np.testing.assert_allclose(world[1, 2, :, :3], hips @ axis_rotation("X", 70), atol=tolerance["float64"])


def test_slices_keep_the_speed(tmp_path):
    motion = load_bvh(write(tmp_path, ARM)).motion()
    assert (len(motion[::2]), motion[::2].frame_time) == (1, 0.08)
    assert len(motion[1:]) == 1
    with pytest.raises(ValueError, match="frames is int"):
        motion[1]


def test_gzip_gives_the_same(tmp_path):
    packed = tmp_path / "arm.bvh.gz"
    packed.write_bytes(gzip.compress(ARM.encode()))
    bvh = load_bvh(packed)
    assert bvh.name == "arm"
    np.testing.assert_array_equal(bvh.values, load_bvh(write(tmp_path, ARM)).values)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("HIERARCHY", "HIERARCHIE", "HIERARCHY here"),
        ("JOINT Left Arm", "ROOT Left Arm", "ROOT at the top and JOINT inside"),
        ("JOINT Tail", "JOINT", "a joint name"),
        ("OFFSET 0 10 0", "OFFSET 0 10", "3 finite numbers"),
        ("OFFSET 0 10 0", "OFFSET 0 nan 0", "3 finite numbers"),
        ("CHANNELS 1 Xrotation", "CHANNELS 2 Xrotation", "as many different names"),
        ("CHANNELS 1 Xrotation", "CHANNELS 1 Wrotation", "as many different names"),
        ("CHANNELS 1 Xrotation", "CHANNELS 2 Xrotation Xrotation", "as many different names"),
        ("CHANNELS 1 Xrotation", "TURNS 1", "a line of a joint"),
        ("}\n}\nMOTION", "}\nMOTION", "braces are closed"),
        ("}\n}\nMOTION", "}\n}\n}\nMOTION", "a line of a joint"),
        ("Frames:\t2", "Frames: -2", "number of frames"),
        ("Frames:\t2", "Frames: 9999999999999", "number of frames"),
        ("Frame Time: 0.04", "Frame Time: 0", "a frame time of 0.001 to 1000 seconds"),
        ("4 5 6", "4 five 6", "numbers only"),
        ("4 5 6", "4 inf 6", "finite"),
        (ARM, "", "the end of the file"),
        (ARM, "HIERARCHY\nMOTION", "at least one joint"),
    ],
)
def test_malformed_text_is_refused_in_words(tmp_path, old, new, words):
    assert old in ARM
    with pytest.raises(ValueError, match=words):
        load_bvh(write(tmp_path, ARM.replace(old, new)))


@pytest.mark.parametrize(
    ("old", "new", "frames", "words"),
    [
        ("Frames:\t2", "Frames: 3", 2, "the header says 3 frames, the file holds 2: whole frames are used"),
        ("Frames:\t2", "Frames: 1", 2, "the header says 1 frames, the file holds 2"),
        ("\n70", "", 1, "the file holds 1 and 9 values of another"),
    ],
)
def test_whole_frames_are_read_whatever_the_header_says(tmp_path, old, new, frames, words):
    assert old in ARM
    bvh, whole = load_bvh(write(tmp_path, ARM.replace(old, new))), load_bvh(write(tmp_path, ARM))
    np.testing.assert_array_equal(bvh.values, whole.values[:frames])
    assert len(bvh.notes) == 1
    assert words in bvh.notes[0]
    assert len(bvh.motion()) == frames


def test_a_file_as_its_header_says_has_no_notes(tmp_path):
    assert load_bvh(write(tmp_path, ARM)).notes == []


def test_a_file_without_a_whole_frame_is_refused(tmp_path):
    text = ARM[: ARM.index("Frame Time")] + "Frame Time: 0.04\n1 2 3\n"
    with pytest.raises(ValueError, match="3 values; it must be 2 frames of 10 finite values"):
        load_bvh(write(tmp_path, text))


def test_damaged_and_overblown_gzip_is_refused(tmp_path):
    packed = gzip.compress(ARM.encode())
    (tmp_path / "cut.bvh.gz").write_bytes(packed[:-20])
    with pytest.raises(ValueError, match="intact gzip"):
        load_bvh(tmp_path / "cut.bvh.gz")
    (tmp_path / "bomb.bvh.gz").write_bytes(gzip.compress(b" " * (32 << 20)))
    with pytest.raises(ValueError, match="bytes unpacked"):
        load_bvh(tmp_path / "bomb.bvh.gz")


def test_deep_nesting_is_no_recursion(tmp_path):
    depth = 5000
    joints = "".join(f"JOINT j{k}\n{{\nOFFSET 0 1 0\n" for k in range(depth))
    text = f"HIERARCHY\nROOT r\n{{\nOFFSET 0 0 0\n{joints}{'}' * (depth + 1)}\nMOTION\nFrames: 0\nFrame Time: 1\n"
    assert len(load_bvh(write(tmp_path, text)).joints) == depth + 1


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_text_raises_value_errors_or_loads(tmp_path, data):
    words = ARM.split(" ")
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(words) - 1))
        words[place] = data.draw(st.sampled_from(["", "-1", "}", "{", "JOINT", "\n", "1e400", "\x00", "CHANNELS"]))
    try:
        motion = load_bvh(write(tmp_path, " ".join(words))).motion()
    except ValueError:
        return
    assert np.isfinite(motion.globals()).all()


def test_real_files_load(data_path):
    expected = {"01_01": (31, 2752), "dab": (27, 339), "jumping_jacks": (31, 125), "makehuman_walk1": (75, 14)}
    for name, (joints, frames) in expected.items():
        motion = load_bvh(data_path("body_motion_bvh", f"{name}.bvh.gz")).motion()
        assert motion.local.shape == (frames, joints, 3, 4)
