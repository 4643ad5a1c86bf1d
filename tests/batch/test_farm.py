"""Jobs on a farm: workers that see the folder run them as a local batch does, and answers are checked."""

from __future__ import annotations

import os

import pytest

from rigcast._farm.farm import Failure
from rigcast._farm.parcel import WorkerFault
from rigcast.cli._batch import running
from rigcast.cli._batch.checking import inside, parsed
from rigcast.cli._batch.job_file import Job
from rigcast.cli._batch.records import Records
from rigcast.sampling._store.folder import announced
from tests.batch.test_batch import LOOK, OTHER, SET
from tests.support.farm import farm

WRONG = ("wrong", "evaluate", "hero.npz", "hero.rwdata")  # refused by its command, not by the check


@pytest.fixture
def one(folder):
    with inside(folder):
        return parsed([Job("set", "sample", ("hero.npz", "-o", "hero.rwdata"))])[0]


@pytest.fixture
def place(folder):
    (folder / "records").mkdir()
    return running.JobPlace(folder, folder / "records")


def test_a_worker_keeps_the_record_itself(one, place, ran):
    with announced(place.records) as token:
        answer = running._on_worker((place, token), one)
    assert running._outcome(answer).result == {"of": "sample"}
    assert Records(place.records).get(one.job)["state"] == "done"


def test_a_worker_that_does_not_see_the_folder_says_so(one, place, ran):
    with pytest.raises(WorkerFault, match=r"does not see .*: jobs need a folder that all machines share"):
        running._on_worker((place, "0" * 32), one)
    assert ran == []


def test_a_worker_stops_its_job_when_the_batch_has_ended(one, place, monkeypatch):
    stops = []

    def run_job(words, folder, stop, heard, lock):
        stops.append(stop())
        context.__exit__(None, None, None)
        stops.append(stop())
        return running.JobOutcome(0.1, None, "interrupted", True)

    monkeypatch.setattr(running, "run_job", run_job)
    context = announced(place.records)
    token = context.__enter__()
    with pytest.raises(RuntimeError, match="interrupted"):
        running._on_worker((place, token), one)
    assert stops == [False, True]


@pytest.mark.parametrize("answer", [None, {}, {"seconds": 1.0}, {"seconds": "x", "result": {}}, [1.0, {}]])
def test_what_is_no_result_is_a_failed_job(answer):
    assert running._outcome(answer) == running.JobOutcome(0.0, None, "a worker answered something that is no result")


def test_the_error_of_a_job_is_told():
    assert running._outcome(Failure("RuntimeError", "oh (exit code 1)", "tcp://x")).error == "oh (exit code 1)"


@pytest.mark.long
def test_a_batch_on_a_farm_is_that_of_this_machine(folder, jobs_file, batch, monkeypatch):
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    words = ["--count", 40]
    path = jobs_file((*SET, *words), LOOK, WRONG, (*OTHER, *words))
    with farm(workers=2) as client:
        address = client.scheduler.address
        code, shown, told = batch(path, "--scheduler", address)
        assert code == 1
        assert told.startswith("rigcast batch: 1 of 4 jobs are not done; the first, wrong: hero.npz has morphs")
        assert "3 of 4 jobs are done" in shown
        assert "note: wrong failed on worker" in shown
        names = {file.name: file.read_bytes() for file in (folder / "hero.rwdata").iterdir()}
        assert not list(folder.glob("jobs.json.batch/.token*"))
    for file in (folder / "hero.rwdata").iterdir():
        file.unlink()
    os.rmdir(folder / "hero.rwdata")
    code, shown, _ = batch(path, "--overwrite")
    assert code == 1
    assert "other  done before" in " ".join(shown.split("\n")).replace("         ", "  ") or "done before" in shown
    assert names == {file.name: file.read_bytes() for file in (folder / "hero.rwdata").iterdir()}
