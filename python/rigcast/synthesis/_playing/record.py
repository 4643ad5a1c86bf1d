"""What a character was told, and what was noted about it: the newest, with numbers that never change."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

KEPT_EVENTS = 1000  # commands and notes
Event = dict[str, Any]


class Record:
    """Commands and notes by number; the oldest are forgotten."""

    def __init__(self) -> None:
        self.events: dict[int, Event] = {}
        self.next = 0

    def add(self, event: Event, used: Iterable[int] = ()) -> int:
        """Number of a new event.

        Parameters
        ----------
        event : dict
        used : iterable of int
            Numbers of events that wait or are at work: these are kept.
        """
        number = self.next
        self.next += 1
        self.events[number] = event
        kept = {*used, number}
        while len(self.events) > KEPT_EVENTS:
            old = next((other for other in self.events if other not in kept), None)
            if old is None:
                break
            del self.events[old]
        return number

    def command(self, number: int) -> str:
        """The command of a number; "" if there is none, or it was forgotten."""
        return str(self.events[number]["command"]) if number in self.events else ""

    def as_plain(self) -> dict[str, Any]:
        """What :meth:`of_plain` needs, in JSON's values."""
        return {"next": self.next, "events": [[number, dict(event)] for number, event in self.events.items()]}

    @classmethod
    def of_plain(cls, plain: dict[str, Any]) -> Record:
        """The record of :meth:`as_plain`."""
        found = cls()
        found.next = plain["next"]
        found.events = {number: dict(event) for number, event in plain["events"]}
        return found
