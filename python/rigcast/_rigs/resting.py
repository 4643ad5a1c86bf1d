"""What never moves, in sentences."""

from __future__ import annotations

from collections.abc import Mapping

MOST_NAMED = 12
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
    groups: dict[str, list[str]] = {}
    for name, reason in resting.items():
        groups.setdefault(reason, []).append(name)
    found = []
    for reason, names in groups.items():
        rest = f" and {len(names) - most} more" if len(names) > most else ""
        found.append((reason, f"{', '.join(names[:most])}{rest}"))
    return found
