"""Names of a model in a scene, and sentences about those that are not there."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

MOST_NAMED = 3  # in a sentence


def legal(name: str) -> str:
    """A name as channels, parameters and attributes may have it: letters, digits and ``_``, no digit first."""
    plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
    return f"_{plain}" if plain[:1].isdigit() else plain


def missing_words(missing: Sequence[str], there: Sequence[str], count: int) -> str:
    """The missing names with what was perhaps meant: ``2 of 20: 'a' (did you mean 'A1'?), 'b'``."""
    words = []
    for name in missing[:MOST_NAMED]:
        near = difflib.get_close_matches(name, there, 1, 0.6)
        words.append(f"{name!r} (did you mean {near[0]!r}?)" if near else repr(name))
    rest = ", ..." if len(missing) > MOST_NAMED else ""
    return f"{len(missing)} of {count}: {', '.join(words)}{rest}"
