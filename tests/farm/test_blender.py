"""A rig in Blender on a farm: its path travels, and each worker opens a Blender of its own."""

from __future__ import annotations

import pickle

import pytest

import rigcast as rc
from tests.sampling.test_sample import contents
from tests.support.blender import has_blender
from tests.support.characters.dog import dog_files
from tests.support.farm import farm
from tests.support.process import PATIENCE

pytest.importorskip("distributed", reason="the extra dask is not installed")
pytestmark = pytest.mark.skipif(not has_blender(), reason="no Blender is installed")
SETTINGS = {"count": 24, "seed": 3, "probe": 0, "shard_rows": 6}


@pytest.fixture
def blend(tmp_path):
    dog_files(tmp_path)
    return tmp_path / "dog.blend"


def test_a_pickled_rig_names_its_file_and_holds_no_process(blend):
    with rc.sources.load(blend, ranges=30.0) as rig:
        copy = pickle.loads(pickle.dumps(rig))
        assert copy._settings["path"] == str(blend)
        assert copy._host is None


@pytest.mark.long
def test_a_farm_writes_the_bytes_of_one_local_worker_and_leaves_no_blender(blend, tmp_path):
    with rc.sources.load(blend, ranges=30.0) as rig:
        here = rc.sampling.sample(rig, tmp_path / "here", **SETTINGS)
        with farm(workers=2) as client:
            there = rc.sampling.sample(rig, tmp_path / "there", **SETTINGS, workers=client)
            hosts = client.run(children)
    assert contents(there.path) == contents(here.path)
    assert set(map(tuple, hosts.values())) == {()}


def children(dask_worker):
    """Blender processes of a worker, once the run has ended and its rigs are closed."""
    import gc
    import os
    import time

    import psutil

    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        gc.collect()
        found = [one.pid for one in psutil.Process(os.getpid()).children() if "launch.py" in " ".join(one.cmdline())]
        if not found:
            return []
        time.sleep(0.1)
    return found


@pytest.mark.long
def test_a_worker_that_finds_another_file_gets_no_shards(blend, tmp_path, monkeypatch):
    """The file is edited after it was opened here: nobody can sample it, and that is said."""
    from rigcast._farm import farm as farm_module

    monkeypatch.setattr(farm_module, "GRACE", 0.0)
    with rc.sources.load(blend, ranges=30.0) as rig, farm(workers=1) as client:
        rig.sample(rig.channel_rest[None])
        blend.write_bytes(blend.read_bytes() + b"edited")
        with pytest.raises(
            rc.errors.SourceError, match=r"none of the 1 workers .* can work: .*changed since it was ope"
        ):
            rc.sampling.sample(rig, tmp_path / "there", **SETTINGS, workers=client)
