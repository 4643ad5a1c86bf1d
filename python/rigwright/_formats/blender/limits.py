"""The limits file beside a .blend: ``hero.limits.json`` for ``hero.blend``.

::

    {
      "format": "rigwright.limits",
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
"""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

from rigwright._safe_reading import read_json
from rigwright._validate import bad_argument

FORMAT, VERSION = "rigwright.limits", 1


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
        raise bad_argument("BlenderRig.open", "limits", f"{os.fspath(path)!r} ({error})", "a JSON file") from None
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
