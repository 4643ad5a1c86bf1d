"""Hostile manifests and headers of a data set: refused by name, whatever stands in them."""

import json
import shutil

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rigcast as rc
from tests.sampling.rigs import write_manifest
from tests.support.damage import damaged_stretch

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def attempt(folder):
    """The data set, or what the error says."""
    try:
        return rc.Dataset(folder), ""
    except ValueError as error:
        return None, str(error)


@pytest.fixture(scope="module")
def scratch(whole, tmp_path_factory):
    return shutil.copytree(whole.path, tmp_path_factory.mktemp("scratch") / "a")


@given(data=st.data())
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_value_in_any_place_of_the_manifest(whole, scratch, data):
    manifest = json.loads(json.dumps(whole.manifest))
    place, key = manifest, data.draw(st.sampled_from(sorted(manifest)))
    while isinstance(place[key], list | dict) and place[key] and data.draw(st.booleans()):
        place = place[key]
        key = data.draw(st.sampled_from(sorted(place)) if isinstance(place, dict) else st.integers(0, len(place) - 1))
    action = data.draw(st.sampled_from(["replace", "remove", "add"]))
    if action == "remove":
        del place[key]
    elif action == "add" and isinstance(place, dict):
        place[data.draw(st.text(max_size=9))] = data.draw(JSON)
    else:
        place[key] = data.draw(JSON | st.sampled_from([2**31, 2**63, 10**40, -1, 0, 1e38, "X"]))
    write_manifest(scratch, manifest)
    ds, message = attempt(scratch)
    if ds is None:
        assert message.startswith("Dataset: ")
        assert "; it must be " in message
    else:
        assert ds.vertices.shape == whole.vertices.shape
        assert ds.poses.shape == (50, len(ds.pose_names))
        assert ds.channels.shape == (50, len(ds.channel_names))
        assert ds.channel_ranges.shape == (len(ds.channel_names), 2)
        assert ds.skeleton.num_joints == 3


@given(data=st.data())
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_in_the_manifest(whole, scratch, data):
    content = damaged_stretch(data, (whole.path / "manifest.json").read_bytes())
    (scratch / "manifest.json").write_bytes(content)
    ds, message = attempt(scratch)
    if ds is None:
        assert message.startswith("Dataset: manifest.json")
    else:
        assert ds.manifest == whole.manifest


@given(data=st.data())
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_in_the_header_of_an_array(whole, scratch, data):
    shutil.copy(whole.path / "manifest.json", scratch)
    name = data.draw(st.sampled_from(["faces.npy", "rest_vertices.npy", "00001.vertices.npy", "skeleton_rest.npy"]))
    original = (whole.path / name).read_bytes()
    (scratch / name).write_bytes(damaged_stretch(data, original, longest=8, last=140))
    ds, message = attempt(scratch)
    (scratch / name).write_bytes(original)
    if ds is None:
        assert message.startswith((f"Dataset: {name}", "Dataset: faces.npy"))
    else:
        assert ds.vertex_rows.shape == whole.vertices.shape


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, r"version 2; it must be a manifest of format 'rigcast.dataset', version 1"),
        ({"version": True}, "version True; it must be"),
        ({"format": "other"}, "a file of format 'other'"),
        ({"color": "red"}, "with the unknown field 'color'"),
        ({"count": 10**18}, "manifest.json: shards is "),
        (
            {"num_vertices": 2**62},
            r"rest_vertices.npy is <f4 \(32, 3\); it must be a .npy file of <f4 \(4611686018427387904",
        ),
        ({"joint_parents": [1, 0, 1]}, r"joint_parents is \[1, 0, 1\]; it must be one integer for each joint"),
        ({"channel_ranges": []}, r"channel_ranges is \[\]; it must be one \[lowest, highest\] for each channel"),
        ({"meters_per_unit": -1}, "meters_per_unit is -1; it must be a positive number"),
    ],
)
def test_wrong_manifests(folder, whole, change, message):
    write_manifest(folder, {**whole.manifest, **change})
    with pytest.raises(ValueError, match=message):
        rc.Dataset(folder)


@pytest.mark.parametrize("text", ["", "[]", "null", "{", '{"a": 1, "a": 2}', '{"a": NaN}', "[" * 100000, "\ud800"])
def test_what_is_no_manifest(folder, text):
    (folder / "manifest.json").write_text(text, errors="surrogatepass")
    with pytest.raises(ValueError, match=r"^Dataset: manifest.json is .*; it must be a JSON object"):
        rc.Dataset(folder)


def test_edited_manifest(folder, whole):
    text = (folder / "manifest.json").read_text().replace("CC0-1.0", "CC0-1.1")
    (folder / "manifest.json").write_text(text)
    with pytest.raises(ValueError, match="another hash than its content has; it must be unchanged"):
        rc.Dataset(folder)
