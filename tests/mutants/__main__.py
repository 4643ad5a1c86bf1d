"""Break functions that are drawn by lot, one at a time, and say which test notices.

    python -m tests.mutants                     # five functions of each area, with the lot of seed 0
    python -m tests.mutants --show              # the lot alone
    python -m tests.mutants --only 3 17         # these numbers of the lot, after a test was added
    python -m tests.mutants --only 5 --after 1  # the function's next change, where the first alters nothing
    python -m tests.mutants --only 3 --tests tests/rig  # these tests alone
    python -m tests.mutants --wide              # survivors meet the whole suite, not their own areas' tests alone

Works in a copy of the working tree under ``build/mutants``; the tree itself is never touched. A change that does not
compile gives way to the next one. A survivor is a missing test, or a change that no caller can see: read it.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from tests.mutants.functions import AREAS, ROOT, Change, functions

PLACE = ROOT / "build" / "mutants" / "tree"
LIMIT = 900  # seconds for the tests of one mutant: a loop without end is noticed
# The tests nearest to the files under a path; the longest fitting path counts.
TESTS = {
    "bindings/": "core rig body inverse linalg mesh metrics packing transfer",
    "bindings/convert/": "core rig body",
    "cpp/rigcast/": "core rig body",
    "cpp/rigcast/baseline/": "baselines rig",
    "cpp/rigcast/ik/": "ik training",
    "cpp/rigcast/inverse/": "inverse",
    "cpp/rigcast/linalg/": "linalg rig inverse transfer optimize",
    "cpp/rigcast/mesh/": "mesh metrics transfer",
    "cpp/rigcast/metrics/": "metrics",
    "cpp/rigcast/network/": "body training rig",
    "cpp/rigcast/optimize/": "optimize inverse packing",
    "cpp/rigcast/packing/": "packing",
    "cpp/rigcast/transfer/": "transfer",
    "python/rigcast/_formats/": "sources exports cli inverse",
    "python/rigcast/_rigs/": "sources sampling rig",
    "python/rigcast/baselines/": "baselines",
    "python/rigcast/cli/": "cli core",
    "python/rigcast/crowd/": "crowd",
    "python/rigcast/exports/": "exports sources cli",
    "python/rigcast/faces/": "faces cli",
    "python/rigcast/ik/": "ik training cli",
    "python/rigcast/inverse/": "inverse cli",
    "python/rigcast/metrics/": "metrics",
    "python/rigcast/report/": "report cli packing",
    "python/rigcast/sampling/": "sampling cli",
    "python/rigcast/sources/": "sources cli",
    "python/rigcast/torch/": "torch",
    "python/rigcast/training/": "training",
    "python/rigcast/transfer/": "transfer packing cli",
}
NOT_WIDE = ("tests/notebooks", "tests/demo", "tests/cuda", "tests/bench", "tests/structure")


def lot(seed: int, per_area: int) -> list[tuple[str, list[Change]]]:
    """Functions in the order drawn, each with its changes in the order in which they are tried.

    A spare function's follow, for one in which nothing compiles.
    """
    drawn = []
    for area in AREAS:
        draw, possible = random.Random(f"{seed} {area}"), functions(area)
        own = [shuffled(draw, changes) for changes in draw.sample(possible, per_area)]
        spares = [shuffled(draw, changes) for changes in draw.sample(possible, per_area)]
        drawn += [(area, changes + spare) for changes, spare in zip(own, spares, strict=True)]
    return drawn


def shuffled(draw: random.Random, changes: list[Change]) -> list[Change]:
    return sorted(draw.sample(changes, len(changes)), key=lambda change: change.coarse)


def copy_tree() -> None:
    """The tracked and new files of the working tree; files that did not change keep their time."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    for name in listed.stdout.splitlines():
        source, target = ROOT / name, PLACE / name
        if source.is_file() and not (target.exists() and target.read_bytes() == source.read_bytes()):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
    data, beside = ROOT.parent / "shared", PLACE.parent / "shared"
    if data.exists() and not beside.exists():
        beside.symlink_to(data)


