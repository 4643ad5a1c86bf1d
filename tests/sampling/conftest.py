"""A small data set that nothing went wrong with."""

import shutil

import pytest

import rigcast as rc
from tests.sampling.rigs import SMALL, small_rig


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return rc.sampling.sample(small_rig(), tmp_path_factory.mktemp("whole") / "a", **SMALL)


@pytest.fixture
def folder(whole, tmp_path):
    """A copy of it to damage."""
    return shutil.copytree(whole.path, tmp_path / "a")
