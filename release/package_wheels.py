"""The wheels of ``rigcast`` for manylinux_2_28: Zig compiles its extension for each Python over one engine."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pybind11

from release.library import PARTS, compile_target
from release.notices import NAME, notices
from release.project import Part, run, version
from release.web_modules import MODULES
from release.wheel_content import Promise, WheelContent, check_wheel

VERSIONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
LARGEST = 8_500_000  # bytes, of which the network that reads faces has 2.5 million
PYBIND11 = Part("pybind11", pybind11.__version__, "BSD-3-Clause", "github.com/pybind/pybind11", "headers, compiled in")
NETWORK = ("ict.safetensors", "ict.md")  # weights, and their seed, recipe and licence
# Zig compiles -O3 as -O2, which keeps the sums of convolutions in memory: deformation maps take a quarter more time.
# The C library does without: it would have more than 3 MB.
REGISTERS = "-Xclang;-O3"
KIND = """
import os, sys, sysconfig
header = os.path.join(sysconfig.get_path("include"), "Python.h")
plain = sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED")
print("%d.%d" % sys.version_info[:2], plain and os.path.isfile(header))
"""


@dataclass(frozen=True)
class Interpreter:
    """A CPython with headers.

    Attributes
    ----------
    version : str
        As ``"3.12"``.
    program : Path
        One of that version that runs here.
    processor : str
        That which extensions are for.
    headers : Path, optional
        Folder with its Python.h, if that is another processor than this machine's.
    """

    version: str
    program: Path
    processor: str = platform.machine()
    headers: Path | None = None

    @property
    def tag(self) -> str:
        """Of wheels for it, without the platform: ``"cp312-cp312"``."""
        name = f"cp{self.version.replace('.', '')}"
        return f"{name}-{name}"


def find_interpreters(given: Sequence[Path] = ()) -> tuple[list[Interpreter], list[str]]:
    """Find a CPython with headers for each version that wheels are made for.

    Parameters
    ----------
    given : sequence of Path
        Programs that come before those of pyenv and of the PATH.

    Returns
    -------
    found : list of Interpreter
    missing : list of str
        Versions without one.
    """
    found = []
    for wanted in VERSIONS:
        program = next((path for path in [*given, *_candidates(wanted)] if _fits(path, wanted)), None)
        if program is not None:
            found.append(Interpreter(wanted, program))
    return found, [wanted for wanted in VERSIONS if wanted not in {own.version for own in found}]


def _candidates(wanted: str) -> list[Path]:
    """Programs that may be Python of a version: pyenv's, newest first, and the first on the PATH."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    number = len(wanted) + 1
    folders = [path for path in pyenv.glob(f"{wanted}.*") if path.name[number:].isdecimal()]
    own = sorted(folders, key=lambda path: -int(path.name[number:]))
    on_path = shutil.which(f"python{wanted}")
    return [*(path / "bin" / f"python{wanted}" for path in own), *([Path(on_path)] if on_path else [])]


def _fits(program: Path, wanted: str) -> bool:
    try:
        shown = subprocess.run([program, "-c", KIND], capture_output=True, text=True, check=False)
    except OSError:
        return False
    return shown.returncode == 0 and shown.stdout.split() == [wanted, "True"]


def make_wheels(
    build: Path, folder: Path, interpreters: Sequence[Interpreter], inside: Sequence[Part], say: Callable[[str], None]
) -> list[Path]:
    """Compile and pack a wheel per Python.

    Parameters
    ----------
    build : Path
        Build tree of :func:`release.library.compile_library`, whose objects of the engine are taken as they are.
    folder : Path
        Receives ``rigcast-VERSION-cp3XX-cp3XX-manylinux_2_28_PROCESSOR.whl``.
    interpreters : sequence of Interpreter
    inside : sequence of Part
        What the extension contains of others, as :func:`parts` lists it.
    say : callable
        Receives lines for people.

    Raises
    ------
    SystemExit
        If a wheel bundles what it must not, is too large, or needs what its tag does not promise.
    """
    wheels = []
    with tempfile.TemporaryDirectory() as made:
        plain = _unpacked_python(Path(made))
        text = notices(inside)
        for interpreter in interpreters:
            say(f"the wheel rigcast for Python {interpreter.version} ...")
            extension = compile_extension(build, interpreter)
            wheel, content = pack(plain, extension, interpreter, text, folder)
            wheels.append(wheel)
            for line in content.lines():
                say(line)
    return wheels


