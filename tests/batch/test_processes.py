"""Jobs in processes of their own: what they say, how they are stopped, and that nothing reads them as code."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

import rigcast as rc
from rigcast._resume import locks
from rigcast._resume.locks import locked
from rigcast.cli._batch import job_process
from rigcast.cli._batch.job_process import run_job
from rigcast.cli._batch.records import folder_of
from tests.cli.command import command, environment
from tests.support.process import PATIENCE

MANY = ("set", "sample", "hero.npz", "-o", "hero.rwdata", "--count", 40000, "--probe", 0)


def test_a_job_gives_the_object_that_its_command_prints(folder):
    heard = []
    outcome = run_job(["sample", "hero.npz", "-o", "a.rwdata", "--count", "5"], folder, lambda: False, heard.append)
    assert outcome.result["hash"] == rc.Dataset(folder / "a.rwdata").hash
    assert any(line.startswith("sampling") for line in heard)


def test_a_failed_job_gives_the_sentence_of_its_command(folder):
    outcome = run_job(["info", "no.npz"], folder, lambda: False)
    assert outcome.result is None
    assert outcome.error == "argument FILE: no.npz does not exist (exit code 2)"


def test_no_shell_reads_the_words_of_a_job(folder):
    outcome = run_job(["info", "$(touch made); `touch made` | touch made"], folder, lambda: False)
    assert "$(touch made); `touch made` | touch made does not exist" in outcome.error
    assert not (folder / "made").exists()


def test_a_stopped_job_saves_its_work(folder):
    words = [str(word) for word in MANY[1:]]
    outcome = run_job(words, folder, lambda: any((folder / "hero.rwdata").glob("*.done")))
    assert (outcome.result, outcome.stopped) == (None, True)
    assert "interrupted" in outcome.error
    assert list((folder / "hero.rwdata").glob("*.done"))
    assert not (folder / "hero.rwdata" / ".lock").exists()


def test_a_job_locks_its_results_while_it_works(folder):
    lock, holders = folder / ".job.lock", []

    def at_work():
        if any((folder / "hero.rwdata").glob("*.done")):
            holders.append(lock.read_text())
        return bool(holders)

    run_job([str(word) for word in MANY[1:]], folder, at_work, lock=lock)
    assert holders[-1].startswith("process ")
    assert f"process {os.getpid()} " not in holders[-1]
    assert not lock.exists()


def test_a_job_waits_for_its_former_process(folder, monkeypatch):
    """As of a worker that was killed: it may still be saving. Here it ends while the job looks a third time."""
    lock, done = folder / ".job.lock", []
    former = contextlib.ExitStack()
    looks = iter([lambda: None, lambda: None, former.close])

    def wait(seconds):
        assert not done
        next(looks)()

    monkeypatch.setattr(locks, "time", SimpleNamespace(monotonic=time.monotonic, sleep=wait))
    with former:
        former.enter_context(locked(lock, "batch", "jobs", lock))
        assert job_process.only_process(lock, lambda: done.append(lock.exists()) or 7) == 7
    assert done == [True]
    assert not list(looks)
    assert not lock.exists()


def test_a_former_process_that_does_not_end_is_named(folder, monkeypatch, capsys):
    monkeypatch.setattr(job_process, "PATIENCE", 0.0)
    lock = folder / ".job.lock"
    with locked(lock, "batch", "jobs", lock):
        assert job_process.only_process(lock, lambda: pytest.fail("two processes write the same results")) == 1
    assert capsys.readouterr().err.startswith(f"process {os.getpid()} on ")


@pytest.mark.long
@pytest.mark.parametrize("ends_by", ["Ctrl-C", "being killed"])
def test_an_interrupted_batch_goes_on_to_the_same_bytes(folder, jobs_file, ends_by):
    """A killed batch takes its jobs with it: Linux interrupts them, and they save."""
    if ends_by == "being killed" and sys.platform != "linux":
        pytest.skip("only Linux tells a process that its parent has died")
    path = jobs_file(MANY, ("look", "info", "hero.rwdata"))
    line = command("batch", path, "--workers", 2)
    process = subprocess.Popen(line, cwd=folder, env=environment(), stderr=subprocess.PIPE, text=True)
    while not list((folder / "hero.rwdata").glob("*.done")):
        assert process.poll() is None
        time.sleep(0.02)
    process.send_signal(signal.SIGINT if ends_by == "Ctrl-C" else signal.SIGKILL)
    _, told = process.communicate(timeout=PATIENCE)
    if ends_by == "Ctrl-C":
        assert process.returncode == 130
        assert told.splitlines()[-1] == (
            "rigcast batch: interrupted, 0 of 2 jobs are done; run the same command again to continue"
        )
    wait_until_nobody_writes(folder / "hero.rwdata")
    kept = len(list((folder / "hero.rwdata").glob("*.done")))
    assert 0 < kept < 40000 // 64
    again = subprocess.run(line, cwd=folder, env=environment(), capture_output=True, text=True, timeout=PATIENCE)
    assert again.returncode == 0, again.stderr
    rig = rc.sources.load(folder / "hero.npz")
    alone = rc.sampling.sample(rig, folder / "alone.rwdata", count=40000, probe=0)
    assert rc.Dataset(folder / "hero.rwdata").hash == alone.hash
    assert list(folder_of(path).glob("*.part"))


def wait_until_nobody_writes(place: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while (place / ".lock").exists():
        assert time.monotonic() < deadline, f"a job outlived its batch: {os.listdir(place)}"
        time.sleep(0.05)
