"""Notes of a source on how it was opened: what was left out, held, guessed or not run."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any, TypeVar

from rigcast._notes import hear
from rigcast._rigs.resting import resting_groups

MOST_MESHES = 3  # that are named of those left out for one reason
Source = TypeVar("Source")


def opened(path: Path, source: Source, inherited: bool = False) -> Source:
    """``source``, whose notes a command that opens it prints; inherited ones only if no other file has them."""
    hear(path.name, notes_of(source), inherited)
    return source


def notes_of(source: Any) -> list[str]:
    """The notes of a rig, a face, a model, a mesh, a shot or a motion: one line per kind."""
    about = getattr(source, "metadata", None)
    stated = about if isinstance(about, dict) else {}
    dropped = stated.get("dropped") or []
    own = getattr(source, "notes", None) or stated.get("notes") or []
    lines = [*getattr(source, "differences", []), *([own] if isinstance(own, str) else own)]
    lost = [f"left out, no combinations of shape keys: {', '.join(map(str, dropped))}"] if dropped else []
    return [*left_out_lines(getattr(source, "left_out", [])), *lost, *filter(None, map(str, lines))]


def left_out_lines(left_out: list[str]) -> list[str]:
    """The meshes of a file that are not the character (``'NAME': reason``): one line per reason."""
    pairs = [line.rpartition(": ") for line in left_out]
    groups = resting_groups({name: reason for name, _, reason in pairs}, MOST_MESHES)
    counts = Counter(reason for _, _, reason in pairs)
    return [
        f"{counts[reason]} mesh{'es' * (counts[reason] > 1)} left out, {reason}: {names}" for reason, names in groups
    ]
