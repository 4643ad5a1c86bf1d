"""The engine as WebAssembly: every wheel carries it, and npm has a package of its own."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from collections.abc import Sequence
from pathlib import Path

from release.notices import NAME, notices
from release.project import ROOT, Part, commit_time, version

WEB = ROOT / "python" / "rigcast" / "web"
MODULES = ("rigcast.wasm", "page.wasm")
LARGEST = 700_000  # bytes of the packed package
MUSL = Part("musl", "of Emscripten", "MIT", "musl.libc.org", "linked into the WebAssembly modules")


def check_modules() -> None:
    """Raise SystemExit if the modules are not built; ``./run release`` builds them first."""
    missing = [name for name in MODULES if not (WEB / name).is_file()]
    if missing:
        raise SystemExit(f"{' and '.join(missing)} are not built: ./run web")


def make_npm(folder: Path, inside: Sequence[Part]) -> Path:
    """Pack the package for npm, as ``npm pack`` does: ``rigcast-VERSION.tgz``.

    Parameters
    ----------
    folder : Path
        Receives the file.
    inside : sequence of Part
        What the module contains of others.

    Raises
    ------
    SystemExit
        If the package states another version, or is too large.
    """
    about = json.loads((WEB / "package.json").read_text(encoding="utf-8"))
    if about["version"] != version():
        raise SystemExit(f"package.json states version {about['version']}, pyproject.toml {version()}")
    files = {file.name: file.read_bytes() for pattern in about["files"] for file in sorted(WEB.glob(pattern))}
    files |= {"package.json": (WEB / "package.json").read_bytes(), "LICENSE": (ROOT / "LICENSE").read_bytes()}
    files[NAME] = notices(inside).encode()
    path = folder / f"{about['name']}-{version()}.tgz"
    when = commit_time()
    with (
        path.open("wb") as written,
        gzip.GzipFile("", "wb", 9, written, mtime=when) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size, entry.mtime = len(content), when
            archive.addfile(entry, io.BytesIO(content))
    if path.stat().st_size > LARGEST:
        raise SystemExit(f"{path.name} has {path.stat().st_size:,} bytes, {LARGEST:,} are the most")
    return path
