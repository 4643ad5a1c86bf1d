"""Dropped files become what is shown, or what plays: by an opener that whoever starts the view gives.

One file is opened at a time, on a thread of its own: the page goes on meanwhile.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from rigcast.viewer._messages import OpenFile
from rigcast.viewer._playing._clips import ReadClip
from rigcast.viewer._protocol import Refused
from rigcast.viewer._received._upload import DropFolder, Upload, safe_name
from rigcast.viewer._stage import Stage

log = logging.getLogger("rigcast.viewer")
Result = TypeVar("Result")
NO_OPENER = "a view of Python opens no files: the command rigcast view does, and rc.view shows what rc.load gives"


@dataclass(frozen=True)
class DroppedFile:
    """A file that a page sent.

    Attributes
    ----------
    path : Path
        Where it lies until the view ends.
    as_motion : bool
        True if it is wanted as a motion, whatever else it holds.
    is_alone : bool
        False if a file that was dropped together with it was opened as a character.
    """

    path: Path
    as_motion: bool = False
    is_alone: bool = True


@dataclass(frozen=True)
class Opened:
    """The outcome: a character that is shown, or a motion that plays; and lines on what is left out."""

    is_character: bool
    notes: tuple[str, ...] = ()


class ShownView(Protocol):
    """The view, as an opener changes it from its own thread."""

    def on_stage(self, work: Callable[[Stage], Result]) -> Result:
        """The result of a function of the stage, called between two frames."""

    def show(self, stage: Stage) -> str:
        """Show another stage on all pages; returns what it has to say."""

    def join(self, clips: Mapping[str, ReadClip]) -> None:
        """Offer clips beside *Play*, and play the first of them."""


class Opener(Protocol):
    """Opens files. Whatever ``open`` raises leaves the view as it was."""

    def refusal(self, name: str, as_motion: bool) -> str:
        """The reason why files of a name are not opened; empty for those that ``open`` tries."""

    def open(self, file: DroppedFile, view: ShownView) -> Opened:
        """Open a file and show what it holds."""

    def close(self) -> None:
        """Close what is open; the files go after that."""


class Openings:
    """The files that the pages of one view send, and what becomes of them.

    Parameters
    ----------
    opener : Opener, optional
        None opens nothing, and says so.
    """

    def __init__(self, opener: Opener | None = None) -> None:
        self.thread = ThreadPoolExecutor(1, "rigcast-view-opener")
        self.folder = DropFolder()
        self.opening = ""  # the name of the file that is being opened
        self._opener = opener

    def upload(self, message: OpenFile) -> Upload:
        """The upload of a file.

        Raises
        ------
        ValueError
            If it is not to be opened.
        """
        if self._opener is None:
            raise Refused(NO_OPENER)
        if why := self._opener.refusal(safe_name(message.name), message.motion):
            raise Refused(why)
        return self.folder.upload(message.name, message.size)

    def opened(self, file: DroppedFile, view: ShownView) -> Opened:
        """Open a file, on the thread for it; one that fails is removed."""
        assert self._opener is not None
        self.opening = file.path.name
        try:
            return self._opener.open(file, view)
        except BaseException:
            self.folder.forget(file.path)
            raise
        finally:
            self.opening = ""

    def wait(self) -> None:
        """Wait for the file that is being opened; no other one is."""
        if self.opening:
            log.warning("the view ends when %s is opened", self.opening)
        self.thread.shutdown(wait=True, cancel_futures=True)

    def close(self) -> None:
        """Close what is open; all files go."""
        try:
            if self._opener is not None:
                self._opener.close()
        finally:
            self.folder.close()


def said_of(file: DroppedFile, opened: Opened) -> str:
    """The words of a page on a file that was opened."""
    what = "is shown" if opened.is_character else "plays"
    return in_page_words(file, [f"{file.path.name} {what}", *opened.notes])


def said_of_failure(file: DroppedFile, error: BaseException) -> str:
    """The words of a page on a file that was not opened."""
    why = " ".join(str(error).split()) or type(error).__name__
    return in_page_words(file, [f"{file.path.name} was not opened: {why}"])


def in_page_words(file: DroppedFile, lines: Sequence[str]) -> str:
    """Lines without the folder in which the file lies here, which says nothing to who dropped it."""
    return "\n".join(lines).replace(f"{file.path.parent}{os.sep}", "")
