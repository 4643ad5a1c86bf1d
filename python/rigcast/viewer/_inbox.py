"""Messages that wait for the stage: of several that set the same thing, the newest counts."""

from __future__ import annotations

from typing import Any

Message = dict[str, Any]
MOST_WAITING = 1000


class Inbox:
    """Keeps messages in the order of their arrival; a newer one takes an older one's place at the end."""

    def __init__(self) -> None:
        self._waiting: dict[object, Message] = {}
        self._count = 0

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def put(self, message: Message) -> bool:
        """Add a message; returns whether there was room."""
        if len(self._waiting) >= MOST_WAITING:
            return False
        key = self._key(message)
        self._waiting.pop(key, None)
        self._waiting[key] = message
        return True

    def take(self) -> list[Message]:
        """All messages, and none are left."""
        found, self._waiting = list(self._waiting.values()), {}
        return found

    def _key(self, message: Message) -> object:
        kind = message["type"]
        if kind == "drag":
            return kind, message["pin"]
        if kind == "pull":
            return kind, message["handle"]
        if kind == "set" and not message["done"]:
            return kind, message["channel"]
        if kind in ("seek", "tell", "restart"):
            return kind
        self._count += 1
        return self._count
