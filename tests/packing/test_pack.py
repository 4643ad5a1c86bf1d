"""``pack_expressions``: sequences, importance, refusals, bounds, wrong input."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.transfer._packing.program import Program
from rigcast.transfer._packing.solvers import optimal
from tests.packing import oracles

pack = rc.transfer.pack_expressions


def fits(plan, active):
    return all(active[shapes].sum(axis=0).max() <= 1 for shapes in plan.expressions)


def covers(plan, count):
    return sorted(k for shapes in plan.expressions for k in shapes) == list(range(count))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("method", ["optimal", "greedy"])
def test_every_shape_once_and_none_in_another_s_way(seed, method):
    neutral, shapes, faces = oracles.random_shapes(seed, 14)
    plan = pack(neutral, shapes, faces, symmetry=False, method=method)
    active = oracles.binary(neutral, shapes, 0.3)
    assert np.array_equal(plan.active, active)
    assert covers(plan, 14)
    assert fits(plan, active)
    assert active.sum(axis=0).max() <= plan.lower_bound <= len(plan.expressions)


@pytest.mark.parametrize("seed", range(6))
def test_each_expression_is_the_best_of_all_subsets_that_are_left(seed, tolerance):
    neutral, shapes, faces = oracles.random_shapes(seed, 13, part=0.06)
    plan = pack(neutral, shapes, faces, target_neutral=neutral * [1.0, 1.4, 1.0], symmetry=False)
    active, left = oracles.binary(neutral, shapes, 0.3), list(range(13))
    for expression, best in zip(plan.expressions, plan.best, strict=True):
        weight = plan.importance[expression].sum()
        best_weight = oracles.heaviest(active[left], plan.importance[left])
        assert weight == pytest.approx(best_weight, abs=tolerance["gram"])
        assert best
        left = [k for k in left if k not in expression]


@pytest.mark.parametrize("seed", range(8))
def test_minimize_finds_the_fewest(seed):
    neutral, shapes, faces = oracles.random_shapes(seed, 10, part=0.05)
    plan = pack(neutral, shapes, faces, symmetry=False, minimize=True)
    active = oracles.binary(neutral, shapes, 0.3)
    assert covers(plan, 10)
    assert fits(plan, active)
    assert plan.proven_minimal
    assert len(plan.expressions) == plan.lower_bound == oracles.fewest(active)
    assert len(pack(neutral, shapes, faces, symmetry=False).expressions) >= plan.lower_bound


def test_importance_is_the_published_sum(tolerance):
    neutral, shapes, faces = oracles.random_shapes(1, 8)
    target = neutral * np.float32([1.0, 1.7, 1.0]) + np.float32([0, 0, 0.1]) * neutral[:, :1] ** 2
    active = oracles.binary(neutral, shapes, 0.3)
    moved = [np.linalg.norm(shape - neutral, axis=1)[mask].mean() for shape, mask in zip(shapes, active, strict=True)]
    sums = np.zeros(8)
    for quad in faces:
        for u, v, w in (quad[[0, 1, 2]], quad[[0, 2, 3]]):
            stretch = -2.0
            for tip in (u, w):
                a, b = (np.linalg.norm(m[tip].astype(float) - m[v].astype(float)) for m in (neutral, target))
                stretch += max(a / b, b / a)
            sums += stretch * active[:, [u, v, w]].any(axis=1)
    for alpha in (0.0, 0.3, 1.0):
        plan = pack(neutral, shapes, faces, target_neutral=target, alpha=alpha, symmetry=False)
        expected = alpha * np.array(moved) / max(moved) + (1 - alpha) * sums / sums.max()
        assert plan.importance == pytest.approx(expected, abs=tolerance["float32_sum"])
    assert pack(neutral, shapes, faces, symmetry=False).importance == pytest.approx(
        np.array(moved) / max(moved), abs=tolerance["float32_sum"]
    )


def test_usage_prefers_what_differs_from_the_used_shapes():
    """After the first expression, the copy of a packed shape is less important than an equally strong other one."""
    neutral, shapes, faces = oracles.random_shapes(0, 3, side=12)
    offsets = np.zeros_like(shapes)
    offsets[0, 60:70, 2] = 1.0
    offsets[1, 60:70, 2] = 0.99  # like 0, and in its way
    offsets[2, 60:70, 1] = 0.9  # in its way, but different
    order = [pack(neutral, neutral + offsets, faces, symmetry=False, beta=beta).expressions for beta in (0.0, 1.0)]
    assert order == [[[0], [1], [2]], [[0], [2], [1]]]


@pytest.mark.parametrize("seed", range(4))
def test_each_expression_is_the_best_of_what_differs_from_the_used_shapes(seed, tolerance):
    """Equation 3.8 said again, shape by shape: mean positive cosine with all used ones, over the largest left."""
    neutral, shapes, faces = oracles.random_shapes(seed, 12, part=0.06)
    plan = pack(neutral, shapes, faces, symmetry=False, beta=2.0)
    offsets = (shapes - neutral).reshape(12, -1).astype(float)
    offsets /= np.linalg.norm(offsets, axis=1, keepdims=True)
    active, left, used = oracles.binary(neutral, shapes, 0.3), list(range(12)), []
    for expression in plan.expressions:
        weights = plan.importance.copy()
        if used:
            mean = {k: np.mean([max(offsets[k] @ offsets[r], 0.0) for r in used]) for k in left}
            weights[left] += [2.0 * (1.0 - mean[k] / max(mean.values())) for k in left]
        best = oracles.heaviest(active[left], weights[left])
        assert weights[expression].sum() == pytest.approx(best, abs=tolerance["float32_sum"])
        used += expression
        left = [k for k in left if k not in expression]


def test_a_refused_expression_gives_the_next_best(tolerance):
    neutral, shapes, faces = oracles.random_shapes(2, 12, part=0.04)
    active = oracles.binary(neutral, shapes, 0.3)
    refused = []
    weight = np.inf
    for _ in range(4):
        plan = pack(neutral, shapes, faces, symmetry=False, reject=refused, limit=1)
        best = oracles.heaviest(active, plan.importance, refused)
        assert plan.importance[plan.expressions[0]].sum() == pytest.approx(best, abs=tolerance["gram"])
        assert best <= weight
        assert plan.expressions[0] not in refused
        refused, weight = [*refused, plan.expressions[0]], best
    complete = pack(neutral, shapes, faces, symmetry=False, reject=refused)
    greedy = pack(neutral, shapes, faces, symmetry=False, reject=refused, method="greedy")
    fewest = pack(neutral, shapes, faces, symmetry=False, reject=refused, minimize=True)
    for plan in (complete, greedy, fewest):
        assert covers(plan, 12)
        assert not any(set(entry) <= set(chosen) for entry in refused for chosen in plan.expressions)


@pytest.mark.parametrize("method", ["optimal", "greedy"])
def test_shapes_refused_at_a_position_come_later(method):
    neutral, shapes, faces = oracles.random_shapes(2, 12, part=0.04)
    first = pack(neutral, shapes, faces, symmetry=False, method=method).expressions[0]
    plan = pack(neutral, shapes, faces, symmetry=False, method=method, reject_at={0: first[:1]})
    assert first[0] not in plan.expressions[0]
    assert covers(plan, 12)


def test_shapes_left_out_stand_in_no_expression():
    neutral, shapes, faces = oracles.random_shapes(2, 12, part=0.04)
    plan = pack(neutral, shapes, faces, symmetry=False, without=[3, 7], reject=[[3, 4]], minimize=True)
    assert plan.uncovered == [3, 7]
    assert sorted(k for e in plan.expressions for k in e) == [k for k in range(12) if k not in (3, 7)]
    assert plan.proven_minimal
    rest = np.delete(np.arange(12), [3, 7])
    alone = pack(neutral, shapes[rest], faces, symmetry=False, minimize=True)
    assert len(plan.expressions) == len(alone.expressions)


def test_highs_finishes_what_runs_out_of_nodes(tolerance):
    """A hundred shapes in one another's way: one node proves nothing, HiGHS does, and the own search agrees."""
    pytest.importorskip("highspy", reason="the fallback is HiGHS")
    rng = np.random.default_rng(5)
    active = rng.random((60, 200)) < 0.03
    importance, items = rng.random(60), list(range(60))
    refused = [frozenset({1, 2, 3}), frozenset({4, 5})]
    short, long = (Program([[k] for k in items], active, refused, 0.0, nodes) for nodes in (1, 10**6))
    assert not short.graph.heaviest(importance, items, 1)[1]
    found, own = optimal(short, importance, 1.0, items), optimal(long, importance, 1.0, items)
    assert found.proven
    assert own.proven
    assert importance[found.items].sum() == pytest.approx(importance[own.items].sum(), abs=tolerance["gram"])
    assert active[found.items].sum(axis=0).max() <= 1
    assert not any(entry <= set(found.items) for entry in refused)


