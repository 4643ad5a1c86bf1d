"""A rig, a worker or a disk that fails: one clear error, what is finished stays, and the next call goes on."""

import errno
import faulthandler
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import rigwright as rw
from rigwright.errors import SourceError
from tests.sampling.rigs import SMALL, At, Host, Stubborn, small_rig
from tests.sampling.test_sample import contents
from tests.support.cylinder import CylinderRig


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return rw.sampling.sample(small_rig(), tmp_path_factory.mktemp("whole") / "a", **SMALL)


def fails(whole, path, act, error, message, workers):
    """Sampling stops at channel row 40 (shard 2) with this error; the same call with a sound rig goes on."""
    rig = At(whole.channels[40], act)
    with pytest.raises(error, match=message) as caught:
        rw.sampling.sample(rig, path, **SMALL, workers=workers)
    assert "\n" not in str(caught.value)
    if workers == 1:
        assert (path / "00000.done").exists()
        assert (path / "00001.done").exists()
    assert not (path / "00002.done").exists()
    assert contents(rw.sampling.sample(small_rig(), path, **SMALL).path) == contents(whole.path)


def with_nan(poses, vertices):
    vertices[8, 3, 1] = np.nan
    return poses, vertices


def with_infinity(poses, vertices):
    poses[8, 3] = -np.inf
    return poses, vertices


def raising(error):
    def act(poses, vertices):
        raise error

    return act


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (with_nan, SourceError, r"rows 32 to 47\): the rig returned nan in vertices of channel row 40, at \[3, 1\];"),
        (with_infinity, SourceError, r"rows 32 to 47\): the rig returned -inf in poses of channel row 40, at \[3\];"),
        (lambda p, v: (p, v[:, :-1]), ValueError, r"rows 32 to 47.* vertices is float32 \(16, 31, 3\).*\(16, 32, 3\)"),
        (lambda p, v: (p[:, 1:], v), ValueError, r"rows 32 to 47.* poses is float32 \(16, 36\).*\(16, 37\)"),
        (lambda p, v: (p[1:], v), ValueError, r"poses is float32 \(15, 37\).*\(16, 37\)"),
        (lambda p, v: (p, v.astype(int)), ValueError, r"vertices is int64 .*must be a float32 array"),
        (lambda p, v: (p, v * 1j), ValueError, r"vertices is complex.*must be a float32 array"),
        (lambda p, v: (p, v.tolist()), None, ""),
        (lambda p, v: (p, v.astype(np.float64)), None, ""),
        (lambda p, v: (p, v.astype(np.float64) + 1e300), SourceError, r"returned inf in vertices of channel row 32"),
        (lambda p, v: p, ValueError, "the rig's answer is a ndarray; it must be two arrays"),
        (lambda p, v: (p, v, v), ValueError, "the rig's answer is 3 values; it must be two arrays"),
        (lambda p, v: None, ValueError, "the rig's answer is a NoneType; it must be two arrays"),
        (lambda p, v: (p, [[1], [2, 3]]), ValueError, "vertices is no array of numbers"),
        (raising(ZeroDivisionError("oh")), SourceError, r"rows 32 to 47, shard 00002.*raised ZeroDivisionError: oh"),
        (raising(SourceError("Blender died")), SourceError, r"channel rows 32 to 47, shard 00002\): Blender died"),
        (raising(SystemExit(3)), SourceError, "the rig raised SystemExit: 3"),
        (raising(OSError(errno.ENOSPC, "x")), SourceError, "the rig raised OSError"),
    ],
)
def test_wrong_answers(whole, tmp_path, act, error, message, workers):
    if error is None:
        rig = At(whole.channels[40], act)
        ds = rw.sampling.sample(rig, tmp_path / "a", **SMALL, workers=workers)
        np.testing.assert_array_equal(ds.vertices, whole.vertices)
    else:
        fails(whole, tmp_path / "a", act, error, message, workers)


def kill_yourself(number):
    def act(poses, vertices):
        time.sleep(0.3)  # the other worker has time to finish shards
        faulthandler.disable()
        os.kill(os.getpid(), number)
        time.sleep(10)

    return act


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV])
def test_killed_worker(whole, tmp_path, number):
    text = rf"channel rows 32 to 47, shard 00002\): the worker process was killed by {number.name}; finished"
    fails(whole, tmp_path / "a", kill_yourself(number), SourceError, text, workers=2)


def test_worker_that_exits(whole, tmp_path):
    act = lambda poses, vertices: os._exit(5)  # noqa: E731
    fails(whole, tmp_path / "a", act, SourceError, "the worker process ended with exit code 5", workers=2)


