"""Text of strangers where it is shown: nothing in a name moves a cursor, turns a line or ends a page."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

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


def html_table(caption: str, facts: Mapping[str, str]) -> str:
    """The HTML that a notebook shows of an object: one row per fact that is not empty, as models show theirs."""
    rows = (f"<tr><td>{name}</td><td>{html.escape(value)}</td></tr>" for name, value in facts.items() if value)
    return f"<table><caption>{caption}</caption>{''.join(rows)}</table>"
