"""``--quiet`` says errors alone, ``--verbose`` more; ``--json`` prints one object, also of commands that stay."""

from __future__ import annotations

import json
import signal

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli import _dispatch as dispatch
from rigcast.cli._console import Console
from rigcast.cli._left_over import going_on, left_over, left_over_words
from rigcast.progress import Progress
from tests.cli.command import broken_off, rigcast_command
from tests.support.characters.plain_face import plain_face

SOLVE = ["solve", "face.safetensors", "take.npy", "--fps", "30", "--alpha", "0.01", "-o"]


def test_quiet_says_nothing_of_what_went_well(run):
    code, told = run(*SOLVE, "quiet.npz", "--quiet")
    assert (code, told, run.out) == (0, "", "")


def test_quiet_says_what_went_wrong(run):
    code, told = run("solve", "face.safetensors", "take.npy", "-o", "q.npz", "-q")
    assert (code, run.out) == (2, "")
    assert "frames per second" in told


def test_quiet_leaves_the_object(run):
    code, told = run(*SOLVE, "object.npz", "-q", "--json")
    assert (code, told) == (0, "")
    assert json.loads(run.out)["outputs"] == ["object.npz"]


def test_quiet_and_verbose_exclude_each_other(run):
    assert run(*SOLVE, "both.npz", "-q", "-v")[0] == 2


def test_verbose_says_the_time_of_each_stage_and_the_memory(run):
    code, told = run(*SOLVE, "loud.npz", "-v")
    assert code == 0
    assert told.startswith("rigcast solve: ")
    for words in ("solving ", " s in all", "of processors since the start"):
        assert words in told


def test_times_of_stages_add_up(monkeypatch):
    now = [10.0]
    monkeypatch.setattr("rigcast.cli._console.time.monotonic", lambda: now[0])
    console = Console(quiet=True, records=lambda progress: None)
    for _ in range(2):
        with console.progress() as draw:
            draw(Progress("reading", 0, 1))
            now[0] += 2.0
            draw(Progress("reading", 1, 1))
            draw(Progress("solving", 0, 1))
            now[0] += 3.0
    assert console.stages == {"reading": 4.0, "solving": 6.0}


def test_a_view_prints_one_object_at_once(tmp_path, monkeypatch, capsys):
    pytest.importorskip("websockets", reason="the viewer extra is not installed")
    monkeypatch.chdir(tmp_path)
    plain_face().save("face.safetensors")
    assert dispatch.main(["view", "face.safetensors", "--no-browser", "--seconds", "0.05", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["url"].startswith("http://127.0.0.1:")


def test_an_object_is_not_followed_by_one_of_an_error(monkeypatch, capsys):
    def stays(args, console):
        console.put_object({"url": "here"})
        raise rc.errors.ArgumentError("doctor", "x", "1", "2")

    monkeypatch.setattr("rigcast.cli._commands.doctor.run", stays)
    assert dispatch.main(["doctor", "--json"]) == 2
    assert json.loads(capsys.readouterr().out) == {"url": "here"}


def test_an_error_names_no_function_and_no_class(monkeypatch, capsys):
    def fail(args, console):
        raise rc.errors.ArgumentError("inverse.solve", "limit", "a BodyModel", "a rigcast.BlendshapeRig")

    monkeypatch.setattr("rigcast.cli._commands.pack.run", fail)
    assert dispatch.main(["pack", __file__, "-o", "p.json"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("rigcast pack: --at-most is a learned body; it must be a blendshape rig (rigcast pack")


@pytest.mark.parametrize(("how", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_stopped_run_says_what_it_left_and_the_next_one_goes_on(shot_files, how, code):
    """Ctrl-C and ``kill`` alike: parts are in safety, their place and size are said."""
    name = f"{how.name}.npz"
    np.save(shot_files / "long.npy", np.tile(np.load(shot_files / "take.npy"), (60, 1, 1)))
    line = ["solve", "face.safetensors", "long.npy", "--fps", "30", "--alpha", "0.01", "--threads", "1", "-o", name]
    when = 'progress.stage.startswith("solving") and progress.done >= 300'
    stopped = broken_off(*line, folder=shot_files, when=when, how=how)
    assert stopped.returncode == code, stopped.stderr
    told = stopped.stderr.splitlines()[-1]
    assert told.startswith("rigcast solve: ")
    assert "run the same command again to continue" in told
    assert f"{name}.partial (" in told
    assert "--restart begins anew" in told
    again = rigcast_command(*line, folder=shot_files)
    assert again.returncode == 0, again.stderr
    assert f"note: an interrupted run has left {name}.partial" in again.stdout
    assert not (shot_files / f"{name}.partial").exists()


def test_a_killed_training_says_what_it_left(tmp_path):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    from tests.support.made.cylinder_models import cylinder_file

    cylinder_file(tmp_path / "hero.npz")
    assert rigcast_command("sample", "hero.npz", "-o", "d.rwdata", "--count", 60, folder=tmp_path).returncode == 0
    line = ["train", "body", "d.rwdata", "-o", "m.safetensors", "--steps", 60, "--threads", 1, "--linear", "rigid"]
    when = 'progress.stage == "training" and progress.done > 0'
    stopped = broken_off(*line, folder=tmp_path, when=when, how=signal.SIGTERM)
    assert stopped.returncode == 143, stopped.stderr
    kept = {path.name for path in tmp_path.glob("m.safetensors*")}
    assert kept == {"m.safetensors.checkpoint"}
    assert "m.safetensors.checkpoint (" in stopped.stderr.splitlines()[-1]


def test_what_is_left_is_told_by_name_and_size(tmp_path):
    result = tmp_path / "m[1].safetensors"
    for ending in (".checkpoint", ".checkpoint.1", ".checkpoint.lock"):
        (tmp_path / f"m[1].safetensors{ending}").write_bytes(bytes(100_000))
    found = left_over([result])
    assert [path.name for path in found] == ["m[1].safetensors.checkpoint", "m[1].safetensors.checkpoint.1"]
    assert "m[1].safetensors.checkpoint (0.1 MB)" in left_over_words(found, restarts=True)
    assert "--restart" not in left_over_words(found, restarts=False)
    assert "goes on from there" in going_on([result])
    assert (left_over_words([], True), going_on([tmp_path / "other"])) == ("", "")
