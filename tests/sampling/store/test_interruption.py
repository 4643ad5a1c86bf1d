"""Killed at any moment, with any number of workers: the next call goes on, and the bytes are the same."""

import contextlib
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import rigcast as rc
from tests.sampling.rigs import SMALL, small_rig
from tests.sampling.test_sample import contents
from tests.support.process import PATIENCE

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = Path(rc.__file__).resolve().parents[1]  # the one under test, installed or not
KILLED = 9
ENDLESS = 3600.0  # seconds per batch: longer than anything here waits
TINY = {"count": 10, "seed": 7, "probe": 1, "shard_rows": 10}  # a shard of data, a shard of probe rows

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc: Linux only")


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    return contents(rc.sampling.sample(small_rig(), tmp_path_factory.mktemp("whole") / "a", **SMALL).path)


def start(path, workers, seconds, platform=sys.platform, quick=0):
    options = [str(path), str(workers), str(seconds), platform, str(quick)]
    command = [sys.executable, "-m", "tests.sampling.rigs", *options]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PACKAGE), os.environ.get("PYTHONPATH", "")])}
    return subprocess.Popen(command, cwd=ROOT, env=environment, text=True, stdout=-1, stderr=-1, start_new_session=True)


def children(pid):
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            if int(fields[1]) == pid and fields[0] != "Z":
                found.append(int(stat.parent.name))
    return found


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until_dead(pids):
    deadline = time.monotonic() + PATIENCE
    while any(map(alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not any(map(alive, pids))


def wait_for_shard(process):
    """Read on until a shard is finished."""
    for line in process.stdout:
        if line.startswith("sampling") and line != "sampling 0\n":
            return
    pytest.fail(f"no shard was finished: {process.stderr.read()}")


def test_killed_at_random_moments(tmp_path, expected):
    random = np.random.default_rng(5)
    path = tmp_path / "a"
    kills = 0
    for attempt in range(200):
        process = start(path, workers=1 + attempt % 3, seconds=0.02)
        if kills < 7:
            process.stdout.readline()
            time.sleep(random.uniform(0.0, 0.06))
            workers = children(process.pid)
            process.kill()
            assert wait_until_dead(workers), "a worker outlived its parent"
        output, errors = process.communicate(timeout=PATIENCE)
        kills += process.returncode == -signal.SIGKILL
        if process.returncode == 0 and kills == 7:
            break
        if process.returncode == 0:  # it was faster than this process: begin again
            shutil.rmtree(path)
        else:
            assert process.returncode == -signal.SIGKILL, errors
    assert kills == 7
    assert "finished" in output
    assert contents(path) == expected


def die_at_changes(number, after):
    """End the process without any cleaning at (or after) the nth change of a name in the folder."""
    count = iter(range(10**6))

    def dying(original):
        def change(*args, **options):
            last = next(count) == number
            if last and not after:
                os._exit(KILLED)
            original(*args, **options)
            if last:
                os._exit(KILLED)

        return change

    os.replace, os.unlink = dying(os.replace), dying(os.unlink)
    Path.unlink = dying(Path.unlink)


def die_at(number, after, path):
    die_at_changes(number, after)
    rc.sampling.sample(small_rig(), path, **TINY)


@pytest.mark.parametrize("after", [False, True])
def test_killed_at_every_change_of_the_folder(tmp_path, after):
    expected = contents(rc.sampling.sample(small_rig(), tmp_path / "whole", **TINY).path)
    fork = multiprocessing.get_context("fork")
    for number in range(1000):
        path = tmp_path / str(number)
        process = fork.Process(target=die_at, args=(number, after, path))
        process.start()
        process.join()
        if process.exitcode == 0:
            break
        assert process.exitcode == KILLED
        assert contents(rc.sampling.sample(small_rig(), path, **TINY).path) == expected
    assert number > 4 * 2  # four files for each of the two shards, at least


@pytest.mark.parametrize("workers", [1, 2])
def test_interrupt_stops_at_once_and_keeps_shards(tmp_path, expected, workers):
    path = tmp_path / "a"
    process = start(path, workers, seconds=ENDLESS, quick=2)
    wait_for_shard(process)
    pids = children(process.pid)
    assert len(pids) == (workers if workers > 1 else 0)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: parent and workers get it
    _, errors = process.communicate(timeout=PATIENCE)
    assert errors.count("Traceback") == 1
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert wait_until_dead(pids)
    finished = [path / f"{note.stem}.vertices.npy" for note in path.glob("*.done")]
    assert finished
    before = [file.stat() for file in finished]
    assert contents(rc.sampling.sample(small_rig(), path, **SMALL).path) == expected
    for old, file in zip(before, finished, strict=True):
        assert os.path.samestat(old, file.stat()), "a finished shard was sampled again"


def test_workers_leave_ctrl_c_to_the_parent(tmp_path, expected):
    process = start(tmp_path / "a", workers=2, seconds=0.05)
    wait_for_shard(process)
    for worker in children(process.pid):
        with contextlib.suppress(ProcessLookupError):  # it has done all of its work
            os.kill(worker, signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (0, "")
    assert contents(tmp_path / "a") == expected


@pytest.mark.parametrize(("platform", "seconds"), [("linux", -ENDLESS), ("other", ENDLESS)])
def test_workers_end_with_a_killed_parent(tmp_path, platform, seconds):
    """By the kernel on Linux, elsewhere by the end of the pipe."""
    process = start(tmp_path / "a", workers=3, seconds=seconds, platform=platform)
    while len(workers := children(process.pid)) < 3:
        assert process.poll() is None
        time.sleep(0.01)
    time.sleep(0.2)
    process.kill()
    process.wait()
    dead = wait_until_dead(workers)
    for worker in filter(alive, workers):
        os.kill(worker, signal.SIGKILL)
    process.communicate()
    assert dead


def test_second_process_is_refused_and_a_dead_ones_lock_is_not(tmp_path, expected):
    path = tmp_path / "a"
    process = start(path, workers=1, seconds=ENDLESS)
    try:
        process.stdout.readline()
        with pytest.raises(ValueError, match=rf"which process {process.pid} on .* is writing; it must be a place"):
            rc.sampling.sample(small_rig(), path, **SMALL)
    finally:
        process.kill()
        process.communicate()
    assert (path / ".lock").exists()
    assert contents(rc.sampling.sample(small_rig(), path, **SMALL).path) == expected


def test_damaged_shard_is_sampled_again(tmp_path, expected):
    path = tmp_path / "a"
    process = start(path, workers=1, seconds=ENDLESS, quick=2)
    wait_for_shard(process)
    process.kill()
    process.communicate()
    with open(path / "00000.vertices.npy", "r+b") as stream:
        stream.seek(200)
        stream.write(b"\xff")
    (path / ".00001.poses.npy.abc.part").write_bytes(b"half")
    assert contents(rc.sampling.sample(small_rig(), path, **SMALL).path) == expected
