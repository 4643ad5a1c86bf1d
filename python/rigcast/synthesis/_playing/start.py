"""The engine's players of checked arguments."""

from __future__ import annotations

from collections.abc import Sequence

from rigcast import _core
from rigcast._validate import bad_argument, shown
from rigcast.synthesis._playing.layers import KINDS, Layer
from rigcast.synthesis._playing.playable import Playable
from rigcast.synthesis._playing.script import Script
from rigcast.synthesis._playing.settings import PlaySettings


def begun(
    function: str,
    synth: Playable,
    seeds: Sequence[int],
    labels: Sequence[str],
    scripts: Sequence[Script | None],
    settings: PlaySettings | None,
    kept_seconds: int,
) -> _core.Players:
    """Characters with seeds, which begin at labels and play scripts, both in turn.

    Parameters
    ----------
    function : str
        Public name, for errors.
    synth : Synthesizer
    seeds : sequence of int
    labels : sequence of str
    scripts : sequence of Script or None
    settings : PlaySettings or None
    kept_seconds : int
        Of each character, for events.

    Raises
    ------
    ValueError
    """
    chosen = _checked_settings(function, settings)
    layers = [layer.engine() for layer in _checked_layers(function, chosen.layers)]
    plans = [_schedule_of(function, script, synth) for script in scripts]
    return _core.Players(
        function, synth.engine, list(seeds), list(labels), plans, layers, chosen.engine(), kept_seconds
    )


def layer_names(function: str, without: object) -> list[str]:
    """Names of layers to leave out."""
    if isinstance(without, str):
        return [without]
    if not isinstance(without, Sequence):
        raise bad_argument(function, "without", f"a {type(without).__name__}", "a list of names of layers")
    for name in without:
        if not isinstance(name, str):
            raise bad_argument(function, "without", shown(name), "a list of names of layers")
    return list(without)


def _checked_settings(function: str, settings: PlaySettings | None) -> PlaySettings:
    if settings is None:
        return PlaySettings()
    if not isinstance(settings, PlaySettings):
        raise bad_argument(function, "settings", f"a {type(settings).__name__}", "a PlaySettings")
    return settings


def _checked_layers(function: str, layers: object) -> list[Layer]:
    if not isinstance(layers, Sequence):
        raise bad_argument(function, "layers", f"a {type(layers).__name__}", "a list of layers")
    for layer in layers:
        if type(layer) not in KINDS.values():
            expected = "a list of layers: Blinks, Gaze or Sway"
            raise bad_argument(function, "layers", f"a list with a {type(layer).__name__}", expected)
    return list(layers)


def _schedule_of(function: str, script: Script | None, synth: Playable) -> list[tuple[int, _core.PlayCommand]]:
    if script is None:
        return []
    if not isinstance(script, Script):
        raise bad_argument(function, "script", f"a {type(script).__name__}", "a Script: rc.synthesis.Script.load(path)")
    return script.schedule(synth)
