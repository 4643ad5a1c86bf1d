"""Items of many characters at once: one call of the engine per label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast.synthesis._playing.items import Item, ItemTrack
from rigcast.synthesis._playing.paths import Ground, rounding_width
from rigcast.synthesis._playing.playable import Playable
from rigcast.synthesis._playing.settings import PlaySettings
from rigcast.synthesis._playing.transitions import Decay, Mixer, smooth_shares

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]


class SimulationBatch:
    """The state that all characters of a synthesizer share. Immutable but for paths that are kept.

    Parameters
    ----------
    synth : Synthesizer
    settings : PlaySettings
    """

    def __init__(self, synth: Playable, settings: PlaySettings) -> None:
        self.synth, self.settings, self.threads = synth, settings, settings.threads
        self.grounds = {label: _ground(synth, label, settings) for label in synth.labels}
        self.mixer = Mixer(synth.rotations, list(synth.rotation_orders), synth.limits)

    def simulate(self, items: Sequence[Item]) -> None:
        """Fill in the tracks and controls of items."""
        tracks = [(track, item.first) for item in items for track in item.tracks]
        for label in self.synth.labels:
            chosen = [(track, first) for track, first in tracks if track.label == label]
            if chosen:
                self._step(self.grounds[label], [t for t, _ in chosen], [f for _, f in chosen])
        for item in items:
            item.controls = self._controls(item)

    def _step(self, ground: Ground, tracks: Sequence[ItemTrack], first: Sequence[int]) -> None:
        """Particles of one label, and what they show."""
        settings, step, fps = self.settings, ground.step, self.synth.fps
        offsets = np.concatenate([[0], np.cumsum([len(track.path) for track in tracks])])
        push = settings.wander * settings.drag * step * fps
        rows, speeds = _core.step_particles(
            ground.field,
            np.array([track.x for track in tracks]),
            np.array([track.v for track in tracks]),
            np.concatenate([track.path for track in tracks]),
            np.concatenate([track.radii for track in tracks]),
            offsets,
            np.array(first, np.int64),
            np.array([track.seed for track in tracks], np.uint64),
            frame_time=1.0 / fps,
            alpha=settings.stiffness,
            beta=settings.stiffness,
            drag=settings.drag,
            likelihood_strength=settings.likelihood * push,
            likelihood_level=float(ground.slow),
            likelihood_width=max(float(ground.level - ground.slow), 1e-3),
            random_strength=push,
            random_timescale=settings.timescale,
            threads=self.threads,
        )
        controls = np.asarray(ground.space.controls(rows), np.float32)
        for track, begin, end in zip(tracks, offsets[:-1], offsets[1:], strict=True):
            track.positions, track.velocities = rows[begin:end], speeds[begin:end]
            track.controls = controls[begin:end]

    def _controls(self, item: Item) -> Float32:
        """(n, N) controls of an item, but for layers."""
        frames = item.first + np.arange(1, item.count + 1)
        if item.kind == "clip":
            return np.array(self.grounds[item.label].space.frames[item.rows], np.float32)
        shown = item.tracks[0].controls
        item.after = list(item.decays)
        if item.jump:
            item.after.append(Decay.across(self.mixer, item.first, item.previous, shown[:2], item.jump))
        result: NDArray[np.floating[Any]] = shown[1:]
        for decay in item.after:
            result = self.mixer.shifted(result, decay.at(frames))
        result = self.mixer.clipped(result)
        if item.kind == "blend":
            result = self.mixer.blended(result, item.tracks[1].controls[1:], smooth_shares(item.count))
        elif item.kind == "join":
            rows = self.grounds[item.label].space.frames[item.rows]
            result = self.mixer.blended(result, rows, smooth_shares(item.count))
        return self.mixer.clipped(result)


def _ground(synth: Playable, label: str, settings: PlaySettings) -> Ground:
    """A label's space, whose paths turn as its clips do."""
    space = synth.space(label)
    features = synth.mesh_features(space.frames)
    return Ground(space, settings, rounding_width([features[s.begin : s.end] for s in space.segments]))
