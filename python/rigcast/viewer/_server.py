"""One port: the page by HTTP, and a binary WebSocket that takes what is done on it and sends what it shows.

Sockets, messages and the inbox belong to the thread of the event loop; a single worker thread steps the stage, one
frame at a time. Each page is sent the newest frame when it has shown the one before.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from rigcast._extras import require
from rigcast.viewer._admission import Admission, answering_connection
from rigcast.viewer._export import Snapshot, written
from rigcast.viewer._messages import (
    LARGEST_MESSAGE,
    Export,
    FilmPicture,
    FilmStep,
    OpenFile,
    Probe,
    ShownFrame,
    parsed,
)
from rigcast.viewer._page import HEADERS, files_of
from rigcast.viewer._playing._clips import ReadClip
from rigcast.viewer._received._opening import Opener, Openings
from rigcast.viewer._received._tab import Inbox, Tab
from rigcast.viewer._stage import Stage
from rigcast.viewer._wire import packed

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection
    from websockets.http11 import Request, Response

log = logging.getLogger("rigcast.viewer")
SOCKET = "/live"
Result = TypeVar("Result")
PATIENCE = 30.0  # seconds of flooding after which a connection is closed


class Server:
    """Serves a stage.

    Parameters
    ----------
    stage : Stage
    token : str
    opens : Opener, optional
        Opens files that are dropped into a page.
    """

    def __init__(self, stage: Stage, token: str, opens: Opener | None = None) -> None:
        self.stage, self.token = stage, token
        self.latencies: deque[float] = deque(maxlen=4096)  # seconds from a drag or label to its frame on the socket
        self._files = files_of("rigcast.viewer")
        self._tabs: set[Tab] = set()
        self._inbox = Inbox()
        self._wake = asyncio.Event()
        self._worker = ThreadPoolExecutor(1, "rigcast-view-stage")
        self._openings = Openings(opens)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._scene, self._scenes, self._clips = stage.scene(), 0, stage.transport.clips
        self._frame = stage.step([], 0.0)
        self._number = stage.number
        self._arrived: float | None = None  # when the oldest drag came that no frame shows yet
        self._arrived_of_frame: float | None = None  # the same of the newest frame, until it is sent
        self._admission: Admission | None = None

    async def run(self, host: str, port: int, opened: Callable[[int], None], stop: asyncio.Event) -> None:
        """Serve until ``stop`` is set; ``opened`` is called with the port."""
        serve = require("websockets.asyncio.server", extra="viewer", purpose="the live view").serve
        self._loop = asyncio.get_running_loop()
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
        await self._loop.run_in_executor(None, self._openings.wait)  # what is being opened may need this loop
        self._worker.shutdown(wait=failed is None, cancel_futures=True)
        self._openings.close()
        if failed is not None:
            log.error("the view ends: %s: %s", type(failed).__name__, failed)
            raise failed

    def on_stage(self, work: Callable[[Stage], Result]) -> Result:
        """The result of a function of the stage, called between two frames."""
        return self._worker.submit(work, self.stage).result()

    def show(self, stage: Stage) -> str:
        """Show another stage on all pages, called on another thread than the server's; returns what it has to say."""
        return self._in_loop(self._replace(stage))

    def join(self, clips: Mapping[str, ReadClip]) -> None:
        """Offer clips, and play the first of them, called on another thread than the server's."""

        def work(stage: Stage) -> tuple[bytes, list[str]]:
            stage.transport.join(clips, time.monotonic())
            return stage.scene(), stage.transport.clips

        self._in_loop(self._offer(*self.on_stage(work)))

    def _in_loop(self, work: Coroutine[Any, Any, Result]) -> Result:
        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _replace(self, stage: Stage) -> str:
        """Show another stage; what was said of the one before, and not yet done, is forgotten."""

        told, stage.notice = stage.notice, ""  # said once, by who opened it

        def begin() -> tuple[bytes, bytes]:
            stage.number = self.stage.number
            return stage.scene(), stage.step([], time.monotonic())

        scene, frame = await asyncio.get_running_loop().run_in_executor(self._worker, begin)
        self.stage, self._scene, self._clips, self._frame = stage, scene, stage.transport.clips, frame
        self._number, self._scenes = stage.number, self._scenes + 1
        self._arrived = self._arrived_of_frame = None
        self._inbox.take()
        for tab in self._tabs:
            tab.is_behind, tab.ready, tab.sent = True, False, -1
            tab.changed.set()
        self._wake.set()
        return told

    async def _offer(self, scene: bytes, clips: list[str]) -> None:
        """Tell the pages which clips there are, and go on: one of them plays."""
        self._scene, self._clips = scene, clips
        for tab in self._tabs:
            tab.changed.set()
        self._wake.set()

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
        tab = Tab(socket, self, self._openings)
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
            tab.receiver.close()
            if socket.close_code == 1009:
                log.warning("refused: a message of more than %d bytes", LARGEST_MESSAGE)

    async def _take(self, tab: Tab, message: str | bytes) -> bool:
        """Take one message; returns False if the connection is to be closed."""
        now = time.monotonic()
        announced = isinstance(message, bytes) and tab.receiver.is_expecting  # each part is answered: no flood
        if not announced and not tab.limit.allows(now):
            tab.refused += 1
            if tab.refused == 1 or tab.refused % 1000 == 0:
                log.warning("refused: more than 240 messages a second (%d so far)", tab.refused)
            return tab.refused < 240 * PATIENCE
        if isinstance(message, bytes):
            await tab.receiver.take(message)
            return True
        try:
            value = parsed(message)
        except ValueError as error:
            log.warning("refused a message: %s", error)
            return True
        if isinstance(value, ShownFrame):
            self._shown(tab, value.frame)
        elif isinstance(value, Probe):
            found = await asyncio.get_running_loop().run_in_executor(self._worker, self.stage.value_at, value)
            await tab.answer({"type": "probe", "value": found})
        elif isinstance(value, Export):
            await self._export(tab, value.format)
        elif isinstance(value, FilmStep | FilmPicture | OpenFile):
            await tab.receiver.take(value)
        elif not tab.is_behind:  # else it is about what the page has shown before
            if value.is_timed and self._arrived is None:
                self._arrived = time.perf_counter()
            if not self._inbox.put(value):
                log.warning("refused a message: too many are waiting")
            self._wake.set()
        return True

    def _shown(self, tab: Tab, number: int) -> None:
        if number == tab.sent:
            tab.ready, tab.is_behind = True, False
            tab.changed.set()
            self._wake.set()

    async def _feed(self, tab: Tab) -> None:
        """Send a page the newest frame whenever it has shown the one before."""
        try:
            while True:
                await tab.changed.wait()
                tab.changed.clear()
                await self._catch_up(tab)
                if tab.ready and tab.sent != self._number:
                    tab.ready, tab.sent = False, self._number
                    arrived, self._arrived_of_frame = self._arrived_of_frame, None
                    await tab.socket.send(self._frame)
                    if arrived is not None:
                        self.latencies.append(time.perf_counter() - arrived)
        except Exception as error:  # noqa: BLE001  of a page that goes; one that stays connects again
            log.debug("a page got no frame: %s", error)
            await tab.socket.close()

    async def _catch_up(self, tab: Tab) -> None:
        """Send a page the scene and the clips, if it has others; it owes no frame of a scene before."""
        while (tab.scene, tab.clips) != (self._scenes, self._clips):
            if tab.scene != self._scenes:
                tab.scene, tab.clips, tab.ready, tab.sent = self._scenes, self._clips, True, -1
                await tab.socket.send(self._scene)
            else:
                tab.clips = self._clips
                await tab.socket.send(packed({"type": "clips", "names": tab.clips}))

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
                stage = self.stage
                frame = await loop.run_in_executor(self._worker, stage.step, messages, time.monotonic())
                if stage is not self.stage:
                    continue  # another one is shown
                self._frame, self._number = frame, stage.number
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

    async def _export(self, tab: Tab, form: str) -> None:
        loop = asyncio.get_running_loop()
        try:
            snapshot = await loop.run_in_executor(self._worker, Snapshot.of, self.stage)
            name, content = await loop.run_in_executor(None, written, snapshot, form)
        except Exception as error:  # noqa: BLE001  of whatever program writes the file: the page says it
            log.warning("no %s was written: %s", form, error)
            await tab.answer({"type": "notice", "text": f"No {form} was written: {error}"})
            return
        await tab.answer({"type": "file", "name": name}, [content])
