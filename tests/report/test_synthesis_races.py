"""What the page of a synthesizer measures: transitions of all players alike, and the worst moments."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.support.made.players import accelerations, arm_synth, face_synth

pytest.importorskip("matplotlib", reason="matplotlib is not installed")

from rigcast.report._synthesis.charts import Plane
from rigcast.report._synthesis.races import SIDE, clip_limit, race
from rigcast.report._synthesis.worst import idling, worst_moments

silent = rc.progress.silent


@pytest.fixture(scope="module")
def races():
    return race(arm_synth(), 8, silent)


def test_every_player_makes_the_same_transitions_and_arrives_in_the_middle(races):
    ours, *others = races.runners
    assert len(ours.made) == races.count == 8
    for runner in others:
        for own, other in zip(ours.arrivals, runner.arrivals, strict=True):
            assert other is None or (other.start, other.end) == (own.start, own.end)
    for arrival in ours.made:
        assert arrival.controls.shape == (2 * SIDE, 7)
        expected = 1e3 * arm_synth().meters_per_unit * accelerations(arm_synth(), arrival.controls)
        np.testing.assert_allclose(arrival.acceleration, expected)


def test_latent_spaces_are_within_the_limit_of_the_clips_and_cross_fades_are_not(races):
    shares = {runner.name: runner.share_within(races.limit) for runner in races.runners if runner.made}
    assert shares["latent spaces"] > shares["cross-fades"]
    assert races.limit == clip_limit(arm_synth())
    typical = races.runners[0].arrivals[races.typical()]
    peaks = [arrival.peak for arrival in races.runners[0].made]
    assert np.mean(np.array(peaks) < typical.peak) < 0.6


def test_a_single_label_has_no_transitions():
    clip = np.clip(0.5 + 0.3 * np.sin(np.arange(60)[:, None] * np.linspace(0.1, 0.3, 5)), 0, 1)
    synth = rc.synthesis.fit({"x": [clip]}, dimensions=2, components=3, held_out=False)
    assert race(synth, 4, silent) is None


def test_the_worst_moment_is_the_frame_farthest_from_all_clips():
    synth = face_synth()
    played = idling(synth, 10.0, silent)
    worst = worst_moments(synth, played, 1)[0]
    farthest = max(played, key=lambda own: own.distance.max())
    assert worst.label == farthest.label
    assert worst.distance == farthest.distance.max()
    frames = synth.space(worst.label).frames
    apart = synth.mesh_distance(np.repeat(worst.controls[None], len(frames), axis=0), frames)
    assert abs(1e3 * synth.meters_per_unit * apart.min() / worst.distance - 1.0) < 1e-6  # float32 controls
    clip, frame = worst.nearest.rsplit(" ", 1)
    segment = next(s for s in synth.space(worst.label).segments if s.name == clip)
    assert int(apart.argmin()) == segment.begin + int(frame)


def test_variance_is_that_of_the_process_where_its_points_lie():
    space = face_synth().space("calm")
    plane = Plane(space)
    for row in (0, 57, 120):
        across, up = plane.flat[row]
        found = plane.variance(np.array([across]), np.array([up]))[0, 0]
        expected = space.latent.predictive_variance(space.points[row : row + 1])[0] / space.latent.variance
        assert found == pytest.approx(expected, rel=1e-6)  # back and forth between the plane and the space
    far = plane.variance(plane.flat.max(axis=0)[:1] + 50.0, plane.flat.max(axis=0)[1:] + 50.0)
    assert far[0, 0] == pytest.approx(1.0)


def test_the_page_tells_a_callback_how_far_it_is(tmp_path):
    records = []
    rc.report.write_synthesis(tmp_path / "page.html", arm_synth(), transitions=4, seconds=1.0, progress=records.append)
    assert records[-1].done == records[-1].total
    assert all(isinstance(record, rc.progress.Progress) and record.stage for record in records)
