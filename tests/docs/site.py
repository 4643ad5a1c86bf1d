"""Markdown pages whose code blocks run: what stands in them, and how little of it is changed for a test.

``python`` blocks of a page run one after another in one namespace. Of ``sh`` blocks every line is a command; of
``console`` blocks every line that begins with ``$ ``, and other lines are what the command before prints. A ``text``
block is what the block before it prints; ``...`` stands for anything. Other languages are for the eye.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
import warnings
from dataclasses import dataclass
from pathlib import Path

from rigcast.cli import main
from rigcast.errors import UndeterminedShapesWarning

ROOT = Path(__file__).parents[2]
LOOSE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

# The only changes: less patience, and no threads that wait for each other on a busy machine. What a page shows must not
# depend on them.
SHORTER = (
    (re.compile(r"--minutes \d+"), "--steps 4 --threads 1"),
    (re.compile(r"--count 5000"), "--count 120"),
    (re.compile(r"--count 1500"), "--count 60"),
    (re.compile(r"--count 200"), "--count 20"),
    (re.compile(r"--balance 12000"), "--balance 200"),
    (re.compile(r"rigcast bench \S+"), r"\g<0> --runs 10 --batch 16"),
    (re.compile(r"minutes=\d+"), "steps=4, threads=1"),
    (re.compile(r"count=5000"), "count=120"),
)
# Programs that no test runs: they install, build, or need a network. C++ programs are built by tests/cpp.
SHORTENED = {"view": ("--seconds", "0.1")}  # commands that run until Ctrl-C
NOT_RUN = {"apt-get", "cd", "cmake", "examples-build/play_motion", "git", "pip", "python3", "./run", "docker"}


@dataclass(frozen=True)
class Block:
    """A fenced block, the line of its fence, and what it should print (None: anything)."""

    language: str
    text: str
    line: int
    output: str | None = None


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page; ``text`` blocks become the output of the block right before them."""
    found: list[Block] = []
    content = page.read_text(encoding="utf-8")
    end = 0
    for fence in re.finditer(r"^```(\w*)\n(.*?)^```$", content, re.MULTILINE | re.DOTALL):
        line = content[: fence.start()].count("\n") + 1
        if fence[1] == "text" and found and not content[end : fence.start()].strip():
            found[-1] = Block(found[-1].language, found[-1].text, found[-1].line, fence[2])
        else:
            found.append(Block(fence[1], fence[2], line))
        end = fence.end()
    return found


def shorter(text: str) -> str:
    """The text with the changes of the table above."""
    for pattern, replacement in SHORTER:
        text = pattern.sub(replacement, text)
    return text


def run_page(page: Path) -> int:
    """Run a page in the working directory; how many blocks ran. An AssertionError names the line that fails."""
    space: dict[str, object] = {"__name__": "__main__"}
    warnings.simplefilter("ignore", UndeterminedShapesWarning)  # pytest restores the filters
    runners = {"python": lambda block: run_python(page, block, space), "sh": run_shell, "console": run_shell}
    ran = 0
    for block in blocks(page):
        if block.language in runners:
            try:
                runners[block.language](block)
            except Exception as error:
                raise AssertionError(f"{page.name}:{block.line}: {type(error).__name__}: {error}") from error
            ran += 1
    return ran


def run_python(page: Path, block: Block, space: dict[str, object]) -> None:
    """Run a block in the page's namespace, and compare what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile("\n" * block.line + shorter(block.text), str(page), "exec"), space)
    if block.output is not None:
        compare(block.output, printed.getvalue())


def run_shell(block: Block) -> None:
    """Run the commands of a block, and compare what they print."""
    for words, shown in commands(block):
        if words[0] in NOT_RUN or "|" in words:
            continue
        assert words[0] == "rigcast", f"{words[0]} is no program that a page may use"
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            code = main([*words[1:], *(() if "-o" in words else SHORTENED.get(words[1], ()))])
        assert code == 0, f"{shlex.join(words)}: exit code {code}"
        if shown.strip():
            compare(shown, printed.getvalue())


def commands(block: Block) -> list[tuple[list[str], str]]:
    """The words of each command, and the lines shown under it."""
    found: list[tuple[list[str], str]] = []
    for line in shorter(block.text).replace("\\\n", " ").splitlines():
        if block.language == "sh" or line.startswith("$ "):
            if words := shlex.split(line.removeprefix("$ "), comments=True):
                found.append((words, ""))
        else:
            found[-1] = (found[-1][0], found[-1][1] + line + "\n")
    if block.output is not None:
        found[-1] = (found[-1][0], block.output)
    return found


def compare(shown: str, printed: str) -> None:
    """An AssertionError unless a page shows what was printed."""
    assert doctest.OutputChecker().check_output(shown, printed, LOOSE), f"shown:\n{shown}\nprinted:\n{printed}"
