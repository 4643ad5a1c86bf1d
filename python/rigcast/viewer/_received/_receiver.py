"""Pictures and files that one page sends, beside its messages to the stage."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

from numpy.typing import NDArray

from rigcast.viewer._export import stem
from rigcast.viewer._messages import FilmPicture, FilmStep, OpenFile
from rigcast.viewer._playing._movie import Movie
from rigcast.viewer._protocol import Refused
from rigcast.viewer._received._opening import DroppedFile, Openings, ShownView, said_of, said_of_failure
from rigcast.viewer._received._upload import LONGEST_NAME, Upload
from rigcast.viewer._stage import Stage

log = logging.getLogger("rigcast.viewer")
Sent = FilmStep | FilmPicture | OpenFile | bytes
Answer = Callable[[Mapping[str, Any], Sequence[NDArray[Any]]], Awaitable[None]]


class StagedView(ShownView, Protocol):
    """The view with the stage that it shows."""

    stage: Stage


class Receiver:
    """Collects what one page sends, and answers it.

    Parameters
    ----------
    answer : callable from a header and arrays
        Sends a message to the page.
    openings : Openings
        Of all pages.
    view : StagedView
    """

    def __init__(self, answer: Answer, openings: Openings, view: StagedView) -> None:
        self._answer, self._openings, self._view = answer, openings, view
        self._movie: Movie | None = None
        self._upload: Upload | None = None
        self._file: OpenFile | None = None  # of which the upload is; None: it is a picture
        self._ignores = False  # parts on their way when their file was refused
        self._has_character = False  # among the files that were dropped together
        self._work: set[asyncio.Task[None]] = set()

    @property
    def is_expecting(self) -> bool:
        """True if bytes were announced that have not come."""
        return self._upload is not None

    async def take(self, message: Sent) -> None:
        """Follow a message; what is wrong with it is answered with a sentence."""
        try:
            if isinstance(message, bytes):
                await self._add(message)
                return
            if self._upload is not None and self._file is not None:
                await self._refuse(Refused("the page sent something else before all of it had come"))
            self._end_upload()
            self._ignores = False
            if isinstance(message, OpenFile):
                self._file = message
                self._has_character = self._has_character and not message.first
                await self._begin(self._openings.upload(message))
            elif isinstance(message, FilmPicture):
                await self._begin(self._begun().upload(message.size))
            else:
                await self._film(message.step)
        except (ValueError, OSError) as error:
            await self._refuse(error)

    def close(self) -> None:
        """Throw away what is not complete. A file that is being opened is opened, though its page has gone."""
        self._end_upload()
        if self._movie is not None:
            self._movie.close()
        self._movie = None

    def _end_upload(self) -> None:
        if self._upload is not None:
            self._upload.cancel()
            if self._file is not None:
                self._openings.folder.forget(self._upload.path)
        self._upload = self._file = None

    async def _begin(self, upload: Upload) -> None:
        self._upload = upload
        await self._answer({"type": "received", "bytes": 0}, ())

    async def _add(self, part: bytes) -> None:
        if self._upload is None:
            if not self._ignores:
                log.warning("refused a message: bytes that no message announced")
            return
        upload, file = self._upload, self._file
        upload.add(part)
        if upload.is_complete:
            self._upload = self._file = None
            if file is None:
                self._begun().keep()
            else:
                dropped = DroppedFile(upload.path, file.motion, not self._has_character)
                task = asyncio.create_task(self._open(dropped))
                self._work.add(task)
                task.add_done_callback(self._work.discard)
        await self._answer({"type": "received", "bytes": upload.received}, ())

    async def _open(self, file: DroppedFile) -> None:
        """Open a file that is here, and say what became of it."""
        loop, openings = asyncio.get_running_loop(), self._openings
        try:
            opened = await loop.run_in_executor(openings.thread, openings.opened, file, self._view)
        except Exception as error:  # noqa: BLE001  of whatever program reads the file: the page says it
            await self._say_refused(said_of_failure(file, error))
            return
        self._has_character = self._has_character or opened.is_character
        await self._answer({"type": "opened", "text": said_of(file, opened)}, ())

    def _begun(self) -> Movie:
        if self._movie is None:
            raise Refused("no movie was begun")
        return self._movie

    async def _film(self, step: str) -> None:
        """Begin a movie, or send what ffmpeg makes of its pictures."""
        if step == "end" and self._movie is not None:
            stage, loop = self._view.stage, asyncio.get_running_loop()
            content = await loop.run_in_executor(None, self._movie.encoded, stage.timeline.fps)
            await self._answer({"type": "file", "name": f"{stem(stage.figure)}.mp4"}, [content])
        self.close()
        if step == "begin":
            self._movie = Movie()
            await self._answer({"type": "kept"}, ())

    async def _refuse(self, error: Exception) -> None:
        """Give up what is being sent, and say why."""
        self._ignores = True
        if self._file is None:
            self.close()
            await self._say_refused(f"No movie was made: {error}")
            return
        name = "".join(filter(str.isprintable, self._file.name))[:LONGEST_NAME]
        self._end_upload()
        await self._say_refused(f"{name} was not opened: {error}")

    async def _say_refused(self, text: str) -> None:
        log.warning("refused: %s", text)
        await self._answer({"type": "refused", "text": text}, ())
