"""Text of strangers on a terminal: nothing in a name moves the cursor or takes a screen."""

from __future__ import annotations

import io
import re
import sys

# C0 and C1 controls, line and paragraph separators, marks that turn the direction of text, and lone surrogates.
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
LONGEST = 2000  # characters of a line of an error


def escaped(text: str) -> str:
    """``text`` with ``\\x1b`` for an escape character, and so on for all that is not to be seen."""
    return UNPRINTABLE.sub(lambda found: found.group().encode("unicode_escape", "surrogatepass").decode("ascii"), text)


def shortened(text: str, most: int = LONGEST) -> str:
    """``text``, its middle left out where it is longer."""
    return text if len(text) <= most else f"{text[: most // 2]} ... {text[-most // 2 :]}"


def print_all_letters() -> None:
    """Escape letters that stdout and stderr have no code for, in place of an error after the work is done."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")