def test_traceback_of_the_worker_is_the_cause(whole, tmp_path):
    rig = At(whole.channels[40], raising(ZeroDivisionError("oh")))
    with pytest.raises(SourceError) as caught:
        rw.sampling.sample(rig, tmp_path / "a", **SMALL, workers=2)
    assert "raise error" in str(caught.value.__cause__)


def test_a_worker_that_hangs_does_not_hold_up_an_error(tmp_path):
    class HangsOrFails(Stubborn):
        def sample(self, channels):
            if len(channels) == 1:
                return small_rig().sample(channels)
            try:
                (tmp_path / "first").touch(exist_ok=False)
            except FileExistsError:
                time.sleep(0.2)
                raise RuntimeError("oh") from None
            return super().sample(channels)

    with pytest.raises(SourceError, match="RuntimeError: oh"):  # waiting for the other worker would be endless
        rw.sampling.sample(HangsOrFails(86400.0), tmp_path / "a", **SMALL, workers=2)


def test_hosts_are_opened_in_each_worker_and_closed(tmp_path, whole):
    log = tmp_path / "log"
    ds = rw.sampling.sample(Host(log), tmp_path / "a", **SMALL, workers=2)
    assert ds.poses.tobytes() == whole.poses.tobytes()
    lines = log.read_text().split("\n")[:-1]
    opened = {int(line.split()[1]) for line in lines if line.startswith("open")} - {os.getpid()}
    closed = [int(line.split()[1]) for line in lines if line.startswith("close")]
    assert len(opened) == 2
    assert sorted(closed) == sorted(opened)  # the caller's own rig stays open


def test_host_that_does_not_open(tmp_path):
    class NoHost(Host):
        def for_worker(self):
            raise FileNotFoundError("blender: not found")

    with pytest.raises(SourceError, match=r"could not be opened in a worker: .*blender: not found"):
        rw.sampling.sample(NoHost(tmp_path / "log"), tmp_path / "a", **SMALL, workers=2)


def test_rig_that_cannot_be_pickled(tmp_path):
    rig = small_rig()
    rig.handle = lambda: 0
    executor = rw.sampling.LocalProcesses(2, "spawn")
    with pytest.raises(ValueError, match=r"sample: rig is a CylinderRig that cannot be sent to a process .*; it must"):
        rw.sampling.sample(rig, tmp_path / "a", **SMALL, executor=executor)
    assert rw.sampling.sample(rig, tmp_path / "b", **SMALL, executor=rw.sampling.LocalProcesses(2, "fork"))


def test_a_rig_edited_between_two_calls(whole, tmp_path):
    rig = At(whole.channels[40], raising(RuntimeError("oh")))
    with pytest.raises(SourceError):
        rw.sampling.sample(rig, tmp_path / "a", **SMALL)
    edited = small_rig()
    edited.bulge = False
    with pytest.raises(ValueError, match=r"rig is not the one .* \(vertices of channel row 0 differ by 0\.\d+\)"):
        rw.sampling.sample(edited, tmp_path / "a", **SMALL)
    ds = rw.sampling.sample(edited, tmp_path / "a", **SMALL, overwrite=True)
    assert np.abs(ds.vertices - whole.vertices).max() > 0.1


def test_disk_that_would_get_full_is_noticed_before_the_start(whole, tmp_path, monkeypatch):
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=20_000))
    rig = small_rig()
    monkeypatch.setattr(rig, "sample", lambda channels: pytest.fail("sampled"))
    size = sum(file.stat().st_size for file in whole.path.glob("*0*.npy")) / 1000
    text = rf"the disk is full: '.*a' needs {size:.3g} KB more and 20 KB are free; "
    with pytest.raises(OSError, match=text) as caught:
        rw.sampling.sample(rig, tmp_path / "a", **SMALL)
    assert caught.value.errno == errno.ENOSPC


