"""The benchmark of cold shots on rigs that take no time: a row per clock, and the bytes of a warm shot. No times."""

from __future__ import annotations

from benchmarks.systems.inverse.cold import FRAMES, HEAD, case, dense_floor, dense_multiply_adds, dense_rig, rows
from benchmarks.systems.inverse.scenes import constructed_rig


def test_rows_have_a_clock_and_goals_where_they_belong():
    for rig in (constructed_rig(80, 6, 0, 0), dense_rig(80, 6, 0)):
        lines = rows(case("a rig", rig, "1,000"), 1)
        assert [len(line) for line in lines] == [len(HEAD)] * 2
        assert ["goal 1,000" in line[6] for line in lines] == [True, False]
        assert lines[0][2].startswith("wall")


def test_density_counts_vertices_that_move():
    assert case("dense", dense_rig(50, 4, 0)).density == 1.0
    assert 0.0 < case("local", constructed_rig(300, 4, 0, 0)).density < 0.6


def test_the_arithmetic_of_dense_shapes_is_counted():
    pairs = sum(1 for i in range(5) for j in range(i, 5))
    assert dense_multiply_adds(7, 5) == 3 * 7 * (pairs + 5 * FRAMES)
    text = dense_floor(1)
    assert text.startswith("Dense shapes: the Gram matrix and 60 projections are 5.68 G multiply-adds")
    assert text.endswith("400 frames per second leave 150 ms for everything.")
