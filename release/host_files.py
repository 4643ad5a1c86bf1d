"""The files for Houdini and Maya as zips, with the C library of the release."""

from __future__ import annotations

import importlib.util
import platform
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from release.notices import NAME, notices
from release.project import ROOT, Part, version

LARGEST = 2_000_000  # bytes


@dataclass(frozen=True)
class Host:
    """A program whose Python runs models.

    Attributes
    ----------
    name : str
        Of the program, and of the folder of the sources that is packed as it lies.
    beside : str
        The folder there that gets ``rigcast_runtime``, ``rigcast_host`` and the licences.
    """

    name: str
    beside: str


HOSTS = (Host("houdini", "packages/rigcast"), Host("maya", "rigcast/scripts"))


def make_host_files(host: Host, library: Path, folder: Path, inside: Sequence[Part]) -> Path:
    """Pack the files for a host as ``rigcast-HOST-VERSION-linux-PROCESSOR.zip``.

    Parameters
    ----------
    host : Host
    library, folder : Path
        What is packed with them, and where to.
    inside : sequence of Part
        What the library contains of others.

    Raises
    ------
    SystemExit
        If the zip is too large.
    """
    path = folder / f"rigcast-{host.name}-{version()}-linux-{platform.machine()}.zip"
    packing = _packing()
    with tempfile.TemporaryDirectory() as made:
        text = Path(made) / NAME
        text.write_text(notices(inside), encoding="utf-8")
        packing.write_zip(path, dict(sorted(_files(host, packing, library, text))))
    if path.stat().st_size > LARGEST:
        raise SystemExit(f"{path.name} has {path.stat().st_size:,} bytes, {LARGEST:,} are the most")
    return path


def _files(host: Host, packing: ModuleType, library: Path, text: Path) -> Iterator[tuple[str, bytes]]:
    """The files of a host's zip by their names."""
    yield from packing.sources_in(ROOT / host.name)
    for name, content in packing.engine(library):
        yield f"{host.beside}/{name}", content
    for name, content in packing.sources_in(ROOT / "python" / "rigcast_host"):
        yield f"{host.beside}/rigcast_host/{name}", content
    yield f"{host.beside}/rigcast_host/lib/transforms.py", (ROOT / packing.SHARED).read_bytes()
    yield f"{host.beside}/LICENSE", (ROOT / "LICENSE").read_bytes()
    yield f"{host.beside}/{text.name}", text.read_bytes()


def _packing() -> ModuleType:
    """``blender/pack.py``, which runs by itself and so is no module of a package."""
    spec = importlib.util.spec_from_file_location("rigcast_packing", ROOT / "blender" / "pack.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