def run(*command: str, limit: float | None = None) -> tuple[int, str]:
    """Exit status and output of a command in the copy, in a process group of its own that ends with it."""
    settings = os.environ | {"PYTHONPATH": "python", "PYTHONDONTWRITEBYTECODE": "1", "CCACHE_BASEDIR": str(PLACE)}
    settings |= {"CCACHE_NOHASHDIR": "1", "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.Popen(
        command, cwd=PLACE, env=settings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True,
    )  # fmt: skip
    try:
        output = done.communicate(timeout=limit)[0]
    except subprocess.TimeoutExpired:
        os.killpg(done.pid, signal.SIGKILL)
        return 124, done.communicate()[0]
    return done.returncode, output


def build() -> bool:
    """The extension of the copy; False if it does not compile."""
    if not (PLACE / "build" / "release" / "build.ninja").exists():
        status, shown = run("cmake", "--preset", "release", f"-DPython_EXECUTABLE={sys.executable}")
        assert status == 0, shown
    return run("cmake", "--build", "--preset", "release")[0] == 0


def noticed(change: Change, chosen: list[str], wide: bool) -> str:
    """The test that fails, or none."""
    nearest = max((place for place in TESTS if change.path.startswith(place)), key=len)
    places = chosen or [f"tests/{name}" for name in TESTS[nearest].split()]
    others = ["tests", *(f"--ignore={name}" for name in (*NOT_WIDE, *places))]
    for some in (places, others)[: 1 + wide]:
        status, shown = run(
            sys.executable, "-m", "pytest", "-x", "-q", "-n", "2", "--dist", "loadfile", "-p", "no:cacheprovider",
            *some, limit=LIMIT,
        )  # fmt: skip
        if status == 124:
            return "no end"
        if status != 0:
            failed = re.search(r"^(?:FAILED|ERROR) (\S+)", shown, re.MULTILINE)
            return failed[1] if failed else shown.strip().splitlines()[-1]
    return ""


def outcome(changes: list[Change], chosen: list[str], wide: bool) -> tuple[Change | None, str]:
    """The first change of a function that compiles, and the test that notices it."""
    for change in changes:
        path = PLACE / change.path
        content = path.read_bytes()
        path.write_bytes(change.applied(content))
        try:
            if path.suffix == ".py" or build():
                return change, noticed(change, chosen, wide)
        finally:
            path.write_bytes(content)
    return None, "nothing compiles"


def shown(number: int, area: str, change: Change, caught: str) -> str:
    before, after = (" ".join(text.split()) for text in (change.before, change.text))
    where = f"{change.path}:{change.line} {change.function}"
    return f"{number} | {area} | {where} | `{before}` -> `{after}` | {caught}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--per-area", type=int, default=5)
    parser.add_argument("--only", type=int, nargs="+", help="numbers of the lot")
    parser.add_argument("--show", action="store_true", help="draw the lot and stop")
    parser.add_argument("--wide", action="store_true", help="survivors meet the other tests too")
    parser.add_argument("--after", type=int, default=0, metavar="N", help="pass over the first N changes")
    parser.add_argument("--tests", nargs="+", default=[], help="these tests instead of the nearest ones")
    options = parser.parse_args()
    drawn = list(enumerate(lot(options.seed, options.per_area), 1))
    chosen = [entry for entry in drawn if not options.only or entry[0] in options.only]
    if options.show:
        for number, (area, changes) in chosen:
            print(shown(number, area, changes[0], f"{len(changes)} changes possible"))
        return
    copy_tree()
    assert build(), "the copy does not build"
    survived = 0
    for number, (area, changes) in chosen:
        change, caught = outcome(changes[options.after :], options.tests, options.wide)
        survived += not caught
        print(shown(number, area, change or changes[0], caught or "SURVIVED"), flush=True)
    print(f"{len(chosen) - survived} of {len(chosen)} noticed")


if __name__ == "__main__":
    main()