@pytest.mark.parametrize("workers", [1, 2])
def test_disk_that_gets_full(whole, tmp_path, workers):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount")
    command = [mount, "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(disk)]
    if sys.platform != "linux" or mount is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a file system")
    filler = disk / "filler"

    def fill(poses, vertices):
        with open(filler, "wb", buffering=0) as stream:
            try:
                while stream.write(bytes(4096)):
                    pass
            except OSError:
                return poses, vertices

    try:
        rig = At(whole.channels[40], fill)
        with pytest.raises(
            OSError, match=r"the disk is full: .* needs [\d.]+ KB more and 0 bytes are free; "
        ) as caught:
            rw.sampling.sample(rig, disk / "a", **SMALL, workers=workers)
        assert caught.value.errno == errno.ENOSPC
        assert (disk / "a" / "00000.done").exists()
        assert not list((disk / "a").glob(".*.part"))
        with pytest.raises(OSError, match=r"the disk is full: "):
            rw.sampling.sample(small_rig(), disk / "b", **SMALL)
        filler.unlink()
        ds = rw.sampling.sample(small_rig(), disk / "a", **SMALL)
        assert contents(ds.path) == contents(whole.path)
    finally:
        subprocess.run([shutil.which("umount"), "-l", str(disk)], check=True)


def test_folder_of_something_else(whole, tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(ValueError, match=r"a folder that holds 'letter.txt' and no data set; it must be a new"):
        rw.sampling.sample(small_rig(), tmp_path, **SMALL)
    with pytest.raises(ValueError, match="which is or lies in a file; it must be a folder"):
        rw.sampling.sample(small_rig(), tmp_path / "letter.txt", **SMALL)
    with pytest.raises(ValueError, match=r"'letter.txt' and no data set"):
        rw.sampling.sample(small_rig(), tmp_path, **SMALL, overwrite=True)
    path = tmp_path / "a"
    shutil.copytree(whole.path, path)
    (path / "letter.txt").write_text("dear")
    rw.sampling.sample(small_rig(), path, **SMALL, overwrite=True)
    assert (path / "letter.txt").read_text() == "dear"
    (path / "letter.txt").unlink()
    (path / "manifest.json").unlink()
    with pytest.raises(ValueError, match=r"holds '00000.channels.npy' and no data set"):
        rw.sampling.sample(small_rig(), path, **SMALL)
    assert contents(rw.sampling.sample(small_rig(), path, **SMALL, overwrite=True).path) == contents(whole.path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"seed": 8},
            "begun with seed 7 where this call has 8; it must be the same rig and settings",
        ),
        ({"count": 49}, "begun with count 50 where this call has 49"),
        ({"probe": 0}, "begun with probe 2 where this call has 0"),
        ({"sampler": "uniform"}, "begun with sampler .*normal.* where this call has .*uniform"),
    ],
)
@pytest.mark.parametrize("finished", [True, False])
def test_another_run_is_refused(whole, tmp_path, change, message, finished):
    path = tmp_path / "a"
    if finished:
        shutil.copytree(whole.path, path)
    else:
        with pytest.raises(SourceError):
            rw.sampling.sample(At(whole.channels[0], raising(RuntimeError())), path, **SMALL)
    before = contents(path)
    with pytest.raises(ValueError, match=message):
        rw.sampling.sample(small_rig(), path, **{**SMALL, **change})
    assert contents(path) == before
    fresh = rw.sampling.sample(small_rig(), tmp_path / "b", **{**SMALL, **change})
    again = rw.sampling.sample(small_rig(), path, **{**SMALL, **change}, overwrite=True)
    assert contents(again.path) == contents(fresh.path)


@pytest.mark.parametrize("attribute", ["name", "licence", "rest_vertices", "channel_ranges", "up_axis"])
def test_another_rig_is_refused(whole, tmp_path, attribute):
    shutil.copytree(whole.path, tmp_path / "a")
    rig = small_rig()
    value = getattr(rig, attribute)
    setattr(rig, attribute, "Z" if isinstance(value, str) else value * 1.5)
    named = "files" if attribute == "rest_vertices" else attribute
    with pytest.raises(ValueError, match=rf"begun with (another )?{named}.*must be the same rig"):
        rw.sampling.sample(rig, tmp_path / "a", **SMALL)


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("count", 0),
        ("count", 2.5),
        ("count", True),
        ("seed", -1),
        ("seed", "7"),
        ("workers", 0),
        ("probe", -1),
        ("shard_rows", 0),
        ("sampler", "gaussian"),
        ("sampler", 3),
    ],
)
def test_wrong_arguments(tmp_path, argument, value):
    message = rf"^sample: {argument} is .*{re.escape(str(value))}?.*; it must be "
    with pytest.raises(ValueError, match=message if argument != "sampler" else "^sample: sampler is .*; it must be"):
        rw.sampling.sample(small_rig(), tmp_path / "a", **{**SMALL, argument: value})
    assert not (tmp_path / "a").exists()


def test_workers_work_side_by_side(tmp_path):
    class Meets(CylinderRig):
        def meet(self, poses, vertices):
            (tmp_path / f"{os.getpid()}.here").touch()
            for _ in range(1000):
                if len(list(tmp_path.glob("*.here"))) == 2:
                    return poses, vertices
                time.sleep(0.01)
            raise TimeoutError("nobody came")

        def sample(self, channels):
            answer = super().sample(channels)
            return self.meet(*answer) if len(channels) > 1 else answer

    assert rw.sampling.sample(Meets(3, rings=6, sides=5), tmp_path / "a", **SMALL, workers=2)
