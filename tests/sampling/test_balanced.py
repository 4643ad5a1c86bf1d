"""Balanced poses: landmarks, bins along the first principal component, and even draws."""

import numpy as np
import pytest

import rigcast as rc
from rigcast.sampling import Animation, Balanced, Uniform, balanced, clipped_share
from rigcast.sampling._drawing.balanced import equal_intervals, first_component, spread_landmarks
from rigcast.sampling._drawing.stream import Stream
from tests.sampling.rigs import small_rig

RANGES, REST = np.array([[0.0, 1.0]]), np.zeros(1)


def rare(total=1000, few=50):
    """Candidates of which one in twenty lies in the second bin."""
    bins = np.zeros(total, np.int64)
    bins[:few] = 1
    return Balanced(np.linspace(0.0, 1.0, total)[:, None], bins)


def test_a_rare_bin_is_drawn_as_often_as_a_common_one():
    sampler = rare()
    drawn = sampler.draw(RANGES, REST, 80, Stream(3))[:, 0]
    assert 25 <= (drawn < 50 / 999).sum() <= 50  # 40 expected; 4 without bins


def test_no_candidate_is_drawn_twice():
    drawn = rare().draw(RANGES, REST, 1000, Stream(3))[:, 0]
    np.testing.assert_array_equal(np.sort(drawn), np.linspace(0.0, 1.0, 1000))


def test_the_stream_decides_the_rows():
    first, again, other = (rare().draw(RANGES, REST, 20, Stream(seed)) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_intervals_have_equal_length():
    np.testing.assert_array_equal(equal_intervals(np.array([0.0, 0.24, 0.26, 0.9, 1.0]), 4), [0, 0, 1, 3, 3])


def test_equal_values_are_one_bin():
    np.testing.assert_array_equal(equal_intervals(np.full(3, 2.0), 16), [0, 0, 0])


def test_the_first_component_is_that_of_the_singular_value_decomposition(tolerance):
    seen = np.random.default_rng(0).standard_normal((40, 6)) * [5.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    centered = seen - seen.mean(0)
    oracle = centered @ np.linalg.svd(centered)[2][0]
    np.testing.assert_allclose(
        np.abs(first_component(seen)), np.abs(oracle), atol=tolerance["float64"] * np.abs(oracle).max()
    )


def test_landmarks_move_and_lie_far_from_each_other():
    rest = np.stack([np.arange(10.0), np.zeros(10), np.zeros(10)], axis=1)
    motion = np.array([0.0, 0.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0, 1.0, 0.05])
    np.testing.assert_array_equal(spread_landmarks(rest, motion, 3), [4, 8, 2])


def test_landmarks_are_never_more_than_the_places_that_move():
    rest = np.zeros((5, 3))
    np.testing.assert_array_equal(spread_landmarks(rest, np.ones(5), 4), [0])


def test_bins_are_those_of_the_landmarks_in_the_rig():
    rig = small_rig()
    sampler = balanced(rig, Uniform(), 64, landmarks=[3, 20], bins=5, seed=2)
    seen = rig.sample(np.asarray(sampler.rows, np.float32))[1][:, [3, 20]].reshape(64, -1)
    np.testing.assert_array_equal(sampler.bins, equal_intervals(first_component(seen.astype(float)), 5))


def test_a_data_set_of_a_balanced_sampler_says_so(tmp_path):
    sampler = balanced(small_rig(), "uniform", 64, num_landmarks=4)
    data = rc.sampling.sample(small_rig(), tmp_path / "even.rwdata", 16, sampler=sampler, probe=0)
    rows = {row.tobytes() for row in np.asarray(sampler.rows, np.float32)}
    assert {row.tobytes() for row in data.channels} <= rows
    assert sampler.settings()["landmarks"] == list(sampler.landmarks)


def test_the_clipped_share_counts_values_beyond_their_ranges():
    rig = small_rig()
    half = np.array(rig.channel_ranges, np.float64)[:, 1] / 2.0
    sampler = Animation(half[None], (0.0, 3.0))  # a factor beyond 2 leaves the range: one of three
    assert clipped_share(rig, sampler, 3000, seed=1) == pytest.approx(1 / 3, abs=0.02)


def test_an_animation_without_noise_clips_nothing():
    rig = small_rig()
    assert clipped_share(rig, Animation(2.0 * np.array(rig.channel_ranges)[:, 1][None]), 1) == 0.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Balanced([[0.0]], [0, 1]), r"Balanced: bins is int64 \(2,\); it must be integers \(1,\)"),
        (lambda: Balanced([[0.0]], [-1]), "Balanced: bins"),
        (lambda: rare().draw(RANGES, REST, 1001, Stream(1)), "sample: count is 1001; it must be at most the 1000"),
        (
            lambda: rare().draw(np.zeros((2, 2)), REST, 1, Stream(1)),
            "Balanced: rows is .*; it must be rows of",
        ),
        (lambda: balanced(small_rig(), "uniform", 1), "balanced: candidates is 1; it must be an integer from 2"),
        (lambda: balanced(small_rig(), "uniform", 8, bins=0), "balanced: bins is 0; it must be an integer from 1"),
        (lambda: balanced(small_rig(), "uniform", 8, landmarks=[99999]), "balanced: landmarks"),
        (lambda: balanced(small_rig(), "uniform", 8, landmarks=[]), "balanced: landmarks"),
    ],
)
def test_refusals_name_the_argument(make, message):
    with pytest.raises(ValueError, match=message):
        make()
