"""Parts, materials and texture coordinates of a rig in its data set and in what is learned from it."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast._rigs.surface import Surface, surface_of
from tests.sampling.rigs import write_manifest
from tests.support.characters.small_rig import small_rig
from tests.support.characters.surfaces import same_surface

FILES = ["vertex_parts.npy", "face_materials.npy", "uvs.npy", "uv_faces.npy"]


@pytest.fixture
def ds(tmp_path):
    return rc.sampling.sample(small_rig(), tmp_path / "small.rwdata", count=4, probe=0)


def test_a_data_set_keeps_it(ds):
    assert same_surface(rc.Dataset(ds.path).surface, small_rig().surface)


def test_a_baseline_keeps_it(ds):
    assert same_surface(surface_of(rc.baselines.linear_blend(ds, influences=2)), ds.surface)


def test_a_rig_without_any_has_no_files_of_it(whole):
    assert not [name for name in FILES if (whole.path / name).exists()]
    assert same_surface(whole.surface, Surface())


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named(ds, name):
    (ds.path / name).unlink()
    with pytest.raises(ValueError, match=f"^Dataset: {name} is "):
        rc.Dataset(ds.path)


@pytest.mark.parametrize("name", FILES)
def test_a_changed_file_is_found(ds, name):
    content = bytearray((ds.path / name).read_bytes())
    content[-4] ^= 1
    (ds.path / name).write_bytes(content)
    with pytest.raises(ValueError, match=name):
        rc.Dataset(ds.path).verify()


@pytest.mark.parametrize("name", ["vertex_parts.npy", "face_materials.npy", "uv_faces.npy"])
def test_indices_out_of_range_are_refused(ds, name):
    array = np.load(ds.path / name)
    array.flat[0] = 1000
    np.save(ds.path / name, array)
    with pytest.raises(ValueError, match=f"Dataset: .*{name}.* do not fit the mesh"):
        rc.Dataset(ds.path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"parts": ["body", "body"]}, "parts is .*a list of names without repeats"),
        ({"num_uvs": -1}, "num_uvs is -1; it must be an integer from 0"),
        ({"num_uvs": 2**62}, r"uvs.npy is <f4 \(31, 2\); it must be"),
        ({"clips": [{"name": "walk", "fps": 0}]}, "clips is .*positive number or null"),
        ({"parts": []}, "files is .*the SHA-256 of every file"),
    ],
)
def test_a_wrong_manifest_is_refused(ds, change, message):
    write_manifest(ds.path, {**ds.manifest, **change})
    with pytest.raises(ValueError, match=message):
        rc.Dataset(ds.path)


@pytest.mark.parametrize(
    ("surface", "message"),
    [
        (Surface(["all"], np.zeros(29, int)), r"rig.surface.vertex_parts is of 29 rows; it must be of 30"),
        (Surface(uvs=np.zeros((3, 2)), uv_faces=np.zeros((7, 4), int)), "rig.surface.uv_faces is of 7 rows"),
        (Surface(uvs=np.zeros((3, 2)), uv_faces=np.zeros((8, 4), int)), "rig.surface.uv_faces is .* at face 7"),
        ("skin", "surface is a str; it must be a rigcast.sources.Surface"),
    ],
)
def test_a_surface_of_another_mesh_is_refused(surface, message, tmp_path):
    rig = small_rig()
    rig.surface = surface
    with pytest.raises(ValueError, match=message):
        rc.sampling.sample(rig, tmp_path / "a", count=2, probe=0)
