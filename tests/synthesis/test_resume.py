"""A fit that is interrupted goes on to the same bytes, and does nothing twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli import main
from rigcast.progress import Progress
from tests.support.made.synthesis import face, wave

SPEEDS = [0.1, 0.2, 0.13, 0.07, 0.05, 0.0]


def clips():
    return {name: [wave(70, SPEEDS, offset=at, size=0.2)] for name, at in (("a", 0.3), ("b", 0.4), ("c", 0.5))}


def fitted(folder=None, progress=None, **more):
    given = {"dimensions": 2, "components": 4, "iterations": 20, **more}
    return rc.synthesis.fit(clips(), rig=face(), folder=folder, progress=progress, **given)


def bytes_of(synth, tmp_path):
    synth.save(tmp_path / "x.safetensors")
    return (tmp_path / "x.safetensors").read_bytes()


class Press:
    """Presses Ctrl-C once a stage has begun, and counts the iterations of fits."""

    def __init__(self, stage: str) -> None:
        self.stage, self.fits = stage, 0

    def __call__(self, step: Progress) -> None:
        self.fits += step.stage.startswith("fitting") and step.done == 1
        if step.stage == self.stage:
            os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize(("stage", "kept"), [("fitting b", 3), ("bridging", 6)])
def test_an_interrupted_fit_goes_on_to_the_same_bytes(tmp_path, stage, kept):
    folder = tmp_path / "kept"
    whole = bytes_of(fitted(), tmp_path)
    with pytest.raises(KeyboardInterrupt, match=rf"interrupted with {kept} fitted spaces and bridges kept in .*kept"):
        fitted(folder, Press(stage))
    names = {path.name: path.stat().st_mtime_ns for path in folder.glob("*.part")}
    assert len(names) == kept
    again = Press("")
    assert bytes_of(fitted(folder, again), tmp_path) == whole
    assert again.fits == (2 if stage == "fitting b" else 0)
    assert {name: (folder / name).stat().st_mtime_ns for name in names} == names


def test_threads_and_the_threshold_use_what_is_kept_and_other_clips_do_not(tmp_path):
    fitted(tmp_path, threads=1)
    count = len(list(tmp_path.glob("*.part")))
    again = Press("")
    synth = fitted(tmp_path, again, threads=2, threshold=0.5)
    assert again.fits == 0
    assert bytes_of(synth, tmp_path.parent) == bytes_of(fitted(threshold=0.5), tmp_path.parent)
    assert len(list(tmp_path.glob("*.part"))) == count
    other = Press("")
    moved = {name: [rows[0] * 0.9] for name, rows in clips().items()}
    given = {"dimensions": 2, "components": 4, "iterations": 20}
    rc.synthesis.fit(moved, rig=face(), folder=tmp_path, progress=other, **given)
    assert other.fits == 3


def test_chosen_sizes_are_not_tried_again(tmp_path):
    given = {"dimensions": None, "components": None}
    first = fitted(tmp_path, **given)
    tried = []
    again = fitted(tmp_path, tried.append, **given)
    assert not [step for step in tried if step.stage.startswith("fitting")]
    assert [s.held_out for s in again.spaces.values()] == [s.held_out for s in first.spaces.values()]
    assert bytes_of(first, tmp_path.parent) == bytes_of(again, tmp_path.parent)


def test_a_folder_of_other_files_is_refused(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(ValueError, match=r"fit: folder is .*, which holds other files"):
        fitted(tmp_path)


BROKEN_OFF = """
import os, sys
from rigcast.cli import _console as console, _dispatch as dispatch


def stop(self, progress):
    if progress.stage == "fitting b" and progress.done == 5:
        os.kill(os.getpid(), {signal})

console.Lines.__call__ = stop
sys.exit(dispatch.main(sys.argv[1:]))
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_the_command_goes_on_to_the_same_bytes(tmp_path, monkeypatch, how):
    monkeypatch.chdir(tmp_path)
    face().save("face.safetensors")
    line = ["synth", "fit", "face.safetensors", "--dimensions", "2", "--components", "4", "--max-iterations", "20"]
    for name, rows in clips().items():
        np.save(f"{name}.npy", rows[0])
        line += ["--take", f"{name}={name}.npy"]
    assert main([*line, "-o", "whole.safetensors", "--json"]) == 0
    stopped = subprocess.run(
        [sys.executable, "-c", BROKEN_OFF.format(signal=int(how)), *line, "-o", "s.safetensors"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
    )
    assert stopped.returncode == (130 if how is signal.SIGINT else -signal.SIGKILL), stopped.stderr
    assert "Traceback" not in stopped.stderr
    kept = tmp_path / "s.safetensors.partial"
    assert len(list(kept.glob("*.part"))) == 3
    assert not (tmp_path / "s.safetensors").exists()
    assert main([*line, "-o", "s.safetensors", "--json"]) == 0
    assert (tmp_path / "s.safetensors").read_bytes() == (tmp_path / "whole.safetensors").read_bytes()
    assert not kept.exists()
