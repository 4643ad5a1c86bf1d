"""Settings of players at their bounds, and beyond."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from tests.support.made.players import face_synth


@pytest.mark.parametrize("setting", [{"drag": 1e3}, {"stiffness": 1e3}, {"timescale": 1e-3}, {"power": 64.0}])
def test_settings_at_their_bounds_play(setting):
    """Also at one frame per second, where a frame has the most steps."""
    synth = face_synth()
    player = synth.player(seed=15, settings=rc.synthesis.PlaySettings(**setting))
    player.idle("lively", hold=0.1)
    assert np.isfinite(player.step(48)).all()
    space = synth.space("lively")
    rows, _ = _core.step_particles(
        _core.density_of(space.latent),
        space.points[:1],
        np.zeros((1, 3)),
        space.points[:12],
        np.full(12, 0.1),
        np.array([0, 12]),
        np.zeros(1, np.int64),
        np.zeros(1, np.uint64),
        frame_time=1.0,
        alpha=setting.get("stiffness", 12.0),
        beta=setting.get("stiffness", 12.0),
        drag=setting.get("drag", 2.0),
        random_strength=0.1,
        random_timescale=setting.get("timescale", 0.3),
        likelihood_strength=0.1,
    )
    assert np.isfinite(rows).all()


@pytest.mark.parametrize("setting", [{"drag": 1e5}, {"stiffness": 1e5}])
def test_rates_that_no_step_integrates_are_refused(setting):
    with pytest.raises(ValueError, match=r"PlaySettings: \w+ is 100000"):
        rc.synthesis.PlaySettings(**setting)
