"""Samplers: distributions, ranges, and that the seed alone decides."""

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rigcast as rc
from rigcast.sampling import Animation, Mixture, Normal, Sparse, Uniform
from rigcast.sampling._drawing.drawn import probe_rows, round_inside
from rigcast.sampling._drawing.stream import Stream, normal_quantile

RANGES = np.array([[-90.0, 10.0], [0.0, 1.0], [3.0, 3.0]])
REST = np.array([0.0, 0.0, 3.0])
FRAMES = np.array([[-10.0, 0.5, 3.0], [20.0, 0.0, 3.0], [-80.0, 1.0, 3.0]])


def test_quantiles_are_those_of_the_normal_distribution():
    """To 1e-15: relative to the quantile, or to 1 if that is larger."""
    special = pytest.importorskip("scipy.special", reason="SciPy is not installed")
    tails = 0.5 - 2.0 ** -np.arange(2, 50)
    q = np.concatenate([np.linspace(-0.499, 0.499, 2001), tails, -tails])
    exact = np.where(q < 0, special.ndtri(0.5 - np.abs(q)), -special.ndtri(0.5 - np.abs(q)))
    assert (np.abs(normal_quantile(q) - exact) <= 1e-15 * np.maximum(1.0, np.abs(exact))).all()


def test_quantiles_are_symmetric_to_the_last_bit():
    q = Stream(2).uniform(1000) - 0.5
    np.testing.assert_array_equal(normal_quantile(-q), -normal_quantile(q))


def test_the_middle_is_zero():
    assert normal_quantile(np.array([0.0])) == 0.0


@pytest.mark.parametrize("spread", [0.1, 1 / 3, 1.5])
def test_normal_is_the_truncated_normal_distribution(spread):
    stats = pytest.importorskip("scipy.stats", reason="SciPy is not installed")
    rows = Normal(spread).draw(RANGES, REST, 4000, Stream(3))
    scaled = (rows[:, 0] + 40.0) / (100.0 * spread)
    assert stats.kstest(scaled, stats.truncnorm(-0.5 / spread, 0.5 / spread).cdf).pvalue > 0.05
    assert abs(np.corrcoef(rows[:, 0], rows[:, 1])[0, 1]) < 0.05
    assert (rows[:, 2] == 3.0).all()


def test_default_spread_puts_the_range_at_one_and_a_half_sigma():
    rows = Normal().draw(np.array([[-1.5, 1.5]]), np.zeros(1), 20000, Stream(3))
    truncated = 0.7426  # standard deviation of a standard normal truncated to [-1.5, 1.5]
    assert rows.std() == pytest.approx(truncated, rel=0.02)


def test_uniform_is_even():
    rows = Uniform().draw(RANGES, REST, 10000, Stream(3))
    counts = np.histogram(rows[:, 0], bins=10, range=(-90, 10))[0]
    assert ((counts - 1000) ** 2 / 1000).sum() < 21.7  # chi-squared, 9 degrees of freedom, 1 %


def test_sparse_turns_any_share_of_the_channels_and_leaves_the_others_at_rest():
    """Shares are even over [0, 1], moved values even over the range."""
    ranges, rest = np.tile([[-1.0, 3.0]], (40, 1)), np.full(40, 0.5)
    rows = Sparse().draw(ranges, rest, 4000, Stream(3))
    moved = rows != 0.5
    shares = np.histogram(moved.mean(axis=1), bins=4, range=(0, 1))[0]
    assert ((shares - 1000) ** 2 / 1000).sum() < 30.0  # edges of the bins are multiples of 1/40: not quite even
    values = np.histogram(rows[moved], bins=10, range=(-1, 3))[0]
    expected = moved.sum() / 10
    assert ((values - expected) ** 2 / expected).sum() < 21.7  # chi-squared, 9 degrees of freedom, 1 %
    outside = Sparse().draw(np.array([[1.0, 2.0]]), np.zeros(1), 500, Stream(3))
    assert outside.min() == 1.0  # a rest outside its range


