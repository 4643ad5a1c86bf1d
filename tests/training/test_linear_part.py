"""The skinning under the networks of a body: its sets, their residuals, and that no body is worse than it."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast._regression.skin_weights import gains
from rigcast.cli._described.skinning import NO_GAIN, skinning_lines
from rigcast.training import BodySettings
from rigcast.training._body import choice as _choice
from rigcast.training._body.choice import CANDIDATES, OWN, Excerpt, best
from rigcast.training._body.frames import BoneSpace
from rigcast.training._body.linear_part import COVERED, LinearPart, near_joints, skinned_sets
from tests.support.trainings import train_with


@pytest.fixture(scope="module")
def influences():
    """Random joints and weights of 200 vertices, some of one joint alone."""
    rng = np.random.default_rng(0)
    joint = np.stack([rng.permutation(9)[:4] for _ in range(200)]).astype(np.int32)
    weight = rng.dirichlet([0.4] * 4, 200).astype(np.float32)
    weight[:20] = [1.0, 0.0, 0.0, 0.0]
    return joint, weight


def dense(joint, weight, count):
    table = np.zeros((len(joint), count), np.float32)
    for vertex, (joints, weights) in enumerate(zip(joint, weight, strict=True)):
        for j, w in zip(joints, weights, strict=True):
            table[vertex, j] += w
    return table


def test_the_sets_of_each_joint_hold_its_weights(influences):
    joint, weight = influences
    sets, _ = skinned_sets(joint, weight)
    found = np.zeros((len(joint), 9), np.float32)
    for i in range(len(sets)):
        members = sets.members(i)
        assert (np.diff(sets.vertex[members]) > 0).all()
        found[sets.vertex[members], sets.joint[i]] += sets.weight[members]
    np.testing.assert_array_equal(found, dense(joint, weight, 9))


def test_sets_with_networks_come_first_and_reach_every_vertex(influences, tolerance):
    sets, share = skinned_sets(*influences)
    learning = int(sets.learns.sum())
    assert sets.learns.tolist() == [True] * learning + [False] * (len(sets) - learning)
    held = np.bincount(sets.vertex[: sets.offset[learning]], sets.weight[: sets.offset[learning]], minlength=200)
    np.testing.assert_allclose(held, share, rtol=tolerance["float32"])
    assert share.min() > 0.0


def test_joints_keep_their_network_if_vertices_need_it():
    """A joint whose vertices have little weight elsewhere is corrected in its own frame."""
    weight = np.float32([[0.9, 0.1], [0.1, 0.9], [0.3, 0.7]])
    sets, share = skinned_sets(np.int32([[0, 1]] * 3), weight)
    assert 0.1 < COVERED < 0.9
    assert set(sets.joint[sets.learns].tolist()) == {0, 1}
    np.testing.assert_array_equal(share, weight.max(axis=1))


def test_near_joints_are_a_few_bones_away():
    """A chain of eight joints with one vertex on joint 3, and a side branch from joint 4."""
    parents = np.array([-1, 0, 1, 2, 3, 4, 5, 6, 4])
    joint, weight = np.int32([[3]]), np.float32([[1.0]])
    sets, _ = skinned_sets(joint, weight)
    (near,) = near_joints(sets, joint, weight, parents)
    assert np.flatnonzero(near).tolist() == [1, 2, 3, 4, 5, 8]


def test_residuals_are_what_skinning_leaves_in_the_frame_of_a_joint(cylinder_data, tolerance):
    ds = cylinder_data
    skinning = rc.baselines.linear_blend(ds, influences=2)
    share = np.linspace(0.3, 1.0, len(ds.rest_vertices)).astype(np.float32)
    linear = LinearPart(skinning, np.zeros((0, 1), np.int32), np.zeros((0, 1), np.float32), share)
    _, poses, vertices = ds.take(np.arange(3))
    members = np.array([0, 5, 17])
    found = BoneSpace(ds.skeleton, poses, vertices, ds.rest_vertices, np.array([1]), linear).residuals(1, members)
    for t in range(3):
        turn = ds.skeleton.globals(poses)[t, 1][:, :3].astype(np.float64)
        for m, vertex in enumerate(members):
            left = vertices[t, vertex].astype(np.float64) - skinning.evaluate(poses)[t, vertex]
            expected = np.linalg.inv(turn) @ left / share[vertex]
            np.testing.assert_allclose(found[t, m], expected, atol=tolerance["float32_scaled"])


LINEAR = [
    {"linear": "auto"},
    {"linear": "skinning"},
    {"linear": "skinning", "influences": 2},
    {"linear": "rigid"},
    {"method": "paper"},
]


@pytest.mark.parametrize("options", LINEAR)
@pytest.mark.parametrize("steps", [1, 40])
def test_no_body_is_worse_than_linear_skinning(cylinder_data, train, steps, options):
    about = train(cylinder_data, steps=steps, **options).metadata
    assert about["error"]["mean"] <= about["linear_skinning"]["mean"]


def test_a_body_without_gain_is_the_skinning(cylinder_data, train, tolerance):
    """One step learns nothing."""
    model = train(cylinder_data, steps=1, linear="rigid")
    assert model.metadata["linear_skinning"]["networks"].startswith("left out")
    judged = model.tensors()["confidence.space.column"]
    assert judged.min() >= 12  # all that turns but the root
    assert set(judged // 12) == {1, 2, 3, 4}  # the last are the dial's
    poses, scale = cylinder_data.poses[:5], np.abs(cylinder_data.rest_vertices).max()
    part = rc.baselines.linear_part(model).evaluate(poses)
    np.testing.assert_allclose(model.evaluate(poses) / scale, part / scale, atol=tolerance["float32_sum"])


@pytest.mark.parametrize("options", LINEAR)
def test_the_skinning_beside_a_body_is_fitted_to_its_samples(cylinder_data, train, options, tolerance, tmp_path):
    train(cylinder_data, steps=5, **options).save(tmp_path / "a.safetensors")
    model = rc.load(tmp_path / "a.safetensors")
    part = rc.baselines.linear_part(model)
    training, held_out = cylinder_data.split(0.1, 0)
    fitted = rc.baselines.linear_blend(cylinder_data, influences=4, rows=np.sort(training))
    _, poses, vertices = cylinder_data.take(held_out)
    scale = np.abs(cylinder_data.rest_vertices).max()
    np.testing.assert_allclose(
        part.evaluate(poses) / scale, fitted.evaluate(poses) / scale, atol=tolerance["float32_sum"]
    )
    error = np.linalg.norm(part.evaluate(poses) - vertices, axis=2).mean()
    assert error == pytest.approx(model.metadata["linear_skinning"]["mean"], rel=tolerance["printed"])


def test_models_of_other_kinds_carry_no_skinning(cylinder_data):
    assert rc.baselines.linear_part(rc.baselines.linear_blend(cylinder_data)) is None


def test_an_unknown_linear_part_is_refused(cylinder_data):
    with pytest.raises(ValueError, match='linear is \'soft\'; it must be "auto" or "rigid" or "skinning"'):
        train_with("body", cylinder_data, linear="soft", steps=1)


def test_the_linear_part_is_the_one_that_learns_best(cylinder_data, train):
    """By default; what was tried and what was chosen stands in the metadata, and naming the choice gives its model."""
    model = train(cylinder_data, steps=20, linear="auto")
    told = model.metadata["training"]
    errors = told["linear_trials"]["held_out_mean"]
    assert told["linear_trials"]["steps"] == 2
    assert set(errors) == set(CANDIDATES) - {OWN}  # the arm states no weights
    chosen = told["linear"], told["influences"]
    assert CANDIDATES[told["linear_trials"]["chosen"]] == chosen
    assert chosen == CANDIDATES[best(errors)]
    named = train(cylinder_data, steps=20, linear=chosen[0], influences=chosen[1])
    assert "linear_trials" not in named.metadata["training"]
    np.testing.assert_array_equal(named.evaluate(cylinder_data.poses[:3]), model.evaluate(cylinder_data.poses[:3]))


def test_trials_see_rows_of_their_own_split_alone(cylinder_data, monkeypatch):
    monkeypatch.setattr(_choice, "TRIAL_ROWS", 30)
    monkeypatch.setattr(_choice, "TRIAL_HELD_OUT", 7)
    some = Excerpt(cylinder_data, BodySettings(), 0)
    training, held_out = some.split(0.5, 3)
    kept = cylinder_data.split(0.1, 0)
    for rows, count, whole in ((training, 30, kept[0]), (held_out, 7, kept[1])):
        assert len(rows) == count
        assert np.isin(some.rows[rows], whole).all()
    np.testing.assert_array_equal(some.take(held_out)[2], some.vertex_rows[30:37])
    np.testing.assert_array_equal(some.poses[training], some.take(training)[1])


@pytest.mark.parametrize(
    ("error", "better"), [(0.5, True), (0.9980, True), (0.9995, False), (1.0, False), (1.0 + 1e-7, False)]
)
def test_rounding_is_no_gain(error, better):
    """The same skinning as sets of a body differs in the last digits."""
    assert gains(error, 1.0) == better
    metadata = {"error": {"mean": error, "max": 2.0}, "linear_skinning": {"mean": 1.0, "max": 2.0}}
    assert (NO_GAIN in skinning_lines(metadata, 1000.0)[0]) != better


@pytest.mark.parametrize(
    ("given", "linear"),
    [
        ({}, "auto"),
        ({"tau": 1.1}, "rigid"),
        ({"border": 0.0}, "rigid"),
        ({"influences": 3}, "skinning"),
        ({"influences": 3, "linear": "rigid"}, "rigid"),
    ],
)
def test_a_setting_of_one_linear_part_chooses_it(given, linear):
    assert BodySettings(**given).linear == linear


@pytest.mark.parametrize(
    ("rigid", "two", "four", "chosen"),
    [
        (1.19, 0.112, 0.106, "skinning, K = 4"),
        (0.9, 0.1, 0.3, "skinning, K = 2"),
        (0.467, 0.3, 0.346, "rigid"),
        (0.1, 0.2, 0.3, "rigid"),
        (0.0, 0.0, 0.0, "rigid"),
    ],
)
def test_skinning_must_be_clearly_better_in_a_trial(rigid, two, four, chosen):
    assert best({"rigid": rigid, "skinning, K = 2": two, "skinning, K = 4": four}) == chosen


def test_short_of_time_no_further_trial_begins(cylinder_data, train, monkeypatch):
    """The first one is always made: its linear part is taken."""
    monkeypatch.setattr("rigcast.training._body.choice.SHARE", 0.0)
    told = train(cylinder_data, steps=20, minutes=5.0, linear="auto").metadata["training"]
    assert list(told["linear_trials"]["held_out_mean"]) == ["skinning, K = 4"]
    assert told["linear_trials"]["left_out"] == ["rigid", "skinning, K = 2"]
    assert (told["linear"], told["influences"]) == ("skinning", 4)
    whole = train(cylinder_data, steps=20, linear="auto").metadata["training"]
    assert whole["linear_trials"]["left_out"] == []
