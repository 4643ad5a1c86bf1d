"""What never moves, in sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping

MOST_NAMED = 12
MOST_REASONS = 8  # that are told with the bones that they name
HINT = 'give them ranges: --ranges DEGREES, --ranges actions, or a limits file ("rigcast limits" writes one)'


def resting_lines(resting: Mapping[str, str], most: int = MOST_NAMED) -> list[str]:
    """One line per reason, with the names that it holds for, after a line with their number.

    Parameters
    ----------
    resting : mapping
        Names of joints, controls, shapes and dials to reasons.
    most : int
        Names in a line; the others are counted.
    """
    if not resting:
        return []
    lines = [f"{len(resting)} of its joints, controls, shapes and dials never move:"]
    return lines + [f"{reason}: {names}" for reason, names in resting_groups(resting, most)]


def resting_groups(resting: Mapping[str, str], most: int = MOST_NAMED) -> list[tuple[str, str]]:
    """Each reason, and the names that it holds for as a list in words."""
    groups = _grouped(dict(resting))
    if len(groups) > MOST_REASONS:
        groups = _grouped({name: _kind(reason) for name, reason in resting.items()})
    found = []
    for reason, names in groups.items():
        rest = f" and {len(names) - most} more" if len(names) > most else ""
        found.append((reason, f"{', '.join(names[:most])}{rest}"))
    return found


def _grouped(resting: dict[str, str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for name, reason in resting.items():
        groups.setdefault(reason, []).append(name)
    return groups


def _kind(reason: str) -> str:
    """A reason without the bones that it names: ``target of a constraint; no limits``."""
    text = re.sub(r"'[^']*' of bone '[^']*'", "a constraint", reason)
    return re.sub(r"^(.*? )?target of .*; ", "target of a constraint; ", text)
