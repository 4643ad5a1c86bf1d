"""``overwrite``: the old data set is there, whole, until the new one is; finished sets are looked at before use."""

import errno
import multiprocessing
import os
import shutil
import sys

import numpy as np
import pytest

import rigcast as rc
from rigcast.errors import SourceError
from tests.sampling.rigs import SMALL, At, raising, small_rig
from tests.sampling.store.test_interruption import KILLED, die_at_changes
from tests.sampling.test_sample import contents
from tests.support.trainings import train_with

OTHER = {**SMALL, "seed": 8, "count": 40}
TINY = {"count": 10, "seed": 7, "probe": 1, "shard_rows": 10}


@pytest.fixture
def folder(whole, tmp_path):
    return shutil.copytree(whole.path, tmp_path / "a")


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    return rc.sampling.sample(small_rig(), tmp_path_factory.mktemp("other") / "a", **OTHER)


def interrupt(folder, other):
    """Begin to replace the set by the other one, and stop in its last shard of data."""
    rig = At(other.channels[36], raising(KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        rc.sampling.sample(rig, folder, **OTHER, overwrite=True)


def contents_of_files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_a_set_is_replaced_whole(whole, folder, other):
    assert rc.sampling.sample(small_rig(), folder, **OTHER, overwrite=True).hash == other.hash
    assert contents(folder) == contents(other.path)
    assert rc.sampling.sample(small_rig(), folder, **SMALL, overwrite=True).hash == whole.hash
    assert contents(folder) == contents(whole.path)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("the host crashed")])
def test_what_stops_the_call_leaves_the_old_set(folder, other, error):
    before = contents_of_files(folder)
    kind = KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else SourceError
    with pytest.raises(kind):
        rc.sampling.sample(At(other.channels[20], raising(error)), folder, **OTHER, overwrite=True)
    assert contents_of_files(folder) == before
    rc.Dataset(folder).verify()


def test_the_same_call_goes_on_and_ends_in_the_same_bytes(folder, other, monkeypatch):
    interrupt(folder, other)
    rig, rows = small_rig(), []
    sample = rig.sample
    monkeypatch.setattr(rig, "sample", lambda channels: rows.append(len(channels)) or sample(channels))
    rc.sampling.sample(rig, folder, **OTHER, overwrite=True)
    assert rows == [1, 8, 16, 4], "a trial, what was left of the data, and the probe"
    assert contents(folder) == contents(other.path)


def test_a_rig_edited_since_an_interrupted_replacement_starts_anew(folder, other):
    interrupt(folder, other)
    edited = small_rig()
    edited.bulge = False
    ds = rc.sampling.sample(edited, folder, **OTHER, overwrite=True)
    np.testing.assert_array_equal(ds.vertices, edited.sample(ds.channels)[1])


def test_without_overwrite_the_old_set_is_kept_and_the_replacement_goes(whole, folder, other):
    interrupt(folder, other)
    rc.sampling.sample(small_rig(), folder, **SMALL)
    assert contents(folder) == contents(whole.path)


def test_a_disk_without_room_for_both_is_noticed_and_the_old_set_stays(folder, monkeypatch):
    before = contents_of_files(folder)
    usage = shutil.disk_usage(folder)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=20_000))
    text = r"the disk is full: '.*a' needs .* KB more and 20 KB are free; .*; the data set that it replaces is as"
    with pytest.raises(OSError, match=text) as caught:
        rc.sampling.sample(small_rig(), folder, **OTHER, overwrite=True)
    assert caught.value.errno == errno.ENOSPC
    assert contents_of_files(folder) == before
    assert not (folder / ".replacement").exists()


def replace_and_die(number, path):
    die_at_changes(number, after=True)
    rc.sampling.sample(small_rig(), path, **TINY, overwrite=True)


@pytest.mark.skipif(sys.platform != "linux", reason="needs fork and /proc: Linux only")
def test_killed_after_every_change_there_is_one_whole_set_or_the_call_ends_it(tmp_path):
    """The old set or none can be opened, never a mixture; the next call ends in the new one."""
    old = rc.sampling.sample(small_rig(), tmp_path / "old", **{**TINY, "seed": 8, "count": 12}).path
    new = contents(rc.sampling.sample(small_rig(), tmp_path / "new", **TINY).path)
    fork, kept = multiprocessing.get_context("fork"), 0
    for number in range(1000):
        path = shutil.copytree(old, tmp_path / str(number))
        process = fork.Process(target=replace_and_die, args=(number, path))
        process.start()
        process.join()
        if process.exitcode == 0:
            break
        assert process.exitcode == KILLED
        if (path / "manifest.json").exists():
            rc.Dataset(path).verify()
            kept += rc.Dataset(path).hash == rc.Dataset(old).hash
        rc.sampling.sample(small_rig(), path, **TINY, overwrite=True)
        assert contents(path) == new
        shutil.rmtree(path)
    assert kept > 8


@pytest.mark.parametrize("name", ["00001.vertices.npy", "probe.00000.poses.npy", "rest_vertices.npy"])
def test_a_finished_set_with_an_edited_byte_is_not_taken_for_whole(folder, name):
    content = bytearray((folder / name).read_bytes())
    content[-1] ^= 1
    (folder / name).write_bytes(content)
    text = rf"verify: {name} is a file of SHA-256 .*; to sample '.*a' anew, pass overwrite=True"
    with pytest.raises(ValueError, match=text):
        rc.sampling.sample(small_rig(), folder, **SMALL)


def test_a_finished_set_that_lacks_a_file_says_what_to_do(whole, folder):
    os.unlink(folder / "00001.poses.npy")
    with pytest.raises(ValueError, match=r"00001.poses.npy is unreadable .*; to sample .* anew, pass overwrite=True"):
        rc.sampling.sample(small_rig(), folder, **SMALL)
    rc.sampling.sample(small_rig(), folder, **SMALL, overwrite=True)
    assert contents(folder) == contents(whole.path)


def test_training_refuses_a_set_that_has_changed(folder):
    pytest.importorskip("torch", reason="the training extra is not installed")
    content = bytearray((folder / "00001.vertices.npy").read_bytes())
    content[-1] ^= 1
    (folder / "00001.vertices.npy").write_bytes(content)
    with pytest.raises(ValueError, match=r"verify: 00001.vertices.npy is a file of SHA-256"):
        train_with("body", rc.Dataset(folder), steps=1)


def test_a_set_without_skin_takes_the_place_of_one_with_skin_whole(tmp_path):
    """Every file of a set is known by name, skin weights too: none stays behind, and no folder of the replacement."""
    rig = rc.sources.example_body()
    with_skin = rc.sampling.sample(rig, tmp_path / "a", **TINY)
    assert "skin_joint.npy" in with_skin.manifest["files"]
    rc.sampling.sample(small_rig(), tmp_path / "a", **TINY, overwrite=True)
    alone = rc.sampling.sample(small_rig(), tmp_path / "b", **TINY)
    assert contents(tmp_path / "a") == contents(alone.path)
    assert {path.name for path in (tmp_path / "a").iterdir()} == {path.name for path in (tmp_path / "b").iterdir()}
