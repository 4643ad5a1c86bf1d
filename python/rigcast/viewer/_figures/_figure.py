"""What the rest of the view asks of a figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rigcast import _core
from rigcast.viewer._figures._posing import Row, Vector
from rigcast.viewer._sliders import Slider

Vertices = NDArray[np.float32]


@dataclass(frozen=True)
class State:
    """Where a figure stands: channels (N,), and the pose (C,) that was found or recorded, which channels may miss."""

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
        """Whether :meth:`drag_model` has this figure's own skin."""

    @property
    def moves_whole(self) -> bool:
        """Whether :meth:`offset` can be anything but zero."""

    @property
    def translated_joints(self) -> set[str]:
        """Names of joints that channels move."""

    def vertices(self, state: State) -> Vertices:
        """(V, 3)."""

    def pose(self, state: State) -> Row:
        """The pose row (C,) of :meth:`drag_model` for a state."""

    def offset(self, state: State) -> Vector:
        """How far the whole character has been moved (3,): :meth:`home` is the pose without it."""

    def home(self, pose: Row, offset: Vector) -> Row:
        """A pose where the character was modeled, which is where :meth:`drag_model`'s own channels leave it."""

    def state_of(self, begin: State, home: Row, channels: NDArray[np.float64] | None, offset: Vector) -> State:
        """The state of a pose at home, moved by an offset.

        Parameters
        ----------
        begin : State
            Has the channels that :meth:`drag_model` does not know.
        home : (C,) float32 array
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
