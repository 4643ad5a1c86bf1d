"""The host when there is no process between: the file open in the Blender that runs this code."""

from __future__ import annotations

from collections.abc import Generator

from rigcast._extras import require
from rigcast._formats.blender.host import wire
from rigcast._validate import bad_argument
from rigcast.errors import SourceError


class LocalHost:
    """Answers the requests of :class:`~rigcast._formats.blender.process.HostProcess` in this process."""

    def __init__(self) -> None:
        bpy = require("bpy", extra="blender", purpose="driving a rig inside Blender")
        from rigcast._formats.blender.host.answers import Answers

        self.path: str = bpy.data.filepath or "untitled.blend"
        self.closed = False
        self._answers = Answers(opens_files=False)

    def request(
        self, header: wire.Header, arrays: wire.Arrays | None = None, replies: int = 1
    ) -> Generator[tuple[wire.Header, wire.Arrays], None, None]:
        """Yield the replies to a request, as ``HostProcess.request`` does."""
        from rigcast._formats.blender.host.objects import InputError, UnusableError

        try:
            yield from self._answers.answer(header, arrays or {})
        except InputError as error:
            raise bad_argument("BlenderRig.in_process", error.argument, error.got, error.expected) from None
        except UnusableError as error:
            raise self.failure(f"Blender cannot evaluate the rig: {error}") from None

    def failure(self, what: str) -> SourceError:
        """The error for a rig that failed."""
        return SourceError(what)

    def close(self) -> None:
        """Put the user's pose back."""
        self._answers.close()
        self.closed = True
