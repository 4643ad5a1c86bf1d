"""Undo and redo over whole states."""

from __future__ import annotations

from typing import Generic, TypeVar

State = TypeVar("State")
MOST_STEPS = 200


class History(Generic[State]):
    """States in the order they were reached, and where in them one stands."""

    def __init__(self, first: State) -> None:
        self._states = [first]
        self._at = 0

    def commit(self, state: State) -> None:
        """Add a state after the present one; those that were undone are gone."""
        self._states = [*self._states[: self._at + 1], state][-MOST_STEPS:]
        self._at = len(self._states) - 1

    @property
    def can_undo(self) -> bool:
        """True if there is an earlier state."""
        return self._at > 0

    @property
    def can_redo(self) -> bool:
        """True if there is a state that was undone."""
        return self._at + 1 < len(self._states)

    def undo(self) -> State:
        """The state before the present one, or the first."""
        self._at = max(self._at - 1, 0)
        return self._states[self._at]

    def redo(self) -> State:
        """The state that was undone last, or the present one."""
        self._at = min(self._at + 1, len(self._states) - 1)
        return self._states[self._at]
