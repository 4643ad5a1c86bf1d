"""``rc.ik.solve`` against SciPy, against rigs whose answer is known, and on every kind of model."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.ik.solving import RIG, TIP, arm, channel_arrays, free_arm, peer, residuals
from tests.support.made.kinds import MAKERS, WITH_DERIVATIVES, poses_of

VERTICES = np.array([TIP, 20, 50, 80])


def reachable(model: rc.Deformer, frames: int = 6, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Channels (T, N) well inside their ranges, and the targets that they reach."""
    low, high, rest = channel_arrays(model)
    x = rest + 0.6 * (np.random.default_rng(seed).uniform(low, high, (frames, len(low))) - rest)
    return x, model.evaluate(model.poses_from_channels(x))[:, VERTICES]


def near(model: rc.Deformer, x: np.ndarray) -> np.ndarray:
    """Channels beside x: starts from which there is no other minimum on the way."""
    low, high, _ = channel_arrays(model)
    return np.clip(x + 0.1 * np.sign(np.sin(np.arange(x.size))).reshape(x.shape) * (high - low), low, high)


@pytest.mark.parametrize("learned", [False, True], ids=["skinning", "body"])
def test_targets_that_a_pose_reaches_are_reached(learned, tolerance):
    model = arm(learned)
    x, targets = reachable(model)
    found = rc.ik.solve(model, targets, VERTICES, start=near(model, x), tolerance=1e-8, preference=1e-5)
    assert found.error.max() < tolerance["float32_character"]  # the cylinder is 40 units long
    assert found.converged.all()


@pytest.mark.parametrize("learned", [False, True], ids=["skinning", "body"])
@pytest.mark.parametrize("miss", [0.0, 0.5, 3.0])
def test_it_ends_where_scipy_ends(miss, learned, tolerance):
    model = arm(learned)
    x, targets = reachable(model, 3)
    targets = targets + miss * np.random.default_rng(1).standard_normal(targets.shape)
    start = near(model, x)
    found = rc.ik.solve(model, targets, VERTICES, start=start, preference=0.01, tolerance=1e-9)
    ends = [peer(model, VERTICES, goals, begin, 0.01) for goals, begin in zip(targets, start, strict=True)]
    assert np.allclose(found.objective, [2.0 * end.cost for end in ends], rtol=tolerance["float32_character"])
    low, high, _ = channel_arrays(model)
    apart = np.abs(found.channels - [end.x for end in ends]) / (high - low)
    assert apart.max() < 10 * tolerance["printed"]  # the objective is flat where a minimum is


def test_bounds_end_as_bounds_and_not_as_clamps():
    """At the solution no unknown can lower the objective by moving inside its bounds."""
    model = arm()
    low, high, rest = channel_arrays(model)
    targets = reachable(model, 1)[1] + [30.0, 0.0, -20.0]
    found = rc.ik.solve(model, targets, VERTICES, preference=0.01, tolerance=1e-9)
    assert found.at_bound.any()
    scale = high - low
    best = objective(model, found.channels[0], targets[0], rest)
    for k in range(len(low)):
        for step in (-0.02, 0.02):
            x = found.channels[0].copy()
            x[k] = np.clip(x[k] + step * scale[k], low[k], high[k])
            assert objective(model, x, targets[0], rest) >= best * (1 - 1e-6)


def objective(model: rc.Deformer, x: np.ndarray, targets: np.ndarray, rest: np.ndarray) -> float:
    return float((residuals(model, x, VERTICES, targets, 0.01, rest) ** 2).sum())


def test_the_objective_is_that_of_the_docstring(tolerance):
    model = arm()
    rest = channel_arrays(model)[2]
    targets = reachable(model, 1)[1] + 3.0
    found = rc.ik.solve(model, targets, VERTICES, preference=0.01)
    assert found.objective[0] == pytest.approx(
        objective(model, found.channels[0], targets[0], rest), rel=tolerance["float32_sum"]
    )


def test_poses_are_those_of_the_channels():
    model = arm()
    found = rc.ik.solve(model, reachable(model)[1], VERTICES)
    assert (found.poses == model.poses_from_channels(found.channels)).all()


