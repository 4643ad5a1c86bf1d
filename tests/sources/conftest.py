"""Small .blend files, written once a session by each Blender that is installed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from rigcast._formats.blender import BlenderRig, run_script
from tests.support.blender import blender_program, has_wheel

SCRIPT = Path(__file__).with_name("blender") / "files.py"


@dataclass(frozen=True)
class Host:
    """A Blender and the folder of files it wrote."""

    blender: str | None
    folder: Path
    shared: dict[str, BlenderRig] = field(default_factory=dict)

    def rig(self, name: str) -> BlenderRig:
        """A rig that stays open for all tests that only sample it."""
        if name not in self.shared:
            self.shared[name] = self.open(name)
        return self.shared[name]

    def open(self, name: str, **options: Any) -> BlenderRig:
        return BlenderRig.open(self.folder / f"{name}.blend", blender=self.blender, **options)


def make_host(kind: str, folder: Path) -> Host:
    """The host of one kind; skips the test where it is not installed."""
    blender = blender_program() if kind == "blender" else None
    if kind == "blender" and blender is None:
        pytest.skip("no blender executable on the PATH")
    if kind == "bpy" and not has_wheel():
        pytest.skip('the bpy wheel is not installed: pip install "rigcast[blender]" in Python 3.11')
    run_script(SCRIPT, [str(folder)], blender=blender)
    return Host(blender, folder)


def close_all(host: Host) -> None:
    for rig in host.shared.values():
        rig.close()


@pytest.fixture(scope="session", params=["bpy", "blender"])
def host(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """Each installed Blender in turn."""
    host = make_host(request.param, tmp_path_factory.mktemp(request.param))
    yield host
    close_all(host)


@pytest.fixture(scope="session")
def any_host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """The wheel if it is installed, else the executable: for what does not depend on Blender's version."""
    kind = "bpy" if has_wheel() else "blender"
    host = make_host(kind, tmp_path_factory.mktemp("any"))
    yield host
    close_all(host)
