"""64-bit ARM in emulation: QEMU's user mode over Debian's packages, which are unpacked in a folder of their own."""

from __future__ import annotations

import shutil
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

from release.project import ROOT, run
from release.systems.packages import NoPackages, settle_headers, unpack

PLACE = ROOT / "build" / "release" / "arm64"
EMULATORS = ("qemu-aarch64-static", "qemu-aarch64")
PYTHON = "3.11"  # of Debian 12
PACKAGES = (
    "libc6", "libgcc-s1", "libstdc++6", "zlib1g", "libexpat1", "libffi8",
    f"python{PYTHON}-minimal", f"libpython{PYTHON}-minimal", f"libpython{PYTHON}-stdlib", f"libpython{PYTHON}-dev",
)  # fmt: skip


class NoEmulation(Exception):
    """This machine cannot emulate; the text says why."""


@dataclass(frozen=True)
class Emulation:
    """An emulator and a system for it.

    Attributes
    ----------
    program : str
        QEMU's program for the processor.
    root : Path
        Folder of the system, with Python's headers.
    packages : Path
        Folder of Python packages, with NumPy.
    """

    program: str
    root: Path
    packages: Path

    def run(self, program: Path, *words: str | Path, **variables: str | Path) -> str:
        """Run a program of the other processor and return its output; SystemExit shows its end if it fails."""
        settings = [word for name, value in variables.items() for word in ("-E", f"{name}={value}")]
        return run([self.program, "-L", self.root, *settings, program, *words])

    @property
    def headers(self) -> Path:
        """Folder of Python.h."""
        return self.root / "usr" / "include" / f"python{PYTHON}"

    def run_python(self, *words: str | Path, packages: Path) -> str:
        """Run the emulated Python, with one more folder of packages."""
        path = f"{packages}:{self.packages}"
        return self.run(self.root / f"usr/bin/python{PYTHON}", "-B", *words, PYTHONPATH=path)


def make_emulation() -> Emulation:
    """Find QEMU, and unpack what a program and Python need to run; the second call finds it.

    Raises
    ------
    NoEmulation
        Without QEMU or apt, or without network.
    """
    program = next((name for name in EMULATORS if shutil.which(name)), None)
    if program is None:
        raise NoEmulation(f"no {' or '.join(EMULATORS)} (Debian: apt-get install qemu-user-static)")
    whole = PLACE / "whole"
    if not whole.is_dir():
        half = PLACE / "half"
        shutil.rmtree(half, ignore_errors=True)
        half.mkdir(parents=True)
        _unpack_system(half)
        _unpack_numpy(half)
        half.rename(whole)
    return Emulation(program, whole / "root", whole / "packages")


def _unpack_system(folder: Path) -> None:
    """Get Debian's packages."""
    try:
        unpack(PACKAGES, folder / "root", "aarch64")
    except NoPackages as reason:
        raise NoEmulation(str(reason)) from reason
    settle_headers(folder / "root", PYTHON, "aarch64")


def _unpack_numpy(folder: Path) -> None:
    """Get NumPy's wheel for the other processor."""
    tags = (f"manylinux_{version}_aarch64" for version in ("2_17", "2_27", "2_28"))
    platforms = [word for tag in tags for word in ("--platform", tag)]
    run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", *platforms,
         "--python-version", PYTHON, "--implementation", "cp", "-d", folder / "wheels", "numpy"])  # fmt: skip
    for wheel in (folder / "wheels").glob("*.whl"):
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(folder / "packages")
