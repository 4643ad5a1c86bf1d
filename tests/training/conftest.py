"""Small data sets of the analytic cylinder, shared by the tests of training."""

from __future__ import annotations

import pytest

import rigcast as rc
from tests.support.characters.cylinder import CylinderRig
from tests.support.trainings import train_with
from tests.training.small_face import SmallFace

QUICK = {"steps": 60, "hidden": 8, "batch": 32, "max_components": 6, "border": 1.0, "threads": 1}


@pytest.fixture(scope="session")
def cylinder_data(tmp_path_factory):
    """700 poses of a cylinder of four joints with a dial, and the influence probe."""
    folder = tmp_path_factory.mktemp("cylinder") / "cylinder.rwdata"
    return rc.sampling.sample(CylinderRig(rings=20, sides=8), folder, count=700, seed=3, probe=3, shard_rows=300)


@pytest.fixture(scope="session")
def unseen_data(tmp_path_factory):
    """Other poses of the same cylinder."""
    folder = tmp_path_factory.mktemp("unseen") / "cylinder.rwdata"
    return rc.sampling.sample(CylinderRig(rings=20, sides=8), folder, count=80, seed=99, probe=0)


@pytest.fixture(scope="session")
def unprobed_data(tmp_path_factory):
    """The same without the influence probe."""
    folder = tmp_path_factory.mktemp("unprobed") / "cylinder.rwdata"
    return rc.sampling.sample(CylinderRig(rings=20, sides=8), folder, count=240, seed=3, probe=0)


@pytest.fixture(scope="session")
def face_data(tmp_path_factory):
    """Poses of a face without joints, and the influence probe."""
    return rc.sampling.sample(SmallFace(), tmp_path_factory.mktemp("face") / "f.rwdata", count=120, seed=0, probe=2)


@pytest.fixture
def train():
    """Train with tiny settings; skips without PyTorch."""
    pytest.importorskip("torch", reason="PyTorch is not installed")

    def run(ds, **settings):
        return train_with("body", ds, **{**QUICK, **settings})

    return run
