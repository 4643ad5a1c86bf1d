# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of a model found in a scene, and sentences about those that are not."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

MOST_NAMED = 3  # in a sentence


class BindError(Exception):
    """Why a model cannot move a mesh, in one sentence for the artist."""


def plain(name: str) -> str:
    """A name as other programs may write it: letters and digits alone, in lower case."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


def matched(wanted: Sequence[str], there: Sequence[str]) -> dict[str, str]:
    """The name in the scene of each wanted one: the same, else the only one that differs by case and signs alone."""
    known, found = set(there), {}
    by_plain: dict[str, list[str]] = {}
    for name in there:
        by_plain.setdefault(plain(name), []).append(name)
    taken = {name for name in wanted if name in known}
    for name in wanted:
        alike = [other for other in by_plain.get(plain(name), ()) if other not in taken]
        if name in known:
            found[name] = name
        elif len(alike) == 1:
            found[name] = alike[0]
    return found


def missing_words(missing: Sequence[str], there: Sequence[str], count: int) -> str:
    """The missing names with what was perhaps meant: ``2 of 20: 'a' (did you mean 'A1'?), 'b'``."""
    words = []
    for name in missing[:MOST_NAMED]:
        near = difflib.get_close_matches(name, there, 1, 0.6)
        words.append(f"{name!r} (did you mean {near[0]!r}?)" if near else repr(name))
    rest = ", ..." if len(missing) > MOST_NAMED else ""
    return f"{len(missing)} of {count}: {', '.join(words)}{rest}"
