"""Particles: compared with slow NumPy, and held to what the equations promise."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast import _core
from tests.synthesis.particles import SlowDensity, SlowParticle, random_path, step

RADIUS = 0.4
ORDER = 0.3  # an order is a slope of two errors
BUMPS = 1e-12  # bumps beyond five timescales are left out
SLOPES = 1e-6  # of a factorization that stops at 1e-12, times a slope


def some_density(rng, count=60, dimensions=3):
    points = np.cumsum(rng.normal(size=(count, dimensions)) * 0.3, axis=0)
    return SlowDensity(points, variance=1.7, length=0.9, noise=0.01)


def field_of(slow, tolerance=1e-12):
    return _core.DensityField(slow.points, slow.variance, slow.length, slow.noise, tolerance)


@pytest.mark.parametrize("dimensions", [1, 2, 3, 5])
def test_density_and_gradient_equal_the_whole_kernel_matrix(dimensions):
    rng = np.random.default_rng(dimensions)
    slow = some_density(rng, dimensions=dimensions)
    x = slow.points[rng.integers(60, size=37)] + 0.4 * rng.normal(size=(37, dimensions))
    density, gradient = field_of(slow).evaluate(x)
    expected, slopes = slow(x)
    np.testing.assert_allclose(density, expected, atol=1e-7)  # of a factorization that stops at 1e-12
    np.testing.assert_allclose(gradient, slopes, atol=SLOPES)


def test_few_centers_are_enough_for_a_smooth_kernel():
    rng = np.random.default_rng(2)
    slow = SlowDensity(np.cumsum(rng.normal(size=(500, 3)) * 0.05, axis=0), 1.0, 1.0, 0.01)
    field = _core.DensityField(slow.points, slow.variance, slow.length, slow.noise)
    assert field.num_centers < 150
    x = slow.points[::7] + 0.1 * rng.normal(size=(72, 3))
    np.testing.assert_allclose(field.evaluate(x)[0], slow(x)[0], atol=1e-4)  # stops at 1e-8 of the variance


def test_a_gradient_is_the_slope_of_the_density():
    rng = np.random.default_rng(4)
    field = field_of(some_density(rng))
    x, direction, h = rng.normal(size=(9, 3)), rng.normal(size=(9, 3)), 1e-5
    slope = (field.evaluate(x + h * direction)[0] - field.evaluate(x - h * direction)[0]) / (2 * h)
    np.testing.assert_allclose(
        (field.evaluate(x)[1] * direction).sum(axis=1),
        slope,
        atol=SLOPES,
    )  # differences in double precision


def test_a_point_has_the_same_bytes_in_any_company():
    rng = np.random.default_rng(5)
    field = field_of(some_density(rng))
    x = rng.normal(size=(75, 3))
    together = field.evaluate(x)
    parts = (
        (1, slice(None)),
        (2, slice(None)),
        (0, slice(3, 9)),
        (1, slice(20, 21)),
        (1, slice(7, 24)),
        (1, slice(9, 34)),
    )
    for threads, rows in parts:
        alone = field.evaluate(x[rows], threads)
        assert alone[0].tobytes() == together[0][rows].tobytes()
        assert alone[1].tobytes() == together[1][rows].tobytes()


def test_smooth_noise_is_a_gaussian_process():
    """Mean, variance and covariance over many seeds, each within four standard errors."""
    count, scale, times = 4000, 0.3, np.array([0.0, 0.1, 0.45, 7.3])
    draws = np.array([_core.smooth_noise(seed, 2, times, scale) for seed in range(count)])
    expected = np.exp(-((times[:, None] - times) ** 2) / (2 * scale**2))
    for channel in range(2):
        found = draws[:, :, channel].T @ draws[:, :, channel] / count
        np.testing.assert_allclose(found, expected, atol=4 * np.sqrt(2 / count))  # x
    assert abs(np.mean(draws[:, :, 0] * draws[:, :, 1])) < 4 / np.sqrt(count * 2)
    assert np.abs(draws.mean(axis=0)).max() < 4 / np.sqrt(count)


def test_smooth_noise_is_one_function_of_time():
    times = np.linspace(0, 3, 40)
    whole = _core.smooth_noise(3, 3, times, 0.2)
    assert _core.smooth_noise(3, 3, times[17:18], 0.2)[0] == pytest.approx(
        whole[17],
        abs=BUMPS,
    )
    fine = _core.smooth_noise(3, 1, np.arange(0, 1, 1e-3), 0.2)[:, 0]
    assert np.abs(np.diff(fine, 2)).max() < 10 * (1e-3 / 0.2) ** 2  # smooth: no jump where bumps end


def test_every_force_equals_slow_numpy():
    rng = np.random.default_rng(7)
    density = some_density(rng)
    settings = {
        "alpha": 14.0, "beta": 11.0, "drag": 1.5, "likelihood_strength": 3.0, "likelihood_level": 0.8,
        "likelihood_width": 0.5, "random_strength": 4.0, "random_timescale": 0.2, "substeps": 3,
    }  # fmt: skip
    path = random_path(rng, 40, 3, 0.03)
    radii = np.linspace(0.5, 0.2, 41)
    slow = SlowParticle(density, seed=11, **settings).run(path[0], np.zeros(3), path, radii, first_frame=5)
    found, _ = step(field_of(density), path[0], np.zeros(3), path, radii, 5, 11, **settings)
    np.testing.assert_allclose(found, slow, atol=1e-6)  # forces through a factorization that stops at 1e-12


def test_a_million_steps_on_random_paths_stay_in_the_ball():
    """Kinks at every frame, forces of all kinds; the sign of (5.9) as printed leaves the ball within the first path."""
    rng = np.random.default_rng(8)
    density = some_density(rng)
    count, frames = 500, 1000
    paths = [random_path(rng, frames, 3, speed) for speed in rng.uniform(0.002, 0.3, count) * RADIUS]
    rows = np.concatenate(paths)
    offsets = np.arange(count + 1) * (frames + 1)
    settings = {"likelihood_strength": 2.0, "likelihood_level": 1.0, "random_strength": 8.0, "substeps": 2}
    starts = np.array([path[0] for path in paths])
    found, _ = _core.step_particles(
        field_of(density, 1e-6), starts, 0 * starts, rows, np.full(len(rows), RADIUS), offsets,
        np.zeros(count, np.int64), np.arange(count).astype(np.uint64), **settings,
    )  # fmt: skip
    away = np.linalg.norm(found - rows, axis=1)
    assert count * frames * settings["substeps"] == 10**6
    assert away.max() < 1.01 * RADIUS
    assert (away > 0.8 * RADIUS).mean() > 0.05  # and the constraint was needed
    printed = SlowParticle(sign=1.0, random_strength=8.0).run(
        starts[0], 0 * starts[0], paths[0][:200], np.full(200, 0.4)
    )
    with np.errstate(invalid="ignore"):
        assert not np.linalg.norm(printed - paths[0][:200], axis=1).max() < 1.01 * RADIUS


def test_no_energy_is_gained_while_the_constraint_acts():
    """Without other forces the speed relative to a path of constant velocity never rises."""
    rng = np.random.default_rng(9)
    for _ in range(20):
        velocity = rng.normal(size=3)
        path = np.arange(121)[:, None] * velocity / 24
        v = velocity + rng.normal(size=3)
        x, speeds = step(None, path[0], v, path, RADIUS, alpha=20.0, beta=20.0, drag=0.0)
        energy = ((speeds - velocity) ** 2).sum(axis=1)
        assert np.linalg.norm(x - path, axis=1).max() > 0.9 * RADIUS  # it did act
        assert (np.diff(energy) <= 1e-5 * energy[0]).all()  # RK4 across the moment at which the force begins
        assert energy[-1] > 0.0


def order_of(path, v, steps=(8, 16, 32), **settings):
    found = [step(None, path[0], v, path, RADIUS, substeps=n, **settings)[0][-1] for n in (*steps, 256)]
    errors = [np.linalg.norm(x - found[-1]) for x in found[:-1]]
    return np.log2(np.array(errors[:-1]) / errors[1:])


def test_the_order_is_four_on_a_smooth_path():
    """Free inside the ball, and with the constraint acting all the time: a particle that slides along it."""
    path = np.arange(25)[:, None] * np.array([0.02, 0.0, 0.01])
    free = {"random_strength": 1.0, "random_timescale": 0.4, "drag": 1.0}
    assert order_of(path, path[1] * 24, **free) == pytest.approx(4.0, abs=ORDER)
    start = path + np.array([0.0, RADIUS, 0.0])  # on the sphere, moving along it
    found = [
        step(None, start[0], path[1] * 24 + np.array([2.0, 0, 0]), path, RADIUS, substeps=n, drag=0.0)[0][-1]
        for n in (8, 16, 32, 256)
    ]
    errors = [np.linalg.norm(x - found[-1]) for x in found[:-1]]
    assert np.log2(np.array(errors[:-1]) / errors[1:]) == pytest.approx(
        4.0,
        abs=ORDER,
    )


def test_positions_that_are_clamped_jerk_and_those_of_the_constraint_do_not():
    """Second differences of the path that particles draw, with the same forces."""

    class Clamped(SlowParticle):
        def acceleration(self, x, v, time, center, velocity, radius, growth):
            return self.force(x, v - velocity, time)

        def collide(self, x, v, center, velocity, radius, growth):
            g = x - center
            size = np.linalg.norm(g)
            x[:] = center + g * min(1.0, radius / max(size, 1e-12))
            return v

    def jerk(rows):
        return np.linalg.norm(np.diff(rows, 3, axis=0), axis=1).max()

    still = np.zeros((240, 3))
    clamped = Clamped(random_strength=30.0, seed=3).run(still[0], still[0], still, np.full(240, RADIUS))
    found, _ = step(None, still[0], still[0], still, RADIUS, seed=3, random_strength=30.0, substeps=2)
    assert np.linalg.norm(found, axis=1).max() > 0.9 * RADIUS  # the constraint was needed
    assert jerk(clamped) > 2.0 * jerk(found)


def test_bytes_depend_on_nothing_but_the_particle():
    rng = np.random.default_rng(10)
    field = field_of(some_density(rng), 1e-6)
    lengths = rng.integers(1, 30, size=21)
    paths = [random_path(rng, n, 3, 0.02) for n in lengths]
    offsets = np.concatenate([[0], np.cumsum([len(path) for path in paths])])
    settings = {"likelihood_strength": 2.0, "random_strength": 3.0}
    starts, seeds = np.array([path[0] for path in paths]), np.arange(21).astype(np.uint64)
    rows, first = np.concatenate(paths), np.arange(21)
    batch = [
        _core.step_particles(field, starts, 0 * starts, rows, np.full(len(rows), 0.3), offsets, first, seeds,
                             threads=threads, **settings)
        for threads in (1, 2)
    ]  # fmt: skip
    assert batch[0][0].tobytes() == batch[1][0].tobytes()
    for b, path in enumerate(paths):
        own = slice(offsets[b], offsets[b + 1])
        x, v = step(field, path[0], 0 * path[0], path, 0.3, b, b, **settings)
        assert x.tobytes() == batch[0][0][own].tobytes()
        cut = len(path) // 2  # in two calls, the second from where the first ended
        first_x, first_v = step(field, path[0], 0 * path[0], path[: cut + 1], 0.3, b, b, **settings)
        then_x, then_v = step(field, first_x[-1], first_v[-1], path[cut:], 0.3, b + cut, b, **settings)
        assert then_x[-1].tobytes() == x[-1].tobytes()
        assert then_v[-1].tobytes() == v[-1].tobytes()


def test_the_center_of_the_ball_has_no_direction():
    x, v = step(None, [0.0, 0, 0], [0.0, 0, 0], np.zeros((25, 3)), RADIUS)
    assert not x.any()
    assert not v.any()
    fast, _ = step(None, [0.0, 0, 0], [500.0, 0, 0], np.zeros((25, 3)), RADIUS)
    assert np.linalg.norm(fast, axis=1).max() < 1.01 * RADIUS
    point, _ = step(None, [0.0, 0, 0], [1.0, 0, 0], np.zeros((5, 3)), 0.0)  # a ball of radius 0 holds one point
    assert np.abs(point).max() < 1e-12


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alpha": 0.0}, "step_particles: alpha is 0.000000; it must be a finite number above 0"),
        ({"random_strength": -1.0}, "random_strength is -1"),
        ({"likelihood_strength": 1.0}, "field is missing; it must be a DensityField of 3 dimensions"),
        ({"substeps": -1}, "substeps is -1"),
        ({"random_timescale": 1e-300}, "random_timescale is 0.000000; it must be at least a millionth of frame_time"),
        ({"frame_time": 1e300, "random_timescale": 1e-300}, "random_timescale is 0.000000"),
        ({"first_frame": 2**62}, "first_frame is 4611686018427387904; it must be within [0-9]+ frames of 0"),
        ({"first_frame": -(2**63)}, "first_frame is -9223372036854775808; it must be within"),
        ({"first_frame": 2**45, "random_timescale": 1e-5}, "first_frame is 35184372088832; it must be within"),
    ],
)
def test_wrong_settings_are_named(change, message):
    with pytest.raises(ValueError, match=message):
        step(None, np.zeros(3), np.zeros(3), np.zeros((4, 3)), RADIUS, **change)


def test_the_farthest_frames_are_stepped_as_the_first_ones_are():
    still = np.zeros((6, 2))
    for first in (2**49, -(2**49)):
        rows, _ = step(None, still[0], still[0], still, RADIUS, first, random_strength=3.0, random_timescale=0.5)
        assert np.isfinite(rows).all()
        assert np.abs(rows[1:]).min() > 0.0


def test_times_beyond_all_bumps_are_named():
    with pytest.raises(ValueError, match=r"smooth_noise: times is with 1.*; it must be within 2\^50 timescales of 0"):
        _core.smooth_noise(1, 1, [0.0, 1e300], 0.5)
    with pytest.raises(ValueError, match="smooth_noise: times"):
        _core.smooth_noise(1, 1, [1.0], 1e-300)


def test_wrong_arrays_are_named():
    with pytest.raises(ValueError, match=r"radii is .*; it must be"):
        step(None, np.zeros(3), np.zeros(3), np.zeros((4, 3)), -1.0)
    with pytest.raises(ValueError, match="not finite everywhere"):
        step(None, np.zeros(3), [np.nan, 0, 0], np.zeros((4, 3)), RADIUS)
    with pytest.raises(ValueError, match="offsets is of another form"):
        _core.step_particles(None, np.zeros((1, 3)), np.zeros((1, 3)), np.zeros((4, 3)), np.ones(4), [0, 3], [0], [0])
    with pytest.raises(ValueError, match="DensityField: noise is"):
        _core.DensityField(np.zeros((2, 3)), 1.0, 1.0, 0.0)
    with pytest.raises(ValueError, match="DensityField: points is"):
        _core.DensityField(np.zeros((0, 3)), 1.0, 1.0, 0.1)
