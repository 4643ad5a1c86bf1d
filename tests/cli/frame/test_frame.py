"""Exit codes, errors of one line, JSON, and progress of the command line."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rigcast as rc
from rigcast._atomic_files import DiskFull
from rigcast._extras import MissingExtra
from rigcast.cli import _dispatch as dispatch
from rigcast.cli._commands.doctor import EXTRAS
from rigcast.cli._console import Lines
from rigcast.cli._result import as_json
from rigcast.errors import ArgumentError, NumericalError, SourceError
from rigcast.progress import Progress
from tests.cli.command import environment, json_of, rigcast_command, rigcast_process
from tests.support.made.models import chain_skeleton, linear_blend
from tests.support.process import PATIENCE


def test_help_lists_every_command_with_its_example(tmp_path):
    overview = rigcast_command("--help", folder=tmp_path)
    assert overview.returncode == 0
    for name in dispatch.COMMANDS:
        assert re.search(rf"^    {name}\s", overview.stdout, re.MULTILINE), name
        shown = rigcast_command(name, "--help", folder=tmp_path)
        assert shown.returncode == 0
        assert f"example:\n  rigcast {name}" in shown.stdout


def test_doctor_names_versions_and_the_command_for_what_is_missing(tmp_path):
    done = rigcast_process("doctor", "--json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["versions"]["numpy"] == np.__version__
    assert set(found["extras"]) == set(EXTRAS)
    for name, extra in found["extras"].items():
        assert extra["installed"] == (not extra["missing"])
        if extra["missing"]:
            assert f'pip install "rigcast[{name}]"' in extra["install"]


def test_doctor_knows_the_extras_of_the_package():
    tomllib = pytest.importorskip("tomllib", reason="tomllib comes with Python 3.11")
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
    declared = {
        name: {re.match(r"[\w-]+", one).group() for one in requirements if "python_version < " not in one}
        for name, requirements in project["optional-dependencies"].items()
        if name not in ("all", "test")
    }
    assert declared == {name: set(modules) for name, modules in EXTRAS.items()}


def test_info_describes_a_model(tmp_path):
    model = linear_blend(num_joints=5, num_vertices=40)
    model.save(tmp_path / "arm.safetensors")
    facts = json_of("info", "arm.safetensors", folder=tmp_path)
    assert facts["type"] == "model"
    assert facts["kind"] == "linear_blend"
    assert (facts["joints"], facts["dials"], facts["pose_columns"], facts["vertices"]) == (5, 0, 60, 40)
    assert facts["bytes"] == (tmp_path / "arm.safetensors").stat().st_size
    shown = rigcast_command("info", "arm.safetensors", folder=tmp_path)
    for line in ("joints +5", "dials +0", "pose columns +60", "vertices +40"):
        assert re.search(f"^{line}$", shown.stdout, re.MULTILINE)


def test_info_lists_the_channels_of_a_model(tmp_path):
    skeleton = chain_skeleton(2)
    bend = {"name": "bend", "kind": "rotate_y", "joint": "joint1", "place": 0, "low": -30, "high": 60, "rest": 0}
    entry = {"list": [bend | {"unit": "degrees", "reason": "a driver"}], "followers": [], "joints": {}}
    weights = np.ones((3, 1), np.float32)
    about = {"channels": entry}
    rc.LinearBlendSkinning(skeleton, np.eye(3), [[0, 1, 2]], (np.zeros((3, 1), int), weights), metadata=about).save(
        tmp_path / "a.safetensors"
    )
    facts = json_of("info", "a.safetensors", folder=tmp_path)
    assert facts["channels"] == {"bend": [-30, 60]}
    bend = bend | {"unit": "degrees", "whole": False, "follows_kinematics": False, "reason": "a driver"}
    assert facts["channel_details"] == [bend]
    shown = rigcast_command("info", "a.safetensors", folder=tmp_path)
    assert re.search(r"^bend +-30 +60 +0 +rotate_y +joint1 +a driver$", shown.stdout, re.MULTILINE)
    assert "channels (1)" in shown.stdout


def test_a_damaged_model_is_one_line_and_wrong_input(tmp_path):
    (tmp_path / "broken.safetensors").write_bytes(b"no model at all")
    done = rigcast_process("info", "broken.safetensors", folder=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert re.fullmatch(r"rigcast info: .+ \(rigcast info --help shows an example\)\n", done.stderr)


def test_a_file_that_is_not_there_is_wrong_usage(tmp_path):
    done = rigcast_command("info", "nothing.safetensors", folder=tmp_path)
    assert done.returncode == 2
    assert "nothing.safetensors does not exist" in done.stderr


def test_json_carries_the_error_too(tmp_path):
    (tmp_path / "broken.safetensors").write_bytes(b"no model at all")
    done = rigcast_process("info", "broken.safetensors", "--json", folder=tmp_path)
    answer = json.loads(done.stdout)
    assert answer["exit_code"] == done.returncode == 2
    assert done.stderr == f"rigcast info: {answer['error']} (rigcast info --help shows an example)\n"
    assert answer["command"] == "rigcast info"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ArgumentError("sample", "count", "0", "a positive\nnumber"), 2),
        (ValueError("a fault of our own"), 1),
        (SourceError("Blender crashed"), 1),
        (NumericalError("singular matrix"), 1),
        (MissingExtra('pip install "rigcast[training]"'), 1),
        (OSError(28, "No space left on device"), 1),
        (MemoryError(), 1),
        (KeyboardInterrupt(), 130),
    ],
)
def test_every_outcome_has_its_code_and_one_line(monkeypatch, capsys, error, code):
    def fail(args, console):
        raise error

    monkeypatch.setattr("rigcast.cli._commands.doctor.run", fail)
    assert dispatch.main(["doctor"]) == code
    shown = capsys.readouterr()
    assert shown.out == ""
    assert re.fullmatch(r"rigcast doctor: .+\n", shown.err)
    if code == 130:
        assert shown.err == "rigcast doctor: interrupted\n", "doctor has nothing to go on with"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "the disk is full"),
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/tmp/scene.npz"), "the disk is full: /tmp/scene.npz"),
        (DiskFull(errno.ENOSPC, "the disk is full: 'a' was not written"), "the disk is full: 'a' was not written"),
    ],
)
def test_a_full_disk_is_a_sentence_and_no_wrong_input(monkeypatch, capsys, error, words):
    def fail(args, console):
        raise error

    monkeypatch.setattr("rigcast.cli._commands.doctor.run", fail)
    assert dispatch.main(["doctor"]) == 1
    assert capsys.readouterr().err == f"rigcast doctor: {words}\n"


def test_only_commands_that_go_on_promise_it(tmp_path, monkeypatch, capsys):
    def stop(args, console):
        raise KeyboardInterrupt

    (tmp_path / "a.npz").touch()
    monkeypatch.chdir(tmp_path)
    for name, line in {
        "sample": ["a.npz", "-o", "b"],
        "transfer": ["a.npz", "a.npz", "-o", "b.npz"],
        "pack": ["a.npz", "-o", "b.json"],
    }.items():
        monkeypatch.setattr(f"rigcast.cli._commands.{name}.run", stop)
        assert dispatch.main([name, *line]) == 130
        shown = capsys.readouterr().err
        assert ("run the same command again to continue" in shown) == (name != "pack"), name


def test_debug_shows_where_an_error_arose(monkeypatch, capsys):
    def fail(args, console):
        raise ArgumentError("doctor", "x", "1", "2")

    monkeypatch.setattr("rigcast.cli._commands.doctor.run", fail)
    assert dispatch.main(["doctor", "-v"]) == 2
    assert "Traceback" in capsys.readouterr().err


def test_a_fault_of_our_own_is_not_hidden(monkeypatch, capsys):
    def fail(args, console):
        raise AssertionError("a fault")

    monkeypatch.setattr("rigcast.cli._commands.doctor.run", fail)
    assert dispatch.main(["doctor"]) == 1
    assert "internal error" in capsys.readouterr().err
    with pytest.raises(AssertionError):
        dispatch.main(["doctor", "-v"])


def test_progress_without_a_terminal_is_few_lines():
    stream = io.StringIO()
    draw = Lines(stream)
    for done in range(101):
        draw(Progress("sampling", done, 100, "2.1 ms per pose"))
    for done in range(11):
        draw(Progress("training", done / 10, 1))
    assert stream.getvalue().splitlines() == [
        "sampling 0 of 100, 2.1 ms per pose",
        "sampling 100 of 100, 2.1 ms per pose",
        "training 0%",
        "training 100%",
    ]


def test_progress_on_a_terminal_is_one_bar_at_a_time(tmp_path):
    """In a terminal of 80 columns: the stage's name whole, the figure cut, and nothing left behind."""
    pytest.importorskip("rich", reason="the progress extra is not installed")
    code = (
        "from rigcast.cli._console import Console; from rigcast.progress import Progress\n"
        "with Console().progress() as draw:\n"
        "    for stage in ('assigning vertices to joints', 'training'):\n"
        "        for done in range(3):\n"
        "            draw(Progress(stage, done, 2, 'error 0.41 mm, ' * 9))\n"
        "            draw.draw.bars.refresh()\n"  # rich draws by a clock of its own
        "print('finished')"
    )
    shown = in_terminal([sys.executable, "-c", code], tmp_path)
    lines = [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line).strip() for line in re.split(r"[\r\n]+", shown)]
    bars = [line for line in lines if "━" in line]
    assert any(line.startswith("assigning vertices to joints ━") for line in bars)
    assert any(re.match("training ━+ +100%", line) for line in bars)
    assert max(map(len, bars)) <= 80
    assert [line for line in lines if line][-1] == "finished"


