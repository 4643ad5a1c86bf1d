"""The hook for commit messages lets the good through and says what is wrong with the others."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.structure.layers import ROOT

HOOK = ROOT / ".githooks" / "commit-msg"
GOOD = [
    "cuda: wait once per layer after uploading its lists",
    "project: rename to rigcast\n\nThe old name was taken.",
    "rigs: pass names on",
    "docs: embed the drawing of the floors\n# Please enter the commit message\n# for your changes\n",
    "build: speed up wheels",
    "tests: " + "x" * 65,
    "Merge branch 'arch'",
    "fixup! cuda: wait once per layer",
]
BAD = [
    ("", "begins with a room"),
    ("wait once per layer", "begins with a room"),
    ("kitchen: wait once per layer", "kitchen is none"),
    ("cuda: waits once per layer", "it is 'waits'"),
    ("cuda: waited once per layer", "it is 'waited'"),
    ("cuda: waiting once per layer", "it is 'waiting'"),
    ("cuda: Wait once per layer", "it is 'Wait'"),
    ("cuda: the wait is once per layer", "it is 'the'"),
    ("tests: " + "x" * 66, "73 characters"),
    ("cuda: wait once per layer\nsince uploads are small", "second line is blank"),
]


def run(tmp_path, message):
    file = tmp_path / "COMMIT_EDITMSG"
    file.write_text(message, encoding="utf-8")
    return subprocess.run([sys.executable, HOOK, file], capture_output=True, text=True)


@pytest.mark.parametrize("message", GOOD)
def test_good_messages_pass(tmp_path, message):
    done = run(tmp_path, message)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("message", "said"), BAD)
def test_bad_messages_are_refused_with_the_reason(tmp_path, message, said):
    done = run(tmp_path, message)
    assert done.returncode == 1
    assert said in done.stderr


def test_the_hook_can_be_run():
    assert HOOK.stat().st_mode & 0o111
