"""``--dials-only``: joints are no inputs, and a model without joints needs no telling."""

from __future__ import annotations

import pytest

import rigcast as rc
from tests.cli.command import json_of
from tests.support.characters.lid import lid_file, lid_rig
from tests.support.characters.second_face import first_face


@pytest.fixture(scope="module")
def lids(tmp_path_factory):
    """A folder with the rig, a data set of its dials, and a regression on it."""
    folder = tmp_path_factory.mktemp("lids")
    lid_file(folder / "lid.npz")
    json_of("sample", "lid.npz", "-o", "lid.rwdata", "--count", 40, "--dials-only", folder=folder)
    rc.baselines.pca_regression(rc.Dataset(folder / "lid.rwdata"), 2).save(folder / "lid.safetensors")
    return folder


def test_sampled_poses_are_the_dials(lids):
    assert rc.Dataset(lids / "lid.rwdata").pose_names == ["blink", "squint"]


def test_info_shows_no_joints(lids):
    assert json_of("info", "lid.npz", "--dials-only", folder=lids)["joints"] == 0


def test_a_regression_of_the_set_is_evaluated_on_it(lids):
    assert json_of("evaluate", "lid.safetensors", "lid.rwdata", folder=lids)["poses"] == 40


def test_the_rig_is_timed_beside_a_model_of_its_dials(lids):
    given = ["--data", "lid.rwdata", "--rig", "lid.npz", "--runs", "10"]
    assert json_of("bench", "lid.safetensors", *given, folder=lids)["rig"]["milliseconds"] > 0


def test_a_model_without_joints_is_timed_without_data(lids):
    assert len(json_of("bench", "lid.safetensors", "--runs", "10", folder=lids)["rows"]) == 2


def opened(path, learned=None, dials_only=False):
    from argparse import Namespace

    from rigcast.cli._inputs.rigs import opened_rig

    given = Namespace(mesh=None, armature=None, limits=None, ranges=None, blender=None, dials_only=dials_only)
    with opened_rig(given, path, learned) as rig:
        return rig.skeleton


def test_a_rig_has_its_joints_by_default(lids):
    assert opened(lids / "lid.npz").num_joints == 2


def test_asked_for_it_has_none(lids):
    assert opened(lids / "lid.npz", dials_only=True) is None


def test_a_data_set_without_joints_implies_it(lids):
    assert opened(lids / "lid.npz", rc.Dataset(lids / "lid.rwdata")) is None


def test_a_model_without_joints_implies_it(lids):
    assert opened(lids / "lid.npz", rc.load(lids / "lid.safetensors")) is None


def test_a_model_with_joints_does_not(lids, tmp_path):
    data = rc.sampling.sample(lid_rig(), tmp_path / "joints.rwdata", 8, probe=0)
    assert opened(lids / "lid.npz", data).num_joints == 2


def test_a_character_with_channels_of_joints_is_left_as_it_is(lids, tmp_path):
    """Whoever compares it with the model says what is wrong."""
    from tests.support.made.cylinder_models import cylinder_file

    cylinder_file(tmp_path / "hero.npz")
    assert opened(tmp_path / "hero.npz", first_face()).num_joints == 4


def test_a_character_without_dials_is_refused(lids, tmp_path, run):
    from tests.support.made.cylinder_models import cylinder_file

    cylinder_file(tmp_path / "hero.npz")
    code, last = run("sample", tmp_path / "hero.npz", "-o", tmp_path / "x.rwdata", "--dials-only")
    assert code == 2
    assert "none of which is a numeric control; it must be one with dials" in last
