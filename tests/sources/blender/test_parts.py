"""Several meshes of one armature are one character with named parts."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.sources.conftest import Host

PARTS = ["Body", "Brows", "Clothes", "Eye"]


def test_all_meshes_that_the_armature_moves_are_parts(host: Host) -> None:
    rig = host.rig("dressed")
    assert (rig.meshes, rig.surface.parts) == (PARTS, PARTS)


def test_what_is_left_out_is_named_with_the_reason(host: Host) -> None:
    assert host.rig("dressed").left_out == [
        "'Handle': the shape of a bone",
        "'Prop': no armature of the character moves it",
        "'Proxy': hidden in renders",
    ]


def test_parts_move_as_each_mesh_alone(host: Host) -> None:
    rig = host.rig("dressed")
    channels = np.random.default_rng(0).uniform(*rig.channel_ranges.T, size=(4, len(rig.channel_names)))
    whole = rig.sample(channels)[1]
    for name in PARTS:
        with host.open("dressed", mesh=name, armature="Rig") as part:
            mine = [known.replace("shape.", f"shape.{name}.", 1) for known in part.channel_names]
            columns = [rig.channel_names.index(known) for known in mine]
            np.testing.assert_array_equal(whole[:, rig.surface.vertices_of(name)], part.sample(channels[:, columns])[1])


def test_parts_may_be_named_in_an_order(any_host: Host) -> None:
    with any_host.open("dressed", mesh=["Eye", "Body"]) as rig:
        assert rig.surface.parts == ["Eye", "Body"]
        assert np.flatnonzero(rig.surface.vertex_parts == 0).tolist() == [0, 1, 2]
        assert "'Clothes': not asked for" in rig.left_out


def test_shape_keys_of_one_name_keep_the_names_of_their_meshes(host: Host) -> None:
    rig = host.rig("dressed")
    assert [name for name in rig.channel_names if name.startswith("shape.")] == [
        "shape.Body.wide",
        "shape.Clothes.wide",
    ]


def test_a_rigid_part_rests_on_its_bone(host: Host, tolerance) -> None:
    rig = host.rig("dressed")
    row = rig.channel_rest.copy()
    row[rig.channel_names.index("bone2.rotation_y")] = 30.0
    poses, vertices = rig.sample([rig.channel_rest, row])
    eye = rig.surface.vertices_of("Eye")
    world = rig.skeleton.globals(poses)[:, rig.skeleton.names.index("bone2")].astype(np.float64)
    local = np.linalg.solve(world[0, :, :3], (vertices[0, eye] - world[0, :, 3]).T)
    np.testing.assert_allclose(
        vertices[1, eye], (world[1, :, :3] @ local).T + world[1, :, 3], atol=tolerance["float32_scaled"]
    )


def test_materials_of_one_name_are_one_and_unused_ones_are_left_out(host: Host) -> None:
    surface = host.rig("dressed").surface
    assert surface.materials == ["skin", "nails", "cotton"]


def test_faces_have_the_materials_of_their_polygons(host: Host) -> None:
    rig = host.rig("dressed")
    of_clothes = np.isin(rig.faces[:, 0], rig.surface.vertices_of("Clothes"))
    named = [rig.surface.materials[kind] for kind in rig.surface.face_materials[of_clothes][:4]]
    assert named == ["cotton", "skin", "cotton", "skin"]


def test_vertices_at_a_seam_have_several_texture_coordinates(host: Host, tolerance) -> None:
    rig = host.rig("dressed")
    seam = rig.faces == 0
    found = rig.surface.uvs[np.unique(rig.surface.uv_faces[seam])]
    np.testing.assert_allclose(
        found[np.argsort(found[:, 0])], [[0.05, 0.05], [0.95, 0.05]], atol=tolerance["float64_converged"]
    )


def test_texture_coordinates_stay_in_their_tiles(host: Host) -> None:
    assert host.rig("dressed").surface.tiles == [(0, 0), (1, 0)]


def test_other_uv_maps_are_named(host: Host) -> None:
    assert "UV map 'Spare' of mesh 'Body' is left out: no render uses it" in host.rig("dressed").notes


def test_licences_of_all_meshes_are_stated(host: Host) -> None:
    assert host.rig("dressed").licence == "CC0-1.0; CC-BY-4.0"


def test_a_bone_that_carries_a_mesh_counts_as_deforming(any_host: Host) -> None:
    with any_host.open("dressed", mesh="Eye", limits={"bone0.rotation_x": (-1.0, 1.0)}) as rig:
        assert "bone2" not in rig.resting  # its own limits move it


@pytest.mark.parametrize("workers", [1, 2])
def test_data_sets_have_the_same_bytes_for_any_workers(any_host: Host, tmp_path, workers: int) -> None:
    rig = any_host.rig("dressed")
    ds = rc.sampling.sample(rig, tmp_path / "a", count=6, workers=workers, shard_rows=2, probe=0)
    again = rc.sampling.sample(rig, tmp_path / "b", count=6, workers=1, shard_rows=2, probe=0)
    assert (ds.hash, ds.surface.parts) == (again.hash, PARTS)
