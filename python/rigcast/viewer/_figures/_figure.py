"""The interface of a figure, its state, and that state mirrored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast.viewer._figures._posing import Row, Vector
from rigcast.viewer._sliders import Slider, mirror_pairs

Vertices = NDArray[np.float32]
PROBE = 0.1  # of a channel's range: how far it is moved to see where it moves the skin


@dataclass(frozen=True)
class State:
    """The state of a figure: channels (N,), and the pose (C,) that was found or recorded, which channels may miss."""

    row: Row
    pose: Row | None = None


class Figure(Protocol):
    """One character of the view.

    Attributes
    ----------
    name, kind : str
    rest_vertices : (V, 3) float32 array
    faces : (F, 4) int32 array
    up_axis : str
    meters_per_unit : float
    sliders : list of Slider
    skeleton : Skeleton or None
    """

    name: str
    kind: str
    rest_vertices: Vertices
    faces: NDArray[np.int32]
    up_axis: str
    meters_per_unit: float
    sliders: list[Slider]

    @property
    def skeleton(self) -> _core.Skeleton | None: ...

    @property
    def is_solved_as_it_is(self) -> bool:
        """True if :meth:`drag_model` has this figure's own skin."""

    @property
    def moves_whole(self) -> bool:
        """True if :meth:`offset` can be anything but zero."""

    @property
    def translated_joints(self) -> set[str]:
        """Names of joints that channels move."""

    def vertices(self, state: State) -> Vertices:
        """(V, 3)."""

    def pose(self, state: State) -> Row:
        """The pose row (C,) of :meth:`drag_model` for a state."""

    def offset(self, state: State) -> Vector:
        """The shift of the whole character (3,): :meth:`without_offset` removes it from a pose."""

    def without_offset(self, pose: Row, offset: Vector) -> Row:
        """The pose with the whole character moved back by the offset, as :meth:`drag_model`'s own channels pose it."""

    def state_of(self, begin: State, in_place: Row, channels: NDArray[np.float64] | None, offset: Vector) -> State:
        """The state of a pose without offset, moved by an offset.

        Parameters
        ----------
        begin : State
            Has the channels that :meth:`drag_model` does not know.
        in_place : (C,) float32 array
        channels : (1, N) float64 array or None
            Those of the model, where it has any.
        offset : (3,) float64 array
        """

    def drag_model(self) -> tuple[_core.Deformer, str]:
        """The model that drags are solved on, and a line that says what it is if it is not the figure itself.

        Raises
        ------
        ValueError
            If nothing can solve them.
        """


def joint_places(figure: Any, state: State, moved: Callable[[Vertices], Vertices]) -> list[list[float]]:
    """Places of the joints of a figure that has some, after what moves it as a whole."""
    pose = np.asarray(figure.pose(state), np.float32)
    places = moved(figure.skeleton.globals(pose[None])[0, :, :, 3])
    return [[round(float(x), 5) for x in place] for place in places]


def mirrored_row(figure: Any, row: Row, source: str) -> Row:
    """Channels (N,) with those of the ``source`` side (``"left"`` or ``"right"``) copied to the other.

    A channel counts with the sign with which its partner moves the mirrored skin alike.
    """
    result = np.array(row, np.float32)
    pairs = mirror_pairs([slider.name for slider in figure.sliders])
    changed = [pair for pair in pairs if any(row[c] != figure.sliders[c].rest for c in pair)]
    if not changed:
        return result
    signs = _signs(figure, changed)
    for (left, right), sign in zip(changed, signs, strict=True):
        there, here = (left, right) if source == "left" else (right, left)
        rest = figure.sliders[there].rest, figure.sliders[here].rest
        result[here] = rest[1] + sign * (row[there] - rest[0])
    return result


def mirror_signs(figure: Any) -> list[tuple[int, int, float]]:
    """(left, right, sign) of all channels that have a partner: the sign with which it moves the mirrored skin alike."""
    pairs = mirror_pairs([slider.name for slider in figure.sliders])
    signs = _signs(figure, pairs) if pairs else []
    return [(left, right, sign) for (left, right), sign in zip(pairs, signs, strict=True)]


def _signs(figure: Any, pairs: list[tuple[int, int]]) -> list[float]:
    """1 or -1 per pair, from the displacements of both channels' skin with x mirrored."""
    rest = np.array([slider.rest for slider in figure.sliders], np.float32)
    still = figure.vertices(State(rest))
    flipped = still * np.array([-1, 1, 1], np.float32)
    partner = _core.PointTree(still).nearest(flipped, 1)[0][:, 0]

    def displacement(channel: int) -> NDArray[np.float64]:
        slider, moved = figure.sliders[channel], rest.copy()
        step = PROBE * (slider.high - slider.low)
        forward = slider.high - slider.rest >= step
        moved[channel] += step if forward else -step
        change: NDArray[np.float64] = figure.vertices(State(moved)).astype(np.float64) - still
        return change if forward else -change

    found = []
    for left, right in pairs:
        of_left = displacement(left) * np.array([-1.0, 1.0, 1.0])
        found.append(1.0 if float((of_left * displacement(right)[partner]).sum()) >= 0.0 else -1.0)
    return found
