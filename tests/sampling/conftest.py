"""A small data set that nothing went wrong with."""

import pytest

import rigwright as rw
from tests.sampling.rigs import SMALL, small_rig


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return rw.sampling.sample(small_rig(), tmp_path_factory.mktemp("whole") / "a", **SMALL)
