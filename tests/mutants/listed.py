"""Listed mutants: changes of one place each, and the test that must fail on it.

The lists are ``differential.py``, ``face_maps.py``, ``ik.py`` and ``synthesis.py`` beside this file; each is a command.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from dataclasses import dataclass

from tests.mutants.__main__ import PLACE, ROOT, build, copy_tree, run


@dataclass(frozen=True)
class Mutant:
    """What it does, its place, and the test that notices it."""

    name: str
    path: str
    before: str
    after: str
    test: str
    also: tuple[tuple[str, str], ...] = ()  # further texts of the file, with what replaces them

    @property
    def is_of_engine(self) -> bool:
        """Whether the extension has to be built."""
        return self.path.endswith((".cpp", ".h"))

    def applied(self, content: str) -> str:
        """The changed file."""
        for before, after in ((self.before, self.after), *self.also):
            assert content.count(before) == 1, f"{self.path} has another text now: {self.name}"
            content = content.replace(before, after)
        return content


def caught(mutant: Mutant) -> str:
    """The test that fails on it, or none, also where it does not compile."""
    path = PLACE / mutant.path
    content = path.read_text(encoding="utf-8")
    path.write_text(mutant.applied(content), encoding="utf-8")
    try:
        if mutant.is_of_engine and not build():
            print(f"{mutant.path} does not compile: {mutant.name}", flush=True)
            return ""
        status, shown = run(
            sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", mutant.test
        )
    finally:
        path.write_text(content, encoding="utf-8")
        if mutant.is_of_engine:  # the mutants of Python that follow run on the engine as it is
            assert build(), "the copy does not build"
    failed = re.search(r"^FAILED (\S+)", shown, re.MULTILINE)
    return failed[1] if status != 0 and failed else ""


def run_list(description: str | None, mutants: list[Mutant]) -> None:
    """The command of a list: print each mutant with the test that fails on it."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", action="store_true", help="the mutants of the engine, too")
    parser.add_argument("--only", nargs="+", type=int, help="these numbers of the list")
    given = parser.parse_args()
    copy_tree()
    if given.engine:
        assert build(), "the copy does not build"
    else:
        for extension in (ROOT / "python" / "rigcast").glob("_core*.so"):
            shutil.copyfile(extension, PLACE / "python" / "rigcast" / extension.name)
    survived = 0
    for number, mutant in enumerate(mutants, 1):
        if (given.only and number not in given.only) or (mutant.is_of_engine and not given.engine):
            continue
        test = caught(mutant)
        survived += not test
        print(f"{number} | {mutant.name} | {mutant.path} | {test or 'SURVIVED'}", flush=True)
    sys.exit(survived > 0)
