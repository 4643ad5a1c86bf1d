"""Fits of latent spaces: they recover points, agree from several starts, and end in the same bytes."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast import _core
from tests.conftest import TOLERANCES
from tests.support.made import latent

SEGMENTS = [(0, 60), (60, 100)]


def principal(values, dimension):
    """Scores of the first principal components."""
    centered = values - values.mean(0)
    left, scale, _ = np.linalg.svd(centered, full_matrices=False)
    return left[:, :dimension] * scale[:dimension]


def curves(count=100, outputs=8, dimension=2, seed=0):
    """Values on a curved surface that principal components do not flatten, and the points on it."""
    rng = np.random.default_rng(seed)
    time = np.linspace(0, 9, count)
    points = np.stack([np.sin(time), np.cos(0.7 * time)], 1)[:, :dimension]
    values = np.sin(2 * points @ rng.standard_normal((dimension, outputs)) + 6 * rng.random(outputs))
    values += 0.02 * rng.standard_normal(values.shape)
    return values - values.mean(0), points


def fit(values, **keywords):
    arguments = {"segments": SEGMENTS, "iterations": 300, **keywords}
    if "start" not in arguments:
        arguments["start"] = principal(values, 2)
    return _core.fit_latent_space(values, arguments.pop("segments"), arguments.pop("start"), **arguments)


@pytest.mark.parametrize("method", ["lbfgs", "scg"])
@pytest.mark.parametrize("inducing", [0, 30])
def test_reconstructs_better_than_principal_components(method, inducing):
    values, _ = curves()
    found = fit(values, method=method, inducing=inducing)
    left, scale, right = np.linalg.svd(values, full_matrices=False)
    plane = (left[:, :2] * scale[:2]) @ right[:2]
    assert np.diff(found.objective).max() <= 0
    error = np.linalg.norm(found.space.mean(found.space.points) - values)
    assert error < 0.3 * np.linalg.norm(plane - values)
    assert np.sqrt(found.space.noise) < 0.1


def test_both_methods_end_alike():
    values, _ = curves()
    options = {"segments": [(0, 100)], "iterations": 3000, "tolerance": 1e-9, "connectivity": False}
    ends = [fit(values, method=method, **options) for method in ("lbfgs", "scg")]
    assert ends[0].converged
    assert ends[0].objective[-1] == pytest.approx(ends[1].objective[-1], rel=TOLERANCES["printed"])


def test_held_out_frames_of_a_curve_are_between_their_neighbors():
    values, _ = curves(120)
    kept = np.arange(120) % 3 != 1
    found = fit(values[kept], segments=[(0, 80)], start=principal(values[kept], 2))
    points = found.space.points
    between = (points[0::2] + points[1::2]) / 2
    error = np.sqrt(((found.space.mean(between) - values[~kept]) ** 2).mean())
    assert error < 0.15 * np.sqrt((values**2).mean())


def test_starts_are_told_and_the_best_is_returned():
    values, _ = curves()
    found = fit(values, starts=5, seed=3, iterations=60)
    assert len(found.start_objectives) == 5
    assert found.objective[-1] == found.start_objectives.min()
    assert found.start_objectives[0] == fit(values, iterations=60).objective[-1]
    assert len(set(found.start_objectives)) == 5
    again = fit(values, starts=5, seed=4, iterations=60)
    assert again.start_objectives[0] == found.start_objectives[0]
    assert again.start_objectives[1] != found.start_objectives[1]


def test_connectivity_brings_clips_together():
    """Two clips of the same motion, one offset in one output: without the prior they stay apart."""
    values, _ = curves(50)
    twice = np.concatenate([values, values + 1.0])
    segments = [(0, 50), (50, 100)]
    start = principal(twice - twice.mean(0), 2)

    def smallest_distance(found):
        points = found.space.points
        apart = np.linalg.norm(points[:50, None] - points[None, 50:], axis=-1).min()
        return apart / np.linalg.norm(points - points.mean(0), axis=1).mean()

    options = {"segments": segments, "start": start, "iterations": 150}
    joined = fit(twice - twice.mean(0), **options)
    free = fit(twice - twice.mean(0), connectivity=False, **options)
    assert smallest_distance(joined) < 0.7 * smallest_distance(free)


def test_the_dynamics_prior_makes_points_smooth_in_time():
    values, _ = curves()
    rough = values + 0.1 * np.random.default_rng(1).standard_normal(values.shape)

    def roughness(found):
        points = found.space.points
        return (np.diff(points[:60], 2, axis=0) ** 2).sum() / (np.diff(points[:60], axis=0) ** 2).sum()

    assert roughness(fit(rough)) < 0.1 * roughness(fit(rough, dynamics=False))


@pytest.mark.parametrize("inducing", [0, 20])
def test_bytes_depend_on_the_seed_and_not_on_threads(inducing):
    values, _ = curves()
    options = {"inducing": inducing, "iterations": 15, "starts": 2, "seed": 5}
    one, two = fit(values, threads=1, **options), fit(values, threads=2, **options)
    assert one.space.points.tobytes() == two.space.points.tobytes()
    assert one.objective.tobytes() == two.objective.tobytes()
    assert (one.space.length, one.space.noise) == (two.space.length, two.space.noise)


def test_reports_every_iteration_and_ends_at_an_error():
    values, _ = curves()
    seen = []
    found = fit(values, iterations=7, progress=lambda *step: seen.append(step))
    assert [step for step, _ in seen] == list(range(1, 8))
    assert [value for _, value in seen] == list(found.objective[1:])
    assert (found.iterations, found.converged) == (7, False)
    assert len(found.seconds) == 8
    assert (np.diff(found.seconds) >= 0).all()

    def stop(iteration, value):
        raise InterruptedError

    with pytest.raises(InterruptedError):
        fit(values, progress=stop)


def test_no_iteration_is_the_start_itself():
    values, _ = curves()
    start = 7 * principal(values, 2) + 3
    found = fit(values, start=start, iterations=0)
    centered = start - start.mean(0)
    expected = centered / np.sqrt((centered**2).mean())
    np.testing.assert_allclose(found.space.points, expected, atol=1e-12)  # a mean and a root: the last digits
    assert found.iterations == 0


def test_the_noise_stays_above_its_floor():
    """Values that the process can explain exactly: the noise ends near 1e-6 of their mean square, not at 0."""
    s = latent.setting(40, 2, 3, noise=1e-9)
    values = latent.exact_mean(s._replace(noise=1e-3), s.points)
    found = fit(values, segments=[(0, 40)], start=s.points, iterations=500, connectivity=False)
    assert found.space.noise >= 1e-6 * (values**2).mean()


VALUES = curves()[0]
DAMAGED = np.where(np.arange(800).reshape(100, 8) == 25, np.inf, VALUES)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"values": VALUES[:1], "start": [[1.0, 2.0]], "segments": [(0, 1)]}, "values is of one frame or none"),
        ({"start": np.ones((100, 2))}, "start is of equal points"),
        ({"start": np.ones((99, 2))}, r"start is \(99, 2\); it must be \(100, any\)"),
        ({"start": np.zeros((100, 0))}, "start is without columns"),
        ({"start": np.full((100, 2), np.nan)}, "start is not finite"),
        (
            {"values": np.where(np.arange(800).reshape(100, 8) == 25, np.inf, VALUES), "start": VALUES[:, :2]},
            r"values is not finite .*inf at \(3, 1\)",
        ),
        ({"segments": [(0, 60)]}, "segments is of 60 frames"),
        ({"inducing": 101}, "inducing is 101"),
        ({"method": "newton"}, "method is 'newton'; it must be 'lbfgs' or 'scg'"),
        ({"iterations": -1}, "iterations is -1"),
        ({"starts": 0}, "starts is 0"),
        ({"tolerance": -1.0}, "tolerance is -1"),
        ({"threads": -2}, "threads"),
    ],
)
def test_says_what_is_wrong(change, words):
    with pytest.raises(ValueError, match=words):
        fit(**{"values": VALUES, **change})
