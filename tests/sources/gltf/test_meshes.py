"""glTF meshes without skins, of several primitives, of several nodes."""

import numpy as np
import pytest

from rigcast.sources import load
from tests.support.glb import (
    Gltf,
    animated_values,
    character,
    close,
    random_quaternions,
    slow_vertices,
)


def plain(mode=4, indices=None, count=6):
    """One mesh without a skin under a parent placed by a matrix."""
    g = Gltf()
    random = np.random.default_rng(0)
    g.json["nodes"] = [
        {"children": [1], "matrix": [0, 0, 2, 0, 2, 0, 0, 0, 0, 2, 0, 0, 5, 6, 7, 1]},
        {"mesh": 0, "translation": [1, 2, 3]},
    ]
    primitive = {"attributes": {"POSITION": g.add(random.normal(size=(count, 3)))}, "mode": mode}
    if indices is not None:
        primitive["indices"] = g.add(np.array(indices)[:, None], "u1")
    g.json["meshes"] = [{"primitives": [primitive]}]
    return g


def test_an_unskinned_mesh_stands_where_its_nodes_put_it(tmp_path, tolerance):
    g = plain()
    rig = load(g.write(tmp_path / "prop.glb"))
    assert rig.skeleton is None
    close(rig.rest_vertices, slow_vertices(g, 1, {}), tolerance)


def test_an_unskinned_mesh_that_moves_has_one_joint(tmp_path, tolerance):
    g = plain()
    times, turns = g.add([[0.0], [1.0]]), g.add(random_quaternions(np.random.default_rng(1), 2))
    target = {"node": 1, "path": "rotation"}
    g.json["animations"] = [
        {
            "name": "spin",
            "samplers": [{"input": times, "output": turns}],
            "channels": [{"sampler": 0, "target": target}],
        }
    ]
    rig = load(g.write(tmp_path / "prop.glb"))
    assert rig.joints.names == ["node 1"]
    for time, got in zip([0, 0.4, 1], rig.sample_clip("spin", times=[0, 0.4, 1])[1], strict=True):
        close(got, slow_vertices(g, 1, animated_values(g, "spin", time)), tolerance)
    close(rig.sample(rig.play("spin"))[1], rig.sample_clip("spin")[1], tolerance)


@pytest.mark.parametrize(
    ("mode", "indices", "faces"),
    [
        (4, None, [[0, 1, 2], [3, 4, 5]]),
        (4, [2, 1, 0, 5, 5], [[2, 1, 0]]),
        (5, None, [[0, 1, 2], [1, 3, 2], [2, 3, 4], [3, 5, 4]]),
        (6, [3, 0, 1, 2], [[3, 0, 1], [3, 1, 2]]),
    ],
)
def test_triangle_modes(tmp_path, mode, indices, faces):
    rig = load(plain(mode, indices).write(tmp_path / "prop.glb"))
    assert rig.faces[:, :3].tolist() == faces


def two_meshes(*, one_skin):
    g = character()
    g.json["nodes"].append({"name": "hat", "mesh": 1, "skin": 0 if one_skin else 1})
    g.json["meshes"].append({"name": "felt", "primitives": [g.json["meshes"][0]["primitives"][2]]})
    g.json["skins"].append(dict(g.json["skins"][0]))
    return g


def test_several_meshes_on_one_skin_are_one_character(tmp_path, tolerance):
    g = two_meshes(one_skin=True)
    rig = load(g.write(tmp_path / "hero.glb"))
    assert rig.dial_names == ["body.smile", "body.frown", "hat.morph 0", "hat.morph 1"]
    animated = animated_values(g, "wave", 0.4)
    got = rig.sample_clip("wave", times=[0.4])[1][0]
    close(got, np.concatenate([slow_vertices(g, 0, animated), slow_vertices(g, 6, animated)]), tolerance)
    only = load(tmp_path / "hero.glb", mesh="hat")
    close(only.sample_clip("wave", times=[0.4])[1][0], slow_vertices(g, 6, animated), tolerance)


def test_a_skin_for_each_mesh_is_one_character(tmp_path, tolerance):
    g = two_meshes(one_skin=False)
    rig, one = load(g.write(tmp_path / "two.glb")), load(two_meshes(one_skin=True).write(tmp_path / "one.glb"))
    close(rig.sample_clip("wave", times=[0.4])[1], one.sample_clip("wave", times=[0.4])[1], tolerance)


def test_several_characters_need_a_name(tmp_path):
    g = two_meshes(one_skin=False)
    g.json["nodes"].append({"name": "another"})
    g.json["skins"][1] = {"joints": [len(g.json["nodes"]) - 1] * 1}
    for primitive in g.json["meshes"][1]["primitives"]:
        primitive["attributes"]["JOINTS_0"] = g.add(np.zeros((4, 4)), "u1")
    path = g.write(tmp_path / "two.glb")
    with pytest.raises(ValueError, match="mesh is not given; it must be one of body, hat"):
        load(path)
    with pytest.raises(ValueError, match="mesh is 'shoe', the name of 0 meshes; it must be one of body, hat"):
        load(path, mesh="shoe")
    assert len(load(path, mesh="felt").rest_vertices) == 4
