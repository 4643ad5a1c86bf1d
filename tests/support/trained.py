"""Files that tests need to have and not to make: small models, data sets, characters of Blender; made once, on disk.

A folder's name holds a hash of all that decides its content: the package's sources, its extension, the helpers in this
folder, versions of what computes, and the settings. So a stale file can not be used, and what is made lasts from one
run to the next. Workers of pytest-xdist share it: one makes, the others wait.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import hashlib
import importlib.metadata
import inspect
import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import rigcast
from tests.support.blender import has_blender

FOLDER = Path(__file__).resolve().parents[2] / "build" / "trained"
DECIDING = {".py", ".so", ".pyd", ".json"}
COMPUTING = ("numpy", "torch", "bpy", "scipy", "highspy", "anny")
OLD = 3 * 86400.0  # seconds after which a folder that nobody used goes


def kept(name: str, make: Callable[[Path], object], *settings: object) -> Path:
    """The folder that ``make(folder)`` filled, now or before; it must be copied to be changed.

    ``settings`` is whatever else decides its content, as the bytes of a script.
    """
    deciding = (sources(), Path(inspect.getfile(make)).read_bytes(), settings)
    place = FOLDER / f"{name}-{hashlib.blake2b(repr(deciding).encode(), digest_size=12).hexdigest()}"
    FOLDER.mkdir(parents=True, exist_ok=True)
    with only_one(FOLDER / f"{name}.lock"):
        if not place.exists():
            forget_old()
            with tempfile.TemporaryDirectory(dir=FOLDER, prefix="unfinished-") as unfinished:
                part = Path(unfinished) / name
                part.mkdir()
                make(part)
                part.rename(place)  # whole, or not there
        os.utime(place)
    return place


def copied(place: Path, folder: Path) -> None:
    """What ``kept`` gave, for a test that works in ``folder``."""
    shutil.copytree(place, folder, dirs_exist_ok=True)


@functools.cache
def sources() -> str:
    """Hash of the package, its extension, the helpers of the tests, and of the versions of what computes."""
    digest = hashlib.blake2b()
    for folder in (Path(rigcast.__file__).resolve().parent, Path(__file__).resolve().parent):
        for path in sorted(folder.rglob("*")):
            if path.suffix in DECIDING:
                digest.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes())
    digest.update(
        repr(
            (
                sys.version,
                platform.processor(),
                has_blender(),
                shutil.which("blender"),
                [version(name) for name in COMPUTING],
            )
        ).encode()
    )
    return digest.hexdigest()


def version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


@contextlib.contextmanager
def only_one(lock: Path) -> Iterator[None]:
    """One process at a time; a process that dies leaves no lock behind."""
    with lock.open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def forget_old() -> None:
    for path in FOLDER.iterdir():
        with contextlib.suppress(FileNotFoundError):
            if path.is_dir() and time.time() - path.stat().st_mtime > OLD:
                shutil.rmtree(path, ignore_errors=True)
