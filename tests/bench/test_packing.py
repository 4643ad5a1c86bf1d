"""The benchmark of packing at a tiny size: peers solve what we solve, a peer that is stopped says so. No times."""

from __future__ import annotations

import re

import numpy as np
import pytest

import rigcast as rc
from tests.packing import oracles

pytest.importorskip("pulp", reason="pulp is not installed")
pytest.importorskip("highspy", reason="highspy is not installed")


def test_highs_runs_on_one_thread_whatever_ran_in_the_process_before():
    import highspy
    from benchmarks.systems.packing.peers import sequence

    highspy.Highs.resetGlobalScheduler(True)
    before = highspy.Highs()
    before.setOptionValue("output_flag", False)
    before.setOptionValue("threads", 2)
    before.addVar(0.0, 1.0)
    before.changeColIntegrality(0, highspy.HighsVarType.kInteger)
    before.run()
    found = sequence(np.eye(2, dtype=bool), np.ones(2), [], 60.0)
    assert found.values == [2.0]
    assert not found.stopped


@pytest.mark.parametrize("pairs", [[], [(0, 5)]])
def test_peers_reach_our_objectives(pairs, tolerance):
    from benchmarks.systems.packing.peers import maximal_rows, published, sequence
    from benchmarks.systems.packing.speed import NODES, ours

    from rigcast.transfer._packing.program import Program

    neutral, shapes, faces = oracles.random_shapes(3, 14, part=0.05)
    plan = rc.transfer.pack_expressions(neutral, shapes, faces, symmetry=False)
    active = plan.active
    for k, m in pairs:
        active[m] &= ~active[k]
    groups = [[k] for k in range(14) if k not in np.ravel(pairs)] + [list(pair) for pair in pairs]
    own = ours(Program(groups, active, [], 0.0, NODES), plan.importance)
    first, whole = published(active, plan.importance, pairs, 60.0), sequence(active, plan.importance, pairs, 60.0)
    best = sequence(active, plan.importance, pairs, 60.0, maximal_rows)
    alone = sequence(active, plan.importance, pairs, 60.0, maximal_rows, 1)
    assert best.values == pytest.approx(own.values, abs=tolerance["gram"])
    assert alone.values == best.values[:1]
    assert not first.stopped
    assert not whole.stopped
    assert first.values[0] == pytest.approx(own.values[0], abs=tolerance["gram"])
    assert whole.values == pytest.approx(own.values, abs=tolerance["gram"])


@pytest.mark.parametrize("seed", range(3))
def test_the_reduced_program_has_the_same_packings(seed):
    """A set of shapes violates some row exactly if it violates some maximal row."""
    from benchmarks.systems.packing.peers import maximal_rows, rows_of

    active = np.random.default_rng(seed).random((9, 60)) < 0.2
    whole, reduced = ([set(row) for row in rows(active)] for rows in (rows_of, maximal_rows))
    assert len(reduced) < len(whole)
    assert not any(a < b or (a == b and i != j) for i, a in enumerate(reduced) for j, b in enumerate(reduced))
    assert all(any(row <= larger for larger in reduced) for row in whole)
    assert all(row in whole for row in reduced)


def test_a_stopped_peer_says_what_it_had():
    from benchmarks.systems.packing.peers import Outcome, published, sequence
    from benchmarks.systems.packing.speed import Timed

    rng = np.random.default_rng(0)
    active, weights = rng.random((200, 400)) < 0.02, rng.random(200)
    quick = Timed(lambda: Outcome([1.0]), seconds=[0.001])
    for peer in (published, sequence):
        outcome = peer(active, weights, [], 0.02)
        assert outcome.stopped
        assert outcome.values == []
        cell = Timed(quick.function, seconds=[2.0], outcome=outcome).cell(quick)
        assert cell.startswith("> 2,000 x, stopped after 2 s at expression 1, ")


def test_a_head_keeps_what_moves():
    from benchmarks.systems.packing.faces import ARKIT_AREAS, Face

    neutral, shapes, faces = oracles.random_shapes(3, 5)
    low = neutral - np.float32([0, 500, 0])  # a second plane, far below, where nothing moves
    both = np.concatenate([neutral, low])
    still = np.repeat(low[None], 5, axis=0)
    whole, truth = (np.concatenate([neutral + s * (shapes - neutral), still], axis=1) for s in (1.0, 1.5))
    names = ["browInnerUp", "eyeBlink_L", "mouthUpperUp_L", "mouthLowerDown_L", "jawOpen"]
    corners = np.concatenate([faces, faces + len(neutral)])
    face = Face("two planes", names, both, whole, corners, both, truth, ARKIT_AREAS, 10.0, "constructed")
    head = face.head()
    assert np.array_equal(head.neutral, neutral)
    assert np.array_equal(head.shapes, whole[:, : len(neutral)])
    assert np.array_equal(head.faces, faces)
    assert head.error([[k] for k in range(5)]) < head.error([[0]])


