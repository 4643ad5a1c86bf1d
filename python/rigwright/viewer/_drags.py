"""Points of the skin that are pulled: where they were picked, where they should be, and the pose that follows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import rigwright as rw
from rigwright import _core
from rigwright.viewer._figure import Figure, State, Vertices

Vector = NDArray[np.float64]
MOST_PINS = 32
ROUNDS = 2  # the solver moves vertices, the cursor holds a point between three: the second round closes the gap


@dataclass(frozen=True)
class Pin:
    """A point of the surface: barycentric on three vertices, pulled in a plane."""

    corner: NDArray[np.int32]
    weight: Vector
    vertex: int
    target: Vector
    facing: Vector  # normal of the plane, toward the scene
    grabbed: bool = True

    def point(self, vertices: Vertices) -> Vector:
        """Where the point of the surface is."""
        return self.weight @ vertices[self.corner].astype(np.float64)


class Drags:
    """The pins of one figure."""

    def __init__(self, figure: Figure) -> None:
        self._figure = figure
        self._solver: tuple[tuple[int, ...], Any] | None = None
        self.pins: dict[int, Pin] = {}
        self.note = ""

    def grab(
        self, number: int, picker: _core.SurfacePicker, origin: Vector, direction: Vector, facing: Vector
    ) -> bool:
        """Pin what the ray meets first; returns whether it meets anything. A pin of that number is grabbed again."""
        if number in self.pins:
            self.pins[number] = replace(self.pins[number], grabbed=True, facing=facing)
            return True
        hit = picker.pick(origin, direction)
        if hit is None or len(self.pins) >= MOST_PINS:
            return False
        _, corner, weight, vertex, distance = hit
        self.pins[number] = Pin(corner, weight, vertex, origin + distance * direction, facing)
        return True

    def move(self, number: int, origin: Vector, direction: Vector) -> bool:
        """Move a grabbed pin to where the ray meets its plane; returns whether it moved."""
        pin = self.pins.get(number)
        if pin is None or not pin.grabbed:
            return False
        slope = float(direction @ pin.facing)
        along = float((pin.target - origin) @ pin.facing) / slope if slope else -1.0
        if along <= 0.0:  # the plane is behind the eye
            return False
        self.pins[number] = replace(pin, target=origin + along * direction)
        return True

    def release(self, number: int, hold: bool) -> None:
        """Let a pin go: it holds its point from now on, or is gone."""
        if number in self.pins and hold:
            self.pins[number] = replace(self.pins[number], grabbed=False)
        else:
            self.pins.pop(number, None)

    def solve(self, state: State, vertices: Vertices) -> tuple[State, Vertices]:
        """The state in which all pins are as near to their targets as the figure allows, and its vertices."""
        used = tuple(dict.fromkeys(pin.vertex for pin in self.pins.values()))
        if self._solver is None or self._solver[0] != used:
            model, self.note = self._figure.drag_model()
            self._solver = used, rw.ik.Solver(model, list(used))
        solver = self._solver[1]
        for _ in range(ROUNDS):
            wanted = {pin.vertex: pin.target + vertices[pin.vertex] - pin.point(vertices) for pin in self.pins.values()}
            found = solver.solve(np.array([wanted[vertex] for vertex in used])[None], self._figure.pose(state)[None])
            state = self._figure.state_of(found.poses[0])
            vertices = self._figure.vertices(state)
        return state, vertices

    def facts(self, vertices: Vertices) -> list[dict[str, Any]]:
        """What the page draws of the pins."""
        return [
            {
                "pin": number,
                "at": [round(float(x), 6) for x in pin.point(vertices)],
                "target": [round(float(x), 6) for x in pin.target],
                "grabbed": pin.grabbed,
            }
            for number, pin in self.pins.items()
        ]
