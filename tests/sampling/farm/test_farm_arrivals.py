"""What a worker answers is checked before it becomes part of a data set."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from rigcast.errors import SourceError
from rigcast.sampling._check import check_rig
from rigcast.sampling._farm.arrivals import take_in
from rigcast.sampling._farm.worker_rigs import ShardTask, WorkerRigs, part_paths
from rigcast.sampling._store.folder import announced
from rigcast.sampling._store.layout import Shard
from rigcast.sampling._work import ShardWork
from tests.sampling.rigs import small_rig

SHARD = Shard(False, 3, 0, 4)


@pytest.fixture
def work(tmp_path):
    rig = small_rig()
    facts = check_rig(rig)
    rows = np.tile(facts.channel_rest.astype(np.float32), (4, 1))
    return ShardWork(rig, facts, tmp_path, rows=rows, probe_rows=rows[:0])


@pytest.fixture
def rigs(work):
    """What a worker has."""
    return WorkerRigs(b"", work.facts, work.folder, "0" * 32, work.rows[:1], work.try_rig(), True)


@pytest.fixture
def answer(work, rigs):
    """That of a sound worker that shares the folder."""
    with announced(work.folder) as rigs.token:
        return rigs.delivered(ShardTask(SHARD, work.channels(SHARD)), work.evaluate(SHARD))


def names(work):
    return sorted(path.name for path in work.folder.iterdir())


def test_files_in_the_shared_folder_become_those_of_a_local_worker(work, answer):
    done = take_in(work, SHARD, answer)
    files = {path.name: path.read_bytes() for path in work.folder.iterdir()}
    assert done == work(SHARD)
    assert files == {path.name: path.read_bytes() for path in work.folder.iterdir()}


def test_arrays_that_come_back_become_the_files_of_a_local_worker(work):
    poses, vertices = work.evaluate(SHARD)
    assert take_in(work, SHARD, {"poses": poses, "vertices": vertices}) == work(SHARD)


def test_a_worker_writes_nothing_for_a_run_that_has_ended(work, rigs):
    answer = rigs.delivered(ShardTask(SHARD, work.channels(SHARD)), work.evaluate(SHARD))
    assert answer.keys() == {"poses", "vertices"}
    assert names(work) == []


@pytest.mark.parametrize(
    "change",
    [
        {"attempt": "../../../etc/passwd"},
        {"attempt": "0" * 31 + "/"},
        {"attempt": 3},
        {"hashes": {}},
        {"hashes": {"channels": "a" * 64, "poses": "b" * 64, "vertices": "../x"}},
        {"hashes": {"../channels": "a" * 64, "poses": "b" * 64, "vertices": "c" * 64}},
        {"path": "/etc/passwd"},
    ],
)
def test_a_malformed_answer_is_refused_and_touches_nothing(work, answer, change):
    before = names(work)
    with pytest.raises(SourceError, match=r"^sample \(channel rows 0 to 3, shard 00003\): a worker answered"):
        take_in(work, SHARD, {**answer, **change}, patience=0.0)
    assert names(work) == before


@pytest.mark.parametrize("answer_of", [None, [], "x", {}, {"poses": 1}])
def test_what_is_no_answer_is_refused(work, answer_of):
    with pytest.raises(SourceError, match="neither arrays nor hashes"):
        take_in(work, SHARD, answer_of)


def test_a_file_that_does_not_appear_is_named(work, answer):
    part_paths(work.folder, SHARD, answer["attempt"])["poses"].unlink()
    with pytest.raises(SourceError, match=r"the poses that a worker has written are not in .*No such file"):
        take_in(work, SHARD, answer, patience=0.0)
    assert not (work.folder / "00003.channels.npy").exists()


def test_a_file_of_another_shape_is_refused(work, answer):
    path = part_paths(work.folder, SHARD, answer["attempt"])["vertices"]
    shutil.copyfile(part_paths(work.folder, SHARD, answer["attempt"])["poses"], path)
    with pytest.raises(SourceError, match="the vertices that a worker has written are not in"):
        take_in(work, SHARD, answer, patience=0.0)


def test_a_link_in_place_of_a_file_is_refused(work, answer, tmp_path):
    path = part_paths(work.folder, SHARD, answer["attempt"])["poses"]
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SourceError, match="is a link"):
        take_in(work, SHARD, answer, patience=0.0)


def test_arrays_of_another_shape_are_refused(work):
    poses, vertices = work.evaluate(SHARD)
    with pytest.raises(ValueError, match=r"vertices is float32 \(4, 31, 3\)"):
        take_in(work, SHARD, {"poses": poses, "vertices": vertices[:, 1:]})


def test_arrays_that_are_not_finite_are_refused(work):
    poses, vertices = (array.copy() for array in work.evaluate(SHARD))
    vertices[2, 5, 1] = np.nan
    with pytest.raises(SourceError, match="returned nan in vertices of channel row 2"):
        take_in(work, SHARD, {"poses": poses, "vertices": vertices})
