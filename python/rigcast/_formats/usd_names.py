"""Prim names: letters, digits and underscores, not beginning with a digit."""

from __future__ import annotations

import re
from collections.abc import Sequence


def identifier(name: str, default: str = "mesh") -> str:
    """The nearest prim name."""
    plain = re.sub(r"\W", "_", name, flags=re.ASCII)
    return f"_{plain}" if plain[:1].isdigit() else plain or default


def unique_identifiers(names: Sequence[str], default: str, taken: Sequence[str] = ()) -> list[str]:
    """Of several names, made different by a number where they would be equal."""
    used, found = set(taken), list[str]()
    for name in names:
        plain = candidate = identifier(name, default)
        number = 1
        while candidate in used:
            number += 1
            candidate = f"{plain}_{number}"
        used.add(candidate)
        found.append(candidate)
    return found
