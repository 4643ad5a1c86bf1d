"""The limits file beside a .blend: ``hero.limits.json`` for ``hero.blend``.

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
      }
    }

Names are those of ``BlenderRig.channel_names``; rotations are in degrees, locations in scene units. A range replaces
the one in the file, or adds a channel where the file has no range. Two equal ends hold the channel at that value.
Other entries than these three are for you: ``rigcast limits`` states where each range comes from (``sources``),
what could be a channel (``without_range``), and what rests (``resting``).
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeGuard

from rigcast._atomic_files import atomic_write
from rigcast._safe_reading import read_json
from rigcast._text import escaped
from rigcast._validate import bad_argument

FORMAT, VERSION = "rigcast.limits", 1
MOST_DEGREES = 360.0
LONGEST_SOURCE = 200  # letters
LIMITS_FILE = "the limits file"  # as the host calls it


def limits_path(blend: Path) -> Path:
    """Where the limits of a .blend are looked for."""
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
    """Degrees either way, "actions", or None.

    Raises
    ------
    ValueError
        If it is anything else.
    """
    if ranges is None or ranges == "actions":
        return ranges
    if isinstance(ranges, bool) or not isinstance(ranges, (int, float)) or not 0.0 < ranges <= MOST_DEGREES:
        expected = f'degrees, positive and at most {MOST_DEGREES:g}, or "actions"'
        raise bad_argument("BlenderRig.open", "ranges", repr(ranges), expected)
    return float(ranges)


def used_limits(limits: str | os.PathLike[str] | Mapping[str, Any] | None, file: Path | None) -> str | None:
    """The limits file that is read: the one given, or the one beside the .blend."""
    if limits is not None:
        return None if isinstance(limits, Mapping) else os.fspath(limits)
    beside = limits_path(file) if file is not None else None
    return str(beside) if beside is not None and beside.is_file() else None


def read_limits(
    limits: str | os.PathLike[str] | Mapping[str, tuple[float, float]] | None, file: Path | None
) -> dict[str, tuple[float, float]] | None:
    """Limits from an argument, or from the file beside the .blend; None without either."""
    if isinstance(limits, Mapping):
        return check_limits({name: list(ends) for name, ends in limits.items()})
    used = used_limits(limits, file)
    return None if used is None else load_limits(used)


def with_stated_sources(sources: list[str], names: list[str], limits_file: str | None) -> list[str]:
    """Where ranges come from: where the limits file says from where it has one itself, that, too.

    Parameters
    ----------
    sources, names : lists of str
        Of the channels, as the host says.
    limits_file : str or None
        The file that was read.
    """
    stated = None if limits_file is None else read_json(limits_file).get("sources")
    if not isinstance(stated, dict):
        return sources
    texts = [stated.get(name) for name in names]
    return [
        f"{source}: {escaped(text)}" if source == LIMITS_FILE and _is_short_text(text) else source
        for source, text in zip(sources, texts, strict=True)
    ]


def _is_short_text(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and 0 < len(value) <= LONGEST_SOURCE


def write_limits(path: str | os.PathLike[str], rig: Any) -> None:
    """Write the ranges of a rig's channels as a limits file to edit.

    Parameters
    ----------
    path : path-like
        By custom ``hero.limits.json`` beside ``hero.blend``, where it is read without being named.
    rig : BlenderRig
        Opened with ``ranges=30`` or ``ranges="actions"``, it has a range for bones without limits, too.
    """
    pairs = dict(zip(rig.channel_names, rig.channel_ranges.tolist(), strict=True))
    held = {name: [value, value] for name, value in rig.held_as_saved.items()}
    sources = dict(zip(rig.channel_names, rig.range_sources, strict=True))
    content = {
        "format": FORMAT,
        "version": VERSION,
        "channels": pairs | held,
        "sources": sources | dict.fromkeys(held, "held as saved: no action keys it"),
        "without_range": rig.without_range,
        "resting": rig.resting,
    }
    text = json.dumps(content, indent=2)
    for low, high in [*pairs.values(), *held.values()]:  # a range on one line is easier to edit
        text = text.replace(f"[\n      {json.dumps(low)},\n      {json.dumps(high)}\n    ]", json.dumps([low, high]))
    atomic_write(path, (text + "\n").encode())
