"""Generated Rigify characters, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from rigcast._formats.blender import run_script
from tests.support.blender import has_wheel
from tests.support.trained import kept

SCRIPT = Path(__file__).with_name("scenes") / "metarigs.py"


def rigify_file(name: str) -> Path:
    """The .blend of a metarig; skips the test without the wheel, which brings Rigify."""
    if not has_wheel():
        pytest.skip("the bpy wheel is not installed, which brings Rigify")

    def write(folder: Path) -> None:
        run_script(SCRIPT, [str(folder), name])

    return kept(f"rigify-{name}", write, [SCRIPT.read_bytes()]) / f"{name}.blend"
