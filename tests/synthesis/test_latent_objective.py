"""What the fit of a latent space minimizes: each term against dense NumPy, gradients against differences."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast import _core
from tests.support.made import latent

DENSE = 1e-8  # relative: sums of hundreds of terms
GRADIENT = 1e-6  # relative to the largest entry; central differences of double precision

SEGMENTS = [(0, 25), (25, 60)]
NONE = {"dynamics": False, "connectivity": False}


def objective(s, **terms):
    return _core.LatentObjective(s.values, s.points.shape[1], SEGMENTS, **terms)


def unknowns(s, inducing=0):
    """Those of a setting, with inducing points between the points."""
    floor = 1e-6 * (s.values**2).mean()
    chosen = s.points[latent.spread_frames(len(s.points), inducing)] + 0.1 if inducing else np.zeros((0, 3))
    logs = np.log([s.variance, s.length, s.noise - floor])
    return np.concatenate([s.points.ravel(), chosen.ravel(), logs]), chosen


def length_term(s):
    """What fixes the unit of the latent space."""
    return 0.5 * s.points.size * np.log(s.length) ** 2


def test_the_likelihood_is_that_of_the_dense_process():
    s = latent.setting()
    value, _ = objective(s, **NONE).evaluate(unknowns(s)[0])
    assert value == pytest.approx(length_term(s) - latent.exact_log_likelihood(s), rel=DENSE)


def test_the_likelihood_through_inducing_points_is_that_of_the_dense_conditional():
    s = latent.setting()
    x, chosen = unknowns(s, 10)
    value, _ = objective(s, inducing=10, **NONE).evaluate(x)
    assert value == pytest.approx(length_term(s) - latent.inducing_log_likelihood(s, chosen), rel=DENSE)


@pytest.mark.parametrize(("length", "noise"), [(8.0, 1e-3), (2.0, 0.1)])
def test_the_dynamics_prior_is_a_process_over_time_on_each_segment(length, noise):
    s = latent.setting()
    terms = {"connectivity": False, "dynamics_length": length, "dynamics_noise": noise}
    x, _ = unknowns(s)
    found = objective(s, **terms).evaluate(x)[0] - objective(s, **NONE).evaluate(x)[0]
    assert found == pytest.approx(-latent.dynamics_log_prior(s.points, SEGMENTS, length, noise), rel=DENSE)


@pytest.mark.parametrize("frames", [60, 17])
def test_the_connectivity_prior_is_the_mean_logarithm_of_the_diffusion_kernel(frames):
    s = latent.setting()
    terms = {"dynamics": False, "connectivity_weight": 0.7, "connectivity_frames": frames}
    x, _ = unknowns(s)
    found = objective(s, **terms).evaluate(x)[0] - objective(s, **NONE).evaluate(x)[0]
    expected = latent.connectivity_log_prior(s.points, latent.spread_frames(60, frames), 0.7)
    assert found == pytest.approx(-expected, rel=DENSE)


def test_connectivity_does_not_depend_on_the_scale_and_allows_equal_points():
    s = latent.setting()
    s.points[7] = s.points[6]
    values = []
    for scale in (1.0, 1e-3):
        x = unknowns(s._replace(points=scale * s.points, length=scale * s.length))[0]
        values.append(objective(s, dynamics=False).evaluate(x)[0] - objective(s, **NONE).evaluate(x)[0])
    assert values[1] == pytest.approx(values[0], rel=DENSE)


def test_connectivity_falls_when_clips_drift_apart():
    s = latent.setting()
    drifts = [0.0, 5.0, 50.0]
    values = []
    for drift in drifts:
        moved = s.points + np.where(np.arange(60)[:, None] < 25, drift, 0.0)
        value = objective(s, dynamics=False).evaluate(unknowns(s._replace(points=moved))[0])[0]
        values.append(value - objective(s, **NONE).evaluate(unknowns(s._replace(points=moved))[0])[0])
    assert values == sorted(values)
    assert values[0] < values[1]


TERMS = {
    "exact": NONE,
    "inducing": {"inducing": 9, **NONE},
    "dynamics": {"connectivity": False},
    "connectivity": {"dynamics": False},
    "all": {"connectivity_frames": 31},
    "all inducing": {"inducing": 12},
}


@pytest.mark.parametrize("name", TERMS)
def test_gradients_are_those_of_differences(name):
    s = latent.setting(60, outputs=5)
    function = objective(s, **TERMS[name])
    x, _ = unknowns(s, TERMS[name].get("inducing", 0))
    _, gradient = function.evaluate(x)
    step = 1e-5
    chosen = np.unique(np.concatenate([np.arange(0, len(x), 7), np.arange(len(x) - 9, len(x))]))
    differences = []
    for i in chosen:
        ahead, behind = x.copy(), x.copy()
        ahead[i] += step
        behind[i] -= step
        differences.append((function.evaluate(ahead)[0] - function.evaluate(behind)[0]) / (2 * step))
    error = np.abs(gradient[chosen] - differences).max() / np.abs(gradient).max()
    assert error < GRADIENT


@pytest.mark.parametrize("inducing", [0, 30])
def test_bytes_do_not_depend_on_threads(inducing):
    s = latent.setting(600)
    segments = [(0, 200), (200, 600)]
    found = []
    for threads in (1, 2, 3):
        function = _core.LatentObjective(s.values, 3, segments, inducing=inducing, threads=threads)
        value, gradient = function.evaluate(function.start(s.points))
        found.append((value, gradient.tobytes()))
    assert found[0] == found[1] == found[2]


def test_a_covariance_that_is_not_positive_definite_has_no_value():
    s = latent.setting(60)
    x, _ = unknowns(s)
    x[-3] = 800.0
    assert objective(s, **NONE).evaluate(x)[0] == np.inf


def test_long_segments_are_cut_into_equal_pieces():
    s = latent.setting(1500, outputs=1)
    whole = _core.LatentObjective(s.values, 3, [(0, 1500)], inducing=5, connectivity=False)
    cut = _core.LatentObjective(s.values, 3, [(0, 750), (750, 1500)], inducing=5, connectivity=False)
    x = whole.start(s.points)
    assert whole.evaluate(x)[0] == cut.evaluate(x)[0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"segments": [(0, 20), (21, 60)]}, "segments is with frames 21 to 60 where frame 20 comes next"),
        ({"segments": [(0, 20)]}, "segments is of 20 frames; it must be of all 60"),
        ({"segments": [(0, 0), (0, 60)]}, "segments is with frames 0 to 0"),
        ({"segments": [0, 60]}, "segments is"),
        ({"values": np.full((60, 2), np.nan)}, "values is not finite"),
        ({"values": np.zeros((60, 2))}, "values is zero everywhere"),
        ({"inducing": 61}, "inducing is 61; it must be 0 .* to the number of frames, 60"),
        ({"inducing": -1}, "inducing is -1"),
        ({"dynamics_length": 0.0}, "length is 0"),
        ({"dynamics_noise": np.nan}, "noise is nan"),
        ({"connectivity_frames": 1}, "connectivity_frames is 1; it must be 2 or more"),
        ({"connectivity_weight": -1.0}, "connectivity_weight is -1"),
        ({"dimension": 0}, "dimension is 0"),
    ],
)
def test_says_what_is_wrong(change, words):
    arguments = {"values": latent.setting().values, "dimension": 3, "segments": SEGMENTS, **change}
    with pytest.raises(ValueError, match=words):
        _core.LatentObjective(**arguments)
