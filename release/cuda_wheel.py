"""The wheel ``rigcast-cuda``: the engine with its CUDA extension, which the package ``rigcast`` uses if it is there.

nvcc does not compile headers of libc++, which is what Zig has: the extension is compiled with libstdc++. Objects of the
engine cross from ``_core`` to ``_cuda``, so both come from one compiler. Hence this wheel brings its own ``_core``, and
needs the glibc of the system that GCC compiles for, 2.35 in Debian 12. The CUDA runtime is that of NVIDIA's wheel,
which pip brings; it loads the driver when it is first used.
"""

from __future__ import annotations

import platform
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from release.library import PARTS, build_targets
from release.linked import SYSTEM
from release.notices import NAME, notices
from release.package_wheels import PYBIND11, Interpreter, words_for
from release.project import ROOT, Part, run, version
from release.try_wheel import install
from release.wheel_content import Promise, WheelContent, check_wheel

LARGEST = 15_000_000  # bytes
GLIBC = (2, 35)
EXTENSIONS = ("_core", "_cuda")
RUNTIME = "libcudart.so.13"
METADATA = """\
Metadata-Version: 2.4
Name: rigcast-cuda
Version: {version}
Summary: The engine of rigcast with its CUDA extension, for Linux with glibc 2.35 and NVIDIA drivers of CUDA 13
License-Expression: Apache-2.0
License-File: LICENSE
License-File: {notices}
Requires-Python: >=3.10
Requires-Dist: rigcast=={version}
Requires-Dist: nvidia-cuda-runtime>=13.0,<14
Description-Content-Type: text/markdown

Install it beside `rigcast` of the same version, which then uses this engine; `rigcast doctor` says which devices work.
This wheel was compiled and imported, and has not been run on a GPU.
"""
MODULE = '''\
"""The engine of rigcast with its CUDA extension; rigcast finds both here."""

__version__ = "{version}"
'''


def make_wheel(
    build: Path, folder: Path, interpreter: Interpreter, inside: Sequence[Part]
) -> tuple[Path, WheelContent]:
    """Compile and pack the wheel for a Python.

    Parameters
    ----------
    build : Path
        Folder of the build tree, in which GCC and nvcc compile the engine once for all Pythons.
    folder : Path
        Receives ``rigcast_cuda-VERSION-cp3XX-cp3XX-manylinux_2_35_PROCESSOR.whl``.
    interpreter : Interpreter
    inside : sequence of Part
        What the extensions contain of others, as :func:`parts` lists it.

    Raises
    ------
    SystemExit
        If there is no nvcc, or the wheel is not what its tag promises.
    """
    if shutil.which("nvcc") is None:
        raise SystemExit("rigcast-cuda needs nvcc 13 or newer on the PATH")
    return _pack(compile_extensions(build, interpreter), interpreter, notices(inside), folder)


def try_wheel(interpreter: Interpreter, wheels: Sequence[Path], place: Path) -> list[str]:
    """Install wheels of rigcast and of rigcast-cuda side by side; returns what their doctor says of devices.

    Raises
    ------
    SystemExit
        If the package does not find the extension.
    """
    program = install(interpreter, wheels, place)
    shown = run([program.parent / "rigcast", "doctor"], PYTHONPATH="", PYTHONNOUSERSITE="1")
    lines = [line.strip() for line in shown.splitlines()]
    told = [line for line in lines if line.startswith(("cuda", "cpu", "build"))]
    if any("no CUDA extension" in line or "does not load" in line for line in told):
        raise SystemExit(f"rigcast does not use rigcast-cuda: {'; '.join(told)}")
    return [f"Python {interpreter.version}, both wheels:", *(f"  {line}" for line in told)]


def parts(highway: Part) -> list[Part]:
    """What the extensions contain of others; their C++ library is the system's."""
    return [highway, *PARTS[:2], PYBIND11]


def compile_extensions(build: Path, interpreter: Interpreter) -> list[Path]:
    """Compile ``_core`` and ``_cuda`` for a Python."""
    made = build / "python" / interpreter.version
    shutil.rmtree(made, ignore_errors=True)
    options = {
        "CUDA": "ON",
        "CUDA_RUNTIME": "Shared",
        "CHOLMOD": "OFF",
        "INSTALL": "OFF",
        "C": "OFF",
        "PYTHON": "ON",
        "HEADERS_PYTHON": sys.executable,
        "OUTPUT": made,
    }
    build_targets(
        build, EXTENSIONS, [*words_for(interpreter), *(f"-DRIGCAST_{name}={value}" for name, value in options.items())]
    )
    extensions = [path for name in EXTENSIONS for path in made.glob(f"{name}.*.so")]
    run(["strip", *extensions])
    return extensions


def _pack(
    extensions: Sequence[Path], interpreter: Interpreter, third_party: str, folder: Path
) -> tuple[Path, WheelContent]:
    tag = f"{interpreter.tag}-manylinux_{GLIBC[0]}_{GLIBC[1]}_{platform.machine()}"
    with tempfile.TemporaryDirectory() as made:
        content = Path(made) / "content"
        package, facts = content / "rigcast_cuda", content / f"rigcast_cuda-{version()}.dist-info"
        (facts / "licenses").mkdir(parents=True)
        package.mkdir()
        (package / "__init__.py").write_text(MODULE.format(version=version()), encoding="utf-8")
        for extension in extensions:
            shutil.copyfile(extension, package / extension.name)
        shutil.copyfile(ROOT / "LICENSE", facts / "licenses" / "LICENSE")
        (facts / "licenses" / NAME).write_text(third_party, encoding="utf-8")
        (facts / "METADATA").write_text(METADATA.format(version=version(), notices=NAME), encoding="utf-8")
        head = f"Wheel-Version: 1.0\nGenerator: rigcast {version()}\nRoot-Is-Purelib: false\nTag: {tag}\n"
        (facts / "WHEEL").write_text(head, encoding="utf-8")
        run([sys.executable, "-m", "wheel", "pack", content, "--dest-dir", folder])
    wheel = folder / f"rigcast_cuda-{version()}-{tag}.whl"
    paths = tuple(f"rigcast_cuda/{extension.name}" for extension in extensions)
    return wheel, check_wheel(wheel, promise(tag, paths))


def promise(tag: str, libraries: tuple[str, ...]) -> Promise:
    """What a wheel with a tag and compiled libraries must be."""
    return Promise(tag, libraries, LARGEST, SYSTEM | {"libstdc++.so.6", "libgcc_s.so.1", RUNTIME}, GLIBC)