def compile_extension(build: Path, interpreter: Interpreter) -> Path:
    """Compile ``rigcast._core`` for a Python; of the tree, the bindings and one file of kernels are its own."""
    folder = build / "python" / interpreter.version
    shutil.rmtree(folder, ignore_errors=True)
    words = [
        *words_for(interpreter),
        "-DHAS_FLTO=OFF",  # else pybind11 tries it, for which Zig compiles another libc++
        "-DHAS_FLTO_THIN=OFF",
    ]
    compile_target(
        build, "_core", interpreter.processor, words, PYTHON="ON", OUTPUT=folder, CONVOLUTION_OPTIONS=REGISTERS
    )
    (extension,) = folder.glob("_core.*.so")
    return extension


def words_for(interpreter: Interpreter) -> list[str]:
    """What CMake is told so that a tree that was configured for another Python compiles extensions for this one."""
    forgotten = [word for name in ("Python_*", "_Python*", "PYTHON_*") for word in ("-U", name)]
    words = [
        *forgotten,
        f"-DPython_EXECUTABLE={interpreter.program}",
        f"-Dpybind11_DIR={pybind11.get_cmake_dir()}",
    ]
    if interpreter.headers is None:
        return words
    ending = f".cpython-{interpreter.version.replace('.', '')}-{interpreter.processor}-linux-gnu.so"
    facts = {"MODULE_EXTENSION": ending, "MODULE_DEBUG_POSTFIX": "", "IS_DEBUG": "0"}  # the program tells its own
    return [*words, f"-DPython_INCLUDE_DIR={interpreter.headers}", *(f"-DPYTHON_{n}={v}" for n, v in facts.items())]


def pack(
    plain: Path, extension: Path, interpreter: Interpreter, third_party: str, folder: Path
) -> tuple[Path, WheelContent]:
    """Pack an extension with the Python part.

    Parameters
    ----------
    plain : Path
        An unpacked wheel without an extension.
    extension : Path
    interpreter : Interpreter
        What it was compiled for.
    third_party : str
        Notices of what it contains.
    folder : Path
        Receives the wheel.
    """
    tag = f"{interpreter.tag}-manylinux_2_28_{interpreter.processor}"
    with tempfile.TemporaryDirectory() as made:
        content = Path(made) / "content"
        shutil.copytree(plain, content)
        shutil.copyfile(extension, content / "rigcast" / extension.name)
        facts = content / f"rigcast-{version()}.dist-info"
        (facts / "licenses" / NAME).write_text(third_party, encoding="utf-8")
        _replace(facts / "METADATA", "License-File: LICENSE\n", f"License-File: LICENSE\nLicense-File: {NAME}\n")
        lines = (facts / "WHEEL").read_text(encoding="utf-8").splitlines()
        kept = [line for line in lines if line and not line.startswith("Tag: ")]
        (facts / "WHEEL").write_text("\n".join([*kept, f"Tag: {tag}", ""]), encoding="utf-8")
        run([sys.executable, "-m", "wheel", "pack", content, "--dest-dir", folder])
    wheel = folder / f"rigcast-{version()}-{tag}.whl"
    return wheel, check_wheel(wheel, Promise(tag, (f"rigcast/{extension.name}",), LARGEST))


def _unpacked_python(folder: Path) -> Path:
    """The files and metadata of a wheel as pip makes it, without compiling."""
    run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder,
         "-Cwheel.cmake=false", "-Cwheel.platlib=true"]
    )  # fmt: skip
    (packed,) = folder.glob("rigcast-*.whl")
    run([sys.executable, "-m", "wheel", "unpack", packed, "--dest", folder])
    plain = folder / f"rigcast-{version()}"
    extensions = [path.name for path in plain.rglob("*.so*")]
    if extensions:
        raise SystemExit(f"the sources contain compiled files: {', '.join(extensions)}")
    needed = [Path("web") / name for name in MODULES] + [Path("capture") / "_network" / name for name in NETWORK]
    missing = [str(path) for path in needed if not (plain / "rigcast" / path).is_file()]
    if missing:
        raise SystemExit(f"the wheel has no {' and '.join(missing)}")
    return plain


def _replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise SystemExit(f"{path.name} has {old.strip()!r} {text.count(old)} times, not once")
    path.write_text(text.replace(old, new), encoding="utf-8")


def parts(highway: Part) -> list[Part]:
    """What an extension contains of others."""
    return [highway, *PARTS, PYBIND11]
