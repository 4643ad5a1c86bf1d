"""The workers of a Dask scheduler: the same bytes as one local worker, and what goes wrong is told."""

from __future__ import annotations

import os
import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest

import rigwright as rw
from rigwright.errors import SourceError
from tests.sampling.rigs import SMALL, At, Host, raising, small_rig
from tests.sampling.test_sample import contents
from tests.support.farm import farm

pytest.importorskip("distributed", reason="the extra dask is not installed")


@pytest.fixture(scope="module")
def client():
    """Two worker processes of a scheduler on this machine."""
    with farm(workers=2) as found:
        yield found


def test_a_farm_writes_the_bytes_of_one_local_worker(whole, tmp_path, client):
    ds = rw.sampling.sample(small_rig(), tmp_path / "a", **SMALL, workers=client)
    assert contents(ds.path) == contents(whole.path)
