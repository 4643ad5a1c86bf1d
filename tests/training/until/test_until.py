"""Training to a stated error: rounds, budgets, interruptions, and what is said of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rigcast as rc
from rigcast.sampling._joined import JoinedSets
from rigcast.training import _optimize as optimize
from rigcast.training._body import trainer as trainer
from rigcast.training._until import _pipeline, _rounds
from tests.support.characters.cylinder import CylinderRig
from tests.support.trainings import train_with

pytest.importorskip("torch", reason="PyTorch is not installed")

QUICK = {"steps": 40, "hidden": 6, "batch": 32, "max_components": 4, "border": 1.0, "threads": 1}
LOOSE, TIGHT = 3.0, 1e-6  # centimeters: what the first rounds reach, and what none does


class Interrupted(Exception):
    pass


@pytest.fixture(scope="module", autouse=True)
def few_poses():
    """Fewer poses than a character needs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_pipeline, "FIRST", 260)
        patch.setattr(_rounds, "LOOK", 24)
        patch.setattr(_rounds, "JUDGED", 60)
        patch.setattr(_rounds, "LEAST_GROWTH", 40)
        patch.setattr(_rounds, "LEARNED", 1.0)
        yield


def small_rig():
    return CylinderRig(rings=12, sides=6)


def until(folder, tolerance=TIGHT, poses=700, **more):
    settings = {**QUICK, "statistic": "p99", "seed": 1, **more}
    return train_with("body_until", small_rig(), tolerance, folder=folder, poses=poses, **settings)


def saved_bytes(model, path):
    model.save(path)
    return path.read_bytes()


@pytest.fixture(scope="module")
def whole(tmp_path_factory, few_poses):
    """A run that uses its poses up, in one go."""
    return until(tmp_path_factory.mktemp("whole") / "rounds")


def test_it_stops_when_the_bound_holds(tmp_path):
    model = until(tmp_path / "rounds", LOOSE)
    said = model.metadata["until"]
    last = said["rounds"][-1]
    assert said["reached"]
    assert said["stopped"] == "error"
    assert last["value"] <= last["bound"] <= said["tolerance"] == LOOSE
    assert last["fresh"] == 60
    assert last["confidence"] >= 0.95


def test_the_stated_error_is_that_of_other_poses(tmp_path):
    """Judged by poses of another seed: the bound of the 99th percentile holds."""
    model = until(tmp_path / "rounds", LOOSE)
    other = rc.sampling.sample(small_rig(), tmp_path / "other.rwdata", count=600, seed=4321, probe=0)
    errors = np.linalg.norm(model.evaluate(other.poses) - other.vertices, axis=2)
    assert np.quantile(errors, 0.99) <= model.metadata["until"]["rounds"][-1]["bound"]


def test_it_says_that_its_poses_are_used_up(whole):
    said = whole.metadata["until"]
    assert not said["reached"]
    assert said["stopped"] == "poses"
    assert said["sampled"] <= 700
    assert [entry["poses"] for entry in said["rounds"]] == sorted(entry["poses"] for entry in said["rounds"])
    assert len(said["rounds"]) >= 2


def test_linear_skinning_stands_beside_it(whole, tmp_path):
    """Fitted to the poses of all rounds, measured on the same fresh poses as the model."""
    other = rc.sampling.sample(small_rig(), tmp_path / "other.rwdata", count=300, seed=4321, probe=0)
    part = rc.baselines.linear_part(whole)
    error = np.linalg.norm(part.evaluate(other.poses) - other.vertices, axis=2).mean()
    stated = whole.metadata["linear_skinning"]["mean"]
    assert 0.8 * stated < error < 1.25 * stated


def test_it_says_that_its_time_is_used_up(tmp_path):
    said = until(tmp_path / "rounds", poses=100000, minutes=0.002).metadata["until"]
    assert (said["reached"], said["stopped"]) == (False, "minutes")


def test_the_sampled_poses_are_those_of_the_folder(tmp_path):
    model = until(tmp_path / "rounds")
    sets = [rc.Dataset(path) for path in sorted((tmp_path / "rounds").glob("*.rwdata"))]
    probe = sum(len(part.probe.channel) for part in sets if part.probe is not None)
    assert sum(map(len, sets)) + probe == model.metadata["until"]["sampled"]


def test_fresh_poses_are_no_poses_that_were_learned_from(tmp_path):
    until(tmp_path / "rounds")
    sets = [rc.Dataset(path).channels for path in sorted((tmp_path / "rounds").glob("*.rwdata"))]
    rows = np.concatenate(sets)
    assert len(np.unique(rows, axis=0)) == len(rows)


@pytest.mark.parametrize("stage", ["sampling look-000", "round 2: training", "sampling chosen-000"])
def test_interrupted_and_resumed_equals_uninterrupted(whole, tmp_path, monkeypatch, stage):
    monkeypatch.setattr(optimize, "CHECKPOINT_SECONDS", 0.0)
    seen = []

    def stop(progress):
        if progress.stage == stage and (not stage.endswith("training") or progress.done > 0.4):
            seen.append(progress)
            raise Interrupted

    with pytest.raises(Interrupted):
        until(tmp_path / "rounds", progress=stop)
    assert seen
    resumed = until(tmp_path / "rounds")
    assert saved_bytes(resumed, tmp_path / "a") == saved_bytes(whole, tmp_path / "b")


