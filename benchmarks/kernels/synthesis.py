"""Latent spaces of motion, and playing in them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from tests.support.made.latent import Setting, setting
from tests.support.made.players import face_synth

import rigcast as rc
from benchmarks.kernels.register import Setup, kernel
from rigcast import _core

POINTS, DIMENSIONS, OUTPUTS = 400, 3, 60
FRAMES = 100
PLAYED = 24


def space(setup: Setup) -> tuple[_core.LatentSpace, np.ndarray]:
    """A Gaussian process, and points between those that it was conditioned on."""
    s: Setting = setting(setup.size(POINTS), DIMENSIONS, OUTPUTS)
    return _core.LatentSpace(*s), s.points[: setup.size(FRAMES)] + 0.01


@kernel
def synthesis_condition(setup: Setup) -> Callable[[], object]:
    s = setting(setup.size(POINTS), DIMENSIONS, OUTPUTS)
    return lambda: _core.LatentSpace(*s, threads=setup.threads)


@kernel
def synthesis_mean(setup: Setup) -> Callable[[], object]:
    made, x = space(setup)
    return lambda: made.mean(x, threads=setup.threads)


@kernel
def synthesis_variance_gradient(setup: Setup) -> Callable[[], object]:
    made, x = space(setup)
    return lambda: made.variance_gradient(x, threads=setup.threads)


@kernel
def synthesis_fit_objective(setup: Setup) -> Callable[[], object]:
    s = setting(setup.size(POINTS), DIMENSIONS, OUTPUTS)
    objective = _core.LatentObjective(s.values, DIMENSIONS, [(0, len(s.points))], threads=setup.threads)
    unknowns = objective.start(s.points)
    return lambda: objective.evaluate(unknowns)


@kernel
def synthesis_player_step(setup: Setup) -> Callable[[], object]:
    """The same second of idling in every call."""
    player = face_synth().player(seed=3, settings=rc.synthesis.PlaySettings(threads=setup.threads))
    player.idle("lively")
    state = player.state()

    def run() -> object:
        player.restore(state)
        return player.step(PLAYED)

    return run
