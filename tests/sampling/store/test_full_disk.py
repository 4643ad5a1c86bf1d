"""A disk that is or gets full: noticed before the start where it can be, and the next call goes on."""

import errno
import shutil
import subprocess
import sys
import time

import pytest

import rigcast as rc
from tests.sampling.rigs import SMALL, At, small_rig
from tests.sampling.test_sample import contents
from tests.support.process import PATIENCE


def test_disk_that_would_get_full_is_noticed_before_the_start(whole, tmp_path, monkeypatch):
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=20_000))
    rig = small_rig()
    monkeypatch.setattr(rig, "sample", lambda channels: pytest.fail("sampled"))
    size = sum(file.stat().st_size for file in whole.path.glob("*0*.npy")) / 1000
    text = rf"the disk is full: '.*a' needs {size:.3g} KB more and 20 KB are free; "
    with pytest.raises(OSError, match=text) as caught:
        rc.sampling.sample(rig, tmp_path / "a", **SMALL)
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
        deadline = time.monotonic() + PATIENCE
        while not (disk / "a" / "00000.done").exists() and time.monotonic() < deadline:
            time.sleep(0.01)  # another worker may still be writing the first shard
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
            rc.sampling.sample(rig, disk / "a", **SMALL, workers=workers)
        assert caught.value.errno == errno.ENOSPC
        assert (disk / "a" / "00000.done").exists()
        assert not list((disk / "a").glob(".*.part"))
        with pytest.raises(OSError, match=r"the disk is full: "):
            rc.sampling.sample(small_rig(), disk / "b", **SMALL)
        filler.unlink()
        ds = rc.sampling.sample(small_rig(), disk / "a", **SMALL)
        assert contents(ds.path) == contents(whole.path)
    finally:
        subprocess.run([shutil.which("umount"), "-l", str(disk)], check=True)
