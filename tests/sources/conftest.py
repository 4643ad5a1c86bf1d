"""Small .blend files, written once by each Blender that is installed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from rigcast._formats.blender import BlenderRig, run_script
from tests.support.blender import blender_program, has_wheel
from tests.support.trained import kept

SCRIPT = Path(__file__).with_name("blender") / "scenes" / "files.py"


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


def make_host(kind: str) -> Host:
    """The host of one kind; skips the test where it is not installed."""
    blender = blender_program() if kind == "blender" else None
    if kind == "blender" and blender is None:
        pytest.skip("no blender executable on the PATH")
    if kind == "bpy" and not has_wheel():
        pytest.skip('the bpy wheel is not installed: pip install "rigcast[blender]" in Python 3.11 or 3.13')

    def write_files(folder: Path) -> None:
        run_script(SCRIPT, [str(folder)], blender=blender)

    scripts = [path.read_bytes() for path in sorted(SCRIPT.parent.glob("*.py"))]
    program = blender and os.stat(blender)
    return Host(blender, kept(f"host-{kind}", write_files, scripts, program and (program.st_size, program.st_mtime)))


@pytest.fixture(scope="module")
def hosts() -> Iterator[dict[str, Host]]:
    """The Blenders that the tests of a file have asked for; their rigs are closed after the file."""
    hosts: dict[str, Host] = {}
    yield hosts
    for rig in (rig for host in hosts.values() for rig in host.shared.values()):
        rig.close()


def host_of(kind: str, hosts: dict[str, Host]) -> Host:
    if kind not in hosts:
        hosts[kind] = make_host(kind)
    return hosts[kind]


@pytest.fixture(scope="module", params=["bpy", "blender"])
def host(request: pytest.FixtureRequest, hosts: dict[str, Host]) -> Host:
    """Each installed Blender in turn."""
    return host_of(request.param, hosts)


@pytest.fixture(scope="module")
def any_host(hosts: dict[str, Host]) -> Host:
    """The wheel if it is installed, else the executable: for what does not depend on Blender's version."""
    return host_of("bpy" if has_wheel() else "blender", hosts)
