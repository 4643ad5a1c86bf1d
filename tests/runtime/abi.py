"""The binary interface of the C library as text: ``python -m tests.runtime.abi`` adds what is new to abi.txt.

Programs are compiled against it: nothing in the file may change or go. New functions and new fields at the end of a
structure that begins with its size are additions; everything else needs another library name, ``librigcast.so.2``.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.runtime.library import rr

GOLDEN = Path(__file__).with_name("abi.txt")
HEADERS = Path(__file__).resolve().parents[2] / "bindings" / "c" / "include"
STRUCTURES = {
    "rigcast_floats": "CArray",
    "rigcast_blendshapes": "CBlendshapes",
    "rigcast_channel": "CChannel",
    "rigcast_description": "CDescription",
    "rigcast_shot": "CShot",
    "rigcast_shot_result": "CShotResult",
    "rigcast_drag_task": "CDragTask",
    "rigcast_drag_result": "CDragResult",
    "rigcast_synthesis": "CSynthesis",
    "rigcast_layer": "CLayer",
    "rigcast_player_settings": "CPlayerSettings",
    "rigcast_play_pose": "CPlayPose",
    "rigcast_command": "CCommand",
}
ALIKE = ["rigcast_doubles", "rigcast_integers", "rigcast_floats_out", "rigcast_doubles_out", "rigcast_integers_out"]


def header_text() -> str:
    """The header and the one that it includes."""
    return "".join(path.read_text(encoding="utf-8") for path in sorted((HEADERS / "rigcast").glob("*.h")))


def structure(name: str):
    """The ctypes class of a structure of the header."""
    return getattr(rr._structures, STRUCTURES.get(name, "CArray"))


def declared_functions() -> list[str]:
    """Functions of the header."""
    text = re.sub(r"/\*.*?\*/", "", header_text(), flags=re.DOTALL)
    return sorted(set(re.findall(r"^RIGCAST_API [^(;]*?(rigcast_\w+)\(", text, re.MULTILINE)))


def exported_symbols(path: Path) -> list[str]:
    """Names that a library exports, without that of its version."""
    shown = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    found = (line.split() for line in shown.splitlines())
    return sorted(words[-1].partition("@")[0] for words in found if words[-2] != "A")


def lines() -> list[str]:
    """The interface, a line per function, structure and field."""
    found = [f"function {name}" for name in declared_functions()]
    for name in (*STRUCTURES, *ALIKE):
        made = structure(name)
        fields = [field for field, _ in made._fields_]
        if fields[0] != "size":  # lies in arrays and in other structures: never grows
            found.append(f"structure {name}: {rr._structures.ctypes.sizeof(made)} bytes")
        for field in fields:
            place = getattr(made, field)
            found.append(f"field {name}.{field}: {place.size} bytes at {place.offset}")
    return sorted(found)


def main() -> None:
    kept = GOLDEN.read_text(encoding="utf-8").splitlines() if GOLDEN.exists() else []
    lost = sorted(set(kept) - set(lines()))
    if lost:
        raise SystemExit("these may not change or go:\n" + "\n".join(lost))
    GOLDEN.write_text("\n".join(lines()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
