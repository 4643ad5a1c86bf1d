"""Command line: ``python -m release``, which ``./run release`` calls in its environment."""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from release import cuda_wheel
from release.aarch64 import make_for_aarch64, make_package_for_aarch64
from release.bill import Artifact, write_bill
from release.blender_addon import make_addon
from release.highway import bundle
from release.host_files import HOSTS, make_host_files
from release.library import PARTS, archive, compile_library
from release.package_wheels import Interpreter, find_interpreters, make_wheels, parts
from release.project import ROOT, Part, version
from release.root_checks import check_in_roots
from release.runtime_wheel import make_wheel
from release.sources import make_sources
from release.systems.newer_python import SUITE, make_newer_python
from release.systems.packages import NoPackages
from release.try_wheel import try_wheels
from release.web_modules import MUSL, check_modules, make_npm

CHECKLIST = """\
Before these files are published:
  1. The tests pass on this commit: ./run test, ./run check, ./run sanitize.
  2. The version in pyproject.toml is new, and CHANGELOG.md says what changed.
  3. The files for 64-bit ARM are made and run in emulation: ./run release --aarch64.
  4. Sources, wheel and C library work where nothing else is installed: ./run release --roots, a command of its own.
  5. Never run in Houdini or Maya: the files for them, which type stubs and stand-ins check.
  6. Not made here: wheels for ARM but of Python 3.11, anything for Windows and macOS. Recipes that nobody has run yet:
     release/recipes.
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Make all artifacts, and say what was made."""
    chosen = _parser().parse_args(arguments)
    folder: Path = chosen.output
    folder.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - begin:6.0f} s  {text}", flush=True)

    if chosen.roots:
        check_in_roots(folder, say)
        return
    check_modules()
    highway = bundle()
    say("sources ...")
    artifacts = [Artifact(make_sources(folder), [highway])]
    say("the C library, for glibc 2.28 (Zig compiles its libc++ first) ...")
    processor = platform.machine()
    build = ROOT / "build" / "release" / processor
    library = compile_library(build, processor)
    inside = [highway, *PARTS]
    artifacts.append(Artifact(archive(library, folder, inside), inside))
    say("the wheel rigcast-runtime ...")
    artifacts.append(Artifact(make_wheel(library, folder, inside), inside))
    say("the add-on for Blender ...")
    artifacts.append(Artifact(make_addon(library, folder, inside), inside))
    for host in HOSTS:
        say(f"the files for {host.name.title()} ...")
        artifacts.append(Artifact(make_host_files(host, library, folder, inside), inside))
    say("the package for npm ...")
    artifacts.append(Artifact(make_npm(folder, [*inside, MUSL]), [*inside, MUSL]))
    package = [*parts(highway), MUSL]
    artifacts += _package(build, folder, chosen.python, package, say)
    if chosen.cuda:
        artifacts += _cuda(folder, chosen.python, cuda_wheel.parts(highway), say)
    if chosen.aarch64:
        artifacts += [Artifact(path, inside) for path in make_for_aarch64(folder, inside, say)]
        artifacts += [Artifact(path, package) for path in make_package_for_aarch64(folder, package, say)]
    for path in [*(artifact.path for artifact in artifacts), *write_bill(artifacts, folder)]:
        say(f"{path.stat().st_size:>11,} bytes  {path}")
    print(f"\n{CHECKLIST}", end="")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="./run release",
        description="Make the sources, the C library and the wheels, try the wheels, and say what is in them.",
        epilog="Example: ./run release --output dist",
    )
    parser.add_argument("--output", type=Path, default=ROOT / "dist", metavar="DIR", help="folder (default: dist)")
    parser.add_argument(
        "--python", type=Path, action="append", default=[], metavar="PROGRAM",
        help="a Python with headers for which a wheel is made, before those of pyenv and of the PATH; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--cuda", action="store_true",
        help="make the wheel rigcast-cuda for the same Pythons, too, by GCC and nvcc: longer than all the rest",
    )  # fmt: skip
    parser.add_argument(
        "--aarch64", action="store_true",
        help="make the C library and rigcast-runtime for 64-bit ARM, too, and run them in emulation",
    )  # fmt: skip
    parser.add_argument(
        "--roots", action="store_true",
        help="make nothing, but install what is in the folder into minimal Debian systems, and use it there; as root",
    )  # fmt: skip
    return parser


def _package(
    build: Path, folder: Path, programs: Sequence[Path], inside: Sequence[Part], say: Callable[[str], None]
) -> list[Artifact]:
    """The wheels of rigcast for the Pythons that are here, made and tried."""
    interpreters, missing = find_interpreters(programs)
    for wanted in missing:
        say(f"no CPython {wanted} with headers is here (--python names one): Debian's {SUITE} ...")
        try:
            interpreters.append(Interpreter(wanted, make_newer_python(wanted)))
        except NoPackages as reason:
            say(f"SKIPPED: no wheel for Python {wanted}: {reason}")
    wheels = make_wheels(build, folder, interpreters, inside, say)
    say("each wheel in an environment of its own ...")
    for line in try_wheels(list(zip(interpreters, wheels, strict=True)), build / "tried"):
        say(line)
    return [Artifact(wheel, inside) for wheel in wheels]


def _cuda(folder: Path, programs: Sequence[Path], inside: Sequence[Part], say: Callable[[str], None]) -> list[Artifact]:
    """The wheels rigcast-cuda, each tried beside the wheel of rigcast."""
    build, artifacts = ROOT / "build" / "release" / "cuda", []
    for interpreter in find_interpreters(programs)[0]:
        say(f"the wheel rigcast-cuda for Python {interpreter.version} ...")
        made, content = cuda_wheel.make_wheel(build, folder, interpreter, inside)
        (beside,) = folder.glob(f"rigcast-{version()}-{interpreter.tag}-*.whl")
        for line in [*content.lines(), *cuda_wheel.try_wheel(interpreter, [beside, made], build / "tried")]:
            say(line)
        artifacts.append(Artifact(made, inside))
    return artifacts


main()
