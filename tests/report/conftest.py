"""A small character with held-out data and models, and a report of it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import rigcast as rc
from rigcast import inverse
from tests.cli.sheet import SIDE, sheet_curves, sheet_rig
from tests.support.characters.cylinder import CylinderRig
from tests.support.made.cylinder_models import cylinder_body, cylinder_skinning


@pytest.fixture(scope="session")
def studied(tmp_path_factory):
    """Folder, rig, data sets and model files of the cylinder."""
    folder = tmp_path_factory.mktemp("studied")
    rig = CylinderRig()
    data = rc.sampling.sample(rig, folder / "held_out.rwdata", count=24, seed=1, probe=0)
    swing = np.sin(np.linspace(0, 2 * np.pi, 16))[:, None] * 0.4 * rig.channel_ranges[:, 1]
    frames = rc.sampling.Animation(np.clip(swing, *rig.channel_ranges.T))
    animation = rc.sampling.sample(rig, folder / "swing.rwdata", sampler=frames, probe=0)
    training = rc.sampling.sample(rig, folder / "training.rwdata", count=30, seed=0, probe=1)
    models = {
        "hero": cylinder_body(rig, data_hash=training.hash, training={"method": "blended", "seed": 3}),
        "paper": cylinder_body(rig, hard=True),
        "one": cylinder_skinning(rig, 1),
        "two": cylinder_skinning(rig, 2),
    }
    files = {name: folder / f"{name}.safetensors" for name in models}
    for name, model in models.items():
        model.save(files[name])
    return SimpleNamespace(
        folder=folder, rig=rig, data=data, animation=animation, training=training, models=models, files=files
    )


class HostStub:
    """A rig that says how long it took."""

    host = "Host 1.0"

    def time_pose(self, rows):
        return np.full(len(rows), 12.5e-3)


@pytest.fixture(scope="session")
def written(studied):
    """A whole report: its path and its numbers."""
    for package in ("pyvista", "matplotlib", "jinja2"):
        pytest.importorskip(package, reason="the report extra is not installed")
    from rigcast import report

    path = studied.folder / "report.html"
    numbers = report.write_body(
        path,
        [studied.files["hero"]],
        studied.data,
        animation=studied.animation,
        paper=studied.files["paper"],
        baselines=[studied.files["one"], studied.files["two"]],
        training=studied.training,
        rig=HostStub(),
    )
    return SimpleNamespace(path=path, numbers=numbers, html=path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def timed_once():
    """Short calls are not repeated to be timed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rigcast.report._shot.rivals.REPEATED", 0.0)
        yield


@pytest.fixture(scope="session")
def solved():
    """A shot with a little noise, its solution, and the weights that made it."""
    rig, truth = sheet_rig(), sheet_curves(24)
    noise = np.random.default_rng(0).normal(0, 0.02, (24, SIDE * SIDE, 3))
    shot = (rig.evaluate(truth) + noise).astype(np.float32)
    return SimpleNamespace(rig=rig, truth=truth, shot=shot, solution=inverse.solve(rig, shot, alpha=0.1))
