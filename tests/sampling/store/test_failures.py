"""A rig or a worker that fails: one clear error, what is finished stays, and the next call goes on."""

import errno
import faulthandler
import os
import signal
import time

import numpy as np
import pytest

import rigcast as rc
from rigcast.errors import SourceError
from tests.sampling.rigs import SMALL, At, Host, Stubborn, raising, small_rig
from tests.sampling.test_sample import contents
from tests.support.characters.cylinder import CylinderRig
from tests.support.process import PATIENCE


def fails(whole, path, act, error, message, workers):
    """Sampling stops at channel row 40 (shard 2) with this error; the same call with a sound rig goes on."""
    rig = At(whole.channels[40], act)
    with pytest.raises(error, match=message) as caught:
        rc.sampling.sample(rig, path, **SMALL, workers=workers)
    assert "\n" not in str(caught.value)
    if workers == 1:
        assert (path / "00000.done").exists()
        assert (path / "00001.done").exists()
    assert not (path / "00002.done").exists()
    assert contents(rc.sampling.sample(small_rig(), path, **SMALL).path) == contents(whole.path)


def with_nan(poses, vertices):
    vertices[8, 3, 1] = np.nan
    return poses, vertices


def with_infinity(poses, vertices):
    poses[8, 3] = -np.inf
    return poses, vertices


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
        (lambda p, v: (p, [[1], [2, 3]]), ValueError, "vertices is a ragged list"),
        (raising(ZeroDivisionError("oh")), SourceError, r"rows 32 to 47, shard 00002.*raised ZeroDivisionError: oh"),
        (raising(SourceError("Blender died")), SourceError, r"channel rows 32 to 47, shard 00002\): Blender died"),
        (raising(SystemExit(3)), SourceError, "the rig raised SystemExit: 3"),
        (raising(OSError(errno.ENOSPC, "x")), SourceError, "the rig raised OSError"),
    ],
)
def test_wrong_answers(whole, tmp_path, act, error, message, workers):
    if error is None:
        rig = At(whole.channels[40], act)
        ds = rc.sampling.sample(rig, tmp_path / "a", **SMALL, workers=workers)
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
        rc.sampling.sample(rig, tmp_path / "a", **SMALL, workers=2)
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
        rc.sampling.sample(HangsOrFails(86400.0), tmp_path / "a", **SMALL, workers=2)


def test_hosts_are_opened_in_each_worker_and_closed(tmp_path, whole):
    log = tmp_path / "log"
    ds = rc.sampling.sample(Host(log), tmp_path / "a", **SMALL, workers=2)
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
        rc.sampling.sample(NoHost(tmp_path / "log"), tmp_path / "a", **SMALL, workers=2)


def test_rig_that_cannot_be_pickled(tmp_path):
    rig = small_rig()
    rig.handle = lambda: 0
    executor = rc.sampling.LocalProcesses(2, "spawn")
    with pytest.raises(ValueError, match=r"sample: rig is a CylinderRig that cannot be sent to a process .*; it must"):
        rc.sampling.sample(rig, tmp_path / "a", **SMALL, executor=executor)
    assert rc.sampling.sample(rig, tmp_path / "b", **SMALL, executor=rc.sampling.LocalProcesses(2, "fork"))


def test_workers_work_side_by_side(tmp_path):
    class Meets(CylinderRig):
        def meet(self, poses, vertices):
            (tmp_path / f"{os.getpid()}.here").touch()
            deadline = time.monotonic() + PATIENCE
            while time.monotonic() < deadline:
                if len(list(tmp_path.glob("*.here"))) == 2:
                    return poses, vertices
                time.sleep(0.01)
            raise TimeoutError("nobody came")

        def sample(self, channels):
            answer = super().sample(channels)
            return self.meet(*answer) if len(channels) > 1 else answer

    assert rc.sampling.sample(Meets(3, rings=6, sides=5), tmp_path / "a", **SMALL, workers=2)
