"""Bad input to the training of deformation maps: a named error or a stated fallback, never a crash or NaN."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast._rigs.surface import Surface
from tests.support.characters.mapped_face import MappedFace, clips_of
from tests.support.trainings import train_with

pytest.importorskip("torch", reason="PyTorch is not installed")

QUICK = {"steps": 4, "hidden": 8, "first_channels": 2, "channels": 4, "batch": 4, "threads": 1}


def trained(folder, rig, frames=30, count=4, probe=2):
    data = rc.sampling.sample(rig, folder / "face.rwdata", frames * count, sampler=clips_of(frames, count), probe=probe)
    return data, train_with("face_maps", data, **QUICK)


def notes(model):
    return " ".join(model.metadata["face_maps"]["notes"])


def finite(data, model):
    assert np.isfinite(model.evaluate(data.poses)).all()


def test_a_face_without_texture_coordinates_lies_on_charts(tmp_path):
    rig = MappedFace()
    rig.surface = Surface([], [], rig.surface.materials, rig.surface.face_materials)
    data, model = trained(tmp_path, rig)
    assert "without texture coordinates" in notes(model)
    finite(data, model)


def test_texture_on_one_point_gives_charts(tmp_path):
    rig = MappedFace()
    uvs = np.full_like(rig.surface.uvs, 0.5)
    rig.surface = Surface([], [], rig.surface.materials, rig.surface.face_materials, uvs, rig.faces)
    data, model = trained(tmp_path, rig)
    assert "its texture coordinates lie on a line" in notes(model)
    finite(data, model)


class Still(MappedFace):
    """The brow does not move."""

    def sample(self, channels):
        poses, vertices = super().sample(channels)
        upper = np.unique(self.faces[np.asarray(self.surface.face_materials) == 0])
        vertices[:, upper] = self.rest_vertices[upper]
        return poses, vertices


def test_a_segment_without_motion_stays_at_rest_and_a_note_says_so(tmp_path):
    data, model = trained(tmp_path, Still())
    assert "Without motion in all samples, left at rest: brow." in notes(model)
    upper = np.unique(data.faces[np.asarray(Still().surface.face_materials) == 0])
    np.testing.assert_array_equal(model.evaluate(data.poses[:1])[0, upper], data.rest_vertices[upper])


def test_a_control_without_effect_is_said(tmp_path):
    _, model = trained(tmp_path, MappedFace())
    assert "1 controls vary, but move nothing" in notes(model)
    assert "idle" in notes(model)


class Broken(MappedFace):
    """One vertex has no position in some poses."""

    def sample(self, channels):
        poses, vertices = super().sample(channels)
        vertices[np.asarray(channels)[:, 3] > 0.9, 0, 0] = np.nan
        return poses, vertices


def test_samples_that_are_not_finite_are_refused_with_their_row(tmp_path):
    with pytest.raises(rc.errors.SourceError, match=r"sample .*: the rig returned nan in vertices of channel row \d+"):
        trained(tmp_path, Broken())


def test_numbers_that_were_edited_to_nan_are_refused(tmp_path):
    """A data set is read through its hashes before anything is learned from it."""
    data, _ = trained(tmp_path, MappedFace())
    file = tmp_path / "face.rwdata" / "00000.vertices.npy"
    vertices = np.load(file)
    vertices[3, 5] = np.nan
    np.save(file, vertices)
    with pytest.raises(ValueError, match=r"00000\.vertices\.npy"):
        train_with("face_maps", rc.Dataset(data.path), **QUICK)


@pytest.mark.parametrize("count", [1, 2])
def test_too_few_poses_are_refused(tmp_path, count):
    with pytest.raises(
        ValueError, match=r"face_maps: data is \d rows to learn from and 1 held out; .* sample more poses"
    ):
        trained(tmp_path, MappedFace(), frames=count, count=1)
