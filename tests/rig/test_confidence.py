"""The confidence of a pose against its formula in slow NumPy, and what files may state of it."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from rigcast._pose_statistics.combinations import COMPONENTS
from rigcast._pose_statistics.confidence import confidence_of
from rigcast._pose_statistics.expected_error import (
    LEAST_ROWS,
    RELIABLE,
    Expected,
    Judged,
    _rank_correlation,
    _ridge,
    expected_error,
    reliability,
)
from tests.support.damage import replaced, without_missing
from tests.support.made.models import linear_blend

JOINTS = 5
NOTHING = np.zeros(12 * JOINTS, bool)


def turned(angles):
    """Poses (T, C) of a skeleton whose joints turn about z by angles (T, J), in radians."""
    poses = np.tile(linear_blend(JOINTS).skeleton.rest.reshape(1, -1, 3, 4), (len(angles), 1, 1, 1))
    turns = np.zeros((*angles.shape, 3, 3))
    turns[..., 0, 0] = turns[..., 1, 1] = np.cos(angles)
    turns[..., 0, 1], turns[..., 1, 0], turns[..., 2, 2] = -np.sin(angles), np.sin(angles), 1.0
    poses[..., :3] = poses[..., :3] @ turns
    return poses.reshape(len(angles), -1).astype(np.float32)


def together(count, seed):
    """Angles (T, J) of joints that turn alike: each to 60 degrees, none of them alone."""
    rng = np.random.default_rng(seed)
    return np.clip(0.35 * rng.standard_normal((count, 1)) + 0.03 * rng.standard_normal((count, JOINTS)), -1.05, 1.05)


def learned_errors(angles, seed):
    """Errors (T, V) of poses of angles (T, J), which grow with the turn of the second joint: few vertices err much."""
    scatter = np.random.default_rng(seed).uniform(0.5, 1.5, (len(angles), 400)) * np.where(
        np.arange(400) == 0, 6.0, 0.2
    )
    return (np.exp(3.0 * np.abs(angles[:, 1:2])) * scatter).astype(np.float32)


def judged(rest=None, count=60, errors=learned_errors):
    """The tensors of a confidence, and what is expected of held-out poses."""
    angles, unseen = together(400, 0), together(count, 1)
    learned = Judged(turned(angles), errors(angles, 2))
    sure = confidence_of(learned.poses, JOINTS, NOTHING, 1.0, rest=rest)
    return sure, expected_error(sure, learned, Judged(turned(unseen), errors(unseen, 3)), rest)


def doubted(rest=None):
    """The tensors of a confidence that knows where the model errs, and a rest pose."""
    sure, expected = judged(rest)
    return sure | expected.tensors


@pytest.fixture(scope="module")
def tensors():
    return doubted()


def loaded(tensors):
    plain = linear_blend(JOINTS)
    return _core.model_from_tensors(plain.tensors() | tensors, json.dumps(plain.metadata))


def slow_groups(tensors, pose):
    """The largest d_g / radius_g, group by group."""
    result = []
    for g, radius in enumerate(tensors["confidence.radius"]):
        part = slice(*tensors["confidence.offset"][g : g + 2])
        rows = tensors["confidence.whiten"][slice(*tensors["confidence.whiten.offset"][g : g + 2])]
        x = pose[tensors["confidence.column"][part]] - tensors["confidence.mean"][part]
        result.append(np.linalg.norm(rows.reshape(-1, len(x)).astype(np.float64) @ x) / radius)
    return max(result)


def slow_combinations(tensors, pose):
    """The distance by the inverse of a whole covariance; the error by the components, and what of it counts."""
    t = {name[11:]: value.astype(np.float64) for name, value in tensors.items() if name.startswith("confidence.")}
    z = (pose[tensors["confidence.space.column"]] - t["space.mean"]) * t["space.scale"]
    basis, s = t["space.basis"], t["space.deviation"]
    covariance = np.eye(len(z)) + basis @ np.diag(s**2) @ basis.T
    distance = np.sqrt(z @ np.linalg.solve(covariance, z)) / t["space.radius"][0]
    if "error.offset" not in t:
        return distance, 0.0, 1.0
    u = np.clip(z / t["error.deviation"], -3.0, 3.0)
    far = t["error.distance"][0] * np.log(distance)
    exponent = t["error.offset"][0] + far + t["error.linear"] @ u + t["error.square"] @ u**2
    error = np.exp(np.clip(exponent, -4.0, 4.0))
    if "error.rest" not in t:
        return distance, error, 1.0
    q = np.clip(basis.T @ z / s, -3.0, 3.0)
    return distance, error, np.clip(np.linalg.norm(q - t["error.rest"]) - 0.01, 0.0, 1.0)


def slow_confidence(tensors, pose):
    """The formula of confidence.h."""
    pose = pose.astype(np.float64)
    ratio, error, known = slow_groups(tensors, pose), 0.0, 1.0
    if "confidence.space.radius" in tensors:
        distance, error, known = slow_combinations(tensors, pose)
        ratio = max(ratio, distance)
    excess, doubt = max(0.0, ratio - 1.0) / 0.25, known * error / 5.0
    return 0.9 ** (doubt**2) * 2.0 ** -(excess**2)


PARTS = {
    "groups alone, as in files of before": ("confidence.space.", "confidence.error."),
    "without an expected error": ("confidence.error.",),
    "all": (),
}


@pytest.mark.parametrize("without", PARTS.values(), ids=PARTS)
@pytest.mark.parametrize(
    "angles", [together(40, 5), 1.4 * together(40, 6), np.random.default_rng(7).uniform(-0.5, 0.5, (40, JOINTS))]
)
def test_the_engine_computes_the_formula(tensors, without, angles, tolerance):
    stated = {name: value for name, value in tensors.items() if not name.startswith(without or "-")}
    poses = turned(angles)
    expected = [slow_confidence(stated, pose) for pose in poses]
    np.testing.assert_allclose(loaded(stated).confidence(poses), expected, atol=tolerance["float32_character"])


def test_joints_that_never_turned_so_together_are_outside(tensors):
    """Each of them as far as in the training poses: alone none of them is outside."""
    pose = turned(np.array([[0.0, 0.5, -0.5, 0.5, -0.5]]))
    groups = {n: v for n, v in tensors.items() if not n.startswith(PARTS["groups alone, as in files of before"])}
    alone, whole = loaded(groups), loaded(tensors)
    assert alone.confidence(pose)[0] == 1.0
    assert whole.confidence(pose)[0] < 0.1
    assert (alone.out_of_range(pose)[0], whole.out_of_range(pose)[0]) == (False, True)
    outside = rc.metrics.outside_training(whole, pose)
    assert (outside.names, outside.combined) == ([], 1)
    assert outside.lines()[-1] == "joints and dials combined as in no training pose: 1 poses"


def test_the_confidence_falls_as_the_error_expected_among_the_training_poses(tensors):
    model, angles = loaded(tensors), together(600, 9)
    confidence, errors = model.confidence(turned(angles)), learned_errors(angles, 10).max(axis=1)
    inside = ~model.out_of_range(turned(angles))
    order = np.argsort(-confidence[inside])
    parts = [errors[inside][part].mean() for part in np.array_split(order, 4)]
    assert inside.mean() > 0.95
    assert parts == sorted(parts)
    assert confidence[inside].min() < 0.95


def test_a_pose_that_is_known_to_be_right_has_confidence_1(tolerance):
    """Outside the training poses, and with more than the 99th percentile expected there."""
    rest = turned(np.full((1, JOINTS), 1.4))[0]
    known = doubted(rest)
    unknown = {name: value for name, value in known.items() if name != "confidence.error.rest"}
    assert loaded(doubted()).confidence(rest)[0] < 0.1
    assert loaded(unknown).confidence(rest)[0] < 0.9
    assert loaded(known).confidence(rest)[0] == 1.0
    near = turned(np.array([[1.4, 1.4, 1.4, 1.4, 1.4 - 0.01]]))[0]
    assert loaded(unknown).confidence(near)[0] < loaded(known).confidence(near)[0] < 1.0
    assert loaded(known).confidence(near)[0] == pytest.approx(
        slow_confidence(known, near), abs=tolerance["float32_character"]
    )


def shuffled_errors(angles, seed):
    """Errors that no pose explains."""
    return np.random.default_rng(seed).permutation(learned_errors(angles, seed))


@pytest.mark.parametrize(
    ("errors", "relied"), [(learned_errors, True), (shuffled_errors, False)], ids=["explained", "by chance"]
)
def test_a_model_says_whether_its_confidence_ranks_held_out_errors(errors, relied):
    _, expected = judged(errors=errors)
    ranks, (line,) = expected.summary, reliability({"confidence": expected.summary})
    assert ranks["poses"] == 60
    assert (min(ranks["mean"], ranks["max"]) >= RELIABLE) == relied
    assert line.endswith("do not rely on it") != relied
    assert reliability({}) == []


def test_held_out_poses_are_judged_by_fits_that_have_not_seen_them():
    """By chance, a fit ranks the poses that it has seen, and no others: what is stated is the latter."""
    rng = np.random.default_rng(4)
    learned, unseen = (
        Judged(turned(rng.uniform(-1.0, 1.0, (count, JOINTS))), rng.uniform(0.5, 1.5, (count, 3)).astype(np.float32))
        for count in (60, 30)
    )
    sure = confidence_of(learned.poses, JOINTS, NOTHING, 1.0)
    expected = expected_error(sure, learned, unseen, None)
    found = [slow_combinations(sure | expected.tensors, pose.astype(np.float64))[1] for pose in unseen.poses]
    seen = _rank_correlation(np.array(found), unseen.errors.max(axis=1).astype(np.float64))
    assert seen > 0.3 > expected.summary["max"]


def test_the_distance_alone_explains_errors_that_training_rows_do_not_have():
    """A network that has memorized its training poses: held-out errors grow with the distance."""
    sure, _ = judged()
    angles, unseen = together(400, 0), together(200, 1)
    distance = [slow_combinations(sure, pose.astype(np.float64))[0] for pose in turned(unseen)]
    errors = (np.array(distance)[:, None] ** 2 * np.linspace(0.5, 1.0, 50)).astype(np.float32)
    learned = Judged(turned(angles), np.full((400, 50), 0.01, np.float32))
    expected = expected_error(sure, learned, Judged(turned(unseen), errors), None)
    assert expected.tensors["confidence.error.distance"][0] > 0.5
    assert expected.summary["max"] > 0.8


@pytest.mark.parametrize(("rows", "features"), [(20, 60), (60, 20)])
def test_both_systems_of_a_ridge_regression_solve_its_normal_equations(rows, features, tolerance):
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((rows, features)), rng.standard_normal((rows, 2))
    w = _ridge(x, y)
    np.testing.assert_allclose(x.T @ (y - x @ w), 0.1 * w, atol=tolerance["float64"])


def test_too_few_held_out_poses_state_nothing():
    assert judged(count=LEAST_ROWS - 1)[1] == Expected({}, {})
    assert judged(count=LEAST_ROWS)[1].summary["poses"] == LEAST_ROWS


def test_a_pose_has_the_same_bytes_alone_and_in_a_batch(tensors):
    model, poses = loaded(tensors), turned(1.3 * together(50, 4))
    assert np.array_equal(model.confidence(poses), [model.confidence(pose)[0] for pose in poses])


@pytest.mark.parametrize("value", [3e38, -3e38, 1e20])
def test_huge_poses_have_confidence_0(tensors, value):
    pose = turned(np.zeros((1, JOINTS)))
    pose[0, 12:20] = value
    assert loaded(tensors).confidence(pose)[0] == 0.0


def test_more_columns_than_poses_have_components(tolerance):
    """Their components are those of the Gram matrix of the poses."""
    poses = turned(np.random.default_rng(0).uniform(-0.5, 0.5, (8, JOINTS)))
    sure = confidence_of(poses, JOINTS, NOTHING, 1.0)
    basis = sure["confidence.space.basis"].astype(np.float64)
    assert len(basis) > 8 > basis.shape[1]
    np.testing.assert_allclose(basis.T @ basis, np.eye(basis.shape[1]), atol=tolerance["float32_sum"])


SPACE = "confidence.space."
REFUSED = {
    "a column too many": (lambda t: replaced(t, SPACE + "column", 0, 12 * JOINTS), "space.column is 60"),
    "a column below 0": (lambda t: replaced(t, SPACE + "column", 0, -1), "space.column is -1"),
    "a scale of 0": (lambda t: replaced(t, SPACE + "scale", 0, 0.0), "space.scale is holding 0"),
    "a deviation below 0": (lambda t: replaced(t, SPACE + "deviation", 0, -1.0), "space.deviation is holding -1"),
    "a radius of 0": (lambda t: replaced(t, SPACE + "radius", 0, 0.0), "space.radius is holding 0"),
    "a long direction": (lambda t: replaced(t, SPACE + "basis", (0, 0), 2.0), "space.basis is holding 2"),
    "no mean": (lambda t: {SPACE + "mean": None}, "space.mean"),
    "a short mean": (lambda t: {SPACE + "mean": t[SPACE + "mean"][:-1]}, "space.mean"),
    "a narrow basis": (lambda t: {SPACE + "basis": t[SPACE + "basis"][:, 1:].copy()}, "space.basis"),
    "too many components": (
        lambda t: {SPACE + "deviation": np.ones(COMPONENTS + 1, np.float32)},
        f"space.deviation is of {COMPONENTS + 1} components",
    ),
    "no components": (lambda t: {SPACE + "deviation": np.zeros(0, np.float32)}, "of 0 components"),
    "short weights": (lambda t: {"confidence.error.linear": t["confidence.error.linear"][1:]}, "error.linear"),
    "short squares": (lambda t: {"confidence.error.square": t["confidence.error.square"][1:]}, "error.square"),
    "no deviations": (lambda t: {"confidence.error.deviation": None}, "error.deviation"),
    "an error's deviation of 0": (
        lambda t: replaced(t, "confidence.error.deviation", 0, 0.0),
        "error.deviation is holding 0",
    ),
    "no slope": (lambda t: {"confidence.error.distance": None}, "error.distance"),
    "offsets of files from before": (lambda t: {"confidence.error.offset": np.zeros(3, np.float32)}, "error.offset"),
    "a long rest pose": (lambda t: {"confidence.error.rest": np.zeros(COMPONENTS + 1, np.float32)}, "error.rest"),
}


@pytest.mark.parametrize(("change", "message"), REFUSED.values(), ids=REFUSED)
def test_malformed_tensors_are_refused(tensors, change, message):
    with pytest.raises(ValueError, match=message):
        loaded(without_missing(tensors, change(tensors)))