def test_highs_too_may_run_out_of_nodes(monkeypatch):
    """What it has then counts if it is better, and is not called the best."""
    pytest.importorskip("highspy", reason="the fallback is HiGHS")
    from rigcast.transfer._packing import solvers

    monkeypatch.setattr(solvers, "NODES", 1)
    rng = np.random.default_rng(0)
    active, importance, items = rng.random((150, 300)) < 0.02, rng.random(150), list(range(150))
    program = Program([[k] for k in items], active, [], 0.0, 1)
    own = program.graph.heaviest(importance, items, 1)[0]
    found = optimal(program, importance, 1.0, items)
    assert not found.proven
    assert active[found.items].sum(axis=0).max() <= 1
    assert importance[found.items].sum() > importance[own].sum()


def test_a_limit_stops_and_says_what_is_left():
    neutral, shapes, faces = oracles.random_shapes(4, 12)
    whole = pack(neutral, shapes, faces, symmetry=False)
    plan = pack(neutral, shapes, faces, symmetry=False, limit=2)
    assert plan.expressions == whole.expressions[:2]
    assert sorted(plan.uncovered + [k for e in plan.expressions for k in e]) == list(range(12))
    assert not plan.proven_minimal
    assert plan.covered(1) == len(plan.expressions[0])


def test_overlap_stays_within_its_bound():
    neutral, shapes, faces = oracles.random_shapes(5, 16)
    active = oracles.binary(neutral, shapes, 0.3)
    plain = pack(neutral, shapes, faces, symmetry=False, method="greedy")
    plan = pack(neutral, shapes, faces, symmetry=False, method="greedy", overlap=0.2)
    assert covers(plan, 16)
    assert len(plan.expressions) < len(plain.expressions)
    assert not plan.proven_minimal
    key = (2.0 - plan.importance) * active.sum(axis=1)
    for expression in plan.expressions:
        area = np.zeros(active.shape[1], bool)
        for k in sorted(expression, key=lambda entry: key[entry]):
            assert (active[k] & area).sum() <= 0.2 * active[k].sum()
            area |= active[k]


