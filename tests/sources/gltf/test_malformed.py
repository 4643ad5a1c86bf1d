"""glTF files that are not as they must be: a ValueError in words, whatever they hold."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rigcast as rc
from rigcast.sources import load
from tests.support.damage import damaged_bytes
from tests.support.glb import character, container

ROOT = Path(rc.__file__).parents[1]


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


def test_reading_needs_numpy_alone(tmp_path):
    """Inside a host's own Python nothing else is installed: what is not in the standard library is blocked."""
    path = character().write(tmp_path / "hero.glb")
    code = (
        "import sys\n"
        "class Block:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        top = name.partition('.')[0]\n"
        "        if top not in {'rigcast', 'numpy'} and top not in sys.stdlib_module_names: raise ImportError(name)\n"
        "sys.meta_path.insert(0, Block())\n"
        "import rigcast as rc; print(len(rc.sources.load(sys.argv[1]).rest_vertices))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr


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
        (edited("nodes", value=[None]), "load: "),
        (edited("meshes", value={}), "load: "),
        (edited("skins", value=3), "load: "),
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
    assert str(caught.value).startswith(("load: ", "Joints: "))


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
    with pytest.raises(ValueError, match=r"load: (path|mesh) is"):
        load(tmp_path / f"bad{suffix}")


@pytest.fixture(scope="module")
def small():
    return character().bytes()


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_files_raise_value_errors_or_load(small, tmp_path, data):
    path = tmp_path / "damaged.glb"
    path.write_bytes(damaged_bytes(data, small, most=6))
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


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
