"""Text of strangers where it is shown: nothing in a name moves a cursor, turns a line or ends a page."""

from __future__ import annotations

import re

# C0 and C1 controls, line and paragraph separators, marks that turn the direction of text, and lone surrogates.
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
LONGEST = 2000  # characters of a line of an error


def escaped(text: str, keep: str = "") -> str:
    """``text`` with ``\\x1b`` for an escape character, and so on for all that is not to be seen but ``keep``."""

    def code(found: re.Match[str]) -> str:
        letter = found.group()
        return letter if letter in keep else letter.encode("unicode_escape", "surrogatepass").decode("ascii")

    return UNPRINTABLE.sub(code, text)


def shortened(text: str, most: int = LONGEST) -> str:
    """``text``, its middle left out where it is longer."""
    return text if len(text) <= most else f"{text[: most // 2]} ... {text[-most // 2 :]}"
