"""The workers of a Dask scheduler: the same bytes as one local worker, and what goes wrong is told."""

from __future__ import annotations

import time

import pytest

import rigcast as rc
from rigcast._farm import dispatcher
from rigcast._farm import farm as farm_module
from rigcast._farm.connecting import connected
from rigcast.errors import SourceError, WorkerWarning
from rigcast.sampling._farm import worker_rigs
from tests.sampling.moody_rig import MoodyRig, set_mood
from tests.sampling.rigs import SMALL, small_rig
from tests.sampling.test_sample import contents
from tests.support.farm import farm, separate_farm
from tests.support.process import PATIENCE

pytest.importorskip("distributed", reason="the extra dask is not installed")


@pytest.fixture(scope="module")
def client():
    """Two worker processes of a scheduler on this machine."""
    with farm(workers=2) as found:
        yield found


@pytest.fixture
def moods(client):
    """Sets the mood of the first worker; returns its address."""

    def set_first(mood):
        first = sorted(client.nthreads())[0]
        client.run(set_mood, mood, workers=[first])
        return first

    yield set_first
    client.run(set_mood, "")


def sampled(client, tmp_path, **options):
    """A data set of the moody rig, its executor, and the warning that it ended with."""
    executor = rc.sampling.DaskWorkers(client, **options)
    with pytest.warns(WorkerWarning, match="the data set is complete") as caught:
        ds = rc.sampling.sample(MoodyRig(tmp_path / "mark"), tmp_path / "a", **SMALL, executor=executor)
    assert len(caught) == 1
    return ds, executor.incidents


def test_a_farm_writes_the_bytes_of_one_local_worker(whole, tmp_path, client):
    ds = rc.sampling.sample(small_rig(), tmp_path / "a", **SMALL, workers=client)
    assert contents(ds.path) == contents(whole.path)


def blind(dask_worker):
    """Make this worker one that does not share the client's storage."""
    worker_rigs.token_file = lambda folder, token: folder / "elsewhere" / token


def seeing(dask_worker):
    """Undo :func:`blind`."""
    from rigcast.sampling._store.layout import token_file

    worker_rigs.token_file = token_file


def test_shards_come_back_from_workers_that_do_not_share_the_folder(whole, tmp_path, client, monkeypatch):
    sent = []
    stored = rc.sampling.ShardWork.store
    monkeypatch.setattr(rc.sampling.ShardWork, "store", lambda *words: sent.append(words) or stored(*words))
    client.run(blind)
    try:
        ds = rc.sampling.sample(small_rig(), tmp_path / "a", **SMALL, workers=client)
    finally:
        client.run(seeing)
    assert contents(ds.path) == contents(whole.path)
    assert len(sent) == len(list(ds.path.glob("*.vertices.npy")))


def test_a_worker_without_the_host_gets_no_shards_and_is_named(whole, tmp_path, client, moods):
    worker = moods("no host")
    ds, incidents = sampled(client, tmp_path)
    assert contents(ds.path) == contents(whole.path)
    (text,) = incidents
    assert text.startswith(f"worker {worker} gets no more work: cannot open the rig (MissingExtra: reading a .blend")


def test_a_worker_that_rounds_differently_gets_no_shards(whole, tmp_path, client, moods):
    worker = moods("rounds")
    ds, incidents = sampled(client, tmp_path)
    assert contents(ds.path) == contents(whole.path)
    assert [text for text in incidents if f"worker {worker} gets no more work: rounds" in text] == incidents


def test_a_worker_that_rounds_differently_is_admitted_on_request(whole, tmp_path, client, moods):
    moods("rounds")
    executor = rc.sampling.DaskWorkers(client, same_bits=False)
    ds = rc.sampling.sample(MoodyRig(tmp_path / "mark"), tmp_path / "a", **SMALL, executor=executor)
    assert executor.incidents == []
    assert len(ds) == len(whole)


def test_a_shard_that_fails_on_one_worker_is_repeated_on_another(whole, tmp_path, client, moods):
    worker = moods("raises")
    ds, incidents = sampled(client, tmp_path)
    assert contents(ds.path) == contents(whole.path)
    assert all(f"failed on worker {worker}: sample (" in text for text in incidents)
    assert "the rig raised ZeroDivisionError: oh" in incidents[0]


