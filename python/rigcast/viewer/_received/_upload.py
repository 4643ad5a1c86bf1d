"""Bytes that a page sends: announced, written as they come, and the folder in which dropped files lie."""

from __future__ import annotations

import re
import shutil
import tempfile
import unicodedata
from pathlib import Path

from rigcast.viewer._protocol import Refused

LARGEST_FILE = 512 * 2**20  # bytes
LARGEST_FOLDER = 4 * 2**30  # bytes of all files of one view
LONGEST_NAME = 120  # bytes of UTF-8, the ending included
EMPTY = "it is empty"
RESERVED = re.compile(r'[<>:"|?*]')  # which some systems have in no name
ENDING = re.compile(r"\.\w{1,12}(\.gz)?$", re.I)


class Upload:
    """Writes announced bytes to a new file.

    Parameters
    ----------
    path : Path
    size : int
        Bytes that follow.
    """

    def __init__(self, path: Path, size: int) -> None:
        if size < 1:
            raise Refused(EMPTY)
        self.path, self.size, self.received = path, size, 0
        self._stream = path.open("xb")

    @property
    def is_complete(self) -> bool:
        """True if nothing is missing."""
        return self.received == self.size

    def add(self, part: bytes) -> None:
        """Write the next bytes.

        Raises
        ------
        ValueError
            If they are more than were announced.
        """
        if self.received + len(part) > self.size:
            raise Refused(f"more than the {self.size} bytes that were announced came")
        self._stream.write(part)
        self.received += len(part)
        if self.is_complete:
            self._stream.close()

    def cancel(self) -> None:
        """Remove what came, unless it is complete."""
        if not self.is_complete:
            self._stream.close()
            self.path.unlink(missing_ok=True)


class DropFolder:
    """Holds dropped files, each in a folder of its own, for this user alone; gone after ``close``."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._sizes: dict[Path, int] = {}
        self._count = 0

    @property
    def path(self) -> Path | None:
        """The folder; None before the first file."""
        return None if self._folder is None else Path(self._folder.name)

    def upload(self, name: str, size: int) -> Upload:
        """The upload of a file.

        Raises
        ------
        ValueError
            If it has no name, is empty, or too large.
        """
        if size < 1:
            raise Refused(EMPTY)
        if size > LARGEST_FILE:
            raise Refused(f"it has {size / 2**20:.0f} MB; a dropped file has at most {LARGEST_FILE >> 20} MB")
        if size + sum(self._sizes.values()) > LARGEST_FOLDER:
            raise Refused(f"the files that were dropped into this view would have more than {LARGEST_FOLDER >> 30} GB")
        name = safe_name(name)
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="rigcast-dropped-")  # of mode 700
        self._count += 1
        own = Path(self._folder.name) / f"{self._count:04d}"
        own.mkdir()
        self._sizes[own] = size
        return Upload(own / name, size)

    def forget(self, path: Path) -> None:
        """Remove a file that was not opened."""
        self._sizes.pop(path.parent, None)
        shutil.rmtree(path.parent, ignore_errors=True)

    def close(self) -> None:
        """Remove all files."""
        if self._folder is not None:
            self._folder.cleanup()
        self._folder = None
        self._sizes.clear()


def safe_name(name: str) -> str:
    """The name of a file without folders, unprintable characters and leading dots; a long one keeps its ending.

    Raises
    ------
    ValueError
        If nothing is left.
    """
    last = re.split(r"[/\\]", unicodedata.normalize("NFC", name))[-1]
    plain = RESERVED.sub("_", "".join(filter(str.isprintable, last))).strip(" .")
    if not plain:
        raise Refused("it has no name")
    ending = found.group() if (found := ENDING.search(plain)) else ""
    stem = plain.removesuffix(ending).encode()[: LONGEST_NAME - len(ending.encode())].decode(errors="ignore").rstrip()
    return (stem or "file") + ending
