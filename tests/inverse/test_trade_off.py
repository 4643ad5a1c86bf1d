"""Trade-off curves over alpha, and head motion taken off before solving."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.inverse._distances import rmse_p95
from rigcast.inverse._gram import Gram
from rigcast.inverse._request import Request
from rigcast.inverse._steps import solve_request
from rigcast.inverse._trade_off import TradeOff, training_frames
from tests.conftest import TOLERANCES
from tests.inverse.inverse import arrays_of, shot_of


@pytest.mark.parametrize(
    ("num_frames", "count", "gap"), [(1, 80, 10), (2000, 80, 10), (95, 80, 10), (11, 5, 10), (300, 7, 3)]
)
def test_training_frames_are_apart_and_spread_over_the_shot(num_frames, count, gap):
    frames = training_frames(num_frames, count, gap)
    assert len(frames) == min(count, (num_frames - 1) // gap + 1)
    assert frames[0] == 0
    assert len(frames) == 1 or frames[-1] == num_frames - 1
    assert (np.diff(frames) >= gap).all()


def test_a_short_shot_gives_eight_training_frames_or_all():
    short = training_frames(24, 80)
    assert (len(short), short[0], short[-1], np.diff(short).min()) == (8, 0, 23, 3)
    assert list(training_frames(5, 80)) == [0, 1, 2, 3, 4]
    assert (np.diff(training_frames(2000, 80)) >= 10).all()


def curve(error, cardinality, rest=np.inf):
    """A trade-off whose root mean square has its elbow elsewhere: at its first point."""
    alphas = np.arange(len(error), dtype=float)
    rms = np.arange(len(error))
    table = [np.array([values], float) for values in (rms, error, cardinality, cardinality, np.ones(len(error)))]
    return TradeOff(("descent",), alphas, np.arange(3), *table, rest=rest)


def test_the_elbow_is_the_corner_of_an_l():
    assert curve([1, 1.1, 1.2, 5, 9], [50, 30, 12, 11, 10]).alpha == 2
    assert curve([1, 1, 1], [5, 5, 5]).alpha == 0
    assert curve([2], [3]).alpha == 0
    assert curve([1, 1 - 1e-15, 1 - 2e-15], [5, 5, 5]).alpha == 0  # a method that alpha plays no part in


def test_the_elbow_keeps_nine_tenths_of_what_can_be_explained():
    assert curve([0, 0.1, 0.3, 0.9, 2, 10], [5, 5, 3, 2.5, 1, 0]).alpha == 4
    assert curve([0, 0.1, 0.3, 0.9, 2, 10], [5, 5, 3, 2.5, 1, 0], rest=10.0).alpha == 2
    assert curve([7, 7.2, 7.4, 8], [5, 3, 1, 0], rest=8.0).alpha == 0  # noise: 1 of 8 is explained at best


def test_the_choice_does_not_depend_on_the_unit(tolerance):
    neutral, deltas, combinations = arrays_of("any", 0)
    found = []
    for scale in (1.0, 0.01):
        smaller = [(factors, scale * delta) for factors, delta in combinations]
        metadata = {"meters_per_unit": 0.01 / scale}
        rig = rc.BlendshapeRig(scale * neutral, scale * deltas, smaller, metadata=metadata)
        weights = np.random.default_rng(1).uniform(0, 1, (30, rig.num_shapes)) ** 4
        found.append(rc.inverse.trade_off(rig, rig.evaluate(weights.astype(np.float32))))
    assert found[1].alpha == pytest.approx(1e-4 * found[0].alpha)
    # Weights at the edge of zero count in one unit and not in the other.
    np.testing.assert_allclose(found[1].cardinality, found[0].cardinality, atol=0.3)
    np.testing.assert_allclose(
        found[1].rmse, 0.01 * found[0].rmse, rtol=tolerance["printed"], atol=tolerance["float32_scaled"]
    )


def test_every_entry_is_a_solve_of_the_training_frames():
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    rig, targets = shot_of(arrays_of("any", 0), frames=25, seed=0)
    found = rc.inverse.trade_off(rig, targets, ("cet", "mm"), alphas=(1, 0, 100), gap=6, max_iterations=50)
    assert list(found.alphas) == [0, 1, 100]
    assert list(found.frames) == [0, 6, 12, 18, 24]
    for m, method in enumerate(("cet", "mm")):
        for a, alpha in enumerate(found.alphas):
            solved = rc.inverse.solve(rig, targets[found.frames], method, alpha=alpha, max_iterations=50)
            assert found.rmse[m, a] == pytest.approx(solved.rmse.mean())
            posed = rig.evaluate(solved.weights.astype(np.float32))
            error = rc.metrics.weight_error(solved.weights, targets[found.frames], posed)
            assert found.rmse_p95[m, a] == pytest.approx(error.rmse_p95_mean)
            assert found.l1[m, a] == pytest.approx(solved.weights.sum(axis=1).mean())
            assert found.cardinality[m, a] == (solved.weights > 1e-3).sum(axis=1).mean()
    assert (np.diff(found.l1) < 0).all()
    assert found.alpha == found.elbows["cet"]
    rest = np.linalg.norm(targets[found.frames] - rig.rest_vertices, axis=2)
    assert found.rest == pytest.approx(np.percentile(rest, 95, axis=1).mean())
    axes = found.plot(
        pytest.importorskip("matplotlib.figure", reason="matplotlib is not installed").Figure().subplots(1, 2)
    )
    for axis, across in zip(axes, (found.cardinality, found.l1), strict=True):
        curves = [line for line in axis.get_lines() if line.get_label() in found.methods]
        np.testing.assert_array_equal([line.get_xdata() for line in curves], across)
        np.testing.assert_array_equal([line.get_ydata() for line in curves], found.rmse_p95)


def test_vertices_that_do_not_count_are_left_out_of_the_percentile():
    rig, targets = shot_of(arrays_of("any", 0), frames=3, seed=0)
    markers = np.arange(len(rig.rest_vertices))[::-2]
    weights = np.where(np.arange(len(markers)) % 3, 2.0, 0.0)
    solved, problem = solve_request(Request(Gram(rig, vertices=markers, vertex_weights=weights), targets, "cet", 0.1))
    posed = rig.evaluate(solved.weights.astype(np.float32))[:, markers]
    apart = np.linalg.norm(posed - targets[:, markers], axis=2)
    expected = np.percentile(apart[:, weights > 0], 95, axis=1)
    np.testing.assert_allclose(rmse_p95(problem, solved.weights), expected, rtol=TOLERANCES["float32"])
    assert not np.allclose(expected, np.percentile(apart, 95, axis=1))


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("methods", ()),
        ("methods", "mm"),
        ("methods", None),
        ("targets", [[1.0], [1.0, 2.0]]),
        ("alphas", ()),
        ("alphas", (1, 1)),
        ("alphas", ["a"]),
        ("alphas", [1, [2, 3]]),
        ("alphas", [np.nan]),
        ("count", 0),
        ("gap", 0),
        ("gap", 2.5),
    ],
)
def test_what_makes_no_curve_is_refused(argument, value):
    rig, targets = shot_of(arrays_of("linear", 0), frames=2)
    with pytest.raises(ValueError, match=f"trade_off: {argument} is"):
        rc.inverse.trade_off(**{"rig": rig, "targets": targets, argument: value})


def test_a_rig_of_another_kind_is_refused():
    with pytest.raises(ValueError, match="trade_off: rig is a NoneType; it must be a rigcast"):
        rc.inverse.trade_off(None, np.zeros((2, 5, 3)))


def rotations(count, seed):
    q = np.linalg.qr(np.random.default_rng(seed).standard_normal((count, 3, 3)))[0]
    return q * np.sign(np.linalg.det(q))[:, None, None]


@pytest.mark.parametrize("markers", [False, True])
def test_head_motion_comes_off_and_is_told(markers, tolerance):
    arrays = arrays_of("any", 3, num_vertices=80)
    skull = np.arange(0, 60, 4)
    for delta in [*arrays[1], *[d for _, d in arrays[2]]]:
        delta[skull] = 0
    rig, targets = shot_of(arrays, frames=4, seed=3, noise=0.0)
    still = rc.inverse.solve(rig, targets, "cet", alpha=0.1)
    turn, shift = rotations(4, 9), np.random.default_rng(9).standard_normal((4, 3))
    moved = targets @ turn.transpose(0, 2, 1) + shift[:, None]
    chosen = np.random.default_rng(3).permutation(80)[:75] if markers else None
    seen = skull if chosen is None else np.intersect1d(skull, chosen)
    given = moved if chosen is None else moved[:, chosen]
    solved = rc.inverse.solve(rig, given, "cet", alpha=0.1, vertices=chosen, rigid=seen)
    np.testing.assert_allclose(solved.transforms[:, :, :3], turn, atol=tolerance["float32_scaled"])
    np.testing.assert_allclose(solved.transforms[:, :, 3], shift, atol=tolerance["float32_scaled"])
    if not markers:
        np.testing.assert_allclose(solved.weights, still.weights, atol=tolerance["printed"])
    posed = rig.evaluate(solved.weights.astype(np.float32))
    again = posed @ solved.transforms[:, :, :3].transpose(0, 2, 1) + solved.transforms[:, None, :, 3]
    error = np.sqrt(np.square(again - moved).sum(axis=2).mean(axis=1))
    assert (error <= 1.2 * still.rmse + TOLERANCES["float32_sum"]).all() or markers


def test_a_mirrored_target_gets_a_rotation():
    rig, targets = shot_of(arrays_of("linear", 3), frames=1)
    solved = rc.inverse.solve(rig, targets * [-1, 1, 1], rigid=np.arange(20))
    assert np.linalg.det(solved.transforms[0, :, :3]) == pytest.approx(1.0)


@pytest.mark.parametrize("rigid", [[0, 1], [], [0, 0, 1], [0, 1, 99], [0.5, 1, 2], [-1, 2, 3]])
def test_rigid_vertices_that_cannot_hold_a_frame_are_refused(rigid):
    rig, targets = shot_of(arrays_of("linear", 3), frames=1)
    with pytest.raises(ValueError, match="solve: rigid is"):
        rc.inverse.solve(rig, targets, rigid=np.array(rigid))


def test_rigid_vertices_outside_the_markers_are_refused():
    rig, targets = shot_of(arrays_of("linear", 3), frames=1)
    with pytest.raises(ValueError, match="targets do not give"):
        rc.inverse.solve(rig, targets[:, :10], vertices=np.arange(10), rigid=[3, 4, 12])
