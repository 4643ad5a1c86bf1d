"""Rows of tables that are made once: an interrupted benchmark goes on with the next one."""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rigcast._resume.fingerprints import fingerprint
from rigcast._resume.parts import PartsFolder

Row = dict[str, Any]


class Kept:
    """Rows of one table in a folder, for one set of settings.

    Parameters
    ----------
    folder : Path
        Made if it is missing; rows of other settings are removed.
    settings : dict
        What decides the rows.
    """

    def __init__(self, folder: Path, settings: dict[str, Any]) -> None:
        self.folder, self.mark = folder, fingerprint(settings)

    def row(self, name: str, make: Callable[[], Row]) -> Row:
        """The row that an earlier run has kept, or a new one."""
        key = re.sub(r"\W+", "_", name)
        with self._parts() as parts:
            known = parts.get(key)
        if known is None:
            began = time.monotonic()
            known = json.dumps(make()).encode()
            with self._parts() as parts:
                parts.put(key, known)
            print(f"{self.folder.name}: {name}, {time.monotonic() - began:.0f} s", flush=True)
        row: Row = json.loads(known)
        return row

    @contextlib.contextmanager
    def _parts(self) -> Iterator[PartsFolder]:
        """Open for one row only: a row may ask for another."""
        with PartsFolder(self.folder, "mismatch") as parts:
            parts.begin(self.mark)
            yield parts


def table(head: list[str], rows: list[list[str]]) -> str:
    """Markdown."""
    lines = ["| " + " | ".join(cells) + " |" for cells in (head, *rows)]
    lines.insert(1, "|" + " --- |" * len(head))
    return "\n".join(lines)


def digits(value: float, count: int = 3) -> str:
    """A number with some significant digits; "" for none."""
    if value != value:
        return ""
    shown = f"{value:#.{count}g}".rstrip(".")
    return f"{value:.{count - 1}e}" if value and (abs(value) < 1e-4 or abs(value) >= 1e5) else shown
