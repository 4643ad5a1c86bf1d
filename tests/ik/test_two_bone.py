"""Two-bone limbs against the formula in NumPy, and at its limits."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.ik.limb_cases import adversarial_limbs, distance, random_limbs, slow_two_bone

TOO_FAR, TOO_NEAR = rc.ik.LimbFlag.TOO_FAR, rc.ik.LimbFlag.TOO_NEAR
NO_HINGE, AT_BASE = rc.ik.LimbFlag.NO_HINGE, rc.ik.LimbFlag.AT_BASE
CASES = {"random": (random_limbs, 1_000_000), "adversarial": (adversarial_limbs, 100_000)}


@pytest.fixture(scope="module", params=CASES)
def solved(request):
    """Arguments by name, and the limbs."""
    make, count = CASES[request.param]
    base, target, upper, lower, axis = make(count, seed=1)
    limbs = rc.ik.two_bone(base, target, upper, lower, axis)
    return {"base": base, "target": target, "upper": upper, "lower": lower, "axis": axis}, limbs


def test_it_is_the_formula(tolerance):
    arguments = random_limbs(2_000, seed=2)
    limbs = rc.ik.two_bone(*arguments)
    expected = np.array([slow_two_bone(*case) for case in zip(*arguments, strict=True)])
    # An elbow near full reach moves by the root of a rounding error.
    assert np.abs(limbs.elbow - expected[:, 0]).max() < tolerance["float64_converged"]
    assert np.abs(limbs.end - expected[:, 1]).max() < tolerance["float64"]


def test_nothing_is_nan(solved):
    _, limbs = solved
    assert np.isfinite(limbs.elbow).all()
    assert np.isfinite(limbs.end).all()


def test_bones_keep_their_lengths(solved, tolerance):
    given, limbs = solved
    assert np.abs(distance(limbs.elbow, given["base"]) - given["upper"]).max() < tolerance["gram"]
    assert np.abs(distance(limbs.end, limbs.elbow) - given["lower"]).max() < tolerance["gram"]


def test_the_end_is_the_target_where_it_is_reached(solved):
    given, limbs = solved
    np.testing.assert_array_equal(limbs.end[limbs.reached], given["target"][limbs.reached])


def test_flags_say_which_targets_are_out_of_reach(solved):
    given, limbs = solved
    length = distance(given["target"], given["base"])
    far = length - (given["upper"] + given["lower"])
    near = np.abs(given["upper"] - given["lower"]) - length
    clear = 1e-14  # distances that NumPy computes otherwise than the engine decide nothing
    for flag, excess in [(TOO_FAR, far), (TOO_NEAR, near)]:
        decided = np.abs(excess) > clear
        np.testing.assert_array_equal(((limbs.flags & flag) != 0)[decided], (excess > 0)[decided])
    np.testing.assert_array_equal(limbs.reached, (limbs.flags & (TOO_FAR | TOO_NEAR)) == 0)


def test_the_elbow_is_perpendicular_to_the_hinge_on_the_side_of_the_cross_product(solved, tolerance):
    given, limbs = solved
    way = given["target"] - given["base"]
    length = np.linalg.norm(way, axis=1)
    plain = ((limbs.flags & (NO_HINGE | AT_BASE)) == 0) & (length > 1e-6)
    way = way[plain] / length[plain, None]
    axis = given["axis"][plain] / np.linalg.norm(given["axis"][plain], axis=1)[:, None]
    elbow = (limbs.elbow - given["base"])[plain]
    h = elbow - (elbow * way).sum(axis=1)[:, None] * way
    bent = np.linalg.norm(h, axis=1) > 1e-3
    n = h[bent] / np.linalg.norm(h[bent], axis=1)[:, None]
    assert np.abs((n * axis[bent]).sum(axis=1)).max() < tolerance["gram"]
    assert ((np.cross(way, axis)[bent] * n).sum(axis=1) > 0).all()


def test_a_reached_target_between_the_limits_bends_the_limb():
    limb = rc.ik.two_bone([0, 0, 0], [1.5, 0, 0], 1, 1, [0, 0, 1])
    assert np.linalg.norm(np.cross(limb.elbow[0], limb.end[0])) > 0.5


def test_the_elbow_lies_behind_the_base_if_the_lower_bone_is_long(tolerance):
    limb = rc.ik.two_bone([0, 0, 0], [1, 0, 0], 1.0, np.sqrt(3.0), [0, 0, 1])  # 3 > 1 + 1
    np.testing.assert_allclose(limb.elbow, [[-0.5, -np.sqrt(0.75), 0]], atol=tolerance["float64"])


@pytest.mark.parametrize(
    ("target", "upper", "elbow", "end"),
    [
        ([5, 0, 0], 1.0, [1, 0, 0], [1.5, 0, 0]),
        ([0.1, 0, 0], 1.0, [1, 0, 0], [0.5, 0, 0]),
        ([0.1, 0, 0], 0.2, [-0.2, 0, 0], [0.3, 0, 0]),
    ],
)
def test_out_of_reach_the_end_is_the_point_nearest_to_the_target(target, upper, elbow, end, tolerance):
    limb = rc.ik.two_bone([0, 0, 0], target, upper, 0.5, [0, 0, 1])
    np.testing.assert_allclose([limb.elbow[0], limb.end[0]], [elbow, end], atol=tolerance["float64"])
    assert not limb.reached[0]


@pytest.mark.parametrize(
    ("target", "axis", "flag"),
    [
        ([1, 0, 0], [3, 0, 0], NO_HINGE),
        ([1, 0, 0], [-3, 1e-9, 0], NO_HINGE),
        ([1, 0, 0], [0, 0, 0], NO_HINGE),
        ([0, 0, 0], [0, 0, 0], NO_HINGE | AT_BASE),
        ([0, 0, 0], [0, 1, 0], AT_BASE),
        ([1, 0, 0], [3, 1e-6, 0], 0),
    ],
)
def test_flags_name_the_fallback(target, axis, flag):
    assert rc.ik.two_bone([0, 0, 0], target, 1, 1, axis).flags[0] == flag


@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1e9, 1e200])
def test_any_unit_of_length_gives_the_same_limb(scale, tolerance):
    base, target, upper, lower, axis = random_limbs(100, seed=3)
    one = rc.ik.two_bone(base, target, upper, lower, axis)
    other = rc.ik.two_bone(scale * base, scale * target, scale * upper, scale * lower, axis / scale)
    np.testing.assert_allclose(other.elbow / scale, one.elbow, atol=tolerance["float64_converged"])


# Along a path, the elbow's step is bounded by a multiple of the square root of the target's: d h / d L is infinite at
# full reach, h itself is not.
@pytest.mark.parametrize(("upper", "lower"), [(1.0, 1.0), (1.0, 0.6), (0.6, 1.0)])
def test_elbow_and_end_are_continuous_through_every_limit(upper, lower):
    x = np.linspace(-2.5, 2.5, 200_001)
    path = np.stack([x, np.full_like(x, 1e-3), np.zeros_like(x)], axis=1)
    limb = rc.ik.two_bone([0, 0, 0], path, upper, lower, [0, 0, 1])
    assert {0, int(TOO_FAR)} <= set(limb.flags.tolist()) <= {0, int(TOO_FAR), int(TOO_NEAR)}
    step = np.linalg.norm(np.diff(path, axis=0) / distance(path, 0)[1:, None], axis=1).clip(1e-5)
    for points in (limb.elbow, limb.end):
        assert (distance(points[1:], points[:-1]) < 3 * np.sqrt(step)).all()


def test_one_row_stands_for_all():
    base, target, _, lower, axis = random_limbs(37, seed=4)
    whole = rc.ik.two_bone(np.tile(base[0], (37, 1)), target, np.full(37, 0.5), lower, np.tile(axis[0], (37, 1)))
    short = rc.ik.two_bone(base[0], target, 0.5, lower, axis[0])
    np.testing.assert_array_equal(short.elbow, whole.elbow)


def test_a_limb_has_the_same_bytes_in_any_company():
    arguments = random_limbs(10_007, seed=5)
    together = rc.ik.two_bone(*arguments, threads=3)
    alone = rc.ik.two_bone(*(a[10_001:10_006] for a in arguments), threads=1)
    np.testing.assert_array_equal(together.elbow[10_001:10_006], alone.elbow)


def test_an_earlier_result_is_overwritten():
    arguments = random_limbs(100, seed=6)
    earlier = rc.ik.two_bone(*random_limbs(100, seed=7))
    again = rc.ik.two_bone(*arguments, out=earlier)
    assert again.elbow is earlier.elbow
    np.testing.assert_array_equal(earlier.elbow, rc.ik.two_bone(*arguments).elbow)


def test_a_result_is_no_argument_of_its_own():
    base, target, upper, lower, axis = random_limbs(100, seed=6)
    earlier = rc.ik.two_bone(base, target, upper, lower, axis)
    with pytest.raises(ValueError, match="two_bone: out is memory of an argument; it must be memory of its own"):
        rc.ik.two_bone(earlier.end, target, upper, lower, axis, out=earlier)


def test_no_limbs_are_no_error():
    assert rc.ik.two_bone(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), 1, [0, 0, 1]).elbow.shape == (0, 3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"target": [[0, np.nan, 0]]}, r"two_bone: target is not finite everywhere \(nan at \(0, 1\)\)"),
        ({"base": [1e301, 0, 0]}, "two_bone: base is .* at .*; it must be from -1e300 to 1e300"),
        ({"upper": -1.0}, "two_bone: upper is -1.0.* at 0; it must be from 0 to 1e300"),
        ({"lower": [1, 2]}, r"two_bone: base is \(3, 3\); it must be \(2, 3\)"),
        ({"axis": [1, 0]}, r"two_bone: axis is \(1, 2\); it must be \(3, 3\)"),
        ({"axis": "z"}, "two_bone: axis is .*; it must be numbers"),
        ({"target": np.ma.masked_equal(np.eye(3), 0)}, "two_bone: target is a masked array"),
        ({"out": rc.ik.two_bone([0, 0, 0], [1, 0, 0], 1, 1, [0, 0, 1])}, "two_bone: out is of another shape or type"),
        ({"out": np.zeros(3)}, "two_bone: out is a ndarray; it must be a TwoBone or None"),
        ({"threads": -1}, "two_bone: threads"),
    ],
)
def test_wrong_arguments_are_named(change, message):
    arguments = {"base": np.zeros((3, 3)), "target": np.eye(3), "upper": 1.0, "lower": 1.0, "axis": [0, 0, 1]}
    with pytest.raises(ValueError, match=message):
        rc.ik.two_bone(**{**arguments, **change})
