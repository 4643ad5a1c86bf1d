"""Layers: functions of time and seed, on controls of their own."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.support.made.players import face_synth

BLINKS = rc.synthesis.Blinks(controls={"shape5": 1.0}, per_minute=15, length=0.25)
SECONDS = np.arange(0, 600, 1 / 24)


def test_blinks_come_at_their_rate_and_close_whole():
    values = BLINKS.values(np.arange(0, 600, 1 / 240), np.array([3], np.uint64))[0, :, 0]
    begins = np.flatnonzero((values[1:] > 0.5) & (values[:-1] <= 0.5)) / 240
    assert 149 <= len(begins) <= 151  # one in each interval of 4 seconds
    assert values.min() == 0.0
    assert values.max() > 0.99
    gaps = np.diff(begins)
    assert gaps.std() > 0.8  # no clock
    assert (values > 0).mean() == pytest.approx(150 * 0.25 / 600, rel=0.05)


def test_a_thousand_characters_do_not_blink_in_unison():
    """At each time as many blink as a binomial draw would, within 5 standard deviations; no two are the same."""
    values = BLINKS.values(SECONDS[:2400], np.arange(1000).astype(np.uint64))[..., 0]
    closed = values > 0.5
    share = closed.mean()
    assert abs(closed.sum(axis=0) - 1000 * share).max() < 5 * np.sqrt(1000 * share * (1 - share))
    correlation = np.corrcoef(closed[:200])
    np.fill_diagonal(correlation, 0.0)
    assert correlation.max() < 0.5


def test_gaze_rests_and_jumps_within_its_range():
    gaze = rc.synthesis.Gaze(horizontal={"shape4": 0.5, "shape3": -0.5}, vertical={"shape2": 0.3}, per_minute=40)
    values = gaze.values(SECONDS, np.array([1, 2], np.uint64))
    assert values.shape == (2, len(SECONDS), 2)
    assert np.abs(values).max() <= 1.0
    assert (np.diff(values, axis=1) == 0).mean() > 0.8
    assert np.abs(values).max() > 0.95
    assert not np.array_equal(values[0], values[1])


def test_sway_has_its_deviation_and_timescale():
    sway = rc.synthesis.Sway(controls={"shape1": 0.1, "shape2": 0.2}, timescale=1.0)
    values = sway.values(SECONDS, np.arange(8).astype(np.uint64))
    assert values.std() == pytest.approx(1.0, rel=0.1)  # eight draws
    lag = (values[:, 24:] * values[:, :-24]).mean() / values.var()
    assert lag == pytest.approx(np.exp(-0.5), abs=0.1)  # eight draws


def test_a_layer_changes_its_own_controls_only_and_stays_in_the_limits():
    synth = face_synth()
    layers = [BLINKS, rc.synthesis.Sway(controls={"shape4": 3.0})]
    plain, layered = synth.player(seed=5), synth.player(seed=5, settings=rc.synthesis.PlaySettings(layers=layers))
    for player in (plain, layered):
        player.idle("calm")
    without, whole = plain.step(600), layered.step(600)
    assert np.array_equal(whole[:, :4], without[:, :4])
    assert not np.array_equal(whole[:, 4:], without[:, 4:])
    assert (whole >= synth.limits[:, 0]).all()
    assert (whole <= synth.limits[:, 1]).all()


def test_a_layer_is_left_out_frozen_or_switched_off():
    synth = face_synth()
    players = [
        synth.player(seed=6, settings=rc.synthesis.PlaySettings(layers=layers))
        for layers in ([BLINKS], [BLINKS], [], [rc.synthesis.Blinks(controls={"shape5": 1.0}, strength=0.0)])
    ]
    whole, without, none, off = (
        player.step(480, without=names) for player, names in zip(players, ((), ("blinks",), (), ()), strict=True)
    )
    assert np.array_equal(without, none)
    assert np.array_equal(off, none)
    assert not np.array_equal(whole, none)
    closing = float(np.flatnonzero(BLINKS.values(SECONDS, np.array([6], np.uint64))[0, :, 0] > 0.9)[0] / 24)
    still = BLINKS.frozen(closing).at(SECONDS, np.array([6], np.uint64))[0, :, 0]
    assert (still[int(np.ceil(closing * 24)) :] > 0.9).all()


def test_a_layer_does_not_depend_on_how_frames_are_cut_or_on_restarts():
    synth = face_synth()
    whole = synth.player(seed=7, settings=rc.synthesis.PlaySettings(layers=[BLINKS])).step(240)
    player = synth.player(seed=7, settings=rc.synthesis.PlaySettings(layers=[BLINKS]))
    rows = [player.step(100)]
    other = synth.player(seed=7, settings=rc.synthesis.PlaySettings(layers=[BLINKS]))
    other.restore(player.state())
    assert np.concatenate([*rows, other.step(140)]).tobytes() == whole.tobytes()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: [rc.synthesis.Blinks(controls={"lid": 1.0})], "layer 'blinks' is of 'lid'; it must be of known"),
        (lambda: [BLINKS, rc.synthesis.Sway(controls={"shape5": 1.0})], "'sway' is of 'shape5', which layer 'blinks'"),
        (lambda: [BLINKS, BLINKS], "layers is a list with 'blinks' twice"),
        (lambda: [3], "layers is a list with a int"),
        (lambda: BLINKS, "Player: layers is a Blinks; it must be a list of layers"),
        (lambda: [rc.synthesis.Blinks(controls=["shape5"])], "Blinks: controls is a list; it must be a mapping"),
        (lambda: [rc.synthesis.Blinks(controls={"shape5": np.nan})], "controls\\['shape5'\\] is nan"),
        (lambda: [rc.synthesis.Blinks(per_minute=0)], "Blinks: per_minute is 0"),
        (lambda: [rc.synthesis.Blinks(length=9.0)], "Blinks: length is 9.0"),
        (lambda: [rc.synthesis.Sway(strength=-1.0)], "Sway: strength is -1.0"),
        (lambda: [rc.synthesis.Sway(timescale=1e-300)], "Sway: timescale is 1e-300"),
    ],
)
def test_wrong_layers_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        face_synth().player(settings=rc.synthesis.PlaySettings(layers=make()))


@pytest.mark.parametrize(
    ("content", "said"), [(b" " * (1 << 20) + b"[]", "at most 1048576"), (b"[" * 200 + b"]" * 200, "lists")]
)
def test_files_of_layers_are_bounded(tmp_path, content, said):
    path = tmp_path / "layers.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=rf"load_layers: path is unreadable .*{said}"):
        rc.synthesis.load_layers(path)
