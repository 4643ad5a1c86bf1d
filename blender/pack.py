"""Packs the add-on for Blender: one zip for Blender 3.4 and later, of the files that lie here and the C library.

``rigcast blender-addon`` and ``./run release`` call it. It needs Python alone, and runs by itself, too:
``python blender/pack.py rigcast_blender.zip build/main/bindings/c/librigcast.so.1``.
"""

from __future__ import annotations

import platform
import sys
import zipfile
from collections.abc import Iterator
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
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for name, content in files.items():
            entry = zipfile.ZipInfo(f"{ADDON}/{name}", TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            packed.writestr(entry, content)
    return list(files)


def _files(library: Path, processor: str) -> Iterator[tuple[str, bytes]]:
    """The files of the add-on by their names: its own are GPL-3.0-or-later, those in ``lib`` Apache-2.0."""
    own = ROOT / "blender" / ADDON
    for file in own.rglob("*"):
        name = file.relative_to(own)
        if file.is_file() and "__pycache__" not in name.parts and name.parts[0] != "lib":
            yield name.as_posix(), _for_platform(file, processor) if file.name == MANIFEST else file.read_bytes()
    runtime = ROOT / "python" / "rigcast_runtime"
    for file in [*runtime.glob("*.py"), runtime / "py.typed"]:
        yield f"lib/rigcast_runtime/{file.name}", file.read_bytes()
    yield "lib/rigcast_runtime/librigcast.so.1", library.read_bytes()
    yield "lib/transforms.py", (ROOT / SHARED).read_bytes()
    yield "lib/LICENSE", (ROOT / "LICENSE").read_bytes()
    yield "lib/__init__.py", b""


def _for_platform(manifest: Path, processor: str) -> bytes:
    """The manifest, which says for which machines the library is."""
    text = manifest.read_text(encoding="utf-8")
    return text.replace("\n[permissions]", f'platforms = ["{PLATFORMS[processor]}"]\n\n[permissions]').encode()


if __name__ == "__main__":
    pack(*map(Path, sys.argv[1:4]))
