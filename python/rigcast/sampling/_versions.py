"""The versions of a manifest: what each calls a field, and which fields it lacks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

VERSION = 4  # what is written
READABLE = (1, 2, 3, VERSION)

LATER = {
    "kinematics": 2,
    "deviations": 2,
    "resting": 3,
    "parts": 4,
    "materials": 4,
    "num_uvs": 4,
    "clips": 4,
}  # the first version of fields that older ones lack

Value = TypeVar("Value")


def as_version(fields: Mapping[str, Value], version: int) -> dict[str, Value]:
    """A mapping from fields as another version has it: its names, without the fields that it lacks."""
    return {_name(key, version): value for key, value in fields.items() if not _lacks(key, version)}


def dial_names(manifest: Mapping[str, Any]) -> list[str]:
    """The K numeric controls of a manifest, or of its opening, of any version."""
    return list(manifest[_name("dial_names", manifest["version"])])


def _name(key: str, version: int) -> str:
    return "control_names" if key == "dial_names" and version < 3 else key


def _lacks(key: str, version: int) -> bool:
    return key in LATER and version < LATER[key]