def test_where_no_worker_can_work_that_is_said_and_the_same_call_goes_on(whole, tmp_path, client, moods, monkeypatch):
    monkeypatch.setattr(farm_module, "GRACE", 0.0)
    client.run(set_mood, "no host")
    with pytest.raises(SourceError, match=r"^none of the 2 workers of tcp.* can work: cannot open the rig \(Missing"):
        rc.sampling.sample(MoodyRig(tmp_path / "mark"), tmp_path / "a", **SMALL, workers=client)
    assert not list((tmp_path / "a").glob(".token*"))
    ds = rc.sampling.sample(MoodyRig(tmp_path / "mark"), tmp_path / "a", **SMALL)
    assert contents(ds.path) == contents(whole.path)


def test_a_shard_that_fails_everywhere_ends_the_call(whole, tmp_path, client):
    client.run(set_mood, "raises")
    try:
        with pytest.raises(SourceError, match=r"^sample \(.* the rig raised ZeroDivisionError: oh.* \(on worker tcp"):
            rc.sampling.sample(MoodyRig(tmp_path / "mark"), tmp_path / "a", **SMALL, workers=client)
    finally:
        client.run(set_mood, "")


def test_a_finished_set_needs_no_worker(whole, tmp_path, client, monkeypatch):
    rc.sampling.sample(small_rig(), tmp_path / "a", **SMALL)
    monkeypatch.setattr(farm_module.Farm, "run", lambda *words: pytest.fail("a finished set was sent to workers"))
    assert rc.sampling.sample(small_rig(), tmp_path / "a", **SMALL, workers=client).hash == whole.hash


def test_something_else_than_a_client_is_named():
    with pytest.raises(ValueError, match=r"^DaskWorkers: client is a str; it must be a distributed.Client"):
        rc.sampling.DaskWorkers("tcp://localhost:8786")


@pytest.mark.long
def test_a_worker_that_is_killed_costs_its_shard_in_hand(whole, tmp_path):
    with farm(workers=2) as client:
        client.run(set_mood, "dies")
        killed = set(client.nthreads())
        ds, incidents = sampled(client, tmp_path)
    assert contents(ds.path) == contents(whole.path)
    assert any(f"worker {worker} has left" in text for worker in killed for text in incidents)


@pytest.mark.long
def test_a_slow_worker_is_not_waited_for(whole, tmp_path, monkeypatch):
    monkeypatch.setattr(dispatcher, "LEAST_PATIENCE", 0.5)
    with farm(workers=2) as client:
        client.run(set_mood, "hangs", workers=[sorted(client.nthreads())[0]])
        ds = rc.sampling.sample(MoodyRig(tmp_path / "mark"), tmp_path / "a", **SMALL, workers=client)
    assert contents(ds.path) == contents(whole.path)


@pytest.mark.long
def test_a_lost_scheduler_is_named_and_the_same_call_goes_on(whole, tmp_path):
    with separate_farm(tmp_path, workers=1) as (file, scheduler), connected(file, 60.0) as client:

        def kill_scheduler(report):
            if report.stage == "sampling" and report.done > 0:
                scheduler.kill()

        with pytest.raises(SourceError, match=r"^the Dask scheduler at tcp.* is lost.*the same call goes on from ther"):
            rc.sampling.sample(small_rig(), tmp_path / "a", **SMALL, workers=client, progress=kill_scheduler)
    assert list((tmp_path / "a").glob("*.done"))
    assert not list((tmp_path / "a").glob(".token*"))
    assert contents(rc.sampling.sample(small_rig(), tmp_path / "a", **SMALL).path) == contents(whole.path)


@pytest.mark.long
def test_ctrl_c_stops_the_workers_and_keeps_shards(whole, tmp_path):
    def press(report):
        if report.stage == "sampling" and report.done > 0:
            raise KeyboardInterrupt

    with farm(workers=1) as client:
        with pytest.raises(KeyboardInterrupt):
            rc.sampling.sample(small_rig(), tmp_path / "a", **SMALL, workers=client, progress=press)
        deadline = time.monotonic() + PATIENCE
        while any(client.run(tasks_held).values()):
            assert time.monotonic() < deadline, "a worker goes on"
            time.sleep(0.1)
        ds = rc.sampling.sample(small_rig(), tmp_path / "a", **SMALL, workers=client)
    assert contents(ds.path) == contents(whole.path)


def tasks_held(dask_worker):
    return len(dask_worker.state.tasks)
