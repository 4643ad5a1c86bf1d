"""Solves, transfers and trainings on a farm: the bytes of a batch without one, whatever happens on the way."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from rigcast.cli._batch.records import folder_of
from tests.cli.command import rigcast_command
from tests.cli.sheet import sheet_curves, sheet_rig
from tests.support.characters.second_face import first_face, second_neutral, write_obj
from tests.support.farm import farm, separate_farm
from tests.support.made.cylinder_models import cylinder_file

pytest.importorskip("distributed", reason="the extra dask is not installed")

SOLVES = """
[[jobs]]
name = "solve-{stem}"
command = "solve"
each = "shots/*.npy"
arguments = ["face.safetensors", "{path}", "--fps", 30, "-o", "{stem}.npz"]
"""
TRANSFERS = """
[[jobs]]
name = "transfer-{stem}"
command = "transfer"
each = "heads/*.obj"
arguments = ["first.safetensors", "{path}", "-o", "{stem}.safetensors"]
"""
TRAININGS = """
[[jobs]]
name = "sample-{stem}"
command = "sample"
each = "characters/*.npz"
arguments = ["{path}", "-o", "{stem}.rwdata", "--count", 60]

[[jobs]]
name = "train-{stem}"
command = "train"
each = "characters/*.npz"
arguments = ["body", "{stem}.rwdata", "-o", "{stem}.safetensors", "--steps", 40, "--hidden", 4, "--threads", 1]
"""
SOLVED, MOVED, TRAINED = ["take*.npz"], ["head*.safetensors"], ["hero.rwdata/*", "hero.safetensors"]
ALL = [*SOLVED, *MOVED, *TRAINED]


def production(folder):
    """Two shots, two heads, one character; returns the folder."""
    for name in ("shots", "heads", "characters"):
        (folder / name).mkdir(parents=True)
    sheet_rig().save(folder / "face.safetensors")
    first_face().save(folder / "first.safetensors")
    for number in (1, 2):
        np.save(folder / "shots" / f"take{number}.npy", sheet_rig().evaluate(sheet_curves(20, seed=number)))
        write_obj(folder / "heads" / f"head{number}.obj", number * second_neutral(), first_face().faces)
    cylinder_file(folder / "characters" / "hero.npz")
    return folder


def toml(folder, *jobs):
    path = folder / "jobs.toml"
    path.write_text("".join(jobs))
    return path


def results(folder, *patterns):
    """The bytes of what the jobs have made, by path."""
    made = [path for pattern in patterns or ALL for path in folder.glob(pattern)]
    return {str(path.relative_to(folder)): path.read_bytes() for path in made}


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """A folder in which the jobs ran without a farm."""
    folder = production(tmp_path_factory.mktemp("alone") / "jobs")
    toml(folder, SOLVES, TRANSFERS, TRAININGS)
    done = rigcast_command("batch", "jobs.toml", folder=folder)
    assert done.returncode == 0, done.stderr
    assert "6 of 6 jobs are done" in done.stdout
    return folder


@pytest.fixture
def folder(tmp_path):
    return production(tmp_path / "jobs")


@contextlib.contextmanager
def meanwhile(act):
    """``act(stop)`` runs in a thread while the block does; what it raises is raised at the end."""
    stop = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        acting = pool.submit(act, stop)
        try:
            yield
        finally:
            stop.set()
    acting.result()


def wait_until(there, stop):
    while not (found := there()):
        assert not stop.wait(0.005), "the batch has ended before"
    return found


def job_of(lock):
    """The process that holds a lock; 0 if none does."""
    with contextlib.suppress(OSError, IndexError):
        return int(lock.read_text().split()[1])  # process N on HOST
    return 0


def parent_of(process):
    with open(f"/proc/{process}/stat") as stream:
        return int(stream.read().rpartition(")")[2].split()[1])


@pytest.mark.long
def test_shots_faces_and_characters_have_the_bytes_of_a_batch_without_a_farm(alone, folder, batch):
    path = toml(folder, SOLVES, TRANSFERS, TRAININGS)
    with farm(workers=2) as client:
        code, shown, _ = batch(path, "--scheduler", client.scheduler.address)
    assert code == 0, shown
    assert "6 of 6 jobs are done" in shown
    assert results(folder) == results(alone)


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process that its parent has died")
def test_a_worker_that_is_killed_while_it_trains_changes_no_byte(alone, folder, batch):
    def kill_worker(stop):
        training = wait_until(lambda: job_of(folder / "hero.safetensors.checkpoint.lock"), stop)
        os.kill(parent_of(training), signal.SIGKILL)

    path = toml(folder, TRAININGS, SOLVES)
    with farm(workers=2) as client, meanwhile(kill_worker):
        code, shown, _ = batch(path, "--scheduler", client.scheduler.address)
    assert code == 0, shown
    assert "has left; what it was working on went to others" in shown
    assert results(folder, *TRAINED, *SOLVED) == results(alone, *TRAINED, *SOLVED)


@pytest.mark.long
def test_a_batch_whose_scheduler_is_lost_says_so_and_goes_on(alone, folder, batch):
    """From a file in JSON; what was done is not done again."""
    tomllib = pytest.importorskip("tomllib", reason="tomllib comes with Python 3.11")
    jobs = tomllib.loads(SOLVES + TRANSFERS)
    path = folder / "jobs.json"
    path.write_text(json.dumps(jobs))

    def done():
        records = folder_of(path).glob("*.part")
        return [record for record in records if b'"state": "done"' in record.read_bytes()]

    with separate_farm(folder.parent, workers=2) as (file, scheduler):

        def kill_scheduler(stop):
            wait_until(done, stop)
            scheduler.kill()

        with meanwhile(kill_scheduler):
            code, _, told = batch(path, "--scheduler", file)
        assert code == 1
        assert told.startswith("rigcast batch: the Dask scheduler at tcp://127.0.0.1:")
        assert re.search("is lost.* the same call goes on from there; [012] of 4 jobs are done$", told)
        assert not list(folder_of(path).glob(".token*"))
        kept = {file: file.stat().st_ino for file in done()}
        code, shown, _ = batch(path)
    assert code == 0, shown
    assert shown.count("done before") >= len(kept) > 0
    assert all(file.stat().st_ino == inode for file, inode in kept.items())
    assert results(folder, *SOLVED, *MOVED) == results(alone, *SOLVED, *MOVED)
