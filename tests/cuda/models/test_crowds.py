"""Crowds whose shapes and curves are on the device: the CPU's vertices, what a call sends, wrong input."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.cuda.derivative_operations import resident
from tests.support.made.blendshapes import random_rig, random_weights
from tests.support.made.models import random_body

ORDER = np.array([3, 0, 6, 1, 5, 2, 4])


def clips_of(rig, lengths=(9, 1, 4)):
    return [random_weights(rig, frames, seed) for seed, frames in enumerate(lengths)]


def random_heads(count, seed=0, lengths=(9, 1, 4)):
    """Clips, frames and prefixes of heads; whole, first and last frames and prefixes of no and of all shapes, too."""
    rng = np.random.default_rng(seed)
    clip = rng.integers(0, len(lengths), count)
    last = np.array(lengths)[clip] - 1
    frame = rng.random(count) * last
    frame[::3] = np.round(frame[::3])
    frame[1::7], frame[2::7] = 0, last[2::7]
    prefix = rng.integers(0, 8, count)
    prefix[:2] = (0, 7)[-count:]
    return clip.astype(np.int32), frame, prefix.astype(np.int32)


def engine_crowd(rig, clips):
    return rc._core.Crowd(rig, np.concatenate(clips), [len(clip) for clip in clips], ORDER)


def resident_crowd(lane, rig, **options):
    return lane.ResidentCrowd(resident(lane, rig, **options), engine_crowd(rig, clips_of(rig)))


def evaluated(crowd, heads, vertices=60):
    out = np.full((len(heads[0]), vertices, 3), np.nan, np.float32)
    crowd.evaluate(*heads, out)
    return out


@pytest.mark.parametrize("storage", ["float32", "int16"])
@pytest.mark.parametrize("count", [1, 65, 150])
def test_heads_are_those_of_the_cpu(lane, storage, count, tolerance):
    rig = random_rig(storage=storage)
    heads = random_heads(count)
    expected = rc.crowd.Crowd(rig, clips_of(rig), ORDER).evaluate(*heads)
    result = evaluated(resident_crowd(lane, rig), heads)
    np.testing.assert_allclose(result, expected, rtol=0, atol=tolerance["float32_sum"] * np.abs(expected).max())


def test_a_head_has_the_same_bytes_in_any_crowd_and_chunk(lane):
    rig = random_rig()
    heads = random_heads(150)
    expected = evaluated(resident_crowd(lane, rig), heads)
    for workspace in (0, 30_000):
        assert evaluated(resident_crowd(lane, rig, workspace=workspace), heads).tobytes() == expected.tobytes()
    one = tuple(values[77:78] for values in heads)
    assert evaluated(resident_crowd(lane, rig), one).tobytes() == expected[77:78].tobytes()


def test_the_last_frame_reads_nothing_beyond_the_curves(lane, tolerance):
    rig = random_rig()
    weights = random_weights(rig, 1)
    crowd = lane.ResidentCrowd(resident(lane, rig), engine_crowd(rig, [weights]))
    heads = [np.zeros(1, np.int32), np.zeros(1), np.full(1, 7, np.int32)]
    np.testing.assert_allclose(evaluated(crowd, heads), rig.evaluate(weights), rtol=0, atol=tolerance["float32_sum"])


def test_a_call_sends_sixteen_bytes_per_head(emulated_lane):
    rig = random_rig(num_vertices=200)
    crowd = rc.crowd.Crowd(rig, clips_of(rig), ORDER)
    heads = random_heads(40)
    crowd.evaluate_on_device(*heads, device="cuda")  # copies shapes, curves and order
    to_device, to_host = emulated_lane.bytes_to_device(), emulated_lane.bytes_to_host()
    crowd.evaluate_on_device(*heads, device="cuda")
    assert emulated_lane.bytes_to_device() - to_device == 16 * 40
    assert emulated_lane.bytes_to_host() == to_host


def test_a_result_is_written_again(emulated_lane):
    rig = random_rig()
    crowd = rc.crowd.Crowd(rig, clips_of(rig), ORDER)
    first, second = random_heads(20, 0), random_heads(20, 1)
    array = crowd.evaluate_on_device(*first, device="cuda")
    seen = np.from_dlpack(array)
    again = crowd.evaluate_on_device(*second, device="cuda", out=array)
    assert again.__cuda_array_interface__["data"] == array.__cuda_array_interface__["data"]
    np.testing.assert_array_equal(seen, crowd.evaluate(*second, device="cuda"))


def test_crowds_of_one_rig_share_its_shapes(emulated_lane):
    rig = random_rig(num_vertices=500)
    heads = random_heads(3)
    rc.crowd.Crowd(rig, clips_of(rig)).evaluate(*heads, device="cuda")
    before = emulated_lane.bytes_to_device()
    other = rc.crowd.Crowd(rig, [clip[::-1] for clip in clips_of(rig)])
    other.evaluate_on_device(*heads, device="cuda")
    assert emulated_lane.bytes_to_device() - before == 14 * 7 * 4 + 16 * 3


def test_the_memory_of_the_curves_is_reported(lane):
    rig = random_rig()
    assert resident_crowd(lane, rig).num_bytes == 14 * 7 * 4


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"clip": [0, 3]}, "clip is 3 for head 1; it must be from 0 to 2"),
        ({"clip": [-1, 0]}, "clip is -1 for head 0; it must be from 0 to 2"),
        ({"frame": [0.0, 8.5]}, "frame is 8.5 for head 1; it must be from 0 to 8"),
        ({"frame": [-0.5, 0.0]}, "frame is -0.5 for head 0"),
        ({"frame": [0.0, np.nan]}, "frame is .*nan"),
        ({"prefix": [0, 8]}, "prefix is 8 for head 1; it must be from 0 to 7"),
        ({"prefix": [-1, 0]}, "prefix is -1 for head 0"),
        ({"frame": [0.0]}, r"frame is \(1,\); it must be \(2,\)"),
        ({"prefix": [7, 7, 7]}, r"prefix is \(3,\); it must be \(2,\)"),
        ({"out": np.empty((2, 59, 3), np.float32)}, r"out is \(2, 59, 3\); it must be \(2, 60, 3\)"),
    ],
)
def test_heads_out_of_range_are_named(lane, change, text):
    given = {"clip": [0, 0], "frame": [0.0, 1.0], "prefix": [7, 7], "out": np.empty((2, 60, 3), np.float32)}
    with pytest.raises(ValueError, match=f"evaluate: {text}"):
        resident_crowd(lane, random_rig()).evaluate(**{**given, **change})


def test_only_the_rig_of_a_crowd_plays_it(lane):
    rig = random_rig()
    crowd = engine_crowd(rig, clips_of(rig))
    with pytest.raises(ValueError, match=r"rig is of kind 'body' with .* columns; it must be the blendshape rig of"):
        lane.ResidentCrowd(resident(lane, random_body()), crowd)
    with pytest.raises(ValueError, match=r"rig is of kind 'blendshape' with 3 columns; it must be the blendshape rig"):
        lane.ResidentCrowd(resident(lane, rc.BlendshapeRig(np.zeros((4, 3)), np.ones((3, 4, 3)))), crowd)


def test_wrong_calls_of_a_crowd_are_named(cuda_lane):
    rig = random_rig()
    crowd = rc.crowd.Crowd(rig, clips_of(rig), ORDER)
    array = crowd.evaluate_on_device(0, [0, 1], device="cuda")
    with pytest.raises(ValueError, match=r"^evaluate_on_device: device is 'cpu'; it must be another"):
        crowd.evaluate_on_device(0, 0, device="cpu")
    with pytest.raises(ValueError, match=r"^instances_on_device: device is 'tpu'; it must be one of: cpu"):
        crowd.instances_on_device(0, 0, device="tpu")
    with pytest.raises(ValueError, match=r"^instances: device is 'tpu'; it must be one of: cpu"):
        crowd.instances(0, 0, device="tpu")
    with pytest.raises(ValueError, match=r"^evaluate_on_device: frame is 9"):
        crowd.evaluate_on_device(0, 9, device="cuda")
    with pytest.raises(ValueError, match=r"^evaluate_on_device: out is \(2, 60, 3\); it must be \(1, 60, 3\)"):
        crowd.evaluate_on_device(0, 0, device="cuda", out=array)
    with pytest.raises(ValueError, match=r"^evaluate_on_device: out is a ndarray; it must be None or an"):
        crowd.evaluate_on_device(0, 0, device="cuda", out=np.empty((1, 60, 3), np.float32))
    with pytest.raises(ValueError, match="out is a DeviceArray; it must be a float32 array"):
        crowd.evaluate(0, [0, 1], device="cuda", out=array)
