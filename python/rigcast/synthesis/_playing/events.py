"""The reasons of a pose: command, label, nearest clip frame and variance, second by second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rigcast.synthesis._playing.character import LatentCharacter
from rigcast.synthesis._playing.simulate import SimulationBatch


@dataclass(frozen=True)
class Event:
    """A command that began, a note about it, or one second of motion.

    Attributes
    ----------
    seconds : float
    kind : str
        "command", "note", or "second".
    command : str
        With its arguments; what a note says.
    label : str
    nearest : str
        Clip frame whose mesh is nearest, as "walk 12"; of seconds only, as are the following.
    distance : float
        To that mesh, in the rig's unit.
    variance : float
        Predictive variance of the latent point, as a share of that far from all clips.
    """

    seconds: float
    kind: str
    command: str
    label: str
    nearest: str = ""
    distance: float = 0.0
    variance: float = 0.0

    def as_plain(self) -> dict[str, str | float]:
        """The same as a dictionary."""
        return asdict(self)


def events_of(batch: SimulationBatch, character: LatentCharacter) -> list[Event]:
    """Events of a character, in the order of time."""
    fps = batch.synth.fps
    found = [
        Event(
            (e["began"] if "began" in e else e["frame"]) / fps,
            "note" if e["name"] == "note" else "command",
            e["command"],
            e["label"],
        )
        for e in character.record.events.values()
    ]
    return sorted([*found, *_seconds(batch, character)], key=lambda event: event.seconds)


def _seconds(batch: SimulationBatch, character: LatentCharacter) -> list[Event]:
    samples = list(character.samples)
    found: list[Event] = []
    for label in dict.fromkeys(sample[2] for sample in samples):
        ground, chosen = batch.grounds[label], [sample for sample in samples if sample[2] == label]
        own = batch.synth.mesh_features(np.array([sample[4] for sample in chosen]))
        clips = batch.synth.mesh_features(ground.space.frames)
        density = ground.density(np.array([sample[3] for sample in chosen]))
        for (frame, command, _, _, _), features, value in zip(chosen, own, density, strict=True):
            away = np.linalg.norm(clips - features, axis=1)
            row = int(away.argmin())
            command_text = character.record.command(command)
            name = frame_name(ground.space.segments, row)
            variance = float(np.exp(-2.0 * value))
            found.append(
                Event(frame / batch.synth.fps, "second", command_text, label, name, float(away[row]), variance)
            )
    return found


def frame_name(segments: Sequence[Any], row: int) -> str:
    """Clip and frame of a training row."""
    segment = next(s for s in segments if s.begin <= row < s.end)
    return f"{segment.name} {row - segment.begin}"
