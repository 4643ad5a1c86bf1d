"""Where labels meet: matching points, thresholds, and routes over the graph of labels."""

from __future__ import annotations

import dataclasses
from itertools import pairwise, permutations

import numpy as np
import pytest

import rigcast as rc
from rigcast.synthesis._closest import closest_points
from rigcast.synthesis._parts import Bridge
from rigcast.synthesis._synthesizer import Synthesizer
from tests.support.made.players import face_synth
from tests.support.made.synthesis import face, wave

SPEEDS = [0.1, 0.2, 0.13, 0.07, 0.05, 0.0]


@pytest.fixture(scope="module")
def chain():
    """Three labels: the first and the last are far apart, the one between reaches from one to the other."""
    low, high = (wave(80, SPEEDS, offset=o, size=0.08, phase=p) for o, p in ((0.1, 0.0), (0.9, 1.0)))
    between = wave(120, SPEEDS, offset=0.5, size=0.05)
    between += 0.4 * np.sin(np.arange(120) * 0.1)[:, None]
    clips = {"low": [low], "high": [high], "between": [between]}
    return rc.synthesis.fit(clips, rig=face(), dimensions=3, components=4, held_out=False, threshold=2.0)


def test_the_closest_point_is_found_again(chain):
    """A point's own pose leads back to a pose as close, from other starts."""
    space = chain.space("between")
    x = space.points[::10] + 0.02
    points, distances = space.closest(space.controls(x))
    assert distances.max() < 0.02 * np.linalg.norm(chain.mesh_features(space.frames).std(axis=0))
    true = chain.mesh_distance(space.controls(points), space.controls(x))
    np.testing.assert_allclose(true, distances, atol=2e-3)  # centimeters: controls are clipped


def test_the_closest_point_is_no_worse_than_brute_force(chain):
    """Against all points of a fine grid around the training points, for targets that no point reproduces."""
    space = chain.space("low")
    wanted = chain.space("between").frames[::17]
    _, distances = space.closest(wanted)
    random = np.random.default_rng(0)
    x = np.repeat(space.points, 60, axis=0) + 0.3 * space.latent.length * random.normal(size=(4800, 3))
    features = chain.mesh_features(space.controls(x))
    brute = [np.linalg.norm(features - row, axis=1).min() for row in chain.mesh_features(wanted)]
    assert (distances <= np.array(brute) * 1.001 + 1e-6).mean() >= 0.8
    assert (distances <= np.array(brute) * 1.1).all()


def test_steps_are_short_and_never_lead_uphill(chain):
    space = chain.space("low")
    linear = space.embedding.basis @ chain.effects
    target = (space.latent.mean(space.points[:1]) @ linear) + 0.1
    start = space.points[None, 40:41]
    _, distance = closest_points(space.latent, linear, target, start)
    assert distance[0] < 0.98 * np.linalg.norm(space.latent.mean(start[0]) @ linear - target)
    assert (start == space.points[None, 40:41]).all()


def test_matching_points_match_on_the_mesh(chain):
    rig = face()
    for (a, b), bridge in chain.bridges.items():
        pair = [chain.space(n).controls(x) for n, x in ((a, bridge.from_points), (b, bridge.to_points))]
        moved = rig.evaluate(pair[0]).astype(np.float64) - rig.evaluate(pair[1])
        true = 10.0 * np.sqrt((moved**2).sum(axis=2).mean(axis=1))  # centimeters
        np.testing.assert_allclose(bridge.distances, true, rtol=1e-3, atol=1e-3)  # points are stored as float32
        assert (np.diff(bridge.distances) >= 0).all()
        assert len(bridge) <= 50


def test_distances_are_below_the_threshold_or_marked(chain):
    for bridge in chain.bridges.values():
        assert bridge.within == bool(bridge.distances.max() <= chain.threshold * (1 + 1e-6))
        assert bridge.within or len(bridge) == 1


def test_both_directions_hold_the_same_pairs(chain):
    for (a, b), bridge in chain.bridges.items():
        assert (chain.bridges[b, a].from_points == bridge.to_points).all()
        assert (chain.bridges[b, a].distances == bridge.distances).all()


def test_labels_without_matches_are_bridged_through_others(chain):
    assert ("low", "high") not in chain.bridges
    assert chain.route("low", "high") == ["low", "between", "high"]
    assert chain.route("low", "low") == ["low"]


def test_every_label_is_reached_from_every_other(chain):
    for a, b in permutations(chain.labels, 2):
        route = chain.route(a, b)
        assert (route[0], route[-1]) == (a, b)
        assert all(pair in chain.bridges for pair in pairwise(route))


def test_labels_that_nothing_joins_are_joined_by_their_closest_pair():
    low, high = (wave(40, SPEEDS, offset=o, size=0.05) for o in (0.1, 0.9))
    synth = rc.synthesis.fit(
        {"low": [low], "high": [high]}, rig=face(), dimensions=2, components=3, held_out=False, threshold=0.01
    )
    bridge = synth.bridges["low", "high"]
    assert not bridge.within
    assert len(bridge) == 1
    assert synth.route("low", "high") == ["low", "high"]


def test_clips_that_mostly_stand_have_a_threshold():
    """By hand: a clip that rests four fifths of the time; only frames that move count."""
    clip = np.full((200, 6), 0.5)
    clip[80:120] = wave(40, SPEEDS)
    synth = rc.synthesis.fit({"x": [clip]}, rig=face(), dimensions=2, components=3, held_out=False)
    moved = 10.0 * synth.mesh_distance(clip[12:], clip[:-12])
    assert np.median(moved) == 0.0
    expected = np.quantile(moved[moved > 1e-3 * moved.max()], 0.25)
    assert abs(synth.threshold / expected - 1.0) < 1e-5


def routed(first_to_last):
    """The route from the first of three labels to the last, whose bridge has this distance in thresholds."""

    def bridge(distance, within):
        return Bridge(np.zeros((1, 3)), np.zeros((1, 3)), np.array([distance]), within)

    parts = face_synth().parts
    a, b, c = parts.spaces
    given = {(a, b): bridge(1.0, True), (b, c): bridge(1.0, True), (a, c): bridge(first_to_last, False)}
    given |= {(b, a): own for (a, b), own in given.items()}
    synth = Synthesizer(dataclasses.replace(parts, bridges=given, threshold=1.0, engine=None))
    return [synth.labels.index(label) for label in synth.route(a, c)]


def test_routes_are_the_cheapest():
    """By hand: one forced bridge of seven thresholds costs more than two good ones."""
    assert routed(7.0) == [0, 1, 2]
    assert routed(1.5) == [0, 2]


def test_unknown_labels_are_named(chain):
    for call in (lambda: chain.route("low", "x"), lambda: chain.route("x", "low"), lambda: chain.space("x")):
        with pytest.raises(ValueError, match="is 'x'; it must be one of low, high, between"):
            call()
