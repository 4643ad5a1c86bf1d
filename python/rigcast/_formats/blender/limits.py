"""The limits file next to a .blend: ``hero.limits.json`` for ``hero.blend``.

::

    {
      "format": "rigcast.limits",
      "version": 1,
      "channels": {
        "upper_arm.L.rotation_x": [-60, 120],
        "spine.location_z": [-0.05, 0.05],
        "shape.smile": [0, 1],
        "property.belly": [0, 0.5],
        "hand.L.curl": [0.2, 0.2]
      },
      "groups": {
        "on": ["upper_arm.L.rotation_x", "spine.location_z", "shape.smile", "property.belly"],
        "switch": [],
        "held": ["hand.L.curl"]
      }
    }

Names are those of ``BlenderRig.channel_names``; rotations are in degrees, locations in scene units. A range replaces
the one in the file, or adds a channel where the file has no range. Two equal ends hold the channel at that value.
Groups may be left out. What is in ``held`` stays as the .blend was saved, whatever its range; what is in ``switch`` is
at one end of its range in most poses; what is in ``on`` is sampled. Other entries are for you: ``rigcast limits``
states where each range comes from (``sources``, and in one word ``origins``), what could be a channel
(``without_range``), and what rests (``resting``).
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeGuard

from rigcast._atomic_files import atomic_write
from rigcast._safe_reading import errors_naming, read_json
from rigcast._text import escaped
from rigcast._validate import bad_argument

FORMAT, VERSION = "rigcast.limits", 1
MOST_DEGREES = 360.0
LONGEST_SOURCE = 200  # letters
LIMITS_FILE = "limits file"  # the origin of its ranges, as the host calls it
ORIGINS = ("file", "actions", "motion", "people", "degrees")
GROUPS = ("on", "switch", "held")


def limits_path(blend: Path) -> Path:
    """The path at which the limits of a .blend are looked for."""
    return blend.with_suffix(".limits.json")


def load_limits(path: str | os.PathLike[str]) -> dict[str, tuple[float, float]]:
    """Read a limits file.

    Returns
    -------
    dict
        Channel name to (low, high).

    Raises
    ------
    ValueError
        If the file is not in the format above.
    """
    try:
        content = read_json(path)
    except (OSError, ValueError) as error:
        raise bad_argument("BlenderRig.open", "limits", f"unreadable ({error})", "a JSON file") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT or content.get("version") != VERSION:
        expected = f'a JSON object with "format": "{FORMAT}" and "version": {VERSION}'
        raise bad_argument("BlenderRig.open", "limits", f"{os.fspath(path)!r} with something else", expected)
    with errors_naming(path):
        return check_limits(content.get("channels"))


def check_limits(channels: Any) -> dict[str, tuple[float, float]]:
    """Check a mapping of channel names to ranges."""
    if not isinstance(channels, dict):
        expected = "a mapping of channel names to [low, high]"
        raise bad_argument("BlenderRig.open", "limits", type(channels).__name__, expected)
    result = {}
    for name, ends in channels.items():
        numbers = list(ends) if isinstance(ends, (list, tuple)) else []
        valid = len(numbers) == 2 and all(isinstance(n, (int, float)) and math.isfinite(n) for n in numbers)
        if not valid or numbers[0] > numbers[1]:
            got = f"a mapping with {name!r}: {ends!r}"
            raise bad_argument("BlenderRig.open", "limits", got, "two finite numbers, the lower one first")
        result[str(name)] = (float(numbers[0]), float(numbers[1]))
    return result


def check_ranges(ranges: float | str | None) -> float | str | None:
    """Degrees either way, "actions", "people", or None.

    Raises
    ------
    ValueError
        If it is anything else.
    """
    if ranges is None or ranges in ("actions", "people"):
        return ranges
    if isinstance(ranges, bool) or not isinstance(ranges, (int, float)) or not 0.0 < ranges <= MOST_DEGREES:
        expected = f'degrees, positive and at most {MOST_DEGREES:g}, "actions" or "people"'
        raise bad_argument("BlenderRig.open", "ranges", repr(ranges), expected)
    return float(ranges)


def used_limits(limits: str | os.PathLike[str] | Mapping[str, Any] | None, file: Path | None) -> str | None:
    """The limits file that is read: the one given, or the one next to the .blend."""
    if limits is not None:
        return None if isinstance(limits, Mapping) else os.fspath(limits)
    neighbor = limits_path(file) if file is not None else None
    return str(neighbor) if neighbor is not None and neighbor.is_file() else None


def read_limits(
    limits: str | os.PathLike[str] | Mapping[str, tuple[float, float]] | None, file: Path | None
) -> dict[str, tuple[float, float]] | None:
    """Limits from an argument, or from the file next to the .blend; None without either."""
    if isinstance(limits, Mapping):
        return check_limits({name: list(ends) for name, ends in limits.items()})
    used = used_limits(limits, file)
    return None if used is None else load_limits(used)


def check_patterns(argument: str, patterns: str | Sequence[str] | None) -> list[str]:
    """Names and patterns of channels, of one or several strings.

    Raises
    ------
    ValueError
        If they are anything else.
    """
    found = [patterns] if isinstance(patterns, str) else list(patterns or ())
    if not all(isinstance(pattern, str) and pattern for pattern in found):
        raise bad_argument("BlenderRig.open", argument, repr(patterns), "names of channels, or patterns of them")
    return found


@dataclass(frozen=True)
class StatedLimits:
    """The content of a limits file other than its ranges.

    Attributes
    ----------
    sources, origins : dicts
        Where ranges come from, by channel: in words, and as one word of ``ORIGINS``.
    groups : dict
        Names of channels by group; empty without groups.
    """

    sources: dict[str, str] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    groups: dict[str, list[str]] = field(default_factory=dict)

    def with_sources(self, sources: list[str], origins: list[str], names: list[str]) -> tuple[list[str], list[str]]:
        """Sources and origins of channels: of those that the limits file gave a range, what it says itself."""
        pairs = list(zip(names, sources, origins, strict=True))
        return (
            [
                f"{source}: {self.sources[name]}" if origin == LIMITS_FILE and name in self.sources else source
                for name, source, origin in pairs
            ],
            [self.origins.get(name, origin) if origin == LIMITS_FILE else origin for name, _, origin in pairs],
        )

    def held(self, ranges: Mapping[str, tuple[float, float]]) -> list[str]:
        """The channels that the file lists in the group of held ones without giving them a single value."""
        names = self.groups.get("held", [])
        return [name for name in names if name not in ranges or ranges[name][0] < ranges[name][1]]

    def switches(self, switches: list[str], names: list[str]) -> list[str]:
        """The switches of a rig: those that the file names, if it has groups."""
        return [name for name in names if name in self.groups["switch"]] if "switch" in self.groups else switches


def stated_limits(limits_file: str | None) -> StatedLimits:
    """Read everything but the ranges from a limits file.

    Raises
    ------
    ValueError
        If it has groups that are no lists of names.
    """
    content = {} if limits_file is None else read_json(limits_file)
    groups = content.get("groups", {})
    valid = isinstance(groups, dict) and all(
        group in GROUPS and isinstance(names, list) and all(isinstance(name, str) for name in names)
        for group, names in groups.items()
    )
    if not valid:
        got = f"{limits_file!r} with other groups"
        raise bad_argument("BlenderRig.open", "limits", got, f"groups {', '.join(GROUPS)} of channel names")
    sources, origins = (_texts(content.get(key)) for key in ("sources", "origins"))
    return StatedLimits(sources, {name: text for name, text in origins.items() if text in ORIGINS}, groups)


def _texts(stated: Any) -> dict[str, str]:
    """Short texts by name; whatever else stands there is left out."""
    found = stated.items() if isinstance(stated, dict) else ()
    return {name: escaped(text) for name, text in found if _is_short_text(text)}


def _is_short_text(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and 0 < len(value) <= LONGEST_SOURCE


def write_limits(path: str | os.PathLike[str], rig: Any, motions: Mapping[str, str] = MappingProxyType({})) -> None:
    """Write the ranges of a rig's channels as a limits file to edit.

    Parameters
    ----------
    path : path-like
        By custom ``hero.limits.json`` next to ``hero.blend``, where it is read without being named.
    rig : BlenderRig
        Opened with ``ranges=30``, ``"actions"`` or ``"people"``, it has a range for bones without limits, too.
    motions : dict
        The motions that ranges come from, by the names of channels that the rig was opened with ``limits`` for.
    """
    pairs = dict(zip(rig.channel_names, rig.channel_ranges.tolist(), strict=True))
    pairs = {name: ends for name, ends in pairs.items() if ends[0] < ends[1]}  # else they would be held on purpose
    switches = {name: pairs[name] for name in rig.switches}
    on = {name: ends for name, ends in pairs.items() if name not in switches}
    set_by_motions = {name: value for name, value in rig.held.items() if name in motions}
    held = {name: [value, value] for name, value in (rig.held_as_saved | set_by_motions).items()}
    content = {
        "format": FORMAT,
        "version": VERSION,
        "channels": on | switches | held,
        "groups": {"on": list(on), "switch": list(switches), "held": list(held)},
        "sources": dict(zip(rig.channel_names, rig.range_sources, strict=True)) | rig.held_sources | dict(motions),
        "origins": dict(zip(rig.channel_names, rig.range_origins, strict=True)) | dict.fromkeys(motions, "motion"),
        "without_range": rig.without_range,
        "resting": rig.resting,
    }
    text = json.dumps(content, indent=2)
    for low, high in [*pairs.values(), *held.values()]:  # a range on one line is easier to edit
        text = text.replace(f"[\n      {json.dumps(low)},\n      {json.dumps(high)}\n    ]", json.dumps([low, high]))
    atomic_write(path, (text + "\n").encode())
