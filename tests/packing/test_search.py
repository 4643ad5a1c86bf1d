"""The packing graph and its searches beside brute force."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast import _core
from tests.packing import oracles

LIMIT = 10**6


def random_active(seed: int, items: int = 12, vertices: int = 40):
    rng = np.random.default_rng(seed)
    return rng.random((items, vertices)) < rng.uniform(0.02, 0.2, (items, 1))


@pytest.mark.parametrize("seed", range(20))
def test_conflicts_are_shared_vertices(seed):
    active = random_active(seed)
    graph = _core.PackingGraph(active.view(np.uint8))
    shared = active.astype(int) @ active.T > 0
    np.fill_diagonal(shared, False)
    assert np.array_equal(graph.conflicts, shared)
    assert len(graph.vertex_clique) == active.sum(axis=0).max()


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("items", [1, 7, 14, 16])
def test_heaviest_is_the_best_of_all_subsets(seed, items, tolerance):
    active = random_active(seed, items)
    weights = np.random.default_rng(seed + 100).random(items)
    chosen, proven, _ = _core.PackingGraph(active.view(np.uint8)).heaviest(weights, list(range(items)), LIMIT)
    assert proven
    assert active[chosen].sum(axis=0).max(initial=0) <= 1
    assert weights[chosen].sum() == pytest.approx(oracles.heaviest(active, weights), abs=tolerance["gram"])


@pytest.mark.parametrize("seed", range(10))
def test_heaviest_among_allowed_items(seed, tolerance):
    active, weights = random_active(seed), np.random.default_rng(seed).random(12)
    allowed = list(range(1, 12, 2))
    chosen, _, _ = _core.PackingGraph(active.view(np.uint8)).heaviest(weights, allowed, LIMIT)
    assert set(chosen) <= set(allowed)
    best = oracles.heaviest(active[allowed], weights[allowed])
    assert weights[chosen].sum() == pytest.approx(best, abs=tolerance["gram"])


@pytest.mark.parametrize("seed", range(20))
def test_refused_sets_never_stand_together(seed, tolerance):
    active, weights = random_active(seed, 12, 20), np.random.default_rng(seed).random(12)
    rng = np.random.default_rng(seed)
    refused = [sorted(rng.choice(12, size, replace=False).tolist()) for size in (2, 2, 3, 3, 3, 4, 4)]
    graph = _core.PackingGraph(active.view(np.uint8), refused)
    chosen, proven, _ = graph.heaviest(weights, list(range(12)), LIMIT)
    assert proven
    assert not any(set(entry) <= set(chosen) for entry in refused)
    assert weights[chosen].sum() == pytest.approx(oracles.heaviest(active, weights, refused), abs=tolerance["gram"])
    expression, bound, minimal, _ = graph.fewest(list(range(12)), LIMIT)
    for number in range(max(expression) + 1):
        items = {i for i in range(12) if expression[i] == number}
        assert active[sorted(items)].sum(axis=0).max() <= 1
        assert not any(set(entry) <= items for entry in refused)
    assert minimal
    assert max(expression) + 1 == bound == oracles.fewest(active, refused)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("vertices", [10, 60])
def test_fewest_is_the_smallest_cover(seed, vertices):
    active = random_active(seed, 9, vertices)
    expression, bound, proven, _ = _core.PackingGraph(active.view(np.uint8)).fewest(list(range(9)), LIMIT)
    assert proven
    assert max(expression) + 1 == bound == oracles.fewest(active)


def crown(size: int):
    """Shapes whose conflict graph is an odd cycle: three expressions, though no three shapes exclude each other."""
    active = np.zeros((size, size), bool)
    active[np.arange(size), np.arange(size)] = True
    active[np.arange(size), (np.arange(size) + 1) % size] = True
    return active


@pytest.mark.parametrize("size", [5, 7, 9, 21])
def test_the_bound_of_an_odd_cycle_comes_from_the_search(size):
    graph = _core.PackingGraph(crown(size).view(np.uint8))
    assert len(graph.clique(list(range(size)), LIMIT)[0]) == 2
    expression, bound, proven, _ = graph.fewest(list(range(size)), LIMIT)
    assert (max(expression) + 1, bound, proven) == (3, 3, True)


@pytest.mark.parametrize("seed", range(10))
def test_clique_excludes_pairwise_and_is_the_largest(seed):
    active = random_active(seed, 14, 60)
    graph = _core.PackingGraph(active.view(np.uint8))
    found, proven = graph.clique(list(range(14)), LIMIT)
    conflicts = np.asarray(graph.conflicts)
    assert all(conflicts[a, b] for a in found for b in found if a != b)
    apart = [sum(1 << b for b in range(14) if conflicts[a, b]) for a in range(14)]
    cliques = [s for s in range(1 << 14) if all(s & ~(1 << a) & ~apart[a] == 0 for a in range(14) if s >> a & 1)]
    assert proven
    assert len(found) == max(s.bit_count() for s in cliques)


def test_a_node_limit_gives_the_best_so_far():
    """Hard weights: with few nodes the answer still fits, says that nothing is proven, and more nodes never hurt."""
    rng = np.random.default_rng(3)
    active = rng.random((120, 300)) < 0.02
    weights = rng.random(120)
    graph = _core.PackingGraph(active.view(np.uint8))
    few, proven_few, nodes = graph.heaviest(weights, list(range(120)), 5)
    more, _, _ = graph.heaviest(weights, list(range(120)), 20_000)
    assert not proven_few
    assert nodes <= 6
    assert active[few].sum(axis=0).max() <= 1
    assert weights[more].sum() >= weights[few].sum()
    expression, bound, proven, _ = graph.fewest(list(range(120)), 5)
    assert min(expression) == 0
    assert all(active[np.array(expression) == e].sum(axis=0).max() <= 1 for e in range(max(expression) + 1))
    assert bound <= max(expression) + 1
    assert proven == (bound == max(expression) + 1)


def test_equal_weights_go_to_more_items_and_worthless_ones_are_packed():
    active = np.array([[1, 1], [1, 0], [0, 1]], np.uint8)
    graph = _core.PackingGraph(active)
    assert graph.heaviest(np.array([1.0, 0.5, 0.5]), [0, 1, 2], LIMIT)[0] == [1, 2]
    assert graph.heaviest(np.zeros(3), [0, 1, 2], LIMIT)[0] == [1, 2]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda g: g.heaviest(np.ones(2), [0], 9), "2 numbers; it must be 3"),
        (lambda g: g.heaviest(np.array([1, np.nan, 1]), [0], 9), "nan"),
        (lambda g: g.heaviest(np.array([1, -1.0, 1]), [0], 9), "from 0 to"),
        (lambda g: g.heaviest(np.ones(3), [3], 9), "item 3"),
        (lambda g: g.fewest([-1], 9), "item -1"),
        (lambda _: _core.PackingGraph(np.ones((3, 2), np.uint8), [[1]]), "at least two"),
        (lambda _: _core.PackingGraph(np.ones((3, 2), np.uint8), [[1, 3]]), "item 3"),
    ],
)
def test_wrong_arguments(call, words):
    with pytest.raises(ValueError, match=words):
        call(_core.PackingGraph(np.ones((3, 2), np.uint8)))


@pytest.mark.parametrize("search", ["heaviest", "fewest", "clique"])
def test_searches_say_where_they_are_and_stop_when_told(search):
    """At the same nodes every time; what is raised there comes out, and the answer is that of silence."""
    rng = np.random.default_rng(0)
    crowded = {"heaviest": 0.02, "fewest": 0.03, "clique": 0.05}[search]
    graph = _core.PackingGraph((rng.random((300, 400)) < crowded).view(np.uint8))
    items, weights = list(range(300)), rng.random(300)

    def run(report):
        if search == "heaviest":
            return graph.heaviest(weights, items, 5000, report)
        if search == "fewest":
            return graph.fewest(items, 5000, report=report)
        return graph.clique(items, 5000, report)

    seen: list[int] = []
    assert run(seen.append) == run(None)
    assert seen[:2] == [1024, 2048]

    def stop(nodes):
        raise KeyboardInterrupt(nodes)

    with pytest.raises(KeyboardInterrupt, match="1024"):
        run(stop)
