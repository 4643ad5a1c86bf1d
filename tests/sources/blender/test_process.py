"""The host process: crashes, silence, orphans, workers, and a running Blender."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import rigcast as rc
from rigcast._formats.blender import run_script
from rigcast._formats.blender.host import wire
from rigcast._formats.blender.process import command
from tests.sources.blender.test_rig import uniform
from tests.sources.conftest import Host
from tests.support.process import PATIENCE


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def gone(pid: int) -> bool:
    """Whether a process ends."""
    end = time.monotonic() + PATIENCE
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.05)
    return not alive(pid)


def test_crash_quotes_the_log(host: Host) -> None:
    with host.open("murderous", run_scripts=True) as rig:
        with pytest.raises(
            rc.SourceError, match=r"Blender ended with exit code 7; its log ends with: .*gave up"
        ) as error:
            rig.sample(uniform(rig, 100))
        assert "\n" not in str(error.value)


def test_python_in_a_file_does_not_run_unasked(host: Host) -> None:
    with host.open("murderous") as rig:
        assert rig.sample(uniform(rig, 60))[0].shape[0] == 60


def test_killed_host_is_an_error_and_then_replaced(any_host: Host) -> None:
    with any_host.open("plain") as rig:
        channels = uniform(rig, 3)
        before = rig.sample(channels)
        os.kill(rig._host.pid, signal.SIGKILL)
        with pytest.raises(rc.SourceError, match="Blender was ended by signal 9"):
            rig.sample(channels)
        after = rig.sample(channels)
        assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))


def test_silent_host_is_ended(any_host: Host) -> None:
    with any_host.open("plain", timeout=PATIENCE) as rig:
        host, channels = rig._host, uniform(rig, 1)
        host._socket.settimeout(0.5)
        os.kill(host.pid, signal.SIGSTOP)
        with pytest.raises(rc.SourceError, match="gave no answer within"):
            rig.sample(channels)
        assert not alive(host.pid)


def test_close_ends_the_host(any_host: Host) -> None:
    rig = any_host.open("plain")
    pid = rig._host.pid
    assert alive(pid)
    rig.close()
    assert not alive(pid)


def test_host_leaves_when_its_parent_is_killed(any_host: Host) -> None:
    program = (
        "import sys, time\n"
        "from rigcast._formats.blender import BlenderRig\n"
        f"rig = BlenderRig.open({str(any_host.folder / 'plain.blend')!r}, blender={any_host.blender!r})\n"
        "print(rig._host.pid, flush=True)\n"
        "time.sleep(3600)\n"
    )
    package = Path(rc.__file__).resolve().parents[1]  # not sys.path: bpy adds folders that only it may use
    environment = {**os.environ, "PYTHONPATH": str(package)}
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, env=environment) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert alive(pid)
        parent.kill()
    assert gone(pid)


def test_interrupt_in_the_middle_leaves_a_usable_rig(any_host: Host) -> None:
    with any_host.open("plain") as rig:
        host = rig._host
        replies = host.request({"operation": "sample"}, {"channels": uniform(rig, 50)}, replies=50)
        next(replies)
        replies.close()  # what an exception in the loop does
        assert host.closed
        assert rig.sample(uniform(rig, 2))[0].shape == (2, 36)


def test_worker_opens_its_own_host(any_host: Host) -> None:
    with any_host.open("controls", limits={"bone0.rotation_x": (-10, 10)}) as rig:
        channels = uniform(rig, 4)
        with rig.for_worker() as worker, pickle.loads(pickle.dumps(rig)) as unpickled:
            assert worker._host is None
            for other in (worker, unpickled):
                assert all(
                    np.array_equal(a, b) for a, b in zip(rig.sample(channels), other.sample(channels), strict=True)
                )
                assert other._host.pid != rig._host.pid
                assert other.channel_names == rig.channel_names


def test_worker_notices_that_the_file_changed(any_host: Host, tmp_path) -> None:
    blend = tmp_path / "hero.blend"
    blend.write_bytes((any_host.folder / "plain.blend").read_bytes())
    with Host(any_host.blender, tmp_path).open("hero") as rig:
        worker = rig.for_worker()
        blend.write_bytes((any_host.folder / "subdivided.blend").read_bytes())
        with pytest.raises(rc.SourceError, match="changed since it was opened"):
            worker.sample(uniform(rig, 1))


def test_inside_a_running_blender(any_host: Host, tmp_path) -> None:
    """In-process sampling equals a host's, and puts the user's pose, action and visibility back."""
    with any_host.open("controls") as rig:
        channels = uniform(rig, 3)
        expected = rig.sample(channels)
    script = Path(__file__).with_name("scenes") / "in_process.py"
    shutil.copy(any_host.folder / "controls.blend", tmp_path)
    np.save(tmp_path / "channels.npy", channels)
    run_script(script, [str(tmp_path), str(Path(rc.__file__).parents[1])], blender=any_host.blender, timeout=PATIENCE)
    with np.load(tmp_path / "in_process.npz") as actual:
        assert np.array_equal(actual["poses"], expected[0])
        assert np.array_equal(actual["vertices"], expected[1])


def test_messages_arrive_as_they_were_sent() -> None:
    ours, theirs = socket.socketpair()
    theirs.settimeout(PATIENCE)
    with ours, theirs:
        arrays = {
            "a": np.arange(6, dtype=np.float32).reshape(2, 3),
            "b": np.zeros((0, 3)),
            "c": np.arange(3, dtype=np.int32),
        }
        threading.Thread(target=wire.send, args=(ours, {"operation": "x"}, arrays)).start()
        header, received = wire.receive(theirs)
    assert header == {"operation": "x"}
    assert received.keys() == arrays.keys()
    for name, array in arrays.items():
        assert received[name].dtype == array.dtype
        assert np.array_equal(received[name], array)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"RWH1",
        b"GET / HTTP/1.1\r\n",
        wire.PREFIX.pack(wire.MAGIC, 1 << 31),
        wire.PREFIX.pack(wire.MAGIC, 44) + b'{"arrays": [["a", "float32", [1000000000]]]}',
        wire.PREFIX.pack(wire.MAGIC, 36) + b'{"arrays": [["a", "float32", [-4]]]}',
    ],
)
def test_what_is_no_message_is_refused(content: bytes, monkeypatch) -> None:
    monkeypatch.setattr(wire, "MAX_ARRAYS", 1 << 20)
    ours, theirs = socket.socketpair()
    with theirs:
        ours.sendall(content)
        ours.close()
        with pytest.raises(wire.WireError):
            wire.receive(theirs)


def test_a_python_that_has_bpy_is_a_blender_without_its_options():
    assert command(sys.executable, Path("launch.py"), ["7"]) == [sys.executable, "launch.py", "--", "7"]
