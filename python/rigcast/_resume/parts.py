"""A folder of finished parts: what an interrupted run leaves for the next one.

Work is cut into parts that do not depend on when it is interrupted, so that any number of interruptions ends in the
same bytes.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from rigcast._atomic_files import atomic_file
from rigcast._resume.locks import locked
from rigcast._validate import bad_argument

MAGIC = b"rigcast part 1\n"
MARK, CHECK = 32, 32  # hex digits: the fingerprint of the work, the hash of the content
OURS = re.compile(r"rigcast-(\w+)\.part")
LEFT_OVER = re.compile(rf"\.({OURS.pattern})\.\w+\.part")  # of a process that was killed while writing


class PartsFolder:
    """A folder of parts of one piece of work; a context manager that keeps other runs out.

    Each part is a file that holds the fingerprint of its work and a hash of its content. A part that is missing,
    damaged or of other work is none: it is made again. Files that are no parts are never touched.

    Parameters
    ----------
    folder : path-like
        Made if it is missing; removed at the end of the block if it is empty then.
    function : str
        Public name of the function that works, for messages.

    Raises
    ------
    ValueError
        On entering: if another run writes here (the message names its process), if ``folder`` is a file, or if it
        holds other files and no parts.
    """

    def __init__(self, folder: str | os.PathLike[str], function: str) -> None:
        self.folder, self.function = Path(folder), function
        self._fingerprint = ""
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> PartsFolder:
        for _ in range(100):
            with contextlib.suppress(FileNotFoundError):  # a run that has just ended has removed the folder
                self._lock()
                return self
        raise bad_argument(
            self.function, "folder", f"{str(self.folder)!r}, which disappears", "a place to write", self.folder
        )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
        with contextlib.suppress(OSError):
            self.folder.rmdir()

    def _lock(self) -> None:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            got = f"{str(self.folder)!r}, which is or lies in a file"
            raise bad_argument(self.function, "folder", got, "a folder, or a name for a new one", self.folder) from None
        self._refuse_strangers()
        self._stack.enter_context(locked(self.folder / ".lock", self.function, "folder", self.folder))

    def begin(self, fingerprint: str, insist: bool = False) -> None:
        """Say what the parts belong to; parts of other work are removed.

        Raises
        ------
        ValueError
            With ``insist``, if there are parts of other work; they stay.
        """
        foreign = [path for path in self._files(OURS) if _marked(path) != fingerprint]
        if insist and foreign:
            got = f"{self.folder}, which holds parts of another {self.function}"
            raise bad_argument(self.function, "resume", got, "parts of the same input and settings", self.folder)
        for path in [*foreign, *self._files(LEFT_OVER)]:
            path.unlink()
        self._fingerprint = fingerprint

    def get(self, name: str, fingerprint: str | None = None) -> bytes | None:
        """The content of a part; None if there is none, or if it is damaged or of other work.

        Parameters
        ----------
        name : str
            Letters, digits and underscores.
        fingerprint : str, optional
            Of this part alone, where parts are independent of each other.
        """
        try:
            whole = self._path(name).read_bytes()
        except OSError:
            return None
        content = whole[len(MAGIC) + MARK + CHECK :]
        return content if whole == _head(fingerprint or self._fingerprint, content) + content else None

    def put(self, name: str, content: bytes | memoryview, fingerprint: str | None = None) -> None:
        """Keep a part."""
        with atomic_file(self._path(name)) as stream:
            stream.write(_head(fingerprint or self._fingerprint, content))
            stream.write(content)

    def remove(self) -> None:
        """Remove all parts: their result is in safety."""
        for path in [*self._files(OURS), *self._files(LEFT_OVER)]:
            path.unlink()

    def _path(self, name: str) -> Path:
        return self.folder / f"rigcast-{name}.part"

    def _files(self, pattern: re.Pattern[str]) -> list[Path]:
        return [self.folder / name for name in sorted(os.listdir(self.folder)) if pattern.fullmatch(name)]

    def _refuse_strangers(self) -> None:
        visible = [name for name in os.listdir(self.folder) if not name.startswith(".")]
        if visible and not any(map(OURS.fullmatch, visible)):
            got = f"{str(self.folder)!r}, which holds other files"
            raise bad_argument(self.function, "folder", got, "absent or empty", self.folder)


@contextlib.contextmanager
def opened(folder: str | os.PathLike[str] | PartsFolder, function: str) -> Iterator[PartsFolder]:
    """The parts themselves, or those of a folder for the length of the block."""
    if isinstance(folder, PartsFolder):
        yield folder
        return
    with PartsFolder(folder, function) as parts:
        yield parts


def _head(fingerprint: str, content: bytes | memoryview) -> bytes:
    check = hashlib.blake2b(content, digest_size=CHECK // 2).hexdigest()
    return MAGIC + fingerprint.encode() + check.encode()


def _marked(path: Path) -> str:
    """The fingerprint that a file states; empty if it is no part."""
    with path.open("rb") as stream:
        head = stream.read(len(MAGIC) + MARK)
    return head[len(MAGIC) :].decode("ascii", "replace") if head.startswith(MAGIC) else ""
