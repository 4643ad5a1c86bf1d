"""The tests of the rooms that a change touches: ``python -m tests.touched [--changed]``, for ``./run quick``.

A change is what differs from the last commit, new files included; without any, the last commit. A file of a room is
tested by the folder of the same name; ``ELSEWHERE`` says where the tests of other rooms lie. ``--changed`` prints the
changed files in place of the tests.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import PurePosixPath

from tests.conftest import TESTS

ROOT = TESTS.parent
ELSEWHERE = {
    "bindings": ("core", "rig"),
    "bindings/c": ("runtime",),
    "python/rigcast_runtime": ("runtime",),
    "python/rigcast_host": ("houdini", "maya"),
    "houdini": ("houdini",),
    "maya": ("maya",),
    "cpp/rigcast/baseline": ("baselines",),
    "cpp/rigcast/network": ("body", "face"),
    "cpp/rigcast/registry": ("rig",),
    "docs": ("docs/test_links.py", "docs/test_reference.py", "docs/test_benchmarks.py"),
    "python/rigcast/_formats": ("sources", "exports"),
    "python/rigcast/_rigs": ("rig",),
    "python/rigcast/_farm": ("farm",),
    "python/rigcast/viewer": ("view",),
    "python/rigcast/_validate": ("core",),
    "examples": ("demo",),
    "benchmarks": ("bench",),
    "release": ("release",),
    "ARCHITECTURE.md": ("structure",),
}


def git(*words: str) -> list[str]:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def changed_files() -> list[str]:
    """Paths from the root of the repository that still exist, sorted."""
    found = set(git("diff", "--name-only", "HEAD")) | set(git("ls-files", "--others", "--exclude-standard"))
    found = found or set(git("diff", "--name-only", "HEAD~1", "HEAD"))
    return sorted(name for name in found if (ROOT / name).is_file())


def tests_of(name: str) -> list[str]:
    """What tests a file, as paths from the root of the repository; nothing if it has no tests of its own."""
    path = PurePosixPath(name)
    if path.parts[0] == "tests":
        return [name] if path.name.startswith("test_") else []
    for place in (path, *path.parents):
        if str(place) in ELSEWHERE:
            return [f"tests/{folder}" for folder in ELSEWHERE[str(place)]]
    room = path.parts[2].removesuffix(".py").lstrip("_") if len(path.parts) > 2 else ""
    return [f"tests/{room}"] if room and (TESTS / room).is_dir() else []


def main() -> None:
    changed = changed_files()
    if "--changed" in sys.argv[1:]:
        print(*changed, sep="\n")
        return
    tests = {test for name in changed for test in tests_of(name)}
    folders = {test for test in tests if not test.endswith(".py")}
    print(*sorted(test for test in tests if not any(test.startswith(f"{folder}/") for folder in folders)), sep="\n")


if __name__ == "__main__":
    main()
