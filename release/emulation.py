"""64-bit ARM in emulation: QEMU's user mode over Debian's packages, which are unpacked in a folder of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

from release.project import ROOT, run

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
    for tool in ("apt-get", "dpkg-deb"):
        if shutil.which(tool) is None:
            raise NoEmulation(f"no {tool}, which gets programs of the other processor")
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
    """Get Debian's packages with lists of their own; the system's stay as they are."""
    for name in ("apt/lists/partial", "apt/archives/partial", "deb"):
        (folder / name).mkdir(parents=True)
    (folder / "apt.conf").write_text(
        'APT::Architectures { "amd64"; "arm64"; };\nAPT::Sandbox::User "root";\n'
        f'Dir::State::Lists "{folder}/apt/lists";\nDir::Cache "{folder}/apt";\n',
        encoding="utf-8",
    )
    env = os.environ | {"APT_CONFIG": str(folder / "apt.conf")}
    for words in (["update", "-q"], ["download", "-q", *(f"{name}:arm64" for name in PACKAGES)]):
        done = subprocess.run(
            ["apt-get", *words], cwd=folder / "deb", env=env, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise NoEmulation(f"apt-get {words[0]} failed: {(done.stdout + done.stderr)[-500:]}")
    for package in sorted((folder / "deb").glob("*.deb")):
        run(["dpkg-deb", "-x", package, folder / "root"])
    headers = folder / "root" / "usr" / "include"  # pyconfig.h of every processor includes that of one
    own = headers / "aarch64-linux-gnu" / f"python{PYTHON}" / "pyconfig.h"
    shutil.copyfile(own, headers / f"python{PYTHON}" / "pyconfig.h")
    shutil.rmtree(folder / "apt")
    shutil.rmtree(folder / "deb")


def _unpack_numpy(folder: Path) -> None:
    """Get NumPy's wheel for the other processor."""
    tags = (f"manylinux_{version}_aarch64" for version in ("2_17", "2_27", "2_28"))
    platforms = [word for tag in tags for word in ("--platform", tag)]
    run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", *platforms,
         "--python-version", PYTHON, "--implementation", "cp", "-d", folder / "wheels", "numpy"])  # fmt: skip
    for wheel in (folder / "wheels").glob("*.whl"):
        with zipfile.ZipFile(wheel) as packed:
            packed.extractall(folder / "packages")
