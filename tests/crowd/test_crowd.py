"""Crowds against the rig evaluated head by head."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.support.made.blendshapes import random_arrays, random_rig, random_weights, slow_blendshapes

HEADS = 40


def clips(rig, seed=0):
    return [random_weights(rig, frames, seed + i) for i, frames in enumerate((5, 1, 9))]


def random_heads(crowd, seed, whole=True):
    """Clip, frame and prefix of many heads, some of which share all three."""
    rng = np.random.default_rng(seed)
    clip = rng.integers(0, len(crowd.num_frames), HEADS)
    frame = rng.uniform(0, crowd.num_frames[clip] - 1)
    prefix = rng.integers(0, crowd.rig.num_shapes + 1, HEADS)
    heads = [clip, frame.astype(int) if whole else frame, prefix]
    again = rng.integers(0, HEADS, HEADS // 2)
    return [np.concatenate([values, values[again]]) for values in heads]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("whole", [True, False])
def test_every_head_matches_numpy(seed, whole, tolerance):
    arrays = random_arrays(seed=seed)
    rig = rc.BlendshapeRig(*arrays)
    order = np.random.default_rng(seed).permutation(rig.num_shapes)
    played = clips(rig, seed)
    crowd = rc.crowd.Crowd(rig, played, order)
    clip, frame, prefix = random_heads(crowd, seed, whole)
    vertices = crowd.evaluate(clip, frame, prefix)
    for h in range(len(clip)):
        rows = played[clip[h]].astype(np.float64)
        weights = np.array([np.interp(frame[h], np.arange(len(rows)), curve) for curve in rows.T])
        expected = slow_blendshapes(*arrays, weights, kept=order[: prefix[h]])
        np.testing.assert_allclose(vertices[h], expected, atol=tolerance["float32_sum"])


def test_without_prefixes_all_shapes_take_part():
    rig = random_rig()
    crowd = rc.crowd.Crowd(rig, clips(rig), np.arange(rig.num_shapes)[::-1])
    clip, frame = np.array([0, 2, 2, 0]), np.array([4, 3, 8, 4])
    expected = rig.evaluate(crowd.weights(clip, frame))
    np.testing.assert_array_equal(crowd.evaluate(clip, frame), expected)
    np.testing.assert_array_equal(crowd.evaluate(clip, frame, rig.num_shapes), expected)


def test_each_distinct_head_is_computed_once():
    rig = random_rig()
    crowd = rc.crowd.Crowd(rig, clips(rig))
    clip, frame, prefix = random_heads(crowd, 3)
    instances = crowd.instances(clip, frame, prefix)
    states = set(zip(clip.tolist(), frame.tolist(), prefix.tolist(), strict=True))
    assert len(instances.vertices) == len(instances.prefix) == len(states) < len(clip)
    assert (np.diff(instances.prefix) >= 0).all()  # grouped by prefix length
    np.testing.assert_array_equal(instances.prefix[instances.head], prefix)
    np.testing.assert_array_equal(instances.vertices[instances.head], crowd.evaluate(clip, frame, prefix))


def test_heads_do_not_depend_on_their_company():
    rig = random_rig()
    crowd = rc.crowd.Crowd(rig, clips(rig))
    clip, frame, prefix = random_heads(crowd, 4, whole=False)
    together = crowd.evaluate(clip, frame, prefix)
    alone = [crowd.evaluate(*state)[0] for state in zip(clip, frame, prefix, strict=True)]
    np.testing.assert_array_equal(together, alone)
    for threads in (1, 3):
        np.testing.assert_array_equal(crowd.evaluate(clip, frame, prefix, threads=threads), together)


@pytest.mark.parametrize("frame", [[0, 1, 2], [0, 1, 1]])
def test_the_result_is_written_into_out(frame):
    rig = random_rig()
    crowd = rc.crowd.Crowd(rig, clips(rig))
    out = np.full((3, *rig.rest_vertices.shape), np.nan, np.float32)
    assert crowd.evaluate(2, frame, out=out) is out
    np.testing.assert_array_equal(out, crowd.evaluate(2, frame))


def test_no_heads_give_no_vertices():
    crowd = rc.crowd.Crowd(random_rig(), [np.zeros((1, 7))])
    none = np.zeros(0, int)
    assert crowd.evaluate(none, none).shape == (0, 60, 3)
    assert crowd.instances(none, none, none).vertices.shape == (0, 60, 3)


def test_clips_are_copied():
    rig = random_rig()
    clip = random_weights(rig, 4)
    crowd = rc.crowd.Crowd(rig, [clip])
    before = crowd.evaluate(0, [1, 2])
    clip[:] = 0
    np.testing.assert_array_equal(crowd.evaluate(0, [1, 2]), before)


def test_a_device_that_does_not_work_is_an_error():
    crowd = rc.crowd.Crowd(random_rig(), [np.zeros((3, 7))])
    with pytest.raises(ValueError, match="device"):
        crowd.evaluate(0, [0, 1], device="abacus")
    if "cuda" not in rc.devices():
        with pytest.raises(ValueError, match="'cuda'"):
            crowd.evaluate(0, [0, 1, 1], [1, 2, 2], device="cuda")


@pytest.mark.gpu
def test_the_gpu_evaluates_the_same_crowd(tolerance):
    if "cuda" not in rc.devices():
        pytest.skip("no CUDA device")
    rig = random_rig()
    crowd = rc.crowd.Crowd(rig, clips(rig), np.arange(rig.num_shapes)[::-1])
    heads = random_heads(crowd, 5)
    np.testing.assert_allclose(
        crowd.evaluate(*heads, device="cuda"), crowd.evaluate(*heads), atol=tolerance["float32_sum"]
    )


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        (([0, 3], [0, 0]), r"evaluate: clip is 3 for head 1; it must be from 0 to 2"),
        (([0, -1], [0, 0]), r"evaluate: clip is -1 for head 1"),
        (([0.0, 1.0], [0, 0]), r"evaluate: clip is float64 \(2,\); it must be whole numbers"),
        (([0, 1], [0, 1]), r"evaluate: frame is 1 for head 1; it must be from 0 to 0, the last frame of clip 1"),
        ((0, 4.5), r"evaluate: frame is 4.5.*from 0 to 4, the last frame of clip 0"),
        ((0, [0, -0.5]), r"evaluate: frame is -0.5 for head 1"),
        ((0, [0, np.nan]), r"evaluate: frame is nan for head 1; it must be finite"),
        ((0, ["a"]), r"evaluate: frame is <U1"),
        ((0, 0, 8), r"evaluate: prefix is 8; it must be from 0 to 7"),
        ((0, 0, [3, -2]), r"evaluate: prefix is -2 for head 1; it must be from 0 to 7"),
        ((0, [1, 2, 3], [1, 2]), r"evaluate: prefix is 2 long; it must be 3 long"),
        ((0, [[1, 2]]), r"evaluate: frame is int64 \(1, 2\)"),
        ((0, [[1], [1, 2]]), r"evaluate: frame is a ragged list"),
    ],
)
def test_heads_out_of_range_are_refused(heads, message):
    rig = random_rig()
    with pytest.raises(ValueError, match=message):
        rc.crowd.Crowd(rig, clips(rig)).evaluate(*heads)


@pytest.mark.parametrize(
    ("given", "order", "message"),
    [
        ([], None, r"Crowd: clips is empty"),
        ([np.zeros((2, 7)), np.zeros((2, 6))], None, r"Crowd: clips\[1\] is float64 \(2, 6\).*\(T, 7\)"),
        ([(np.zeros((2, 7)), 30.0)], None, r"Crowd: clips\[0\] is a ragged tuple; .*\(T, 7\)"),
        ({"walk": np.zeros((2, 7))}, None, r"Crowd: clips is a dict; it must be a sequence of clips"),
        ([np.zeros((0, 7))], None, r"Crowd: clips\[0\] is float64 \(0, 7\)"),
        ([np.full((2, 7), np.nan)], None, r"Crowd: clips\[0\] is not finite everywhere"),
        ([np.zeros((2, 7))], [0, 1, 2, 3, 4, 5, 5], r"Crowd: order is without shape 6; it must be a permutation"),
        ([np.zeros((2, 7))], [0, 1, 2, 3, 4, 5, 9], r"Crowd: order is 9 at 6; it must be a permutation"),
        ("talk.npz", None, r"Crowd: clips is a str; it must be a sequence of clips"),
        ([np.zeros((2, 7))], [[0], [1, 2]], r"Crowd: order is a ragged list"),
        ([np.zeros((2, 7))], [0, 1], r"Crowd: order is int64 \(2,\)"),
        ([np.zeros((2, 7))], np.arange(7.0), r"Crowd: order is float64 \(7,\)"),
    ],
)
def test_bad_clips_and_orders_are_refused(given, order, message):
    with pytest.raises(ValueError, match=message):
        rc.crowd.Crowd(random_rig(), given, order)


@pytest.mark.parametrize("out", [np.zeros((1, 60, 3)), np.zeros((2, 60, 3), np.float32), [1, 2]])
def test_an_out_that_does_not_fit_is_refused(out):
    with pytest.raises(ValueError, match=r"evaluate: out is .*float32 array \(1, 60, 3\)"):
        rc.crowd.Crowd(random_rig(), [np.zeros((2, 7))]).evaluate(0, 1, out=out)


def test_only_blendshape_rigs_make_crowds():
    with pytest.raises(ValueError, match=r"Crowd: rig is a str"):
        rc.crowd.Crowd("rig", [np.zeros((2, 7))])


def test_a_clip_by_itself_is_a_list_of_one():
    rig = random_rig()
    clip = random_weights(rig, 4)
    alone = rc.crowd.Crowd(rig, clip)
    np.testing.assert_array_equal(alone.evaluate(0, [0, 3]), rig.evaluate(clip[[0, 3]]))
    np.testing.assert_array_equal(alone.num_frames, rc.crowd.Crowd(rig, clip.tolist()).num_frames)
    assert repr(alone).endswith("1 clip of 4 frames, 7 shapes>")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weights": np.zeros((0, 7)), "num_frames": np.zeros(0, int)}, "clips is empty"),
        ({"num_frames": [9, 0, 5]}, r"clips\[1\] is 0 frames long; it must be at least one frame"),
        ({"num_frames": [9, 2**62, 2**62]}, r"clips\[1\] is 4611686018427387904 frames long"),
        ({"num_frames": [9, 1]}, r"clips is \(14, 7\); it must be \(10, 7\)"),
        ({"num_frames": [14, -3, 3]}, r"clips\[1\] is -3 frames long"),
        ({"weights": np.zeros((14, 6))}, r"clips is \(14, 6\); it must be \(14, 7\)"),
        ({"weights": np.full((14, 7), np.nan)}, "clips is not finite everywhere"),
        ({"weights": np.full((14, 7), 1e38)}, "clips is "),
        ({"order": [0, 1, 2, 3, 4, 5, 5]}, "order is holding 5"),
        ({"order": [0, 1]}, r"order is \(2,\)"),
    ],
)
def test_the_engine_refuses_what_is_no_crowd(change, message):
    given = {"weights": np.zeros((14, 7)), "num_frames": [9, 1, 4], "order": np.arange(7)}
    with pytest.raises(ValueError, match=f"Crowd: {message}"):
        rc._core.Crowd(random_rig(), **{**given, **change})
