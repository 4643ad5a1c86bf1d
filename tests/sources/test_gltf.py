import json
import pickle
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rigwright.extras import MissingExtra
from rigwright.sources import Rig, load
from tests.support.glb import (
    Gltf,
    animated_values,
    character,
    container,
    random_quaternions,
    slow_vertices,
)

pytest.importorskip("pygltflib", reason="needs the gltf extra")

TIMES = [-1.0, 0.0, 0.1, 0.3, 0.5, 0.55, 0.9, 1.3, 1.9, 2.0, 7.0]


def close(got, expected, tolerance):
    np.testing.assert_allclose(got, expected, atol=tolerance["float32_sum"] * max(1, np.abs(expected).max()))


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
@pytest.mark.parametrize("bind_is_default", [True, False])
@pytest.mark.parametrize("clip", ["wave", "steps"])
def test_clips_agree_with_the_specification(tmp_path, tolerance, suffix, bind_is_default, clip):
    g = character(bind_is_default=bind_is_default)
    rig = load(g.write(tmp_path / f"hero{suffix}"))
    poses, vertices = rig.sample_clip(clip, times=TIMES)
    for time, got in zip(TIMES, vertices, strict=True):
        close(got, slow_vertices(g, 0, animated_values(g, clip, time)), tolerance)
    assert poses.shape == (len(TIMES), 12 * 3 + 2)


def test_is_a_rig_with_joints_parents_first(tmp_path):
    rig = load(character().write(tmp_path / "hero.glb"))
    assert isinstance(rig, Rig)
    assert rig.joints.names == ["hip", "knee", "ankle"]
    assert rig.joints.parents.tolist() == [-1, 0, 1]
    assert rig.control_names == ["smile", "frown"]
    assert (rig.licence, rig.name, rig.up_axis, rig.meters_per_unit) == ("CC0", "hero", "Y", 1.0)
    assert len(rig.rest_vertices) == 16
    faces = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11], [0, 4, 8], [12, 13, 14], [13, 15, 14]]
    assert rig.faces[:, :3].tolist() == faces
    assert (rig.faces[:, 3] == -1).all()
    assert set(rig.clips) == {"wave", "steps"}
    assert rig.clips["steps"].duration == 2.0


@pytest.mark.parametrize("bind_is_default", [True, False])
def test_rest_is_the_bind_pose(tmp_path, tolerance, bind_is_default):
    g = character(bind_is_default=bind_is_default)
    rig = load(g.write(tmp_path / "hero.glb"))
    zero = np.zeros((1, len(rig.channels)))
    poses, vertices = rig.sample(zero)
    close(vertices[0], rig.rest_vertices, tolerance)
    close(poses[0, :36], np.asarray(rig.skeleton.rest).ravel(), tolerance)
    if bind_is_default:  # then it is the file's default pose, without morphs
        close(rig.rest_vertices, slow_vertices(g, 0, {(0, "weights"): np.zeros(2)}), tolerance)


def test_channels_play_rotations_and_morphs_exactly(tmp_path, tolerance):
    rig = load(character(bind_is_default=True).write(tmp_path / "hero.glb"))
    channels = rig.play("wave", times=TIMES)
    close(rig.sample(channels)[1], rig.sample_clip("wave", times=TIMES)[1], tolerance)
    close(rig.sample(channels)[0], rig.sample_clip("wave", times=TIMES)[0], tolerance)


def test_frames_come_at_the_rate_asked_for(tmp_path):
    rig = load(character().write(tmp_path / "hero.glb"))
    assert len(rig.play("steps", fps=10)) == 21
    turn = rig.play("steps", fps=10)[5] - rig.play("steps", times=[0.5])[0]
    np.testing.assert_allclose(turn - 360 * np.round(turn / 360), 0, atol=1e-9)  # whole turns keep frames continuous
    motion = rig.motion("steps", fps=10)
    assert (len(motion), motion.frame_time, motion.joint_names) == (21, 0.1, rig.joints.names)


def test_ranges_come_from_the_clips_or_the_caller(tmp_path):
    path = character().write(tmp_path / "hero.glb")
    rig = load(path)
    seen = np.concatenate([rig.play(clip, fps=30) for clip in rig.clips])
    low, high = rig.channel_ranges.T
    slack = 0.05 * (high - low)  # frames of the search lie elsewhere
    assert (seen >= low - slack).all()
    assert (seen <= high + slack).all()
    assert rig.channel_rest[rig.channel_names.index("frown")] == 0.25
    fixed = load(path, ranges=45.0)
    rotations = [i for i, channel in enumerate(fixed.channels) if channel.kind.startswith("rotate")]
    assert len(rotations) == 9
    assert (fixed.channel_ranges[rotations] == [-45, 45]).all()


