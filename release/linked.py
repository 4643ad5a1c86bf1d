"""What a shared library asks of the system that loads it, and what it shows to others."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from release.project import run

SYSTEM = frozenset(
    {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
)
GLIBC = (2, 28)


@dataclass(frozen=True)
class Linked:
    """Facts of a shared library.

    Attributes
    ----------
    needed : frozenset of str
        Libraries that are loaded with it.
    exported : tuple of str
        Names that other libraries see.
    glibc : tuple of int
        The version of glibc that has all functions that it calls.
    """

    needed: frozenset[str]
    exported: tuple[str, ...]
    glibc: tuple[int, ...]

    def faults(self, system: Collection[str] = SYSTEM, glibc: tuple[int, ...] = GLIBC) -> list[str]:
        """Phrases about what a system with such libraries and that glibc does not have."""
        others = sorted(self.needed.difference(system))
        wrong = [f"needs {', '.join(others)}"] if others else []
        return [*wrong, f"needs glibc {'.'.join(map(str, self.glibc))}"] if self.glibc > glibc else wrong


def linked(library: Path) -> Linked:
    """Read a library's dynamic section by readelf."""
    shown = run(["readelf", "--dynamic", "--dyn-syms", "--version-info", "--wide", library])
    return Linked(
        frozenset(re.findall(r"\(NEEDED\).*\[(.+?)\]", shown)),
        tuple(re.findall(r"(?:GLOBAL|WEAK)\s+DEFAULT\s+(?!UND|ABS)\S+\s+(\S+)", shown)),
        max((tuple(map(int, found.split("."))) for found in re.findall(r"GLIBC_([\d.]+)", shown)), default=(0,)),
    )