def test_joints_stay_rigid_without_channels(tolerance):
    """X^T X of every joint is that of the start, here one with scale and shear."""
    model = free_arm()
    rng = np.random.default_rng(0)
    start = model.skeleton.rest.copy()
    start[:, :, :3] += 0.1 * rng.standard_normal(start[:, :, :3].shape)
    row = np.append(start.reshape(-1), 0.3).astype(np.float32)
    target = model.evaluate(row[None])[:, VERTICES] + [4.0, -6.0, 2.0]
    found = rc.ik.solve(model, target, VERTICES, start=row)
    assert found.error.max() < 8.0
    ends = found.poses[0, :-1].reshape(-1, 3, 4).astype(float)[:, :, :3]
    begins = row[:-1].reshape(-1, 3, 4).astype(float)[:, :, :3]
    gram = [np.einsum("jab,jac->jbc", x, x) for x in (begins, ends)]
    assert np.abs(gram[0] - gram[1]).max() < tolerance["float32_scaled"]
    assert np.abs(ends - begins).max() > 0.1


def test_a_model_without_channels_reaches_its_targets(tolerance):
    model = free_arm()
    targets = arm().evaluate(arm().poses_from_channels(0.5 * channel_arrays(arm())[1][None]))[:, [TIP]]
    targets[..., 0] -= 10.0  # the root cannot move
    found = rc.ik.solve(model, targets, [TIP], preference=1e-4)
    assert found.error.max() < 10 * tolerance["float32_character"]
    assert found.channels is None
    assert "joint1.rotation_x" in found.names


@pytest.mark.parametrize("kind", WITH_DERIVATIVES)
def test_every_kind_of_model_with_derivatives_comes_nearer_to_targets_that_it_reaches(kind):
    model = MAKERS[kind]()
    poses = poses_of(model, 2)
    vertices = np.arange(0, len(model.rest_vertices), max(1, len(model.rest_vertices) // 8))
    targets = model.evaluate(poses)[:, vertices]
    ranges = model.control_ranges
    start = poses[:1] if model.skeleton is not None else np.clip(poses[:1], ranges[:, 0], ranges[:, 1])
    before = np.linalg.norm(model.evaluate(start)[:, vertices] - targets[1:], axis=2)
    found = rc.ik.solve(model, targets[1:], vertices, start=start[0])
    assert (found.error**2).sum() < 0.9 * (before**2).sum()


def test_a_skeleton_is_posed_by_the_origins_of_its_joints(tolerance):
    skeleton = RIG.skeleton
    rng = np.random.default_rng(3)
    poses, _ = RIG.sample(np.concatenate([np.zeros((4, 2)), rng.uniform(-40, 40, (4, 9)), np.zeros((4, 1))], axis=1))
    targets = skeleton.globals(poses[:, :-1])[..., 3][:, [2, 3]]
    found = rc.ik.solve(skeleton, targets, [2, 3], preference=1e-5)
    assert found.error.max() < 10 * tolerance["float32_character"]


def test_a_frame_starts_from_the_solution_of_the_frame_before():
    model = arm()
    targets = reachable(model, 1)[1].repeat(3, axis=0)
    found = rc.ik.solve(model, targets, VERTICES)
    assert found.iterations[0] > 2
    assert (found.iterations[1:] <= 1).all()


def test_more_frames_than_one_call_takes_are_continued_alike():
    model = arm()
    solver = rc.ik.Solver(model, VERTICES)
    targets = np.linspace(*reachable(model, 2)[1], 70)
    whole = solver.solve(targets)
    first = solver.solve(targets[:64])
    rest = channel_arrays(model)[2]
    second = solver.solve(targets[64:], start=first.channels[-1], preferred=rest)
    assert (whole.poses == np.concatenate([first.poses, second.poses])).all()


def test_threads_change_no_byte():
    model = arm()
    targets = reachable(model, 20)[1]
    start = np.tile(channel_arrays(model)[2], (20, 1))
    one, two = (rc.ik.solve(model, targets, VERTICES, start=start, threads=n) for n in (1, 2))
    assert (one.poses == two.poses).all()
    assert (one.iterations == two.iterations).all()


def test_a_channel_that_is_rounded_keeps_its_value():
    from tests.rig.channels import model_of, random_rows, three_joints

    model = model_of(three_joints())
    rows = random_rows(model, 2)
    mode = [c.name for c in model.channels].index("mode")
    targets = model.evaluate(model.poses_from_channels(rows[1:]))[:, :5]
    found = rc.ik.solve(model, targets, np.arange(5), start=rows[0], preferred=rows[1])
    assert found.channels[0, mode] == rows[0, mode]
