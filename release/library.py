"""The C library for every Linux of the last years: compiled by Zig for glibc 2.28, without anybody's libstdc++."""

from __future__ import annotations

import platform
import re
import sys
import tarfile
from pathlib import Path

from release.project import ROOT, Part, commit_time, run, version

SYSTEM = "linux-gnu.2.28"
LARGEST = 3 << 20  # bytes
NEEDED = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
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
    tool = Path(sys.executable).parent
    options = [
        "PYTHON=OFF",
        "CUDA=OFF",
        "CHOLMOD=OFF",
        "INSTALL=OFF",
        f"ZIG_TARGET={processor}-{SYSTEM}",
        f"ZIG={sys.executable}",
    ]
    run(
        [tool / "cmake", "-G", "Ninja", "-S", ROOT, "-B", build, f"-DCMAKE_MAKE_PROGRAM={tool / 'ninja'}",
         f"-DCMAKE_TOOLCHAIN_FILE={ROOT / 'release' / 'zig.cmake'}", f"-DPython_EXECUTABLE={sys.executable}",
         "-DCMAKE_BUILD_TYPE=Release", *(f"-DRIGCAST_{option}" for option in options)]
    )  # fmt: skip
    run([tool / "cmake", "--build", build, "--target", "rigcast_c"])
    library = (build / "bindings" / "c" / "librigcast.so.1").resolve()
    check(library)
    return library


def check(library: Path) -> None:
    """Raise SystemExit if a library is too large, exports other names, or needs more than glibc 2.28 has."""
    shown = run(["readelf", "--dynamic", "--dyn-syms", "--version-info", "--wide", library])
    needed = set(re.findall(r"\(NEEDED\).*\[(.+?)\]", shown))
    exported = re.findall(r"(?:GLOBAL|WEAK)\s+DEFAULT\s+(?!UND|ABS)\S+\s+(\S+)", shown)
    glibc = max((tuple(map(int, found.split("."))) for found in re.findall(r"GLIBC_([\d.]+)", shown)), default=(0,))
    faults = [
        (library.stat().st_size > LARGEST, f"has {library.stat().st_size:,} bytes, {LARGEST:,} are the most"),
        (bool(needed - NEEDED), f"needs {', '.join(sorted(needed - NEEDED))}"),
        (
            not exported or any(not name.startswith("rigcast_") for name in exported),
            "exports other names than rigcast_*",
        ),
        (glibc > (2, 28), f"needs glibc {'.'.join(map(str, glibc))}"),
    ]
    wrong = [text for found, text in faults if found]
    if wrong:
        raise SystemExit(f"{library} {'; '.join(wrong)}")


def archive(library: Path, folder: Path, processor: str = platform.machine()) -> Path:
    """Pack the library with its header, licence and example as ``librigcast-VERSION-linux-PROCESSOR.tar.xz``."""
    name = f"librigcast-{version()}-linux-{processor}"
    files = {
        f"lib/{library.name}": library,
        **{f"include/rigcast/{path.name}": path for path in (ROOT / "bindings/c/include/rigcast").glob("*.h")},
        "examples/evaluate.c": ROOT / "examples" / "c" / "evaluate.c",
        "LICENSE": ROOT / "LICENSE",
    }
    path = folder / f"{name}.tar.xz"
    with tarfile.open(path, "w:xz") as packed:
        for inside, file in sorted(files.items()):
            packed.add(file, f"{name}/{inside}", filter=_plain)
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
