"""Closed and full standard streams: they cost no work; what could not be printed is said by the exit code."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from rigcast.cli import _dispatch as dispatch
from rigcast.cli._console import Console, Lines
from rigcast.progress import Progress
from tests.cli.command import command, environment
from tests.support.characters.plain_face import plain_face

EVALUATE = ["evaluate", "face.safetensors", "poses.npy", "-o", "v.npy"]


class Full:
    """A stream on a full disk."""

    closed, encoding = False, "utf-8"

    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")

    def flush(self) -> None: ...

    def isatty(self) -> bool:
        return False

    def fileno(self) -> int:
        raise ValueError("no file")


class Gone(Full):
    """A pipe whose reader went away."""

    def write(self, text: str) -> int:
        raise BrokenPipeError(32, "Broken pipe")


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plain_face().save("face.safetensors")
    np.save("poses.npy", np.zeros((2, 6)))
    return tmp_path


@pytest.mark.parametrize("stream", [Full(), Gone(), None], ids=["full", "gone", "closed"])
@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_result_that_cannot_be_printed_is_saved_and_said(place, monkeypatch, capsys, stream, options):
    monkeypatch.setattr("sys.stdout", stream)
    assert dispatch.main([*EVALUATE, *options]) == 1
    assert np.load("v.npy").shape == (2, 117, 3)
    said = capsys.readouterr().err
    assert said == "" if isinstance(stream, Gone) else "done, but the result could not be printed" in said


@pytest.mark.parametrize("stream", [Full(), Gone(), None], ids=["full", "gone", "closed"])
def test_errors_have_their_code_where_stderr_is_no_use(place, monkeypatch, capsys, stream):
    monkeypatch.setattr("sys.stderr", stream)
    assert dispatch.main([*EVALUATE[:-1], "v.fbx", "--json"]) == 2
    assert '"exit_code": 2' in capsys.readouterr().out


@pytest.mark.parametrize("stream", [Full(), Gone(), None], ids=["full", "gone", "closed"])
def test_progress_is_drawn_as_far_as_it_can_be(monkeypatch, stream):
    monkeypatch.setattr("sys.stderr", stream)
    with Console().progress() as draw:
        for done in range(3):
            draw(Progress("solving", done, 2))


def test_progress_on_a_terminal_that_fails(monkeypatch):
    class Bars:
        def broken(self, *args, **options):
            raise OSError(5, "Input/output error")

        start = stop = update = broken

        def add_task(self, stage, **options):
            return 0

    monkeypatch.setattr("sys.stderr", type("Terminal", (Full,), {"isatty": lambda self: True})())
    monkeypatch.setattr("rigcast.cli._console._bars", Bars)
    with Console().progress() as draw:
        draw(Progress("solving", 0, 2))


def test_a_broken_stream_is_tried_once():
    class Counting(Full):
        count = 0

        def write(self, text):
            self.count += 1
            return super().write(text)

    stream = Counting()
    draw = Lines(stream)
    for stage in ("one", "two", "three"):
        draw(Progress(stage, 0, 2))
    assert stream.count == 1


def test_letters_that_a_stream_lacks_are_escaped(monkeypatch, tmp_path):
    path = tmp_path / "out"
    with path.open("w", encoding="ascii") as stream:
        monkeypatch.setattr("sys.stdout", stream)
        console = Console()
        console.line("Grüße \udcff")
        console.finish()
    assert path.read_text() == "Gr\\xfc\\xdfe \\udcff\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this platform")
@pytest.mark.parametrize(("ends", "code"), [("2>&-", 0), ("2>/dev/full", 0), (">&-", 1), (">/dev/full", 1)])
def test_a_process_with_broken_streams_does_its_work(shot_files, ends, code):
    """The real thing: nothing of Python's own is said at the end, and the file is there."""
    output = shot_files / f"stream{code}{len(ends)}.npz"
    line = subprocess.list2cmdline(
        command("solve", "face.safetensors", "take.npy", "--fps", "30", "--alpha", "0.01", "-o", output.name)
    )
    done = subprocess.run(
        f"{line} {ends}", shell=True, cwd=shot_files, env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stderr
    assert ("the result could not be printed" in done.stderr) == bool(code)
    assert "Exception ignored" not in done.stderr
    assert output.exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this platform")
def test_help_that_cannot_be_printed_is_a_code():
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            command("--help"), env=environment(), stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    # Newer versions of argparse keep the error of the write to themselves.
    assert (done.returncode, done.stderr) in (
        (1, ""),
        (1, "rigcast: the help could not be printed (No space left on device)\n"),
    )
