"""Numbers that the demo keeps from one call to the next."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import rigcast as rc
from examples import characters
from rigcast._atomic_files import atomic_write
from rigcast.cli._result import as_json

CODE = (Path(__file__).parent, Path(characters.__file__).parent)


def edition() -> str:
    """Hash of this version, the demo's code and its characters': other code may store other numbers under a name."""
    digest = hashlib.sha256(rc.__version__.encode())
    for path in sorted(path for folder in CODE for path in folder.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


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


def is_trained(path: Path, learned: rc.Dataset, minutes: float) -> bool:
    """True if a file holds the model that so many minutes on these poses make."""
    if not path.exists():
        return False
    metadata = rc.load(path).metadata
    known = metadata.get("data_hash"), metadata.get("training", {}).get("minutes")
    return known == (learned.hash, minutes)


def files_key(models: list[Path], sets: list[rc.Dataset]) -> str:
    """Hash of everything that a report is made of."""
    digest = hashlib.sha256(edition().encode())
    for path in models:
        digest.update(path.read_bytes())
    for dataset in sets:
        digest.update(dataset.hash.encode())
    return digest.hexdigest()
