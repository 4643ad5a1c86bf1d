"""The C library for every Linux of the last years: compiled by Zig for glibc 2.28, without anybody's libstdc++."""

from __future__ import annotations

import io
import platform
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

from release.linked import linked
from release.notices import NAME, notices
from release.project import ROOT, Part, commit_time, run, version

SYSTEM = "linux-gnu.2.28"
LARGEST = 3 << 20  # bytes
# Files that read and check, and are not called for each frame.
SMALL = "|".join([
    "^core/", "^registry/", "^crowd/", "^synthesis/model/", "^synthesis/player/.*(text|command|event)",
    "^rig/mechanism/.*reader", "^rig/channels/", "^rig/blendshapes/.*build", "^rig/character",
    "^face/maps/map_segments", "^network/model_storage", "^inverse/(problem|weight_box)", "^body/vertex_set",
    "^ik/learned/agreement",
])  # fmt: skip
PARTS = [
    Part("Eigen", "3.4.1", "MPL-2.0", "eigen.tuxfamily.org", "headers, compiled in"),
    Part("JSON for Modern C++", "3.12.0", "MIT", "github.com/nlohmann/json", "headers, compiled in"),
    Part(
        "libc++, libc++abi, libunwind", "of LLVM 22", "Apache-2.0 WITH LLVM-exception", "libcxx.llvm.org", "linked in"
    ),
]


def compile_library(build: Path, processor: str = platform.machine()) -> Path:
    """Compile librigcast.so.1.

    Parameters
    ----------
    build : Path
        Folder of the build tree; a second call goes on with it.
    processor : str
        "x86_64" or "aarch64".

    Returns
    -------
    Path
        The library, whose name is that of the file.

    Raises
    ------
    SystemExit
        If it does not compile, or is not what :func:`check` asks for.
    """
    compile_target(build, "rigcast_c", processor, PYTHON="OFF")
    library = (build / "bindings" / "c" / "librigcast.so.1").resolve()
    check(library)
    return library


def compile_target(
    build: Path, target: str, processor: str, words: Sequence[str | Path] = (), **options: str | Path
) -> None:
    """Compile a target by Zig in a build tree, whose engine is compiled once for all targets.

    Parameters
    ----------
    build : Path
    target, processor : str
    words : sequence of str or Path
        More words for CMake's configuration.
    **options : str or Path
        Values of options whose names begin with ``RIGCAST_``.
    """
    chosen: dict[str, str | Path] = {
        "CHECKS": "OFF",
        "CUDA": "OFF",
        "CHOLMOD": "OFF",
        "INSTALL": "OFF",
        "CONVOLUTION_OPTIONS": "",
        "SMALL": SMALL,
        "ZIG_TARGET": f"{processor}-{SYSTEM}",
        "ZIG": sys.executable,
        "HEADERS_PYTHON": sys.executable,
        **options,
    }
    zig = f"-DCMAKE_TOOLCHAIN_FILE={ROOT / 'release' / 'zig.cmake'}"
    build_targets(build, [target], [zig, *words, *(f"-DRIGCAST_{name}={value}" for name, value in chosen.items())])


def build_targets(build: Path, targets: Sequence[str], words: Sequence[str | Path]) -> None:
    """Configure a build tree and compile targets, by the CMake and Ninja of this Python's environment."""
    tool = Path(sys.executable).parent
    ninja = f"-DCMAKE_MAKE_PROGRAM={tool / 'ninja'}"
    run([tool / "cmake", "-G", "Ninja", "-S", ROOT, "-B", build, ninja, "-DCMAKE_BUILD_TYPE=Release", *words])
    run([tool / "cmake", "--build", build, "--target", *targets])


def check(library: Path) -> None:
    """Raise SystemExit if a library is too large, exports other names, or needs more than glibc 2.28 has."""
    found = linked(library)
    size = library.stat().st_size
    wrong = [f"has {size:,} bytes, {LARGEST:,} are the most"] if size > LARGEST else []
    if not found.exported or any(not name.startswith("rigcast_") for name in found.exported):
        wrong.append("exports other names than rigcast_*")
    wrong += found.faults()
    if wrong:
        raise SystemExit(f"{library} {'; '.join(wrong)}")


def archive(library: Path, folder: Path, inside: Sequence[Part], processor: str = platform.machine()) -> Path:
    """Pack the library with its headers, licences and example as ``librigcast-VERSION-linux-PROCESSOR.tar.xz``.

    Parameters
    ----------
    library, folder : Path
        What is packed, and where to.
    inside : sequence of Part
        What the library contains of others.
    processor : str
        "x86_64" or "aarch64".

    Returns
    -------
    Path
        The archive.
    """
    name = f"librigcast-{version()}-linux-{processor}"
    files = {
        f"lib/{library.name}": library,
        **{f"include/rigcast/{path.name}": path for path in (ROOT / "bindings/c/include/rigcast").glob("*.h")},
        "examples/evaluate.c": ROOT / "examples" / "c" / "evaluate.c",
        "LICENSE": ROOT / "LICENSE",
    }
    path = folder / f"{name}.tar.xz"
    with tarfile.open(path, "w:xz") as packed:
        for place, file in sorted(files.items()):
            packed.add(file, f"{name}/{place}", filter=_plain)
        text = notices(inside).encode()
        entry = tarfile.TarInfo(f"{name}/{NAME}")
        entry.size = len(text)
        packed.addfile(_plain(entry), io.BytesIO(text))
        for link in ("lib/librigcast.so.1", "lib/librigcast.so"):
            entry = tarfile.TarInfo(f"{name}/{link}")
            entry.type, entry.linkname, entry.mtime = tarfile.SYMTYPE, library.name, commit_time()
            packed.addfile(entry)
    return path


def _plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """The entry without owner and time of this machine."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mtime = commit_time()
    entry.mode = 0o755 if ".so" in entry.name else 0o644
    return entry
