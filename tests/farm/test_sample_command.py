"""``rigcast sample --scheduler``: the data set of a local worker."""

from __future__ import annotations

import json

import pytest

import rigcast as rc
from rigcast.cli import _dispatch as dispatch
from tests.support.farm import farm
from tests.support.made.cylinder_models import cylinder_file

pytest.importorskip("distributed", reason="the extra dask is not installed")


@pytest.mark.long
def test_sample_on_a_scheduler_makes_the_data_set_of_a_local_worker(tmp_path, monkeypatch, capsys):
    cylinder_file(tmp_path / "hero.npz")
    monkeypatch.chdir(tmp_path)
    words = ["sample", "hero.npz", "--count", "200", "--json"]
    assert dispatch.main([*words, "-o", "here.rwdata"]) == 0
    here = json.loads(capsys.readouterr().out)
    with farm(workers=2) as client:
        assert dispatch.main([*words, "-o", "there.rwdata", "--scheduler", client.scheduler.address]) == 0
    there = json.loads(capsys.readouterr().out)
    assert (there["hash"], there["incidents"]) == (here["hash"], [])
    assert rc.Dataset("there.rwdata").hash == rc.Dataset("here.rwdata").hash