def test_files_without_clips_turn_by_thirty_degrees(tmp_path):
    g = character()
    del g.json["animations"]
    rig = load(g.write(tmp_path / "hero.glb"))
    assert len(rig.channels) == 11
    assert (rig.channel_ranges[:9] == [-30, 30]).all()
    assert (rig.channel_ranges[9:] == [0, 1]).all()


def test_joints_that_clips_leave_alone_have_no_channels(tmp_path):
    g = character(bind_is_default=True)
    g.json["animations"] = [g.json["animations"][0]]
    rig = load(g.write(tmp_path / "hero.glb"))
    assert {channel.joint for channel in rig.channels if channel.joint >= 0} == {0, 2}
    assert not [channel for channel in rig.channels if channel.kind.startswith("translate")]


def test_travels_to_another_process(tmp_path):
    rig = load(character().write(tmp_path / "hero.glb"))
    again = pickle.loads(pickle.dumps(rig))
    np.testing.assert_array_equal(again.sample_clip("wave")[1], rig.sample_clip("wave")[1])


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
    assert rig.control_names == ["body.smile", "body.frown", "hat.morph 0", "hat.morph 1"]
    animated = animated_values(g, "wave", 0.4)
    got = rig.sample_clip("wave", times=[0.4])[1][0]
    close(got, np.concatenate([slow_vertices(g, 0, animated), slow_vertices(g, 6, animated)]), tolerance)
    only = load(tmp_path / "hero.glb", mesh="hat")
    close(only.sample_clip("wave", times=[0.4])[1][0], slow_vertices(g, 6, animated), tolerance)


def test_several_characters_need_a_name(tmp_path):
    path = two_meshes(one_skin=False).write(tmp_path / "two.glb")
    with pytest.raises(ValueError, match="mesh is not given; it must be one of body, hat"):
        load(path)
    with pytest.raises(ValueError, match="mesh is 'shoe', the name of 0 meshes; it must be one of body, hat"):
        load(path, mesh="shoe")
    assert len(load(path, mesh="felt").rest_vertices) == 4


def test_wrong_calls_are_refused_in_words(tmp_path):
    path = character().write(tmp_path / "hero.glb")
    rig = load(path)
    with pytest.raises(ValueError, match="clip is 'run'; it must be one of wave, steps"):
        rig.play("run")
    with pytest.raises(ValueError, match="fps is 0"):
        rig.play("wave", fps=0)
    with pytest.raises(ValueError, match="times is not finite"):
        rig.sample_clip("wave", times=[np.nan])
    with pytest.raises(ValueError, match="ranges is -1"):
        load(path, ranges=-1.0)


def test_the_missing_extra_is_one_sentence(tmp_path, monkeypatch):
    path = character().write(tmp_path / "hero.glb")
    monkeypatch.setitem(sys.modules, "pygltflib", None)
    with pytest.raises(MissingExtra, match=r'^opening glTF files needs pygltflib: pip install "rigwright\[gltf\]"$'):
        load(path)


def test_external_buffers_beside_the_file_only(tmp_path):
    g = character()
    g.bytes()
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "my data.bin").write_bytes(g.blob)
    (tmp_path / "secret.bin").write_bytes(g.blob)
    for uri, fine in [("my%20data.bin", True), ("../secret.bin", False), (str(tmp_path / "secret.bin"), False)]:
        g.json["buffers"][0]["uri"] = uri
        (tmp_path / "in" / "hero.gltf").write_text(json.dumps(g.json))
        if fine:
            assert len(load(tmp_path / "in" / "hero.gltf").rest_vertices) == 16
        else:
            with pytest.raises(ValueError, match="a file beside the glTF file"):
                load(tmp_path / "in" / "hero.gltf")


def edited(*path, value):
    def edit(g):
        place = g.json
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value

    return edit


