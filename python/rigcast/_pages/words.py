"""Numbers and facts as a reader sees them."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping
from typing import Any

SHORTENED = 120  # characters
LEAST_LENGTH = 1e-3  # millimeters: below, a length is as good as none
LEAST_SHARE = 1e-4
ABBREVIATIONS = {"ik", "fk", "lod", "3d"}


def figure(value: float, digits: int = 3) -> str:
    """A number with three significant digits, never in powers of ten: 0.00412, 0.214, 12.3, 1,230."""
    if not math.isfinite(value):
        return "–"
    if value == 0.0:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return f"{value:,.{min(decimals, 6)}f}"


def length(millimeters: float) -> str:
    """A length with two significant digits and its unit, as one says it: ``0.03 mm``, ``1.4 mm``, ``1.8 m``."""
    if 0.0 < millimeters < LEAST_LENGTH:
        return f"less than {LEAST_LENGTH:g} mm"
    if not math.isfinite(millimeters):
        return "–"
    value, unit = (millimeters / 1e3, "m") if millimeters >= 1e3 else (millimeters, "mm")
    return f"{float(f'{value:.2g}'):,g} {unit}" if value < 1e2 else f"{value:,.0f} {unit}"


def within(millimeters: float) -> str:
    """A length that something is not farther away than: as :func:`length`, but never less than 0.001 mm."""
    return length(max(millimeters, LEAST_LENGTH))


def millimeters(value: float) -> str:
    """The number of a length, without its unit: as :func:`figure`, ``< 0.001`` below that."""
    return f"< {LEAST_LENGTH:g}" if 0.0 < value < LEAST_LENGTH else figure(value)


def share(part: float) -> str:
    """A share of a whole in percent, with as many digits as matter: ``99.9 %``, ``below 0.01 %``, ``100 %``."""
    if not math.isfinite(part):
        return "–"
    if part in (0.0, 1.0):
        return f"{100 * part:.0f} %"
    near = min(part, 1.0 - part)
    if near < LEAST_SHARE:
        return f"below {100 * LEAST_SHARE:g} %" if part < 0.5 else f"over {100 - 100 * LEAST_SHARE:g} %"
    return f"{100 * part:.{0 if near >= 0.1 else 1 if near >= 0.001 else 2}f} %"


def size(count: int) -> str:
    """Bytes as MB (or KB below a tenth of one)."""
    return f"{figure(count / 1e6)} MB" if count >= 1e5 else f"{figure(count / 1e3)} KB"


def duration(seconds: float) -> str:
    """Seconds below two minutes, else minutes."""
    return f"{figure(seconds, 2)} seconds" if seconds < 120.0 else f"{figure(seconds / 60.0)} minutes"


def plural(count: int, noun: str) -> str:
    """``1 joint``, ``13,380 vertices``."""
    plurals = {"vertex": "vertices"}
    return f"{count:,} {noun if count == 1 else plurals.get(noun, noun + 's')}"


def title(name: str) -> str:
    """A file's name as a heading: ``demo-character`` is ``Demo character``, ``face_ik`` is ``Face IK``."""
    parts = name.replace("_", " ").replace("-", " ").split()
    text = " ".join(part.upper() if part.lower() in ABBREVIATIONS else part for part in parts)
    return text[:1].upper() + text[1:]


def ratio(larger: float, smaller: float) -> str:
    """``11 x`` with as many digits as matter; a dash where it cannot be said."""
    if not (math.isfinite(larger) and math.isfinite(smaller)) or smaller <= 0.0:
        return "–"
    value = larger / smaller
    if value < 0.1:
        return f"{value:.1g} ×"
    return f"{value:.0f} ×" if value >= 10 else f"{value:.1f} ×"


def summary(text: str) -> str:
    """The beginning of a long note, at most 120 characters, cut between words."""
    return textwrap.shorten(text, SHORTENED, placeholder=" …")


def settings(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Settings as pairs of words, the plain ones; nested values are left to the file."""
    pairs = []
    for name, value in values.items():
        if isinstance(value, bool):
            pairs.append((name, "yes" if value else "no"))
        elif isinstance(value, float):
            pairs.append((name, f"{value:g}"))
        elif isinstance(value, int | str):
            pairs.append((name, str(value)))
    return [(name.replace("_", " "), value) for name, value in pairs]
