"""Parts of a page's gallery: rows of pictures, and the labels of their color scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rigcast._pages.words import figure


@dataclass(frozen=True)
class Picture:
    """One picture, or one from the front and one from behind, with the words under it."""

    uris: list[str]
    title: str
    note: str = ""
    color: str = ""


@dataclass(frozen=True)
class Row:
    """Pictures that belong together; ``top`` is the end of their color scale in millimeters, 0 without one."""

    title: str
    text: str
    pictures: list[Picture]
    top: float = 0.0


@dataclass(frozen=True)
class Gallery:
    """All pictures of a report."""

    overview: Row
    poses: list[Row]
    sets: Row | None


def ticks(top: float, steps: int = 5) -> Sequence[str]:
    """Labels of a color scale from 0 to ``top``."""
    return [figure(top * step / steps, 2) if step else "0" for step in range(steps)] + [f"≥ {figure(top, 2)}"]