HUGE = 2**31 - 1


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (edited("asset", value={"version": "1.0"}), "glTF version '1.0'"),
        (edited("extensionsRequired", value=["KHR_draco_mesh_compression"]), "needs KHR_draco_mesh_compression"),
        (edited("buffers", 0, "uri", value="data:text/plain,abc"), "base64"),
        (edited("buffers", 0, "uri", value="data:;base64,@@@@"), "damaged base64"),
        (edited("bufferViews", 0, "byteOffset", value=HUGE), r"bufferViews\[0\].byteOffset"),
        (edited("bufferViews", 0, "byteLength", value=HUGE), r"bufferViews\[0\].byteLength"),
        (edited("bufferViews", 0, "byteLength", value=16), "inside the 16 bytes"),
        (edited("bufferViews", 0, "byteStride", value=4), "byteStride"),
        (edited("bufferViews", 0, "buffer", value=1), r"bufferViews\[0\].buffer"),
        (edited("accessors", 0, "count", value=HUGE), "count is 2147483647"),
        (edited("accessors", 0, "count", value=500), "inside the"),
        (edited("accessors", 0, "count", value=-1), "count is -1"),
        (edited("accessors", 0, "byteOffset", value=9), "inside the"),
        (edited("accessors", 0, "componentType", value=5124), "componentType is 5124"),
        (edited("accessors", 0, "type", value="VEC2"), "of type 'VEC2'"),
        (edited("accessors", 1, "componentType", value=5126), "unsigned integers|inside"),
        (edited("accessors", 0, "bufferView", value=99), "bufferView is 99"),
        (edited("accessors", 4, "sparse", "count", value=13), "sparse.count"),
        (edited("accessors", 4, "sparse", "count", value=6), "inside the"),
        (edited("accessors", 4, "count", value=11), "not ascending, or beyond|of 11 vertices"),
        (edited("accessors", 4, "count", value=8), "not ascending, or beyond"),
        (edited("nodes", 5, "children", value=[2]), r"nodes\[2\] is a child of two"),
        (edited("nodes", 5, "children", value=[1]), "its own ancestor"),
        (edited("nodes", 5, "children", value=[5]), "of itself"),
        (edited("nodes", 5, "children", value=[6]), "children is 6"),
        (edited("nodes", 5, "rotation", value=[0, 0, 0, 0]), "rotation is zero"),
        (edited("nodes", 5, "translation", value=[0, 0]), "a list of 3 numbers"),
        (edited("nodes", 5, "translation", value=[0, 0, 1e999]), "finite"),
        (edited("nodes", 5, "scale", value="big"), "a list of 3 numbers|not readable"),
        (edited("nodes", 2, "matrix", value=[1.0] * 16), "animated and placed by a matrix"),
        (edited("nodes", 0, "mesh", value=4), "mesh is 4"),
        (edited("nodes", 0, "skin", value=1), "skin is 1"),
        (edited("skins", 0, "joints", value=[5, 2, 2]), "a node twice"),
        (edited("skins", 0, "joints", value=[5, 2, 40]), "joints is 40"),
        (edited("skins", 0, "joints", value=[]), "empty"),
        (edited("skins", 0, "joints", value=[5]), "as high as"),
        (edited("skins", 0, "inverseBindMatrices", value=0), "of type 'VEC3'"),
        (edited("meshes", 0, "primitives", 0, "indices", value=0), "of type 'VEC3'"),
        (edited("meshes", 0, "primitives", 0, "attributes", value={"JOINTS_0": 1}), "POSITION is None"),
        (edited("meshes", 0, "primitives", 0, "attributes", "JOINTS_0", value=None), "without JOINTS_0"),
        (edited("meshes", 0, "primitives", 2, "attributes", "POSITION", value=0), "different counts"),
        (edited("meshes", 0, "primitives", 2, "targets", value=[]), "different numbers of targets"),
        (edited("meshes", 0, "primitives", value=[]), "without triangles"),
        (edited("meshes", 0, "weights", value=[1.0]), "a list of 2 numbers"),
        (edited("animations", 0, "samplers", 0, "interpolation", value="BEZIER"), "'BEZIER'"),
        (edited("animations", 0, "samplers", 0, "input", value=0), "of type 'VEC3'"),
        (edited("animations", 0, "channels", 0, "sampler", value=3), "sampler is 3"),
        (edited("animations", 0, "channels", 0, "target", "node", value=77), "target.node is 77"),
        (edited("animations", 0, "channels", 2, "target", "node", value=0), None),
        (edited("animations", 1, "samplers", 0, "interpolation", value="LINEAR"), "27 numbers"),
        (edited("nodes", value=None), "one of \\(the file has no mesh\\)"),
        (edited("nodes", value=[None]), "load_gltf_rig"),
        (edited("meshes", value={}), "load_gltf_rig"),
        (edited("skins", value=3), "load_gltf_rig"),
    ],
)
def test_malformed_files_are_refused_in_words(tmp_path, edit, words):
    g = character()
    g.bytes()
    edit(g)
    path = tmp_path / "bad.glb"
    text = json.dumps(g.json).encode()
    path.write_bytes(container(text + b" " * (-len(text) % 4), bytes(g.blob)))
    if words is None:
        load(path)
        return
    with pytest.raises(ValueError, match=words) as caught:
        load(path)
    assert str(caught.value).startswith(("load_gltf_rig: ", "Joints: "))


def test_singular_bind_matrices_are_refused(tmp_path):
    g = character()
    index = g.json["skins"][0]["inverseBindMatrices"]
    g.json["skins"][0]["inverseBindMatrices"] = g.add(np.zeros((3, 16)))
    assert index != g.json["skins"][0]["inverseBindMatrices"]
    with pytest.raises(ValueError, match="inverseBindMatrices is singular"):
        load(g.write(tmp_path / "flat.glb"))