@st.composite
def some_ranges(draw):
    size = st.floats(-1e30, 1e30, allow_subnormal=False)
    pairs = draw(st.lists(st.tuples(size, size), min_size=1, max_size=4))
    return np.array([sorted(pair) for pair in pairs])


@given(some_ranges(), st.integers(0, 2**64), st.floats(0.001, 1000.0))
def test_rows_are_inside_and_decided_by_the_seed(ranges, seed, spread):
    for sampler in (Normal(spread), Uniform(), Sparse(), Mixture([(1.0, Normal(spread)), (2.0, Uniform())])):
        rows = sampler.draw(ranges, np.zeros(len(ranges)), 9, Stream(seed))
        assert rows.shape == (9, len(ranges))
        assert ((rows >= ranges[:, 0]) & (rows <= ranges[:, 1])).all()
        np.testing.assert_array_equal(rows, sampler.draw(ranges, np.zeros(len(ranges)), 9, Stream(seed)))
    shorter = Normal(spread).draw(ranges, np.zeros(len(ranges)), 4, Stream(seed))
    np.testing.assert_array_equal(shorter, Normal(spread).draw(ranges, np.zeros(len(ranges)), 9, Stream(seed))[:4])


@given(some_ranges(), st.integers(0, 100))
def test_float32_rows_stay_inside(ranges, seed):
    wide = ranges[ranges[:, 1] - ranges[:, 0] > np.maximum(1e-30, 1e-5 * np.abs(ranges).max(axis=1))]
    rows = np.concatenate([wide[:, 0][None], wide[:, 1][None], Uniform().draw(wide, wide[:, 0], 5, Stream(seed))])
    rounded = round_inside(rows, wide)
    assert rounded.dtype == np.float32
    assert ((rounded >= wide[:, 0]) & (rounded <= wide[:, 1])).all()
    # One rounding to float32, or to its smallest normal number.
    np.testing.assert_allclose(rounded, rows, rtol=3e-7, atol=1e-37)


def test_stored_bytes_do_not_change_with_numpy_python_or_versions_of_the_package():
    drawn = [
        sampler.draw(RANGES, REST, 1000, Stream(1))
        for sampler in (
            Normal(),
            Normal(0.05),
            Uniform(),
            Animation(FRAMES, 0.25),
            Mixture([(1, Normal()), (2, Uniform())]),
        )
    ]
    drawn.append(probe_rows(RANGES, 5, Stream(1)))
    digest = hashlib.sha256(round_inside(np.concatenate(drawn), RANGES).tobytes()).hexdigest()
    assert digest == GOLDEN


GOLDEN = "eb8ddf70e122de0ced412bfb4e420c01fedffd8ca0daa862b629a15126872f64"


def test_children_of_a_stream_are_independent():
    parent = Stream(5)
    values = [stream.uniform(1000) for stream in (parent, parent.child(0), parent.child(1), parent.child(0).child(0))]
    assert np.abs(np.corrcoef(values) - np.eye(4)).max() < 0.12
    np.testing.assert_array_equal(Stream(5, 0).uniform(3), values[1][:3])


def test_animation_without_noise_is_the_animation():
    animation = Animation(FRAMES.tolist())
    np.testing.assert_array_equal(animation.draw(RANGES, REST, 3, Stream(1)), FRAMES)
    np.testing.assert_array_equal(animation.draw(RANGES, REST, 2, Stream(1)), FRAMES[:2])
    with pytest.raises(ValueError, match="sample: count is 4; it must be at most the 3 frames"):
        animation.draw(RANGES, REST, 4, Stream(1))


