"""Motion graphs: distances, minima and the strongly connected part in slow NumPy; walks that never end."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast.baselines._motion.clips import ClipFrames
from rigcast.baselines._motion.graph import _largest_component, _transitions
from tests.support.made.players import accelerations, arm_synth, face_synth


def slow_transitions(clips, threshold, blend):
    """{(i, j)}: the windows i + 1 .. i + blend and j - blend + 1 .. j are alike, one after another."""
    f, clip, count = clips.features, clips.clip, len(clips)

    def distance(i, first):
        if not (0 <= i < count - blend and 0 <= first <= count - blend):
            return np.inf
        if clip[i] != clip[i + blend] or clip[first] != clip[first + blend - 1]:
            return np.inf
        if clip[i] == clip[first] and abs(first - i - 1) < blend:
            return np.inf
        apart = f[i + 1 : i + 1 + blend] - f[first : first + blend]
        return float(np.sqrt((apart**2).sum() / blend))

    found = set()
    for i in range(0, count - blend, 7):
        for first in range(count - blend + 1):
            own = distance(i, first)
            if own < threshold:
                around = [distance(i + a, first + b) for a in (-1, 0, 1) for b in (-1, 0, 1)]
                if own <= min(around):
                    found.add((i, first + blend - 1))
    return found


def test_transitions_are_the_local_minima_of_the_distance_of_windows():
    clips = ClipFrames("test", arm_synth())
    threshold = clips.threshold()
    found = {(i, j) for i, ends in _transitions(clips, threshold, 12).items() for j in ends if i % 7 == 0}
    assert found == slow_transitions(clips, threshold, 12)
    assert found


@pytest.mark.parametrize("seed", range(30))
def test_the_part_that_is_kept_is_the_largest_in_which_all_reach_all(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 14))
    edges = rng.random((count, count)) < rng.uniform(0.05, 0.3)
    np.fill_diagonal(edges, False)
    reach = edges.copy()
    for k in range(count):  # Warshall (1962)
        reach |= reach[:, k : k + 1] & reach[k : k + 1]
    mutual = reach & reach.T
    sizes = mutual.sum(axis=1)
    kept = _largest_component([np.flatnonzero(row).tolist() for row in edges])
    assert kept.sum() == sizes.max()
    if kept.any():
        assert mutual[np.ix_(kept, kept)].all()


def test_a_long_chain_does_not_exhaust_the_stack():
    kept = _largest_component([[i + 1] for i in range(20000)] + [[0]])
    assert kept.all()


@pytest.mark.parametrize("make", [face_synth, arm_synth])
def test_a_walk_never_ends_and_shows_frames_of_clips(make):
    synth = make()
    graph = rc.baselines.motion_graph(synth)
    assert 0.0 < graph.share_pruned < 1.0
    assert f"{graph.share_pruned:.0%} pruned" in repr(graph)
    controls = graph.player(seed=1).step(3000)
    assert (controls >= synth.limits[:, 0]).all()
    assert (controls <= synth.limits[:, 1]).all()
    frames = {row.tobytes() for label in synth.labels for row in synth.space(label).frames}
    shown = np.array([row.tobytes() in frames for row in controls])
    assert 0.3 < shown.mean() < 1.0
    assert np.array_equal(graph.player(seed=1).step(3000), controls)
    assert not np.array_equal(graph.player(seed=2).step(3000), controls)
    for start in synth.labels:
        for end in synth.labels:
            if graph.reaches(start, end):
                player = graph.player(seed=3, label=start)
                player.transition(end)
                reached = set()
                for _ in range(100):  # it may have to leave again: what is kept of a label need not hang together
                    player.step(15)
                    reached.add(player.label)
                assert end in reached


def test_a_graph_jumps_more_than_a_player():
    """The same clips, the same 12 frames: violations of the clips' 99th percentile of acceleration."""
    synth = arm_synth()
    spaces = [synth.space(label) for label in synth.labels]
    clips = [accelerations(synth, space.frames[s.begin : s.end]) for space in spaces for s in space.segments]
    limit = np.quantile(np.concatenate(clips), 0.99)
    walk = rc.baselines.motion_graph(synth).player(seed=4)
    fade = rc.baselines.cross_fade(synth, seed=4)
    ours = synth.player(seed=4)
    ours.idle("calm")
    shares = []
    for player in (ours, walk, fade):
        rows = []
        for n in range(20):
            player.transition(synth.labels[n % 2])
            rows.append(player.step(100))
        shares.append((accelerations(synth, np.concatenate(rows)) > limit).mean())
    assert shares[0] < shares[1]
    assert shares[0] < shares[2]


def test_few_alike_frames_leave_a_small_graph_or_none():
    graph = rc.baselines.motion_graph(face_synth(), threshold=1e-9)
    assert graph.share_pruned == 1.0
    with pytest.raises(
        ValueError,
        match=r"MotionGraph.player: label is None, without such a frame; it must be a label with frames that are kept",
    ):
        graph.player()
    tight = rc.baselines.motion_graph(face_synth(), threshold=0.5 * graph_threshold())
    assert tight.share_pruned >= rc.baselines.motion_graph(face_synth()).share_pruned


def graph_threshold() -> float:
    return ClipFrames("test", face_synth()).threshold()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rc.baselines.motion_graph(3), "motion_graph: synth is a int; it must be a Synthesizer"),
        (lambda: rc.baselines.motion_graph(face_synth(), threshold=0), "motion_graph: threshold is 0"),
        (lambda: rc.baselines.motion_graph(face_synth(), blend=1), "motion_graph: blend is 1"),
        (lambda: rc.baselines.motion_graph(face_synth()).player(label="sad"), "player: label is 'sad'"),
        (lambda: rc.baselines.motion_graph(face_synth()).player(seed="one"), "MotionGraph.player: seed is 'one'"),
    ],
)
def test_wrong_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
