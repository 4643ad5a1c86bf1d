"""Crowds: each character as if it were alone, and no two alike."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.support.made.players import arm_synth, face_synth
from tests.support.made.synthesis import face

SCRIPTS = [
    rc.synthesis.Script([{"at": 0, "command": "idle", "label": "calm"}]),
    rc.synthesis.Script(
        [
            {"at": 0, "command": "idle", "label": "lively", "hold": 0.5},
            {"at": 2, "command": "play", "label": "calm", "segment": 1},
        ]
    ),
    None,
]


@pytest.mark.parametrize("make", [face_synth, arm_synth])
def test_a_character_moves_as_a_player_with_its_seed_does(make):
    synth = make()
    crowd = synth.crowd(7, seed=3, scripts=SCRIPTS, settings=rc.synthesis.PlaySettings(threads=2))
    controls = crowd.step(240)
    assert controls.shape == (7, 240, len(synth.control_names))
    for h in range(7):
        label = synth.labels[h % len(synth.labels)]
        alone = synth.player(seed=int(crowd.seeds[h]), script=SCRIPTS[h % 3], label=label).step(240)
        assert controls[h].tobytes() == alone.tobytes()


def test_the_same_crowd_has_the_same_bytes_for_any_number_of_threads():
    synth = face_synth()
    crowds = [
        synth.crowd(20, seed=4, scripts=SCRIPTS, settings=rc.synthesis.PlaySettings(threads=threads))
        for threads in (1, 2)
    ]
    first, second = (np.concatenate([crowd.step(24) for _ in range(8)], axis=1) for crowd in crowds)
    assert first.tobytes() == second.tobytes()
    assert len({first[h].tobytes() for h in range(20)}) == 20


def test_commands_go_to_all_or_to_some():
    crowd = face_synth().crowd(6, seed=5, label="calm")
    crowd.idle("calm")
    crowd.step(24)
    crowd.transition("lively", who=[1, 4])
    crowd.step(240)
    assert crowd.labels == ["calm", "lively", "calm", "calm", "lively", "calm"]
    assert [e.kind for e in crowd.events(1)].count("command") == 2
    assert crowd.poses().shape == (6, 6)


def test_weights_of_a_crowd_are_evaluated_at_a_level_of_detail():
    rig = face()
    order = rc.crowd.importance_order(rig)
    heads = rc.crowd.Crowd(rig, np.zeros((1, rig.num_shapes)), order)
    weights = face_synth().crowd(5, seed=6).step(1)[:, 0]
    whole = heads.evaluate_weights(weights)
    np.testing.assert_array_equal(whole, rig.evaluate(weights))
    coarse = heads.evaluate_weights(weights, prefix=[6, 3, 3, 1, 0])
    kept = np.zeros_like(weights)
    for h, count in enumerate([6, 3, 3, 1, 0]):
        kept[h, order[:count]] = weights[h, order[:count]]
    np.testing.assert_allclose(coarse, rig.evaluate(kept), atol=2e-6)  # float32: sums of other groups
    out = np.empty_like(whole)
    assert heads.evaluate_weights(weights, out=out, threads=1) is out
    for wrong, message in ((weights[:, :3], "weights is"), (np.full((2, 6), np.nan), "weights is not finite")):
        with pytest.raises(ValueError, match=f"evaluate_weights: {message}"):
            heads.evaluate_weights(wrong)
    with pytest.raises(ValueError, match="evaluate_weights: prefix is"):
        heads.evaluate_weights(weights, prefix=[1, 2])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: s.crowd(0), "PlayerCrowd: count is 0"),
        (lambda s: s.crowd(2, scripts=[]), "PlayerCrowd: scripts is no list of scripts"),
        (lambda s: s.crowd(2, scripts=5), "PlayerCrowd: scripts is no list of scripts"),
        (lambda s: s.crowd(2).transition("calm", who=[2]), "PlayerCrowd: who is 2"),
        (lambda s: s.crowd(2).transition("sad"), "transition: label is 'sad'"),
        (lambda s: s.crowd(2).step(-1), "PlayerCrowd.step: frames is -1"),
        (lambda s: s.crowd(2, settings=rc.synthesis.PlaySettings(threads=-1)), "PlaySettings: threads is -1"),
    ],
)
def test_wrong_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call(face_synth())
