"""Numbers that the demo keeps from one call to the next."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rigwright._atomic_files import atomic_write
from rigwright.cli._result import as_json


def read_json(path: Path) -> dict[str, Any]:
    """An object that the demo has written; empty if there is none or it is damaged."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write an object, in one step."""
    atomic_write(path, json.dumps(as_json(content), indent=1).encode("utf-8"))
