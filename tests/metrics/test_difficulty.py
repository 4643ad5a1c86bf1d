"""The gate: simple methods against the same in slow NumPy, what each of them solves exactly, and its verdict."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast._regression.inputs import fit_inputs
from rigcast._regression.ridge import Choice, choose_ridge, combinations
from rigcast.baselines import Samples
from rigcast.metrics._difficulty import KINKED


def controls(frames, count=4, seed=0):
    return np.random.default_rng(seed).random((frames, count)).astype(np.float32)


def shapes(features, vertices=30, seed=7):
    """Vertices that are linear in features (T, F)."""
    deltas = np.random.default_rng(seed).standard_normal((features.shape[1], vertices, 3))
    return np.einsum("tf,fvc->tvc", features, deltas).astype(np.float32)


def products(x):
    first, second = np.triu_indices(x.shape[1])
    return x[:, first] * x[:, second]


def curved(x):
    """Vertices that neither linear nor quadratic features explain."""
    return shapes(np.concatenate([x, np.sin(6 * x), np.maximum(x - 0.6, 0)], axis=1))


def by_name(gate):
    return {method.name: method for method in gate.methods}


def slow_ridge(features, new, targets, ridge):
    """Ridge regression over centered features, by the normal equations; the ridge is relative to their mean square."""
    mean, level = features.mean(axis=0), targets.mean(axis=0)
    centered = features - mean
    scale = np.square(centered).sum(axis=1).mean()
    system = centered.T @ centered + ridge * scale * np.eye(features.shape[1])
    return level + (new - mean) @ np.linalg.solve(system, centered.T @ (targets - level))


def quadratic_features(z, products):
    """Inputs and their products, which count by ``products``; the inputs alone if it is 0."""
    first, second = np.triu_indices(z.shape[1])
    pairs = z[:, first] * z[:, second] * np.where(first == second, 1.0, np.sqrt(2.0))
    return np.concatenate([np.sqrt(2.0) * z, np.sqrt(products) * pairs], axis=1)


@pytest.mark.parametrize("products", [0.0, 0.1, 1.0])
def test_dual_predictions_are_those_of_the_normal_equations(products, tolerance):
    x, new = controls(60), controls(9, seed=1)
    inputs = fit_inputs(x, 0, 1.0)
    z, z_new = inputs(x), inputs(new)
    targets = curved(x).reshape(60, -1).astype(np.float64)
    expected = slow_ridge(quadratic_features(z, products), quadratic_features(z_new, products), targets, 1e-3)
    found = combinations(z, z_new, Choice(1e-3, products, 0.0)) @ targets
    np.testing.assert_allclose(found, expected, atol=tolerance["gram"])


@pytest.mark.parametrize(
    ("name", "features"), [("PCA + linear regression", "linear"), ("quadratic ridge", "quadratic")]
)
def test_figures_are_those_of_the_normal_equations(name, features, tolerance):
    x, new = controls(60), controls(9, seed=1)
    method = by_name(rc.metrics.difficulty((x, curved(x)), (new, curved(new))))[name]
    inputs = fit_inputs(x, 0, 1.0)
    z, z_new = inputs(x), inputs(new)
    targets = curved(x).reshape(60, -1).astype(np.float64)
    products = choose_ridge(z, targets, features).products
    known, unknown = quadratic_features(z, products), quadratic_features(z_new, products)
    expected = slow_ridge(known, unknown, targets, method.ridge).reshape(9, -1, 3)
    distances = np.linalg.norm(expected - curved(new), axis=2)
    assert method.mean == pytest.approx(distances.mean(), rel=tolerance["float32_sum"])
    assert method.max == pytest.approx(distances.max(), rel=tolerance["float32_sum"])


def test_the_nearest_pose_is_the_one_of_a_search_over_all(tolerance):
    x, new = controls(60), controls(9, seed=1)
    method = by_name(rc.metrics.difficulty((x, curved(x)), (new, curved(new))))["nearest training pose"]
    scale = np.ptp(x, axis=0)  # of uniform controls
    scaled, scaled_new = x / scale, new / scale
    nearest = np.linalg.norm(scaled_new[:, None] - scaled[None], axis=2).argmin(axis=1)
    distances = np.linalg.norm(curved(x)[nearest] - curved(new), axis=2)
    assert method.mean == pytest.approx(distances.mean(), rel=tolerance["float32_sum"])


def test_linear_regression_explains_a_linear_rig():
    x, new = controls(60), controls(9, seed=1)
    gate = rc.metrics.difficulty((x, shapes(x)), (new, shapes(new)))
    assert by_name(gate)["PCA + linear regression"].max < 1e-5 * gate.motion


def test_only_quadratic_ridge_explains_products():
    x, new = controls(60), controls(9, seed=1)
    gate = rc.metrics.difficulty((x, shapes(products(x))), (new, shapes(products(new))))
    assert gate.best.name == "quadratic ridge"
    assert gate.best.mean < 1e-3 * by_name(gate)["PCA + linear regression"].mean


@pytest.mark.parametrize(("lowest", "kinks", "named"), [(-1.0, 4, True), (-1.0, 0, True), (0.0, 4, False)])
def test_dials_that_act_otherwise_below_0_are_explained_by_their_positive_parts(lowest, kinks, named):
    x, new = (lowest + (1.0 - lowest) * values for values in (controls(90), controls(9, seed=1)))
    bent = [np.concatenate([np.maximum(v[:, :kinks], 0.0), v], axis=1).astype(np.float32) for v in (x, new)]
    gate = rc.metrics.difficulty((x, shapes(bent[0])), (new, shapes(bent[1])))
    assert (KINKED in by_name(gate)) == named
    assert any(line.startswith(f"{KINKED}: mean ") for line in gate.lines()) == named
    assert gate.best.max < 1e-5 * gate.motion


def test_the_ridge_is_chosen_without_the_judged_poses():
    x, new = controls(60), controls(9, seed=1)
    noisy = curved(x) + np.random.default_rng(3).standard_normal((60, 30, 3)).astype(np.float32)
    one = rc.metrics.difficulty((x, noisy), (new, curved(new)))
    other = rc.metrics.difficulty((x, noisy), (new, np.zeros_like(curved(new))))
    assert [m.ridge for m in one.methods] == [m.ridge for m in other.methods]
    assert (
        by_name(one)["quadratic ridge"].ridge
        > by_name(rc.metrics.difficulty((x, shapes(x)), (new, shapes(new))))["quadratic ridge"].ridge
    )


def test_a_constant_column_changes_nothing():
    x, new = controls(60), controls(9, seed=1)
    wide, wide_new = (np.insert(rows, 2, 0.7, axis=1) for rows in (x, new))
    one = rc.metrics.difficulty((x, curved(x)), (new, curved(new)))
    assert rc.metrics.difficulty((wide, curved(x)), (wide_new, curved(new))) == one


@pytest.mark.slow
def test_any_number_of_threads_gives_the_same_figures():
    x, new = controls(600, 20), controls(40, 20, seed=1)
    found = [rc.metrics.difficulty((x, curved(x)), (new, curved(new)), threads=n) for n in (1, 2, 3)]
    assert found[0] == found[1] == found[2]


def test_of_many_poses_some_are_used():
    x, new = controls(300), controls(9, seed=1)
    gate = rc.metrics.difficulty((x, curved(x)), (new, curved(new)), most_rows=50)
    assert gate.training_poses == 50
    rows = np.linspace(0, 299, 50).round().astype(int)
    assert gate == rc.metrics.difficulty((x[rows], curved(x)[rows]), (new, curved(new)))


def test_samples_with_joints_are_taken(cylinder_rig, tmp_path):
    train = rc.sampling.sample(cylinder_rig, tmp_path / "train.rwdata", count=40, seed=0, workers=1)
    _, poses, vertices = train.take(np.arange(10))
    gate = rc.metrics.difficulty(train, Samples(train.skeleton, train.rest_vertices, train.faces, poses, vertices))
    assert by_name(gate)["nearest training pose"].max == 0.0
    assert "mm" in str(gate)


def test_the_verdict_is_about_the_model():
    x, new = controls(60), controls(9, seed=1)
    gate = rc.metrics.difficulty((x, curved(x)), (new, curved(new)))
    ends = {0.0: "", 0.5: "", 0.51: " by little"}
    for share, end in ends.items():
        assert gate.verdict(share * gate.best.mean).startswith(f"Beats {gate.best.name}{end}: ")
    lost = gate.verdict(1.01 * gate.best.mean, 0.5 * gate.best.max)
    assert lost.startswith(f"Loses to {gate.best.name}: train longer, or on more poses. On average ")
    assert lost.endswith(f" (at most {gate._length(0.5 * gate.best.max)} and {gate._length(gate.best.max)}).")


def test_the_first_line_of_the_table_names_the_best():
    x, new = controls(60), controls(9, seed=1)
    gate = rc.metrics.difficulty((x, curved(x)), (new, curved(new)))
    assert f"the best simple method is {gate.best.name}" in str(gate).splitlines()[0]
    assert len(str(gate).splitlines()) == 5


X, Y = controls(20), curved(controls(20))


@pytest.mark.parametrize(
    ("train", "test", "text"),
    [
        ((X[:1], Y[:1]), (X, Y), "difficulty: train is 1 pose; it must be at least two poses"),
        ((np.ones((20, 4)), Y), (X, Y), "difficulty: train is with constant inputs"),
        ((X, Y[1:]), (X, Y), r"difficulty: train\[1\] is float32 \(19, 30, 3\)"),
        ((X, Y), (X[:, 1:], Y), r"difficulty: test\[0\] is float32 \(20, 3\)"),
        ((X, Y), (X, Y[:, 1:]), r"difficulty: test\[1\] is float32 \(20, 29, 3\)"),
        ((X, Y), (X[:0], Y[:0]), r"difficulty: test\[0\] is float32 \(0, 4\)"),
        ((X, np.full_like(Y, np.nan)), (X, Y), r"difficulty: train\[1\] is not finite everywhere"),
        ((X, Y, Y), (X, Y), "difficulty: train is a tuple of 3"),
    ],
)
def test_wrong_input_is_named(train, test, text):
    with pytest.raises(ValueError, match=text):
        rc.metrics.difficulty(train, test)


def test_a_wrong_error_of_the_model_is_named():
    gate = rc.metrics.difficulty((X, Y), (X, Y))
    with pytest.raises(ValueError, match="verdict: model_error is -1"):
        gate.verdict(-1.0)
