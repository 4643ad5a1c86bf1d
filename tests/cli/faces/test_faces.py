"""A face made in Python reaches every command, whatever file it is in."""

from __future__ import annotations

import re
from argparse import Namespace

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli._inputs.viewed import opened
from rigcast.viewer._figures._opening import figure_of
from tests.cli.command import json_of, rigcast_command
from tests.differential.anchored import two_shields, welded

FILES = ("face.safetensors", "face.npz", "face.glb", "take.glb")  # the last as solve delivers it: the head moves
RIG_OPTIONS = {"mesh": None, "armature": None, "limits": None, "ranges": None, "blender": None, "dials_only": False}


def lashed_face() -> rc.BlendshapeRig:
    """Lashes welded to a lid, two shapes and a corrective; in centimeters, z up."""
    faces, count = welded("lash")
    points = np.concatenate([two_shields()[0], np.float32([[0, 0, 2], [1, 0, 2], [0, 0, 3], [1, 0, 3]])])
    rng = np.random.default_rng(0)
    lid, lips, both = 0.1 * rng.standard_normal((3, count, 3)).astype(np.float32)
    facts = {"name": "lashes", "meters_per_unit": 0.01, "up_axis": "Z"}
    return rc.BlendshapeRig(points, [lid, lips], [((0, 1), both)], ["lid", "lips"], faces=faces, metadata=facts)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("faces")
    face = lashed_face()
    face.save(folder / "face.safetensors")
    rc.exports.write_rig(folder / "face.npz", face)
    rc.exports.write_rig(folder / "face.glb", face)
    head = np.tile(np.eye(3, 4), (9, 1, 1))
    head[:, 0, 3] = np.arange(9)
    weights = np.random.default_rng(1).random((9, 2)).astype(np.float32)
    rc.exports.write_blendshape_weights(folder / "take.glb", face, weights, fps=30.0, transforms=head)
    return folder


@pytest.mark.parametrize("name", FILES)
def test_a_face_is_sampled_with_its_correctives_and_measured(folder, name, tolerance):
    told = json_of("sample", name, "-o", f"{name}.rwdata", "--count", 12, "--dials-only", folder=folder)
    data = rc.Dataset(folder / f"{name}.rwdata")
    assert data.pose_names == ["lid", "lips"]
    assert told.get("held_at_rest", []) == (["lashes.tx", "lashes.ty", "lashes.tz"] if name == "take.glb" else [])
    face = rc.sources.load_blendshapes(folder / name)
    np.testing.assert_allclose(face.evaluate(data.poses), data.vertices, atol=tolerance["float32_scaled"])
    assert ["held at rest" in note for note in told["notes"]] == [True] * (name == "take.glb")
    assert json_of("evaluate", name, f"{name}.rwdata", folder=folder)["max_mm"] < 0.01


def test_what_is_held_is_said_in_one_line(folder):
    done = rigcast_command("sample", "take.glb", "-o", "held.rwdata", "--count", 5, "--dials-only", folder=folder)
    (line,) = [line for line in done.stdout.splitlines() if "held" in line and "note" in line]
    assert line == (
        "note: take.glb: dials only: 3 channels that are no dials are held at rest: lashes.tx, lashes.ty, lashes.tz"
    )
    assert json_of("info", "take.glb", "--dials-only", folder=folder)["held_at_rest"][0] == "lashes.tx"


@pytest.mark.parametrize("name", FILES)
def test_a_face_is_viewed(folder, name):
    with opened(Namespace(rig=None, **RIG_OPTIONS), folder / name) as subject:
        assert figure_of(subject, name).name == name


@pytest.mark.parametrize("kind", ["differential", "face-maps"])
def test_a_face_is_trained_from_its_file(folder, kind):
    """Edges with three faces, as between lashes and lids, are no obstacle."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    output = f"{kind}.safetensors"
    small = ["--steps", "3", "--hidden", "8", "--threads", "1", "--count", "40"]
    told = json_of("train", kind, "face.safetensors", "-o", output, *small, folder=folder)
    assert told["outputs"] == [output]
    assert rc.Dataset(folder / f"{output}.rwdata").pose_names == ["lid", "lips"]


def test_a_file_of_others_says_that_its_targets_are_dials(folder, tmp_path):
    content = (folder / "face.glb").read_bytes()
    (tmp_path / "other.glb").write_bytes(content.replace(b'"rigcast": {"corr', b'"unknown": {"corr'))
    done = rigcast_command("sample", "other.glb", "-o", "x.rwdata", "--count", 5, folder=tmp_path)
    assert "note: other.glb: its 3 morph targets are dials of their own" in done.stdout
    assert rc.Dataset(tmp_path / "x.rwdata").pose_names == ["lid", "lips", "lid * lips"]


DAMAGED = [
    (b'[["lid"], ["lips"]]', b'[["lid"], ["lid" ]]', "a corrective of the same driver twice"),
    (b'[["lid"], ["lips"]]', b'[["lid"]          ]', "or of one alone"),
    (b'[["lid"], ["lips"]]', b'[["lid"], [ 1, 2]] ', "lists of a name and 0 more"),
    (b'["lid", 0.0, 1.0]', b'["lid", 2.0, 1.0]', "finite numbers that ascend"),
    (b'["lid", 0.0, 1.0]', b'["lid", "0", 1.0]', "['0', 1.0]; it must be a list of 2 numbers"),
    (b'["lid", 0.0, 1.0]', b'["lid", [], [] ] ', "[[], []]; it must be a list of 2 numbers"),
]


@pytest.mark.parametrize(("old", "new", "words"), DAMAGED, ids=[words for *_, words in DAMAGED])
def test_damaged_notes_are_refused(folder, tmp_path, old, new, words):
    content = (folder / "face.glb").read_bytes()
    assert old in content
    assert len(old) == len(new)
    (tmp_path / "damaged.glb").write_bytes(content.replace(old, new))
    for read in (rc.sources.load, rc.sources.load_blendshapes):
        with pytest.raises(ValueError, match=re.escape(words)):
            read(tmp_path / "damaged.glb")


def test_a_target_that_lost_its_driver_is_a_shape(folder, tmp_path):
    content = (folder / "face.glb").read_bytes()
    (tmp_path / "renamed.glb").write_bytes(content.replace(b'Names": ["lid", ', b'Names": ["lad", '))
    assert rc.sources.load_blendshapes(tmp_path / "renamed.glb").shape_names == ["lad", "lips", "lid * lips"]


def test_python_is_told_how_a_face_becomes_a_rig(tmp_path):
    with pytest.raises(ValueError, match=r"a BlendshapeRig; it must be a rig: rigcast\.sources\.rig_of_face\(face\)"):
        rc.sampling.sample(lashed_face(), tmp_path / "x.rwdata", 5)