def in_terminal(command: list[str], folder: Path) -> str:
    """What a command shows in a terminal of 80 columns."""
    pty = pytest.importorskip("pty", reason="no pseudo-terminals on this platform")
    ours, theirs = pty.openpty()
    settings = environment() | {"COLUMNS": "80", "LINES": "24", "TERM": "xterm"}
    settings.pop("NO_COLOR", None)
    process = subprocess.Popen(command, cwd=folder, env=settings, stdout=theirs, stderr=theirs, stdin=theirs)
    os.close(theirs)
    chunks = []
    while True:
        try:
            chunk = os.read(ours, 65536)
        except OSError:  # the terminal's other end is closed
            break
        if not chunk:
            break
        chunks.append(chunk)
    os.close(ours)
    assert process.wait(timeout=PATIENCE) == 0
    return b"".join(chunks).decode()


def test_json_holds_no_values_that_json_lacks():
    value = {"path": Path("a"), "array": np.array([1.0, np.nan]), "scalar": np.float32(2), "list": (np.inf, 1)}
    assert (
        json.dumps(as_json(value), allow_nan=False)
        == '{"path": "a", "array": [1.0, null], "scalar": 2.0, "list": [null, 1]}'
    )


def test_progress_lines_come_soon_and_then_every_few_seconds(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("rigcast.cli._console.time.monotonic", lambda: now[0])
    stream = io.StringIO()
    draw = Lines(stream)
    for done in range(250):
        draw(Progress("solving", done, 1000))
        now[0] += 0.125
    assert [int(line.split()[1]) for line in stream.getvalue().splitlines()] == [0, 8, 24, 56, 96, 136, 176, 216]


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["a.npz", "b.npy", "-o", "w.npz", "--smoothnes", "2"], "did you mean --smoothness?"),
        (["a.npz", "b.npy", "-o", "w.npz", "--alhpa=2"], "did you mean --alpha?"),
        (["a.npz", "b.npy", "-o", "w.npz", "--zzzz"], "unrecognized arguments: --zzzz ("),
    ],
)
def test_a_misspelt_option_names_the_nearest_and_the_commands_own_help(tmp_path, monkeypatch, capsys, words, meant):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.npz").touch()
    assert dispatch.main(["solve", *words]) == 2
    told = capsys.readouterr().err
    assert meant in told
    assert "rigcast solve --help" in told