def test_zeros_without_storage_cannot_outgrow_the_file(tmp_path):
    """Accessors without a view are zeros of any count; thousands of them would fill memory from a small file."""
    g = character()
    count = len(g.blob)
    zeros = {"componentType": 5126, "count": count, "type": "VEC3"}
    start = len(g.json["accessors"])
    g.json["accessors"] += [dict(zeros) for _ in range(3000)]
    attributes = {"POSITION": start, "JOINTS_0": 1, "WEIGHTS_0": 2}
    targets = [{"POSITION": start + k} for k in range(3000)]
    del g.json["nodes"][0]["skin"]
    g.json["meshes"][0]["primitives"] = [{"attributes": attributes, "targets": targets}]
    with pytest.raises(ValueError, match="grows out of proportion"):
        load(g.write(tmp_path / "zeros.glb"))


def test_an_endless_clip_is_no_endless_allocation(tmp_path):
    g = character()
    g.json["animations"][0]["samplers"][0]["input"] = g.add(np.array([[0.0], [1.0], [2.0], [1e30]]))
    rig = load(g.write(tmp_path / "long.glb"))
    assert np.isfinite(rig.sample_clip("wave", times=[1e29])[1]).all()
    with pytest.raises(ValueError, match="fewer than 1000000 frames"):
        rig.play("wave")


@pytest.mark.parametrize(
    "content", [b"", b"glTF", b"glTF\2\0\0\0\xff\xff\xff\xff", b"{}", b"[" * 100_000, b"\xff\xfe", b"3"]
)
@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
def test_garbage_is_refused(tmp_path, content, suffix):
    (tmp_path / f"bad{suffix}").write_bytes(content)
    with pytest.raises(ValueError, match=r"load_gltf_rig: (path|mesh) is"):
        load(tmp_path / f"bad{suffix}")


@pytest.fixture(scope="module")
def small():
    return character().bytes()


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_files_raise_value_errors_or_load(small, tmp_path, data):
    content = bytearray(small)
    if data.draw(st.booleans(), "truncate"):
        content = content[: data.draw(st.integers(0, len(content) - 1), "length")]
    for _ in range(data.draw(st.integers(0, 6), "edits")):
        if content:
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path / "damaged.glb"
    path.write_bytes(content)
    with np.errstate(all="ignore"):
        try:
            rig = load(path)
        except ValueError:
            return
        rig.sample(rig.channel_rest[None])


JSON_VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 40),
    st.sampled_from([2**31, 2**63, 10**400, 1e308, 0.5, "", "x", [], {}, [None], [[]], {"a": 1}]),
)


def places(value, here=()):
    """All paths into nested JSON."""
    yield here
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in entries:
        yield from places(child, (*here, key))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_json_in_any_place_raises_value_errors_or_loads(tmp_path, data):
    g = character()
    g.bytes()
    for _ in range(data.draw(st.integers(1, 3))):
        spots = [spot for spot in places(g.json) if spot]
        edited(*data.draw(st.sampled_from(spots)), value=data.draw(JSON_VALUES))(g)
    text = json.dumps(g.json).encode()
    path = tmp_path / "strange.glb"
    path.write_bytes(container(text + b" " * (-len(text) % 4), bytes(g.blob)))
    with np.errstate(all="ignore"):
        try:
            rig = load(path)
        except ValueError:
            return
        rig.sample(rig.channel_rest[None])


MODELS = {
    "Fox.glb": (1728, 24, 3),
    "MorphStressTest.gltf": (1528, 0, 3),
    "cesium_man.gltf": (3273, 19, 1),
    "fox-animations.glb": (1250, 49, 14),
    "horse-animations.glb": (2146, 56, 14),
    "human-female.glb": (24037, 66, 0),
    "human-male.glb": (7399, 66, 0),
}


@pytest.mark.parametrize("name", MODELS)
def test_real_characters_load_and_play(data_path, name, tolerance):
    rig = load(data_path("skinned_glb", name))
    vertices, joints, clips = MODELS[name]
    assert len(rig.rest_vertices) == vertices
    assert (len(rig.joints.names) if rig.joints else 0) == joints
    assert len(rig.clips) == clips
    size = np.ptp(rig.rest_vertices, axis=0).max()
    close(rig.sample(np.zeros((1, len(rig.channels))))[1][0] / size, rig.rest_vertices / size, tolerance)
    for clip, record in rig.clips.items():
        times = np.linspace(0, record.duration, 4)
        exact = rig.sample_clip(clip, times=times)[1]
        assert np.isfinite(exact).all()
        assert np.ptp(exact, axis=1).max() < 4 * size
        played = rig.sample(rig.play(clip, times=times))[1]
        assert np.abs(played - exact).max() < 5e-3 * size  # scaling is not a channel, nor are tiny shifts
