"""Sentences on joints, controls and shapes that never move."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

MOST_NAMED = 3  # names of a line on the screen
MOST_REASONS = 8  # that are stated with the bones that they name


def carrying_notes(held: Sequence[str]) -> list[str]:
    """A line on the channels of joints that carry a body and that samples leave at rest."""
    some = ", ".join(held[:MOST_NAMED]) + f" and {len(held) - MOST_NAMED} more" * (len(held) > MOST_NAMED)
    return [f"for motion of another skeleton alone, at rest in all samples: {some}"] * bool(held)


def resting_count(resting: Mapping[str, str]) -> str:
    """The number of those that never move, in words."""
    return f"{len(resting)} of its joints, controls, shapes and dials never move"


def resting_lines(resting: Mapping[str, str]) -> list[str]:
    """One line per reason, with the number of names that it holds for and a few of them, after a line with their sum.

    Parameters
    ----------
    resting : mapping
        Names of joints, controls, shapes and dials to reasons.
    """
    if not resting:
        return []
    groups, lines = _groups(resting), []
    for reason, names in groups.items():
        some = ", ".join(names[:MOST_NAMED])
        lines.append(f"{reason}: {some if len(names) <= MOST_NAMED else f'{len(names)} ({some} ...)'}")
    every = all(len(names) <= MOST_NAMED for names in groups.values())
    return [f"{resting_count(resting)}{'' if every else ' (names: --json)'}:", *lines]


def resting_hint(takes_limits: bool) -> str:
    """Advice on giving them ranges; limits files are for .blend files."""
    of_blender = ', --ranges actions, or a limits file ("rigcast limits" writes one)'
    return f"give them ranges: --ranges DEGREES{of_blender if takes_limits else ''}"


def resting_groups(resting: Mapping[str, str], most: int) -> list[tuple[str, str]]:
    """Each reason, and the names that it holds for as a list in words: ``most`` of them, the others are counted."""
    found = []
    for reason, names in _groups(resting).items():
        rest = f" and {len(names) - most} more" if len(names) > most else ""
        found.append((reason, f"{', '.join(names[:most])}{rest}"))
    return found


def _groups(resting: Mapping[str, str]) -> dict[str, list[str]]:
    """Names by their reasons; by kinds of reasons, if those are many."""
    groups = _grouped(dict(resting))
    if len(groups) > MOST_REASONS:
        groups = _grouped({name: _kind(reason) for name, reason in resting.items()})
    return groups


def _grouped(resting: dict[str, str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for name, reason in resting.items():
        groups.setdefault(reason, []).append(name)
    return groups


def _kind(reason: str) -> str:
    """A reason without the bones that it names: ``target of a constraint; no limits``."""
    text = re.sub(r"'[^']*' of bone '[^']*'", "a constraint", reason)
    return re.sub(r"^(.*? )?target of .*; ", "target of a constraint; ", text)
