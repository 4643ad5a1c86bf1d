"""Handles: points next to the skin that are dragged and pose a figure by a rule of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rigcast.viewer._figures._figure import State
from rigcast.viewer._planes import on_plane
from rigcast.viewer._protocol import Refused

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Handle:
    """One handle as the page draws it.

    Attributes
    ----------
    at : (3,) float64 array
    kind : str
        ``"end"``, ``"pole"``, ``"torso"`` or ``"point"``.
    side : str or None
        ``"left"`` or ``"right"``.
    tie : (3,) float64 array, optional
        A point that the handle is tied to with a line.
    """

    name: str
    kind: str
    at: Vector
    side: str | None = None
    tie: Vector | None = None


class HandleSet(Protocol):
    """Handles of one rule."""

    def handles(self, state: State) -> list[Handle]:
        """All of them, in an order that never changes."""

    def moved(self, number: int, begin: State, target: Vector, firm: bool) -> State:
        """The state with one handle at a target, or as near as the figure allows.

        Parameters
        ----------
        number : int
        begin : State
            In which the handle was gripped: what follows depends on the target alone, not on the way there.
        target : (3,) float64 array
        firm : bool
            Whether more than usual stays in place (Shift).
        """


@dataclass(frozen=True)
class HandleGrip:
    """A handle that is held."""

    number: int
    begin: State
    target: Vector
    facing: Vector  # normal of the plane in which it is dragged
    firm: bool


class Handles:
    """All handles of a figure, numbered from 0, of which one at a time is held."""

    def __init__(self, sets: Sequence[HandleSet]) -> None:
        self._sets = list(sets)
        self._grip: HandleGrip | None = None

    def __bool__(self) -> bool:
        return bool(self._sets)

    def grip(self, number: int, facing: Vector, firm: bool, state: State) -> None:
        """Take hold of a handle.

        Raises
        ------
        ValueError
            If there is no such handle.
        """
        handles = self._all(state)
        if number >= len(handles):
            raise Refused(f"handle {number} of {len(handles)}")
        self._grip = HandleGrip(number, state, handles[number].at, facing, firm)

    def pull(self, number: int, origin: Vector, direction: Vector) -> State | None:
        """The state with the held handle where a ray meets its plane; None if that is nowhere, or it is not held."""
        grip = self._grip
        if grip is None or grip.number != number:
            return None
        target = on_plane(grip.target, grip.facing, origin, direction)
        if target is None:
            return None
        self._grip = HandleGrip(number, grip.begin, target, grip.facing, grip.firm)
        for handles in self._sets:
            count = len(handles.handles(grip.begin))
            if number < count:
                return handles.moved(number, grip.begin, target, grip.firm)
            number -= count
        return None

    def drop(self, number: int) -> bool:
        """Let the held handle go; returns whether it was held."""
        held = self._grip is not None and self._grip.number == number
        if held:
            self._grip = None
        return held

    def release(self) -> None:
        """Let go whatever is held: something else has changed the pose."""
        self._grip = None

    def facts(self, state: State) -> list[dict[str, Any]]:
        """The handles as the page draws them; the held one has a target."""
        found = []
        for number, handle in enumerate(self._all(state)):
            fact = {"name": handle.name, "kind": handle.kind, "side": handle.side, "at": _rounded(handle.at)}
            if handle.tie is not None:
                fact["tie"] = _rounded(handle.tie)
            if self._grip is not None and self._grip.number == number:
                fact["target"] = _rounded(self._grip.target)
            found.append(fact)
        return found

    def _all(self, state: State) -> list[Handle]:
        return [handle for handles in self._sets for handle in handles.handles(state)]


def _rounded(point: Vector) -> list[float]:
    return [round(float(x), 6) for x in point]
