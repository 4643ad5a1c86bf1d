"""Files of jobs, and ways to run them."""

from __future__ import annotations

import json

import pytest

from rigcast.cli import _dispatch as dispatch
from rigcast.cli._batch import running
from rigcast.cli._batch.job_process import JobOutcome
from tests.support.made.cylinder_models import cylinder_file


@pytest.fixture
def folder(tmp_path):
    """A folder with a rig."""
    cylinder_file(tmp_path / "hero.npz")
    return tmp_path


@pytest.fixture
def jobs_file(folder):
    """Writes a file of jobs: each is (name, command, *arguments)."""

    def write(*jobs):
        entries = [{"name": name, "command": command, "arguments": words} for name, command, *words in jobs]
        path = folder / "jobs.json"
        path.write_text(json.dumps({"jobs": entries}))
        return path

    return write


@pytest.fixture
def batch(capsys):
    """Runs ``rigcast batch`` in this process: exit code, stdout, last line of stderr."""

    def call(*words):
        code = dispatch.main(["batch", *map(str, words)])
        told = capsys.readouterr()
        assert "Traceback" not in told.err
        return code, told.out, told.err.rstrip("\n").split("\n")[-1]

    return call


@pytest.fixture
def ran(monkeypatch):
    """Jobs end at once, without processes: the command lines in their order. ``ran.fail`` names outputs that fail."""

    class Ran(list):
        fail = ()

    lines = Ran()

    def run_job(words, folder, stop, heard, lock):
        lines.append(list(words))
        output = folder / words[words.index("-o") + 1] if "-o" in words else None
        if output is not None and output.name in lines.fail:
            return JobOutcome(0.1, None, "oh (exit code 1)")
        if output is not None and output.suffix == ".rwdata":
            output.mkdir(exist_ok=True)
            output = output / "manifest.json"
        if output is not None:
            output.write_bytes(b"made")
        return JobOutcome(0.1, {"of": words[0]})

    monkeypatch.setattr(running, "run_job", run_job)
    return lines