def test_findings_follow_the_figures():
    from benchmarks.systems.packing.coverage import ALPHAS, Alpha, Coverage, where_ours_differs

    held = [(5, 5, 4), (8, 8, 8), (10, 10, 10)]
    rows = [
        Coverage("near", 20, "no symmetry", held, (12, 11), [3.0, 2.0, 1.0], [2.0, 1.0, 0.5]),
        Coverage("far", 10, "no symmetry", held, (12, 11), [1.0, 1.0, 1.0], [2.0, 1.0, 0.5]),
    ]
    flat = {alpha: [1.0, 1.0, 1.0] for alpha in ALPHAS}
    alphas = [Alpha("near", flat | {0.5: [0.9, 0.9, 0.9]}), Alpha("far", flat | {0.25: [0.5, 0.5, 0.5]})]
    said = where_ours_differs(rows, alphas)
    figures = re.findall(r"([\d.]+)%", said)
    ours, theirs = (figures[:2], figures[4:6]), (figures[2:4], figures[6:8])
    assert ours == (["80", "100"], ["50", "100"])
    assert theirs == (["63", "98"], ["44", "95"])
    assert figures[8:] == ["100.0"]
    assert re.findall(r"\b(?:near|far)\b", said.split("shapes")[-1])[-4:] == ["near", "far", "near", "far"]


def test_the_tables_say_which_goals_are_met():
    from benchmarks.systems.packing.peers import Outcome
    from benchmarks.systems.packing.speed import Timed, milliseconds

    own = Timed(lambda: Outcome([1.0]), seconds=[0.002])

    def cell(seconds, goal, stopped=False):
        return Timed(own.function, seconds=[seconds], outcome=Outcome([], stopped)).cell(own, goal)

    assert milliseconds(own) == "2.00 ms"
    assert cell(0.040, 20) == "40 ms, 20 x: met"
    assert cell(0.039, 20) == "39 ms, 20 x: missed"
    assert cell(1.5, 0) == "1,500 ms, 750 x"
    assert cell(0.001, 20) == "1.00 ms, 0.5 x: missed"
    assert cell(0.1, 20, stopped=True).startswith("> 50 x: met, stopped after 0 s")
    assert "missed" not in cell(0.01, 20, stopped=True)


def test_the_summary_says_which_goals_are_missed():
    from benchmarks.systems.packing.peers import Outcome
    from benchmarks.systems.packing.speed import Timed

    own = Timed(lambda: Outcome([1.0]), seconds=[0.002])

    def times(seconds, stopped=False):
        return Timed(own.function, seconds=[seconds], outcome=Outcome([], stopped)).times(own, 20)

    assert times(0.040) == "20 x"
    assert times(0.039) == "20 x, missed"
    assert times(0.001) == "0.5 x, missed"
    assert times(0.01, stopped=True) == "> 5.0 x"


def test_a_round_repeats_short_calls_only():
    from benchmarks.systems.packing.peers import Outcome, processor_seconds
    from benchmarks.systems.packing.speed import ENOUGH, Timed

    def slow():
        begin = processor_seconds()
        while processor_seconds() - begin < ENOUGH:
            pass
        return Outcome([1.0])

    short, long = Timed(lambda: Outcome([1.0]), 5), Timed(slow, 5)
    short.round(), long.round()
    assert (len(short.seconds), len(long.seconds)) == (5, 1)


def test_what_took_long_or_was_stopped_is_not_measured_again():
    from benchmarks.systems.packing.peers import Outcome
    from benchmarks.systems.packing.speed import LONG, Timed

    for before, outcome, calls in ((LONG, Outcome([1.0]), 1), (0.1, Outcome([], True), 1), (0.1, Outcome([1.0]), 2)):
        timed = Timed(lambda: Outcome([1.0]), seconds=[before], outcome=outcome)
        timed.round()
        assert len(timed.seconds) == calls


def test_the_speed_of_a_small_face_beside_its_peers_and_the_thesis():
    from benchmarks.systems.packing.faces import Face
    from benchmarks.systems.packing.speed import PUBLISHED, speed_tables

    neutral, shapes, faces = oracles.random_shapes(3, 8)
    names = [f"shape{k}" for k in range(8)]
    face = Face("small", names, neutral, shapes, faces, neutral, shapes, (), 10.0, "constructed")
    summary, first, whole = (
        [[cell.strip() for cell in line[1:-1].split("|")] for line in text.splitlines()]
        for text in speed_tables([face], 1, 60.0)
    )
    assert {len(row) for row in first} == {7} == {len(row) for row in whole}
    assert {len(row) for row in summary} == {8}
    assert summary[2][0] == first[2 + len(PUBLISHED)][0]
    assert summary[2][4] == whole[2][1]
    assert summary[2][7] == whole[2][4].replace("at least ", "")
    assert summary[2][5].removesuffix(", missed") in whole[2][2]
    thesis, ours = first[2 : 2 + len(PUBLISHED)], first[2 + len(PUBLISHED) :]
    assert thesis[0] == ["thesis: Male, 7,366 x 73", "", "4.97 s (CPLEX)", "", "", "0.29 s", ""]
    assert [row[0] for row in ours] == [row[0] for row in whole[2:]]
    assert ours[0][0] == "small, 81 x 8, no symmetry"
    assert ours[1][0] == "small, no symmetry, reduction not counted"
    active = face.plan().active
    # printed with four digits
    assert float(ours[0][6].split(",")[0]) == pytest.approx(oracles.heaviest(active, face.plan().importance), abs=6e-5)
    assert re.fullmatch(r"\d+\.\d{4}, peers equal( to \de-(0[6-9]|[1-9]\d))?", ours[0][6])
    assert whole[2][4] == f"{len(face.plan().expressions)} (at least {face.plan().lower_bound})"
