"""Draw the floors of layers.toml for the documentation."""

from __future__ import annotations

from html import escape
from typing import NamedTuple

from tests.structure.layers import ROOT, Room, rooms

FIGURES = ROOT / "docs" / "figures"
WIDTH, LEFT, GAP, PADDING = 960, 46, 8, 8  # pixels
LINE, LETTER, SMALL_LETTER = 17, 7.9, 6.4  # height of a line, widths of letters
INK, PAPER, EDGE, FAINT = "#1f2933", "#f3f6f9", "#9aa5b1", "#5f6c7b"
STYLE = (
    "text{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:13px;fill:" + INK + "}"
    ".s{font-size:10.5px;fill:" + FAINT + "}.f{font-size:12px;fill:" + FAINT + "}"
)


class Box(NamedTuple):
    """A room: its name, what it does, and lines of its sub-rooms."""

    name: str
    does: str
    lines: list[str]

    @property
    def width(self) -> float:
        """Pixels."""
        letters = max((SMALL_LETTER * len(line) for line in self.lines), default=0.0)
        return max(LETTER * len(self.name), letters) + 2 * PADDING

    @property
    def height(self) -> float:
        """Pixels."""
        return LINE * (1 + len(self.lines)) + PADDING


def drawings() -> dict[str, str]:
    """SVG by the name of its file."""
    return {
        "floors_engine.svg": _drawn([*rooms("engine"), *rooms("bindings")], "The floors of the engine"),
        "floors_package.svg": _drawn(rooms("package"), "The floors of the package"),
    }


def _boxes(listed: list[Room], floor: int) -> list[Box]:
    """The rooms of a floor: directories with their sub-rooms, then single modules."""
    found = [room for room in listed if room.floor == floor and "/" not in room.name]
    found.sort(key=lambda room: room.folder == room.home)
    inside = {
        room.name: [sub.name.partition("/")[2] for sub in listed if sub.name.startswith(f"{room.name}/")]
        for room in found
    }
    return [Box(room.name, room.does, _wrapped(inside[room.name], max(24, len(room.name)))) for room in found]


def _wrapped(names: list[str], most: int) -> list[str]:
    """Names in lines of about ``most`` letters."""
    lines: list[str] = []
    for name in names:
        if lines and len(lines[-1]) + 1 + len(name) <= most:
            lines[-1] += f" {name}"
        else:
            lines.append(name)
    return lines


def _shelves(boxes: list[Box]) -> list[list[Box]]:
    """Rows of boxes that fit the width."""
    shelves: list[list[Box]] = [[]]
    for box in boxes:
        used = sum(other.width + GAP for other in shelves[-1])
        if shelves[-1] and LEFT + used + box.width > WIDTH - GAP:
            shelves.append([])
        shelves[-1].append(box)
    return shelves


def _drawn(listed: list[Room], title: str) -> str:
    parts, top = [], float(GAP)
    for floor in sorted({room.floor for room in listed if "/" not in room.name}, reverse=True):
        shelves = _shelves(_boxes(listed, floor))
        begin = top
        for shelf in shelves:
            left, height = float(LEFT), max(box.height for box in shelf)
            for box in shelf:
                parts += _box(box, left, top, height)
                left += box.width + GAP
            if len(shelf) == len(shelves) == 1:  # there is room to say more
                words = escape(shelf[0].does.replace("`", ""))
                parts.append(f'<text class="s" x="{left + GAP:.0f}" y="{top + LINE:.0f}">{words}</text>')
            top += height + GAP
        parts.append(f'<text class="f" x="12" y="{(begin + top) / 2:.0f}">{floor}</text>')
        parts.append(f'<line x1="8" x2="{WIDTH - 8}" y1="{top:.0f}" y2="{top:.0f}" stroke="{EDGE}"/>')
        top += GAP
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top:.0f}" role="img">'
    return "\n".join(
        [head, f"<title>{title}</title>", f"<style>{STYLE}</style>",
         f'<rect width="{WIDTH}" height="{top:.0f}" fill="white"/>', *parts, "</svg>", ""]
    )  # fmt: skip


def _box(box: Box, left: float, top: float, height: float) -> list[str]:
    parts = [
        f'<rect x="{left:.0f}" y="{top:.0f}" width="{box.width:.0f}" height="{height:.0f}" rx="4" fill="{PAPER}" '
        f'stroke="{EDGE}"/>',
        f'<text x="{left + PADDING:.0f}" y="{top + LINE:.0f}">{escape(box.name)}</text>',
    ]
    for row, line in enumerate(box.lines, start=2):
        parts.append(f'<text class="s" x="{left + PADDING:.0f}" y="{top + row * LINE:.0f}">{escape(line)}</text>')
    return parts
