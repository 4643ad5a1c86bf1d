"""Packs the add-on for Blender: one zip for Blender 3.4 and later, of the files that lie here and the C library.

``rigcast blender-addon`` and ``./run release`` call it. It needs Python alone, and runs by itself, too:
``python blender/pack.py rigcast_blender.zip build/main/bindings/c/librigcast.so.1``.
"""

from __future__ import annotations

import platform
import sys
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ADDON = "rigcast_blender"
MANIFEST = "blender_manifest.toml"
SHARED = "python/rigcast/_formats/blender/host/describe/transforms.py"  # with which rigcast samples a .blend
PLATFORMS = {"x86_64": "linux-x64", "aarch64": "linux-arm64"}  # Blender's names
TIME = (2020, 1, 1, 0, 0, 0)  # of all files, so that the same files give the same bytes


def pack(path: Path, library: Path, notices: Path | None = None, processor: str = platform.machine()) -> list[str]:
    """Write the zip.

    Parameters
    ----------
    path : Path
    library : Path
        librigcast.so.1 for Linux, of a processor: "x86_64" or "aarch64".
    notices : Path, optional
        Text with the licences of others in the library.

    Returns
    -------
    list of str
        The names of its files.

    Raises
    ------
    FileNotFoundError
        If a file is not where this one's folder says.
    """
    files = dict(sorted(_files(library, processor)))
    if notices is not None:
        files[f"lib/{notices.name}"] = notices.read_bytes()
    write_zip(path, {f"{ADDON}/{name}": content for name, content in files.items()})
    return list(files)


def write_zip(path: Path, files: Mapping[str, bytes]) -> None:
    """Write files by their names: the same ones give the same bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, content)


def sources_in(folder: Path) -> Iterator[tuple[str, bytes]]:
    """The files of a host's folder by their names, without what was packed or compiled beside them."""
    for file in folder.rglob("*"):
        name = file.relative_to(folder)
        if file.is_file() and not {"__pycache__", "lib"} & set(name.parts):
            yield name.as_posix(), file.read_bytes()


def engine(library: Path) -> Iterator[tuple[str, bytes]]:
    """The files of ``rigcast_runtime`` by their names, with a library."""
    runtime = ROOT / "python" / "rigcast_runtime"
    for file in [*runtime.glob("*.py"), runtime / "py.typed"]:
        yield f"rigcast_runtime/{file.name}", file.read_bytes()
    yield "rigcast_runtime/librigcast.so.1", library.read_bytes()


def _files(library: Path, processor: str) -> Iterator[tuple[str, bytes]]:
    """The files of the add-on by their names: its own are GPL-3.0-or-later, those in ``lib`` Apache-2.0."""
    for name, content in sources_in(ROOT / "blender" / ADDON):
        yield name, _for_platform(content, processor) if name == MANIFEST else content
    for name, content in engine(library):
        yield f"lib/{name}", content
    yield "lib/transforms.py", (ROOT / SHARED).read_bytes()
    yield "lib/LICENSE", (ROOT / "LICENSE").read_bytes()
    yield "lib/__init__.py", b""


def _for_platform(manifest: bytes, processor: str) -> bytes:
    """The manifest, which says for which machines the library is."""
    text = manifest.decode("utf-8")
    return text.replace("\n[permissions]", f'platforms = ["{PLATFORMS[processor]}"]\n\n[permissions]').encode()


if __name__ == "__main__":
    pack(*map(Path, sys.argv[1:4]))
