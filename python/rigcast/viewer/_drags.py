"""Points of the skin that are pulled: where they were picked, where they should be, and the pose that follows."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import _core, ik
from rigcast.viewer._figures._figure import Figure, State, Vertices
from rigcast.viewer._figures._posing import Row
from rigcast.viewer._planes import on_plane

Vector = NDArray[np.float64]
MOST_PINS = 32
MOST_ITERATIONS = 8  # of a solve
LEAST_ITERATIONS = 2  # of a model that is slow to solve
PICTURE = 0.03  # seconds that a solve may take: the next call goes on from its result
CONVERGED = 1e-3  # of the figure's size: a model that is solved in its place does not come nearer to it
LEAST_SHARE = 0.1  # of a correction that is taken over at once
FAR = 0.02  # of the figure's size: from this gap on, a pin is relaxed in full
RELAXATION = 4.0  # a pin that is relaxed in full pulls as if ranges of channels were worth as many times as much


@dataclass(frozen=True)
class Pin:
    """A point of the surface: barycentric on three vertices, pulled in a plane."""

    corner: NDArray[np.int32]
    weight: Vector
    target: Vector
    facing: Vector  # normal of the plane, toward the scene
    grabbed: bool = True

    def point(self, vertices: Vertices) -> Vector:
        """The position of the point of the surface."""
        return self.weight @ vertices[self.corner].astype(np.float64)


class Drags:
    """The pins of one figure."""

    def __init__(self, figure: Figure) -> None:
        self._figure = figure
        self._solver: Any = None
        self._start: Row | None = None  # the pose in which the first pin was grabbed: unpulled parts stay near it
        self._closest: Row | None = None  # the pose in which pins are as near as they get, before relaxation
        self._skin: tuple[NDArray[np.int32], _core.Deformer] | None = None  # of the pins' corners
        # From each pin's point of the figure to that of the model (pins, 3), as far as it is known.
        self._model_offset = np.zeros((0, 3))
        self._residual: Vector | None = None  # of that, as the last call measured it; None: for other targets
        self._share = 1.0  # of what is measured that was taken over
        self._iterations = MOST_ITERATIONS  # that fit a picture
        self._size = float(np.linalg.norm(np.ptp(figure.rest_vertices, axis=0))) or 1.0
        self.pins: dict[int, Pin] = {}
        self.note = ""

    def grab(self, number: int, picker: _core.SurfacePicker, origin: Vector, direction: Vector, facing: Vector) -> bool:
        """Pin what the ray meets first; returns whether it meets anything. A pin of that number is grabbed again."""
        if number in self.pins:
            self.pins[number] = replace(self.pins[number], grabbed=True, facing=facing)
            return True
        hit = picker.pick(origin, direction)
        if hit is None or len(self.pins) >= MOST_PINS:
            return False
        _, corner, weight, _, distance = hit
        self.pins[number] = Pin(corner, weight, origin + distance * direction, facing)
        self._residual = None
        return True

    def move(self, number: int, origin: Vector, direction: Vector) -> bool:
        """Move a grabbed pin to where the ray meets its plane; returns whether it moved."""
        pin = self.pins.get(number)
        if pin is None or not pin.grabbed:
            return False
        target = on_plane(pin.target, pin.facing, origin, direction)
        if target is None:
            return False
        self.pins[number] = replace(pin, target=target)
        self._residual = None
        return True

    def release(self, number: int, hold: bool) -> None:
        """Let a pin go: it holds its point from now on, or is gone."""
        if number in self.pins and hold:
            self.pins[number] = replace(self.pins[number], grabbed=False)
        else:
            self.pins.pop(number, None)
            if not self.pins:
                self.rebase()

    def solve(self, state: State, vertices: Vertices) -> tuple[State, bool]:
        """The state in which all pins are as near to their targets as the figure allows; False if it may come nearer.

        A call does so much work as fits between two pictures: the next one goes on from its result. Where a model
        stands for a rig, targets are moved by how far its skin is from the rig's, ``vertices`` (V, 3) in this state, so
        that the next call brings the rig's own skin nearer.
        """
        if self._solver is None:
            model, self.note = self._figure.drag_model()
            self._solver = ik.Solver(model)
        offset = self._figure.offset(state)
        pose = self._figure.without_offset(self._figure.pose(state), offset)
        if self._start is None:
            self._start = pose
        converged = self._correct(self._measured(pose, vertices))
        targets = np.array([pin.target - offset for pin in self.pins.values()]) + self._model_offset
        found = self._solved_in_time(targets, pose if self._closest is None else self._closest)
        self._closest = found.poses[0]
        shown = self._relaxed(found)
        converged = converged and bool(found.converged[0] and shown.converged[0])
        return self._figure.state_of(state, shown.poses[0], shown.channels, offset), converged

    def _solved_in_time(self, targets: NDArray[np.float64], start: Row) -> ik.PoseSolution:
        """Pins pulled toward targets, by as many steps as fit a picture."""
        begin = time.perf_counter()
        found = self._solved(targets, np.ones(len(targets)), start, self._iterations)
        if found.iterations[0] > 1:  # else the time is mostly that of making and checking what is solved
            each = (time.perf_counter() - begin) / int(found.iterations[0])
            self._iterations = int(np.clip(PICTURE / each, LEAST_ITERATIONS, MOST_ITERATIONS))
        return found

    def _solved(
        self, targets: NDArray[np.float64], weights: Vector, start: Row, most: int = MOST_ITERATIONS
    ) -> ik.PoseSolution:
        points = [
            ik.Point(pin.corner.tolist(), target, weight=float(weight), barycentric=pin.weight)
            for pin, target, weight in zip(self.pins.values(), targets, weights, strict=True)
        ]
        found: ik.PoseSolution = self._solver.solve(
            points, start, preferred=self._start, max_iterations=most, threads=1
        )
        return found

    def _relaxed(self, closest: ik.PoseSolution) -> ik.PoseSolution:
        """Nearly as near to targets out of reach, without what hardly helps.

        The nearest pose takes to its end whatever moves a pin toward a far target at all: a point next to an eye would
        open the mouth. So pins are pulled once more, to where they are in that pose, and with less weight the larger
        their gap is. What moves a pin by less than a few thousandths of the size then stays about where it was.
        """
        gaps = closest.error[0] / (FAR * self._size)
        relaxation = 1.0 + (RELAXATION - 1.0) * np.minimum(gaps, 1.0)
        if (relaxation < 1.01).all():
            return closest
        return self._solved(self._points_of_model(closest.poses[0]), relaxation**-2, closest.poses[0])

    def _correct(self, measured: Vector) -> bool:
        """Take over how far the model is from the figure; True if that is known already.

        Whole at first. For resting targets, a share that the last two calls give by the secant (Aitken relaxation;
        Irons and Tuck 1969): a poor model overshoots, and would go to and fro between two poses for good.
        """
        known = measured.shape == self._model_offset.shape
        if not known:
            self._model_offset, self._residual = np.zeros_like(measured), None
        residual = measured - self._model_offset
        if self._residual is None:
            self._model_offset, self._share = measured, 1.0
        else:
            change = residual - self._residual
            square = float(np.square(change).sum())
            if square > 0.0:
                secant = -self._share * float((self._residual * change).sum()) / square
                self._share = float(np.clip(secant, LEAST_SHARE, 1.0))
            self._model_offset = self._model_offset + self._share * residual
        self._residual = residual
        return known and bool(np.abs(residual).max() <= CONVERGED * self._size)

    def _measured(self, pose: Row, vertices: Vertices) -> Vector:
        """From each pin's point of the figure to that of the model that is solved (pins, 3)."""
        if self._figure.is_solved_as_it_is:
            return np.zeros((len(self.pins), 3))
        seen = np.array([pin.point(vertices) for pin in self.pins.values()])
        return np.asarray(self._points_of_model(pose) - seen, np.float64)

    def _points_of_model(self, pose: Row) -> NDArray[np.float64]:
        """Positions of the pins' points on the model that is solved (pins, 3)."""
        corners = np.array([pin.corner for pin in self.pins.values()])
        if self._skin is None or not np.array_equal(self._skin[0], corners):
            self._skin = corners, self._solver.model.restricted(corners.reshape(-1))
        skin = np.asarray(self._skin[1].evaluate(pose[None], threads=1)[0], np.float64).reshape(-1, 3, 3)
        return np.array([pin.weight @ own for pin, own in zip(self.pins.values(), skin, strict=True)])

    def rebase(self) -> None:
        """Stay near the present pose from now on: something else than a drag has changed it."""
        self._start = self._closest = self._residual = None

    def clear(self) -> None:
        """Let all pins go."""
        self.pins.clear()
        self.rebase()

    def facts(self, vertices: Vertices) -> list[dict[str, Any]]:
        """The pins as the page draws them."""
        return [
            {
                "pin": number,
                "at": [round(float(x), 6) for x in pin.point(vertices)],
                "target": [round(float(x), 6) for x in pin.target],
                "grabbed": pin.grabbed,
            }
            for number, pin in self.pins.items()
        ]
