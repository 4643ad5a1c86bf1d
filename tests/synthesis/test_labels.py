"""Labels are spaces of their own: what one shows is never another's."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.support.made.synthesis import face, wave

SPEEDS = {"low": [0.1, 0.2, 0.13, 0.07, 0.05, 0.0], "high": [0.06, 0.11, 0.19, 0.08, 0.14, 0.0]}


@pytest.fixture(scope="module")
def clips():
    """Two labels whose poses lie apart, of two clips each."""
    offset = {"low": 0.2, "high": 0.8}
    return {
        label: [wave(90, speeds, offset=offset[label], size=0.15, phase=phase) for phase in (0.0, 2.0)]
        for label, speeds in SPEEDS.items()
    }


def test_idling_at_a_label_never_looks_like_another(clips):
    synth = rc.synthesis.fit(clips, rig=face(), dimensions=3, components=4, iterations=60, held_out=False)
    own = {label: synth.mesh_features(np.concatenate(rows)) for label, rows in clips.items()}
    for label, other in (("low", "high"), ("high", "low")):
        player = synth.player(seed=4, label=label)
        player.idle(label)
        shown = synth.mesh_features(player.step(960))
        near, far = (np.linalg.norm(shown[:, None] - own[name][None], axis=-1).min(axis=1) for name in (label, other))
        assert (near < far).all()