SCRIPT = """
import sys
from tests.training.until import test_until as it
it._pipeline.FIRST, it._rounds.LOOK, it._rounds.JUDGED, it._rounds.LEAST_GROWTH = 260, 24, 60, 40
it._rounds.LEARNED = 1.0
it.optimize.CHECKPOINT_SECONDS = 0.0
def kill(progress):
    if progress.stage == "round 2: training" and progress.done > 0.4:
        import os, signal
        os.kill(os.getpid(), signal.SIGKILL)
it.until(sys.argv[1], progress=kill)
"""


@pytest.mark.long
def test_a_killed_run_goes_on_to_the_same_bytes(whole, tmp_path):
    root = Path(__file__).resolve().parents[3]
    paths = os.pathsep.join([str(root / "python"), str(root)])
    environment = {**os.environ, "PYTHONPATH": paths}
    folder = tmp_path / "rounds"
    killed = subprocess.run([sys.executable, "-c", SCRIPT, str(folder)], env=environment, cwd=root, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert list(folder.glob("*.checkpoint"))
    assert saved_bytes(until(folder), tmp_path / "a") == saved_bytes(whole, tmp_path / "b")


def test_a_finished_run_repeats_nothing(whole, tmp_path, monkeypatch):
    until(tmp_path / "rounds")
    monkeypatch.setattr(trainer.Trainer, "_step", lambda *step: pytest.fail("a step was done again"))
    again = until(tmp_path / "rounds")
    assert saved_bytes(again, tmp_path / "a") == saved_bytes(whole, tmp_path / "b")


def test_more_poses_go_on_from_what_is_there(whole, tmp_path):
    until(tmp_path / "rounds", poses=540)
    assert saved_bytes(until(tmp_path / "rounds"), tmp_path / "a") == saved_bytes(whole, tmp_path / "b")


def test_restart_trains_anew_and_keeps_the_samples(whole, tmp_path):
    until(tmp_path / "rounds", steps=5)
    with pytest.raises(ValueError, match=r"body_until: folder is .*holds rounds of other settings"):
        until(tmp_path / "rounds")
    again = until(tmp_path / "rounds", restart=True, poses=540)
    assert again.metadata["training"]["steps"] != 5


def test_a_data_set_goes_first_with_its_rig(tmp_path):
    rig = small_rig()
    given = rc.sampling.sample(rig, tmp_path / "given.rwdata", count=150, seed=5, probe=2)
    settings = {**QUICK, "folder": tmp_path / "rounds", "poses": 600}
    model = train_with("body_until", rig, LOOSE, data=given, statistic="mean", **settings)
    assert model.metadata["until"]["rounds"][0]["poses"] == 150
    assert not (tmp_path / "rounds" / "first.rwdata").exists()


def test_a_data_set_alone_cannot_be_sampled(cylinder_data):
    with pytest.raises(ValueError, match=r"body_until: rig is a Dataset; it must be a rig that can be sampled"):
        train_with("body_until", cylinder_data, 1.0)


def test_the_rig_must_be_the_data_sets(cylinder_data):
    with pytest.raises(ValueError, match=r"body_until: rig is one of 6 channels"):
        train_with("body_until", rc.sources.example_body(), 1.0, data=cylinder_data)


def test_samples_that_are_no_data_set_are_refused():
    with pytest.raises(ValueError, match=r"body_until: data is a str without skeleton"):
        train_with("body_until", small_rig(), 1.0, data="samples.rwdata")


def test_a_rig_without_tolerance_is_no_data_set():
    with pytest.raises(ValueError, match="body: data is a CylinderRig without"):
        train_with("body", small_rig())


@pytest.mark.parametrize(("name", "value"), [("poses", 0), ("poses", 1.5), ("workers", -1)])
def test_numbers_out_of_range_are_refused(tmp_path, name, value):
    with pytest.raises(ValueError, match=f"{name} is {value}"):
        train_with("body_until", small_rig(), 1.0, folder=tmp_path / "f", **{name: value})


def test_the_folder_is_no_file(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match=r"body_until: folder is .*file"):
        until(tmp_path / "file")


def test_parts_of_joined_sets_stay_when_sets_are_added(tmp_path):
    sets = [
        rc.sampling.sample(small_rig(), tmp_path / f"{seed}.rwdata", count=30 + seed, seed=seed, probe=0)
        for seed in range(3)
    ]
    two, three = JoinedSets(sets[:2]), JoinedSets(sets)
    for few, many in zip(two.split(0.2, 3), three.split(0.2, 3), strict=True):
        assert np.array_equal(few, many[: len(few)])
    rows = np.array([0, 29, 30, 60, 61, 92])
    for one, parts in zip(three.take(rows), ("channels", "poses", "vertices"), strict=True):
        assert np.array_equal(one, np.concatenate([getattr(part, parts) for part in sets])[rows])
    assert len(three) == 93
    assert two.hash != three.hash
