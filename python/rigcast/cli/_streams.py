"""Text on the standard streams: what cannot be printed costs nobody the work."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
from typing import TextIO

from rigcast._text import escaped

LEAST_WIDTH = 20  # a narrower terminal wraps itself
INDENT = 2  # of the lines that a long one goes on in
WORD = re.compile(r"""(?:[^\s'"]|'[^']*'|"[^"]*")+""")  # of a command line, with its quotes


def say(text: str, stream: TextIO | None, end: str = "\n") -> OSError | None:
    """Print a line at once, and return why it could not be printed.

    A closed or full stream costs nobody the work. Letters that the stream's encoding lacks are escaped, and so are
    control characters, line ends among them.
    """
    if stream is None or stream.closed:
        return OSError(errno.EBADF, "the stream is closed")
    try:
        encoding = stream.encoding or "utf-8"
        print(escaped(text).encode(encoding, "backslashreplace").decode(encoding), end=end, file=stream, flush=True)
    except OSError as error:
        silence(stream)
        return error
    return None


def silence(stream: TextIO) -> None:
    """Send what a broken stream still holds to nowhere, or Python says at its end that it could not be written."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def width_of(stream: TextIO | None) -> int | None:
    """Columns of the terminal that a stream is; None for a pipe or a file, where no line is wrapped."""
    if stream is None or stream.closed or not stream.isatty():
        return None
    columns = shutil.get_terminal_size().columns
    return columns if columns >= LEAST_WIDTH else None


def wrapped(text: str, width: int | None, indent: int | None = None) -> list[str]:
    """A line as the lines that fit a width; words that are longer, as paths, stay whole.

    Parameters
    ----------
    text : str
    width : int or None
        None leaves the line as it is.
    indent : int, optional
        Spaces before all lines but the first; default two more than the line itself has.
    """
    if width is None or len(text) <= width:
        return [text]
    import textwrap

    own = len(text) - len(text.lstrip(" "))
    spaces = min(own + INDENT if indent is None else indent, width // 2)
    lines = textwrap.wrap(
        text,
        width,
        subsequent_indent=" " * spaces,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
        expand_tabs=False,
    )
    return lines or [text]


def continued(command: str, width: int | None) -> list[str]:
    """A command line as lines that end in a backslash where it goes on, so that a shell still takes it as one."""
    if width is None or len(command) <= width:
        return [command]
    own = len(command) - len(command.lstrip(" "))
    lines = [" " * own]
    for word in WORD.findall(command):
        if lines[-1].strip() and len(lines[-1]) + 1 + len(word) > width - 2:
            lines.append(" " * (own + 2 * INDENT))
        lines[-1] += " " * bool(lines[-1].strip()) + word
    return [*(f"{line} \\" for line in lines[:-1]), lines[-1]]
