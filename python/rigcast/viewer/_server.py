"""One port: the page by HTTP, and a binary WebSocket that takes what is done on it and sends what it shows.

Sockets, messages and the inbox belong to the thread of the event loop; a single worker thread steps the stage, one
frame at a time. Each page is sent the newest frame when it has shown the one before.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from rigcast._extras import require
from rigcast.viewer._admission import Admission, RateLimit, answering_connection
from rigcast.viewer._export import Snapshot, stem, written
from rigcast.viewer._messages import (
    LARGEST_MESSAGE,
    Export,
    FilmPicture,
    FilmStep,
    Probe,
    ShownFrame,
    parsed,
)
from rigcast.viewer._page import HEADERS, files_of
from rigcast.viewer._playing._movie import Movie
from rigcast.viewer._protocol import Message, Refused
from rigcast.viewer._stage import Stage
from rigcast.viewer._wire import packed

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection
    from websockets.http11 import Request, Response

log = logging.getLogger("rigcast.viewer")
SOCKET = "/live"
Result = TypeVar("Result")
PATIENCE = 30.0  # seconds of flooding after which a connection is closed
MOST_WAITING = 1000


class Tab:
    """One open page: whether it has shown the last frame that it got."""

    def __init__(self, socket: ServerConnection) -> None:
        self.socket = socket
        self.limit = RateLimit()
        self.ready = True
        self.sent = -1  # number of the last frame
        self.changed = asyncio.Event()
        self.refused = 0
        self.movie: Movie | None = None

    def end_movie(self) -> None:
        """Throw away what was collected of a movie."""
        if self.movie is not None:
            self.movie.close()
        self.movie = None


class Server:
    """Serves a stage.

    Parameters
    ----------
    stage : Stage
    token : str
    """

    def __init__(self, stage: Stage, token: str) -> None:
        self.stage, self.token = stage, token
        self.latencies: deque[float] = deque(maxlen=4096)  # seconds from a drag or label to its frame on the socket
        self._files = files_of("rigcast.viewer")
        self._tabs: set[Tab] = set()
        self._inbox = Inbox()
        self._wake = asyncio.Event()
        self._worker = ThreadPoolExecutor(1, "rigcast-view-stage")
        self._scene = stage.scene()
        self._frame = stage.step([], 0.0)
        self._number = stage.number
        self._arrived: float | None = None  # when the oldest drag came that no frame shows yet
        self._arrived_of_frame: float | None = None  # the same of the newest frame, until it is sent
        self._admission: Admission | None = None

    async def run(self, host: str, port: int, opened: Callable[[int], None], stop: asyncio.Event) -> None:
        """Serve until ``stop`` is set; ``opened`` is called with the port."""
        serve = require("websockets.asyncio.server", extra="viewer", purpose="the live view").serve
        quiet = logging.getLogger("rigcast.viewer.socket")
        quiet.setLevel(logging.CRITICAL)
        options = {"max_size": LARGEST_MESSAGE, "compression": None, "logger": quiet, "server_header": None}
        own = answering_connection()
        async with serve(
            self._tab, host, port, process_request=self._answer, create_connection=own, **options
        ) as server:
            port = server.sockets[0].getsockname()[1]
            self._admission = Admission(self.token, host, port)
            opened(port)
            work = asyncio.create_task(self._work())
            work.add_done_callback(lambda _: stop.set())  # a view that makes no frames ends, and says why
            await stop.wait()
            failed = work.exception() if work.done() and not work.cancelled() else None
            work.cancel()
        if failed is not None:
            log.error("the view ends: %s: %s", type(failed).__name__, failed)
            raise failed
        self._worker.shutdown(wait=True, cancel_futures=True)

    def on_stage(self, work: Callable[[Stage], Result]) -> Result:
        """The result of a function of the stage, called between two frames."""
        return self._worker.submit(work, self.stage).result()

    def _answer(self, connection: ServerConnection, request: Request) -> Response | None:
        """A file of the page, a refusal, or None for a WebSocket that may be opened."""
        path, admission = urlsplit(request.path).path, self._admission
        host = request.headers.get("Host")
        if admission is None or not admission.knows_host(host):
            return self._refusal(connection, HTTPStatus.FORBIDDEN, "another host's name")
        only_head = getattr(connection, "only_head", False)
        if path == SOCKET and not only_head:
            if admission.accepts(host, request.headers.get("Origin"), request.path):
                return None
            return self._refusal(connection, HTTPStatus.FORBIDDEN, "no token, or a page from elsewhere")
        if path not in self._files:
            return connection.respond(HTTPStatus.NOT_FOUND, "There is no such page.\n")
        kind, content = self._files[path]
        response = connection.respond(HTTPStatus.OK, "")
        for name in ("Content-Type", "Content-Length"):
            del response.headers[name]
        response.headers.update({**HEADERS, "Content-Type": kind, "Content-Length": str(len(content))})
        response.body = b"" if only_head else content
        return response

    def _refusal(self, connection: ServerConnection, status: HTTPStatus, why: str) -> Response:
        log.warning("refused a connection: %s", why)
        return connection.respond(status, "Refused.\n")

    async def _tab(self, socket: ServerConnection) -> None:
        """Serve one page until it goes."""
        tab = Tab(socket)
        await socket.send(self._scene)
        self._tabs.add(tab)
        tab.changed.set()
        feed = asyncio.create_task(self._feed(tab))
        try:
            async for message in socket:
                if not await self._take(tab, message):
                    break
        except Exception as error:  # noqa: BLE001  a page that goes away without a word, or too large a message
            log.debug("a page has gone: %s", error)
        finally:
            self._tabs.discard(tab)
            feed.cancel()
            tab.end_movie()
            if socket.close_code == 1009:
                log.warning("refused: a message of more than %d bytes", LARGEST_MESSAGE)

    async def _take(self, tab: Tab, message: str | bytes) -> bool:
        """Take one message; returns False if the connection is to be closed."""
        now = time.monotonic()
        if not tab.limit.allows(now):
            tab.refused += 1
            if tab.refused == 1 or tab.refused % 1000 == 0:
                log.warning("refused: more than 240 messages a second (%d so far)", tab.refused)
            return tab.refused < 240 * PATIENCE
        try:
            value = parsed(message)
        except ValueError as error:
            log.warning("refused a message: %s", error)
            return True
        if isinstance(value, ShownFrame):
            self._shown(tab, value.frame)
        elif isinstance(value, Probe):
            found = await asyncio.get_running_loop().run_in_executor(self._worker, self.stage.value_at, value)
            await tab.socket.send(packed({"type": "probe", "value": found}))
        elif isinstance(value, Export):
            await self._export(tab, value.format)
        elif isinstance(value, FilmStep | FilmPicture):
            await self._film(tab, value)
        else:
            if value.is_timed and self._arrived is None:
                self._arrived = time.perf_counter()
            if not self._inbox.put(value):
                log.warning("refused a message: too many are waiting")
            self._wake.set()
        return True

    def _shown(self, tab: Tab, number: int) -> None:
        if number == tab.sent:
            tab.ready = True
            tab.changed.set()
            self._wake.set()

    async def _feed(self, tab: Tab) -> None:
        """Send a page the newest frame whenever it has shown the one before."""
        try:
            while True:
                await tab.changed.wait()
                tab.changed.clear()
                if tab.ready and tab.sent != self._number:
                    tab.ready, tab.sent = False, self._number
                    arrived, self._arrived_of_frame = self._arrived_of_frame, None
                    await tab.socket.send(self._frame)
                    if arrived is not None:
                        self.latencies.append(time.perf_counter() - arrived)
        except Exception as error:  # noqa: BLE001  of a page that goes; one that stays connects again
            log.debug("a page got no frame: %s", error)
            await tab.socket.close()

    async def _work(self) -> None:
        """Make a frame whenever something was done, or plays, and a page can show it."""
        loop = asyncio.get_running_loop()
        while True:
            await self._wake.wait()
            self._wake.clear()
            while (self._inbox or self.stage.is_restless) and any(tab.ready for tab in self._tabs):
                if self.stage.timeline.playing and not self._inbox:
                    await self._pause(self.stage.timeline.until_next())
                messages = self._inbox.take()
                arrived, self._arrived = self._arrived, None
                frame = await loop.run_in_executor(self._worker, self.stage.step, messages, time.monotonic())
                self._frame, self._number = frame, self.stage.number
                self._arrived_of_frame = arrived
                for tab in self._tabs:
                    tab.changed.set()
                await asyncio.sleep(0)

    async def _pause(self, seconds: float) -> None:
        """Wait, but not longer than until something is done."""
        try:
            await asyncio.wait_for(self._wake.wait(), seconds)
        except asyncio.TimeoutError:
            return

    async def _film(self, tab: Tab, message: FilmStep | FilmPicture) -> None:
        """Begin a movie, add a part of a picture, or send what ffmpeg makes of all of them."""
        loop = asyncio.get_running_loop()
        try:
            if isinstance(message, FilmPicture):
                if tab.movie is None:
                    raise Refused("no movie was begun")
                tab.movie.add(message.data, message.last)
                if message.last:
                    await tab.socket.send(packed({"type": "kept", "pictures": tab.movie.pictures}))
                return
            if message.step == "end" and tab.movie is not None:
                fps = self.stage.timeline.fps
                content = await loop.run_in_executor(None, tab.movie.encoded, fps)
                await tab.socket.send(packed({"type": "file", "name": f"{stem(self.stage.figure)}.mp4"}, [content]))
            tab.end_movie()
            if message.step == "begin":
                tab.movie = Movie()
                await tab.socket.send(packed({"type": "kept", "pictures": 0}))
        except (ValueError, OSError) as error:
            tab.end_movie()
            log.warning("no movie was made: %s", error)
            await tab.socket.send(packed({"type": "notice", "text": f"No movie was made: {error}"}))

    async def _export(self, tab: Tab, form: str) -> None:
        loop = asyncio.get_running_loop()
        try:
            snapshot = await loop.run_in_executor(self._worker, Snapshot.of, self.stage)
            name, content = await loop.run_in_executor(None, written, snapshot, form)
        except Exception as error:  # noqa: BLE001  of whatever program writes the file: the page says it
            log.warning("no %s was written: %s", form, error)
            await tab.socket.send(packed({"type": "notice", "text": f"No {form} was written: {error}"}))
            return
        await tab.socket.send(packed({"type": "file", "name": name}, [content]))


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
