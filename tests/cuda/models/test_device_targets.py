"""Targets of the inverse rig that are on the device: nothing is copied, few frames are read, the rest is refused."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.inverse._shot import DeviceTargets
from tests.cuda.models.test_inverse import shot
from tests.cuda.test_device_arrays import ByDlpack, ByInterface
from tests.support.inverse_rigs import random_rig

KINDS = [ByInterface, ByDlpack]


@pytest.fixture
def rig() -> rc.BlendshapeRig:
    return random_rig(np.random.default_rng(3))


@pytest.fixture
def targets(rig) -> np.ndarray:
    return shot(rig, 40, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_targets_on_the_device_give_the_same_bytes(emulated_lane, rig, targets, kind):
    expected = rc.inverse.solve(rig, targets, alpha=1.0, device="cuda")
    result = rc.inverse.solve(rig, kind(targets), alpha=1.0, device="cuda")
    assert result.weights.tobytes() == expected.weights.tobytes()
    assert result.rmse.tobytes() == expected.rmse.tobytes()
    assert result.warnings == expected.warnings


def test_targets_on_the_device_are_not_copied(emulated_lane, rig, targets):
    solver = rc.inverse.Solver(rig)
    solver.solve(targets, alpha=1.0, device="cuda")  # the rig goes to the device once

    def uploaded(given):
        before = emulated_lane.bytes_to_device()
        solver.solve(given, alpha=1.0, device="cuda")
        return emulated_lane.bytes_to_device() - before

    assert uploaded(targets) - uploaded(ByDlpack(targets)) == targets.nbytes


def test_one_frame_and_chosen_vertices(emulated_lane, rig, targets):
    chosen = np.arange(0, len(rig.rest_vertices), 2)
    solver = rc.inverse.Solver(rig, vertices=chosen)
    expected = solver.solve(targets, alpha=1.0, device="cuda").weights
    for given in (targets, np.ascontiguousarray(targets[:, chosen])):
        np.testing.assert_array_equal(solver.solve(ByDlpack(given), alpha=1.0, device="cuda").weights, expected)
    one = solver.solve(ByDlpack(targets[7]), alpha=1.0, device="cuda").weights
    np.testing.assert_allclose(one, expected[7:8], rtol=0, atol=1e-5)  # from another start: the test of weights


def test_float16_targets_are_those_of_rounded_ones(emulated_lane, rig, targets):
    half = targets.astype(np.float16)
    expected = rc.inverse.solve(rig, half.astype(np.float32), alpha=1.0, device="cuda")
    for kind in KINDS:
        result = rc.inverse.solve(rig, kind(half), alpha=1.0, device="cuda")
        assert result.weights.tobytes() == expected.weights.tobytes()


def test_alpha_is_chosen_on_few_frames_of_the_device(emulated_lane, rig, targets):
    expected = rc.inverse.solve(rig, targets, device="cuda")
    result = rc.inverse.solve(rig, ByDlpack(targets), device="cuda")
    assert result.alpha == expected.alpha
    assert result.weights.tobytes() == expected.weights.tobytes()


def test_frames_are_read_in_order(emulated_lane, targets):
    for given in (targets, targets.astype(np.float16)):
        on_device = DeviceTargets(emulated_lane.DeviceShot.of(ByDlpack(given)))
        assert (len(on_device), on_device.shape) == (40, targets.shape)
        for some in (slice(3, 9), np.array([5, 0, 39]), slice(0, 0)):
            np.testing.assert_array_equal(on_device[some], given[some].astype(np.float32))


def test_numbers_on_the_host_are_no_targets_on_the_device(emulated_lane, targets):
    assert emulated_lane.DeviceShot.of(targets) is None
    assert emulated_lane.DeviceShot.of(targets.tolist()) is None


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (
            lambda t: ByDlpack(t.astype(np.float64)),
            {},
            "targets is on the device, of type float64; it must be",
        ),
        (lambda t: ByDlpack(t.astype(np.int32)), {}, "targets is on the device, of type int32; it must be contiguous"),
        (lambda t: ByDlpack(t[:, ::2]), {}, "targets is on the device, not contiguous; it must be"),
        (lambda t: ByDlpack(t[None]), {}, "targets is on the device, with 4 axes; it must be"),
        (lambda t: ByDlpack(t.reshape(len(t), -1)), {}, "targets is on the device, with rows of"),
        (lambda t: ByDlpack(t, device=(1, 1)), {}, "targets is on device 1; it must be"),
        (lambda t: ByDlpack(np.ascontiguousarray(t[:, :5])), {}, r"targets is of 5 vertices a frame; it must be \(T, "),
        (lambda t: ByDlpack(t[:0]), {}, "targets is an empty shot; it must be at least one frame"),
        (
            ByInterface,
            {"device": "cpu"},
            "targets is on a device; it must be in host memory with device 'cpu', or device",
        ),
        (ByDlpack, {"rigid": "auto"}, "targets is on a device; it must be in host memory with rigid, which moves them"),
        (ByDlpack, {"loss": "huber"}, "targets is on a device; it must be in host memory with loss 'huber', which"),
    ],
)
def test_what_cannot_be_solved_in_place_is_named(emulated_lane, rig, targets, change, options, message):
    with pytest.raises(ValueError, match=message):
        rc.inverse.solve(rig, change(targets), alpha=1.0, **{"device": "cuda", **options})


def test_targets_that_are_not_finite_are_refused(emulated_lane, rig, targets):
    for value in (np.nan, np.inf):
        broken = targets.copy()
        broken[2, 5, 1] = value
        with pytest.raises(ValueError, match="solve: targets is not finite at frame 2, or so large"):
            rc.inverse.solve(rig, ByDlpack(broken), alpha=1.0, device="cuda")
