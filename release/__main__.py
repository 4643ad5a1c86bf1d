"""Command line: ``python -m release``, which ``./run release`` calls in its environment."""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Sequence
from pathlib import Path

from release.bill import Artifact, write_bill
from release.blender_addon import make_addon
from release.highway import bundle
from release.library import PARTS, archive, compile_library
from release.project import ROOT
from release.runtime_wheel import make_wheel
from release.sources import make_sources

CHECKLIST = """\
Before these files are published:
  1. The tests pass on this commit: ./run test, ./run check, ./run sanitize.
  2. The version in pyproject.toml is new, and CHANGELOG.md says what changed.
  3. Each wheel is installed where nothing else is, and examples of docs/start/install.md run.
  4. Not made here: wheels of the package rigcast for several Pythons and for GPUs, libraries for Windows and macOS.
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Make all artifacts, and say what was made."""
    parser = argparse.ArgumentParser(
        prog="./run release",
        description="Make the sources, the C library, the wheel rigcast-runtime and Blender's add-on.",
        epilog="Example: ./run release --output dist",
    )
    parser.add_argument("--output", type=Path, default=ROOT / "dist", metavar="DIR", help="folder (default: dist)")
    chosen = parser.parse_args(arguments)
    folder: Path = chosen.output
    folder.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - begin:6.0f} s  {text}", flush=True)

    highway = bundle()
    say("sources ...")
    artifacts = [Artifact(make_sources(folder), [highway])]
    say("the C library, for glibc 2.28 (Zig compiles its libc++ first) ...")
    processor = platform.machine()
    library = compile_library(ROOT / "build" / "release" / processor, processor)
    inside = [highway, *PARTS]
    artifacts.append(Artifact(archive(library, folder), inside))
    say("the wheel rigcast-runtime ...")
    artifacts.append(Artifact(make_wheel(library, folder), inside))
    say("the add-on for Blender ...")
    artifacts.append(Artifact(make_addon(library, folder), inside))
    for path in [*(artifact.path for artifact in artifacts), *write_bill(artifacts, folder)]:
        say(f"{path.stat().st_size:>11,} bytes  {path}")
    print(f"\n{CHECKLIST}", end="")


main()