def test_animation_noise_multiplies_the_distance_from_rest():
    rest = np.array([-5.0, 0.0, 3.0])
    rows = Animation(FRAMES[:1], noise=(0.25, 3.0)).draw(RANGES, rest, 5000, Stream(1))
    factor = (rows - rest)[:, :2] / (FRAMES[0] - rest)[:2]
    # The extremes of this many samples.
    assert factor.min() == pytest.approx(0.25, abs=0.01)
    # As above.
    assert factor[:, 0].max() == pytest.approx(3.0, abs=0.01)
    assert factor[:, 1].max() == 2.0  # 3 x 0.5 leaves the range, which ends at 1
    assert abs(np.corrcoef(factor[:, 0], factor[:, 1])[0, 1]) < 0.05
    assert (rows[:, 2] == 3.0).all()


def test_animation_noise_goes_no_farther_outside_than_the_animation():
    rows = Animation(FRAMES, 0.5).draw(RANGES, REST, 2000, Stream(1))
    assert rows[:, 0].max() == 20.0  # frame 1 is outside the range, which ends at 10
    assert rows[:, 0].min() == -90.0
    assert set(np.round(rows[:, 0][rows[:, 0] > 10.0], 6)) != {20.0}


def test_mixture_takes_rows_from_every_part_by_weight():
    mixture = Mixture([(1.0, Animation(FRAMES[:1], 0.0001)), (3.0, Uniform())])
    rows = mixture.draw(RANGES, REST, 4000, Stream(1))
    animated = np.abs(rows[:, 0] + 10.0) < 0.01
    # Statistics of this many samples.
    assert animated.mean() == pytest.approx(0.25, abs=0.03)
    # As above.
    assert rows[~animated, 0].std() == pytest.approx(100 / np.sqrt(12), rel=0.05)


def test_probe_rows_of_a_locked_channel_repeat_the_base():
    rows = probe_rows(RANGES, 1, Stream(1))
    np.testing.assert_array_equal(rows[3], rows[0])
    assert set(rows[1:, 0]) - {rows[0, 0]} <= {-90.0, 10.0}


def test_settings_are_json_that_tells_samplers_apart():
    animation = Animation(FRAMES, 0.25).settings()
    assert animation["noise"] == [0.75, 1.25]
    assert animation["sha256"] != Animation(FRAMES + 1.0, 0.25).settings()["sha256"]
    assert Mixture([(2, Uniform()), (1, Normal(0.5))]).settings() == {
        "kind": "mixture",
        "parts": [
            {"weight": 2.0, "sampler": {"kind": "uniform"}},
            {"weight": 1.0, "sampler": {"kind": "normal", "spread": 0.5}},
        ],
    }


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Normal(0.0), r"Normal: spread is 0\.0; it must be a number between"),
        (lambda: Normal(float("nan")), "Normal: spread is nan; it must be"),
        (lambda: Animation(np.zeros((0, 3))), r"Animation: frames is float64 \(0, 3\); it must be"),
        (lambda: Animation(np.zeros(3)), r"Animation: frames is float64 \(3,\); it must be"),
        (lambda: Animation([[0.0, np.nan]]), r"Animation: frames is not finite everywhere \(nan at \(0, 1\)\)"),
        (lambda: Animation(FRAMES, 1.5), r"Animation: noise is 1\.5; it must be a number from 0 to 1"),
        (lambda: Animation(FRAMES, (2.0, 1.0)), r"Animation: noise is \(2\.0, 1\.0\); it must be"),
        (lambda: Mixture([]), "Mixture: parts is .*; it must be pairs of a positive weight and a sampler"),
        (lambda: Mixture([(0.0, Normal())]), r"Mixture: parts is .*\[0\.0\]; it must be"),
        (lambda: Animation(FRAMES).draw(RANGES[:2], REST[:2], 1, Stream(0)), "rows of the rig's 2 channels"),
    ],
)
def test_wrong_settings(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_animation_decides_the_size_of_a_held_out_set(cylinder_rig, tmp_path):
    frames = np.linspace(0, 1, 7)[:, None] * cylinder_rig.channel_ranges[:, 1]
    ds = rc.sampling.sample(cylinder_rig, tmp_path / "walk", sampler=Animation(frames), probe=0)
    np.testing.assert_array_equal(ds.channels, frames.astype(np.float32))