def test_greedy_takes_the_smallest_key_first():
    neutral, shapes, faces = oracles.random_shapes(6, 14)
    plan = pack(neutral, shapes, faces, symmetry=False, method="greedy")
    active, left = oracles.binary(neutral, shapes, 0.3), list(range(14))
    for expression in plan.expressions:
        chosen = []
        for k in sorted(left, key=lambda k: (2.0 - plan.importance[k]) * active[k].sum()):
            if not (active[chosen].any(axis=0) & active[k]).any():
                chosen.append(k)
        assert expression == sorted(chosen)
        left = [k for k in left if k not in chosen]


def test_shapes_that_move_nothing_stand_in_no_expression():
    neutral, shapes, faces = oracles.random_shapes(7, 5)
    shapes[3] = neutral
    plan = pack(neutral, shapes, faces, reject=[[3, 1]])
    assert plan.empty == [3]
    assert sorted(k for e in plan.expressions for k in e) == [0, 1, 2, 4]
    assert plan.uncovered == []
    assert pack(neutral, shapes[3:4], faces).expressions == []
    assert pack(neutral, shapes[:0], faces).lower_bound == 0


def test_threshold_0_means_whatever_moves():
    neutral, shapes, faces = oracles.random_shapes(7, 5)
    plan = pack(neutral, shapes, faces, threshold=0.0, symmetry=False)
    assert np.array_equal(plan.active, (shapes != neutral).any(axis=2))


def test_the_same_plan_every_time():
    neutral, shapes, faces = oracles.random_shapes(9, 16)
    plans = [pack(neutral, shapes, faces, node_limit=40) for _ in range(3)]
    assert plans[0].as_dict() == plans[1].as_dict() == plans[2].as_dict()


def test_inputs_stay_as_they_are():
    neutral, shapes, faces = oracles.random_shapes(9, 6)
    for array in (neutral, shapes, faces):
        array.flags.writeable = False
    pack(neutral, shapes, faces, target_neutral=neutral)
