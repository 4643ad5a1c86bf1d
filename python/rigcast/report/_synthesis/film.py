"""Film strips of what a synthesizer plays: its rig in successive frames."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import plot
from rigcast._core import BlendshapeRig, Deformer
from rigcast._pages.gallery import Picture, Row
from rigcast._pages.pictures import data_uri
from rigcast._pages.words import figure
from rigcast.plot._colors import nice_top
from rigcast.plot._framing import moving_vertices
from rigcast.report._synthesis.races import SIDE, Arrival, Races
from rigcast.report._synthesis.worst import Moment
from rigcast.synthesis import Synthesizer

Float32 = NDArray[np.float32]

EVERY = 4  # frames between pictures of a strip
AROUND = 16  # frames before and after the arrival that a strip shows
MOVING = 0.3  # of a shape's largest movement: pictures of a face show the vertices that some shape moves farther
NARROW, WIDE = 150, 260  # pixels of a picture of a strip, of one of a moment


class FilmCamera:
    """Draws the rig of a synthesizer from one place.

    Parameters
    ----------
    synth : Synthesizer
        Whose rig has faces.
    """

    def __init__(self, synth: Synthesizer) -> None:
        self._synth = synth
        self._rig: Any = synth.rig
        blendshapes = isinstance(self._rig, BlendshapeRig)
        self._focus = moving_vertices(self._rig, MOVING) if blendshapes else None

    def vertices(self, controls: Float32) -> Float32:
        """(T, V, 3) of controls (T, N)."""
        if isinstance(self._rig, Deformer):
            return np.asarray(self._rig.evaluate(self._synth.poses(controls)), np.float32)
        return np.asarray(self._rig.sample(np.ascontiguousarray(controls, np.float32))[1], np.float32)

    def strip(self, controls: Float32, titles: list[str]) -> str:
        """Pictures side by side, as a ``data:`` address."""
        given: dict[str, Any] = {"titles": titles, "focus": self._focus, "width": NARROW}
        image = plot.side_by_side(self._rig, self.vertices(controls), **given)
        return data_uri(np.asarray(image, np.uint8)[..., :3])

    def compared(self, moment: Moment) -> str:
        """A moment, the nearest frame of a clip, and the moment with its distance from it as colors."""
        shown = self.vertices(np.stack([moment.controls, moment.nearest_controls]))
        apart = 1e3 * self._synth.meters_per_unit * np.linalg.norm(shown[0] - shown[1], axis=1)
        given: dict[str, Any] = {
            "titles": ["played", f"clip: {moment.nearest}", "difference"],
            "values": [None, None, apart],
            "top": nice_top(float(np.percentile(apart, 99.8))),
            "unit": "mm",
            "focus": self._focus,
            "width": WIDE,
        }
        image = plot.side_by_side(self._rig, shown[[0, 1, 0]], **given)
        return data_uri(np.asarray(image, np.uint8)[..., :3])


def can_draw(synth: Synthesizer) -> bool:
    """True if the synthesizer knows a rig that has faces."""
    return synth.rig is not None and len(synth.rig.faces) > 0


def strips(camera: FilmCamera, races: Races) -> list[Row]:
    """The typical transition of each player: a strip of frames around the arrival."""
    index = races.typical()
    found = []
    for runner in races.runners:
        arrival = runner.arrivals[index]
        if arrival is None:
            continue
        frames = SIDE + np.arange(-AROUND, AROUND + 1, EVERY) - 1
        titles = [f"{frame - SIDE + 1:+d}" if frame != SIDE - 1 else "arrival" for frame in frames]
        text = f"from {arrival.start} to {arrival.end}, peak {figure(arrival.peak)} mm per frame²"
        picture = Picture([camera.strip(arrival.controls[frames], titles)], f"{runner.name}, frames around the arrival")
        found.append(Row(runner.name, text, [picture]))
    return found


def hardest(camera: FilmCamera, arrival: Arrival) -> Row:
    """The transition whose acceleration is largest, frame by frame around it."""
    peak, side = int(arrival.acceleration.argmax()) + 1, AROUND // EVERY
    first = min(max(peak - side, 0), len(arrival.controls) - 2 * side - 1)
    frames = first + np.arange(2 * side + 1)
    titles = [f"{frame - SIDE + 1:+d}" for frame in frames]
    text = f"from {arrival.start} to {arrival.end}, {figure(arrival.peak)} mm per frame²"
    picture = Picture([camera.strip(arrival.controls[frames], titles)], "frame by frame, counted from the arrival")
    return Row("hardest transition", text, [picture])


def moments(camera: FilmCamera, worst: list[Moment]) -> list[Row]:
    """Worst moments and the nearest frames of the clips."""
    return [
        Row(
            moment.title,
            f"{moment.note}: root mean square {figure(moment.distance)} mm from {moment.nearest}",
            [Picture([camera.compared(moment)], moment.note)],
        )
        for moment in worst
    ]
