"""``--piped``: progress as records for a program that runs the command, and the end of its stdin as Ctrl-C."""

from __future__ import annotations

import json
import signal
import subprocess

import pytest

from rigcast.cli._console import JsonLines
from rigcast.progress import Progress
from tests.cli.command import command, environment
from tests.support.made.cylinder_models import cylinder_file
from tests.support.process import PATIENCE

POSES = 60_000  # more than are sampled before stdin ends


@pytest.fixture
def arm(tmp_path):
    """A folder with a rig file."""
    cylinder_file(tmp_path / "arm.npz")
    return tmp_path


def piped(folder, *arguments, **settings):
    program = command(*arguments, "--piped", "--json")
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(program, cwd=folder, env=environment(), **streams, **settings)


def test_a_record_per_stage_and_per_end_but_not_per_call():
    class Stream(list):
        closed, encoding = False, "utf-8"
        write = list.append

        def flush(self):
            pass

    stream = Stream()
    draw = JsonLines(stream)
    for done in range(101):
        draw(Progress("sampling", done, 100, "2.1 ms per pose"))
    draw(Progress("training", 0, 0))
    records = [json.loads(line) for line in stream if line.strip()]
    ends = [(record["stage"], record["done"]) for record in records]
    assert ends[0] == ("sampling", 0.0)
    assert ends[-2:] == [("sampling", 100.0), ("training", 0.0)]
    assert len(records) < 100
    assert records[0] == {"stage": "sampling", "done": 0.0, "total": 100.0, "message": "2.1 ms per pose"}


def test_progress_is_one_object_per_line_and_the_result_one_on_stdout(arm):
    process = piped(arm, "sample", "arm.npz", "-o", "arm.rwdata", "--count", 40, "--probe", 0)
    records = [json.loads(line) for line in process.stderr]
    assert process.wait(timeout=PATIENCE) == 0
    shown, _ = process.communicate()
    assert [record["done"] for record in records if record["stage"] == "sampling"][-1] == 40
    assert json.loads(shown)["poses"] == 40


@pytest.mark.parametrize("ignored", [False, True])
def test_the_end_of_stdin_stops_and_the_same_command_goes_on(arm, ignored):
    """Also where Ctrl-C is ignored, as in what a shell's background job starts."""
    words = ["sample", "arm.npz", "-o", "arm.rwdata", "--count", POSES, "--probe", 0]
    ignore = (lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)) if ignored else None
    process = piped(arm, *words, preexec_fn=ignore)
    for line in process.stderr:
        if json.loads(line)["done"] > 0:
            break
    process.stdin.close()
    assert process.wait(timeout=PATIENCE) == 130
    process.stdout.close()
    process.stderr.close()
    kept = len(list((arm / "arm.rwdata").glob("*.vertices.npy")))
    assert kept > 0
    again = piped(arm, *words)
    first = json.loads(next(again.stderr))
    again.stdin.close()
    again.wait(timeout=PATIENCE)
    again.stdout.close()
    again.stderr.close()
    assert first["done"] >= 64
