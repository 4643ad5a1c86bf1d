"""One open page, and what pages have sent that waits for the stage."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from rigcast.viewer._admission import RateLimit
from rigcast.viewer._protocol import Message
from rigcast.viewer._received._opening import Openings
from rigcast.viewer._received._receiver import Receiver, StagedView
from rigcast.viewer._wire import packed

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection

log = logging.getLogger("rigcast.viewer")
MOST_WAITING = 1000


class Tab:
    """One open page: what it was sent, and whether it has shown the last frame."""

    def __init__(self, socket: ServerConnection, view: StagedView, openings: Openings) -> None:
        self.socket = socket
        self.limit = RateLimit()
        self.ready = True
        self.sent = -1  # number of the last frame
        self.scene, self.clips = -1, list[str]()  # number of the scene, and the clips that it lists
        self.is_behind = False  # another stage is shown of which the page has shown no frame
        self.changed = asyncio.Event()
        self.refused = 0
        self.receiver = Receiver(self.answer, openings, view)

    async def answer(self, header: Mapping[str, Any], arrays: Sequence[NDArray[Any]] = ()) -> None:
        """Send a message, unless the page has gone."""
        try:
            await self.socket.send(packed(header, arrays))
        except Exception as error:  # noqa: BLE001  of a page that goes away meanwhile
            log.debug("a page got no answer: %s", error)


class Inbox:
    """Keeps messages in the order of their arrival; a newer one takes an older one's place at the end."""

    def __init__(self) -> None:
        self._waiting: dict[Hashable, Message] = {}
        self._count = 0

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def put(self, message: Message) -> bool:
        """Add a message; returns whether there was room."""
        if len(self._waiting) >= MOST_WAITING:
            return False
        key = message.merge_key()
        if key is None:
            self._count += 1
            key = self._count
        self._waiting.pop(key, None)
        self._waiting[key] = message
        return True

    def take(self) -> list[Message]:
        """All messages, and none are left."""
        found, self._waiting = list(self._waiting.values()), {}
        return found
