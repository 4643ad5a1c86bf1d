"""The problem of a shot as the engine states it: its terms, parts and measures, against NumPy on the vertices."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from rigcast.inverse._gram import Gram
from rigcast.inverse._problem import make_problem
from rigcast.inverse._request import Request, at, checked
from tests.support.inverse_rigs import random_rig, slow_objective

FRAMES, SHAPES = 6, 8
STEP = 1e-6
NUMBERS = ("projections", "energies", "lower", "upper", "init", "linear", "prior_target", "prior_strength", "start")


def request_of(seed=0, **terms):
    """A shot with pins, priors, a start and two pairs of equal weights."""
    rng = np.random.default_rng(seed)
    rig = random_rig(rng)
    targets = rig.evaluate(rng.uniform(size=(FRAMES, SHAPES))) + 0.1 * rng.standard_normal((FRAMES, 40, 3))
    pins = np.full((FRAMES, SHAPES), np.nan)
    pins[2:4, 5] = 0.25
    given = {
        "alpha": 0.3,
        "fixed": pins,
        "priors": (rng.uniform(size=(FRAMES, SHAPES)), rng.uniform(0.0, 2.0, SHAPES)),
        "symmetric": [(1, 4), (6, 2)],
        "init": rng.uniform(0.2, 0.8, (FRAMES, SHAPES)),
    }
    return Request(Gram(rig), targets.astype(np.float32), **given | terms)


def tied(rng):
    """Weights inside the box, equal for the pairs of ``request_of``."""
    weights = rng.uniform(0.3, 0.7, (FRAMES, SHAPES))
    weights[:, 4], weights[:, 2], weights[2:4, 5] = weights[:, 1], weights[:, 6], 0.25
    return weights


def slow_shot_objective(request, weights):
    target, strength = request.priors
    frames = [
        slow_objective(request.gram.rig, b, w, alpha=request.alpha)
        for b, w in zip(request.targets, weights, strict=True)
    ]
    bends = np.square(np.diff(weights, n=2, axis=0)).sum()
    return sum(frames) + (strength * np.square(weights - target)).sum() + float(request.smoothness) * bends


@pytest.mark.parametrize("rows", [[0], [3, 1, 5], list(range(FRAMES))])
def test_rows_of_a_problem_are_the_problem_of_the_rows(rows):
    request = request_of()
    part, alone = make_problem(request).at(np.array(rows)).core, make_problem(at(request, np.array(rows))).core
    for name in NUMBERS:
        np.testing.assert_array_equal(getattr(part, name), getattr(alone, name), err_msg=name)
    for own, other in zip(part.terms, alone.terms, strict=True):
        np.testing.assert_array_equal(own, other)


def test_the_variable_of_equal_weights_has_the_terms_of_both():
    request = request_of()
    core = make_problem(request).core
    _, linear, quadratic, _, _ = core.terms
    np.testing.assert_array_equal(core.ties, [0, 1, 6, 3, 1, 5, 6, 7])
    for term, of_shapes in ((linear, core.linear), (quadratic, core.prior_strength)):
        np.testing.assert_array_equal(term[:, [1, 6]], of_shapes[:, [1, 6]] + of_shapes[:, [4, 2]])
        assert not term[:, [4, 2]].any()
        np.testing.assert_array_equal(term[:, [0, 3, 5, 7]], of_shapes[:, [0, 3, 5, 7]])


@pytest.mark.parametrize("smoothness", [0.0, 1.5])
def test_optimality_is_the_largest_slope_of_the_objective(smoothness):
    request = request_of(smoothness=smoothness)
    weights = tied(np.random.default_rng(3))
    steepest = np.zeros(FRAMES)
    for t in range(FRAMES):
        for group in ([0], [1, 4], [3], [5], [6, 2], [7]):
            if group == [5] and t in (2, 3):
                continue  # pinned
            step = np.zeros((FRAMES, SHAPES))
            step[t, group] = STEP
            slope = slow_shot_objective(request, weights + step) - slow_shot_objective(request, weights - step)
            steepest[t] = max(steepest[t], abs(slope) / (2 * STEP))
    found = make_problem(request).measure(weights).optimality
    np.testing.assert_allclose(found, steepest, rtol=1e-5)  # of a difference quotient


def test_the_objective_is_that_of_the_vertices(tolerance):
    request = request_of()
    weights = tied(np.random.default_rng(4))
    found = make_problem(request).measure(weights).objective.sum()
    np.testing.assert_allclose(found, slow_shot_objective(request, weights), rtol=tolerance["gram"])


@pytest.mark.parametrize("shapes", [SHAPES, 300])
def test_terms_of_weights_are_the_bytes_of_numpy(shapes):
    """Sums of a robust loss with them decide when rounds end."""
    rng = np.random.default_rng(5)
    rig = random_rig(rng, shapes=shapes)
    given = {"alpha": 0.3, "priors": (rng.uniform(size=(FRAMES, shapes)), rng.uniform(0.0, 2.0, shapes))}
    problem = make_problem(Request(Gram(rig), np.zeros((FRAMES, 40, 3), np.float32), **given))
    weights = rng.uniform(size=(FRAMES, shapes))
    terms = 0.3 * weights + problem.prior_strength * np.square(weights - problem.prior_target)
    np.testing.assert_array_equal(problem.core.weight_terms(weights), terms.sum(axis=1))


def test_shapes_at_rest_keep_a_tied_shape_that_is_not():
    problem = make_problem(request_of(bounds=(0.1, 0.9)))
    resting = problem.resting(np.isin(np.arange(SHAPES), [0, 1, 2, 6]))
    assert (resting.lower == 0.1).all(axis=0).tolist() == (np.arange(SHAPES) != 5).tolist()
    assert (resting.upper[:, [0, 2, 6]] == 0.1).all()
    assert (resting.upper[:, [1, 3, 4, 7]] == 0.9).all()


def test_arrays_are_read_only_and_outlive_the_problem():
    lower = make_problem(request_of()).core.at(np.arange(2)).lower
    assert lower.shape == (2, SHAPES)
    assert not lower.any()
    with pytest.raises(ValueError, match="read-only"):
        lower[0, 0] = 1.0


def test_the_gram_matrix_of_another_rig_is_refused():
    problem, other = make_problem(request_of()), Gram(random_rig(np.random.default_rng(1), corrections=3))
    for call in (
        lambda: problem.core.measure(other.core, problem.core.start),
        lambda: problem.core.resting_alpha(other.core),
        lambda: problem.core.with_targets(other.core, problem.targets),
    ):
        with pytest.raises(ValueError, match="solve: gram is of a rig with 11 columns; it must be of one with 16"):
            call()


def test_the_engine_chooses_no_alpha():
    request = request_of()
    with pytest.raises(TypeError, match="alpha"):
        _core.InverseProblem(request.gram.core, request.targets)


def test_the_rows_of_a_request_are_those_of_what_has_frames():
    request = request_of(fixed=np.full(SHAPES, np.nan), init=0.5)
    part = at(request, slice(2, 4))
    np.testing.assert_array_equal(part.targets, request.targets[2:4])
    np.testing.assert_array_equal(part.priors[0], request.priors[0][2:4])
    assert part.priors[1] is request.priors[1]
    assert part.fixed is request.fixed
    assert part.init == 0.5


def test_a_checked_request_reports_to_a_callback():
    seen = []
    request = checked(request_of(progress=seen.append))
    request.show(rc.progress.Progress("solving", 1, 2))
    assert [report.done for report in seen] == [1]
    assert checked(request_of()).progress is not None
