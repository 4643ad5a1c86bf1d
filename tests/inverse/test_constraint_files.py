"""Pins, priors and pairs of files, and head motion, as a script gets them."""

from __future__ import annotations

import json
import zipfile

import numpy as np
import pytest

import rigcast as rc
from tests.support.characters.faces import NAMES, small_face

RIG = small_face()


def test_pins_are_read_and_checked_against_the_shot(tmp_path):
    pins = np.full((4, 6), np.nan)
    pins[2, 1] = 0.5
    np.save(tmp_path / "pins.npy", pins)
    np.testing.assert_array_equal(rc.inverse.load_pins(tmp_path / "pins.npy", RIG, 4), pins)
    with pytest.raises(ValueError, match=r"pins of shape \(4, 6\); the shot has 5 frames, the rig 6 shapes"):
        rc.inverse.load_pins(tmp_path / "pins.npy", RIG, 5)
    with pytest.raises(ValueError, match=r"0\.5 for eyeBlink_L at frame 2, outside its bounds \[0, 0\.4\]"):
        rc.inverse.load_pins(tmp_path / "pins.npy", RIG, 4, bounds=(0.0, 0.4))


def test_priors_are_two_arrays(tmp_path):
    np.savez(tmp_path / "priors.npz", target=np.full(6, 0.25, np.float32), strength=2)
    target, strength = rc.inverse.load_priors(tmp_path / "priors.npz", RIG, 4)
    assert target.tolist() == [0.25] * 6
    assert float(strength) == 2.0
    found = rc.inverse.solve(RIG, RIG.evaluate(np.zeros((4, 6))), alpha=0.0, priors=(target, strength))
    assert found.weights.max() > 0.0


def test_a_bomb_of_priors_is_refused_before_it_is_unpacked(tmp_path):
    """32 MB of zeros in 32 kB."""
    with zipfile.ZipFile(tmp_path / "priors.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, size in (("target", 1 << 22), ("strength", 1)):
            with archive.open(f"{name}.npy", "w") as stream:
                np.lib.format.write_array(stream, np.zeros(size))
    with pytest.raises(ValueError, match=r"no \.npz of priors .*unpacks to at most"):
        rc.inverse.load_priors(tmp_path / "priors.npz", RIG, 4)


def test_pairs_are_names(tmp_path):
    (tmp_path / "pairs.json").write_text(json.dumps([NAMES[1:3]]))
    assert rc.inverse.load_symmetric_pairs(tmp_path / "pairs.json", RIG) == [tuple(NAMES[1:3])]
    (tmp_path / "pairs.json").write_text("[" * 100_000)
    with pytest.raises(ValueError, match=r"pairs\.json: no JSON"):
        rc.inverse.load_symmetric_pairs(tmp_path / "pairs.json", RIG)


def test_a_missing_file_is_a_missing_file(tmp_path):
    nowhere = tmp_path / "nowhere.npz"
    for call in (
        lambda: rc.inverse.load_pins(nowhere, RIG, 4),
        lambda: rc.inverse.load_priors(nowhere, RIG, 4),
        lambda: rc.inverse.load_symmetric_pairs(nowhere, RIG),
        lambda: rc.transfer.load_example_weights(nowhere, RIG, 4),
    ):
        with pytest.raises(FileNotFoundError, match=r"path is .*nowhere\.npz., which does not exist"):
            call()


def test_head_motion_is_measured(tolerance):
    rig = rc.faces.example()
    weights = np.random.default_rng(0).uniform(0.0, 0.4, (5, rig.num_shapes)).astype(np.float32)
    shot = rig.evaluate(weights)
    still = rc.inverse.head_motion(rig, shot, weights)
    assert (still.explained, still.distance, still.moves) == (0.0, 0.0, False)
    moved = rc.inverse.head_motion(rig, shot + np.float32([0.5, 0.0, 0.0]), weights)
    assert moved.moves
    assert moved.explained == pytest.approx(1.0, abs=tolerance["float64_converged"])
    assert moved.distance == pytest.approx(0.5, rel=tolerance["float32_character"])
    with pytest.raises(ValueError, match="head_motion: targets is of shape"):
        rc.inverse.head_motion(rig, shot[:2], weights)
