"""Reading data sets: what is asked for arrives, and damaged or hostile folders are refused by name."""

import json
import os
import re
import shutil

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rigwright as rw
from rigwright.errors import SourceError
from rigwright.sampling._manifest import manifest_hash
from tests.sampling.rigs import SMALL, At, small_rig


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    return rw.sampling.sample(small_rig(), tmp_path_factory.mktemp("sound") / "a", **SMALL)


@pytest.fixture
def folder(sound, tmp_path):
    return shutil.copytree(sound.path, tmp_path / "a")


def test_shards_in_order_are_the_whole_set(sound):
    pieces = list(sound.shards())
    assert [len(piece[0]) for piece in pieces] == [16, 16, 16, 2]
    for position, whole in enumerate((sound.channels, sound.poses, sound.vertices)):
        np.testing.assert_array_equal(np.concatenate([piece[position] for piece in pieces]), whole)
        assert not any(piece[position].flags.writeable for piece in pieces)


def test_take_reads_rows_in_the_order_given(sound):
    rows = [49, 0, 17, 17, 31]
    for taken, whole in zip(sound.take(rows), (sound.channels, sound.poses, sound.vertices), strict=True):
        np.testing.assert_array_equal(taken, whole[rows])
    assert [len(array) for array in sound.take([])] == [0, 0, 0]


@pytest.mark.parametrize("rows", [[50], [-1], [0.5], [[0]], "all"])
def test_take_refuses_other_rows(sound, rows):
    with pytest.raises(ValueError, match=r"take: rows is .*; it must be integers .* from 0 to 49"):
        sound.take(rows)


def test_split_parts_the_rows(sound):
    training, held_out = sound.split(0.2, seed=3)
    assert len(held_out) == 10
    assert sorted([*training, *held_out]) == list(range(50))
    np.testing.assert_array_equal(held_out, sound.split(0.2, seed=3)[1])
    assert held_out.tolist() != sound.split(0.2, seed=4)[1].tolist()
    assert [len(part) for part in sound.split(0.0)] == [50, 0]
    with pytest.raises(ValueError, match=r"split: fraction is 1\.5; it must be a number from 0 to 1"):
        sound.split(1.5)


def test_nothing_can_be_written(sound):
    for array in (sound.vertices, sound.rest_vertices, sound.faces, sound.probe.poses):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


READS = {
    "take": lambda ds: ds.take([0, 20, 33]),
    "slice": lambda ds: ds.vertex_rows[10:40],
    "shards": lambda ds: list(ds.shards()),
    "vertices": lambda ds: ds.vertices,
}
reads = pytest.mark.parametrize("read", READS.values(), ids=READS)


@reads
def test_a_shard_cut_under_an_open_set_names_file_and_row(folder, read):
    ds = rw.Dataset(folder)
    size = (folder / "00001.vertices.npy").stat().st_size
    os.truncate(folder / "00001.vertices.npy", size - 11 * 32 * 12 - 1)  # 4 whole rows of 16 are left
    with pytest.raises(ValueError, match=r"^Dataset: 00001.vertices.npy is cut short: row 20 is missing; it must be"):
        read(ds)


def test_a_shard_cut_while_it_is_read_names_file_and_row(folder, monkeypatch):
    ds = rw.Dataset(folder)
    path = folder / "00001.vertices.npy"
    before = os.stat(path)
    os.truncate(path, before.st_size - 2 * 32 * 12)
    monkeypatch.setattr("rigwright.sampling._rows.os.fstat", lambda handle: before)  # as it was when the read began
    with pytest.raises(ValueError, match=r"00001.vertices.npy is cut short: row 30 is missing; it must be .* bytes"):
        ds.vertex_rows.take(np.array([16, 29, 30, 31]))


@reads
@pytest.mark.parametrize("how", ["removed", "edited", "replaced"])
def test_a_shard_changed_under_an_open_set_is_named(folder, read, how):
    ds, path = rw.Dataset(folder), folder / "00001.vertices.npy"
    before = os.stat(path)
    if how == "removed":
        path.unlink()
    elif how == "replaced":
        shutil.copy2(path, folder / "copy")
        os.replace(folder / "copy", path)
    else:
        os.utime(path, ns=(0, before.st_mtime_ns + 1))
    words = "unreadable" if how == "removed" else "a file that has changed since the data set was opened"
    with pytest.raises(ValueError, match=rf"^Dataset: 00001.vertices.npy is {words}"):
        read(ds)


def test_an_open_set_survives_a_change_of_folder(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    ds = rw.Dataset(folder.name)
    monkeypatch.chdir("/")
    assert ds.vertices.shape == (50, 32, 3)


@pytest.mark.parametrize("rows", [slice(None), slice(3, 40), slice(40, 3), slice(None, None, 7), slice(None, None, -1)])
def test_slices_of_rows_are_those_of_the_array(sound, rows):
    np.testing.assert_array_equal(sound.vertex_rows[rows], sound.vertices[rows])


def test_verify_hashes_every_file(sound, folder):
    names = sorted(file.name for file in folder.glob("*.npy"))
    rw.Dataset(folder).verify()
    for name in names:
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        with pytest.raises(ValueError, match=rf"(verify|Dataset): {name}"):
            rw.Dataset(folder).verify()
        (folder / name).write_bytes(content)
    rw.Dataset(folder).verify()


@pytest.mark.parametrize("name", ["00003.vertices.npy", "probe.00001.poses.npy", "faces.npy", "skeleton_rest.npy"])
def test_damaged_arrays(folder, name):
    path = folder / name
    content = path.read_bytes()
    header = content[: content.index(b"\n") + 1]
    data = content[len(header) :]
    plain = "without a plain .npy header"
    damages = [
        ("unreadable", None),
        (f"{len(content) - 1} bytes long", content[:-1]),
        (f"{len(content) + 1} bytes long", content + b"\0"),
        (plain, content[:60]),
        (plain, b""),
        (plain, b"\x93NUMPY\x02" + content[7:]),
        (plain, content[:8] + b"\xff\xff" + content[10:]),
        (plain, header.replace(b"False", b"True ") + data),
        ("<f8", re.sub(rb"<[fi]4", b"<f8", header) + data),
        (r"\(9, 9\)", re.sub(rb"\(.*\)", b"(9, 9)", header)[:-1].ljust(len(header) - 1) + b"\n" + data),
    ]
    for message, damage in damages:
        path.unlink(missing_ok=True)
        if damage is not None:
            path.write_bytes(damage)
        with pytest.raises(ValueError, match=rf"^Dataset: {name} is .*{message}.*; it must be .*(\.npy|bytes)"):
            rw.Dataset(folder)


def test_arrays_of_an_unpickling_bomb_are_not_loaded(folder):
    class Bomb:
        def __reduce__(self):
            return os.mkdir, (str(folder / "pwned"),)

    np.save(folder / "00000.poses.npy", np.array([Bomb()] * 16, object), allow_pickle=True)
    with pytest.raises(ValueError, match=r"00000.poses.npy is \|O"):
        rw.Dataset(folder)
    assert not (folder / "pwned").exists()


def test_pipes_and_devices_are_not_opened(folder):
    (folder / "00000.poses.npy").unlink()
    os.mkfifo(folder / "00000.poses.npy")
    with pytest.raises(ValueError, match=r"00000.poses.npy is unreadable .no regular file"):
        rw.Dataset(folder)
    (folder / "manifest.json").unlink()
    (folder / "manifest.json").symlink_to("/dev/zero")
    with pytest.raises(ValueError, match=r"manifest.json is unreadable .no regular file"):
        rw.Dataset(folder)


def test_other_folders(tmp_path, sound):
    with pytest.raises(
        FileNotFoundError, match=r"^Dataset: path is .*nothing', which does not exist; it must be a folder"
    ):
        rw.Dataset(tmp_path / "nothing")
    with pytest.raises(ValueError, match=r"^Dataset: path is .*; it must be a folder that .*sample has finished"):
        rw.Dataset(tmp_path)

    def fail(poses, vertices):
        raise RuntimeError

    with pytest.raises(SourceError):
        rw.sampling.sample(At(sound.channels[40], fail), tmp_path / "a", **SMALL)
    with pytest.raises(ValueError, match="which is unfinished; it must be finished: call sample again"):
        rw.Dataset(tmp_path / "a")


def test_edited_mesh(folder):
    faces = np.load(folder / "faces.npy")
    np.save(folder / "faces.npy", np.roll(faces, 1, axis=0))
    with pytest.raises(
        ValueError, match=r"faces.npy is a mesh of topology hash .*; it must be the mesh of the manifest"
    ):
        rw.Dataset(folder)
    faces[0, 0] = 99
    np.save(folder / "faces.npy", faces)
    with pytest.raises(ValueError, match=r"faces.npy is 99 in face 0; it must be vertex indices from 0 to 31"):
        rw.Dataset(folder)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def write_manifest(folder, manifest):
    """Write a manifest whose hash is right, so that the checks behind the hash are reached."""
    manifest = {**manifest, "hash": manifest_hash(manifest)}
    (folder / "manifest.json").write_text(json.dumps(manifest))


def attempt(folder):
    """The data set, or what the error says."""
    try:
        return rw.Dataset(folder), ""
    except ValueError as error:
        return None, str(error)


@pytest.fixture(scope="module")
def scratch(sound, tmp_path_factory):
    return shutil.copytree(sound.path, tmp_path_factory.mktemp("scratch") / "a")


@given(data=st.data())
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_value_in_any_place_of_the_manifest(sound, scratch, data):
    manifest = json.loads(json.dumps(sound.manifest))
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
        assert ds.vertices.shape == sound.vertices.shape
        assert ds.poses.shape == (50, len(ds.pose_names))
        assert ds.channels.shape == (50, len(ds.channel_names))
        assert ds.channel_ranges.shape == (len(ds.channel_names), 2)
        assert ds.skeleton.num_joints == 3


@given(data=st.data())
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_in_the_manifest(sound, scratch, data):
    content = bytearray((sound.path / "manifest.json").read_bytes())
    start = data.draw(st.integers(0, len(content) - 1))
    end = data.draw(st.integers(start, min(len(content), start + 20)))
    content[start:end] = data.draw(st.binary(max_size=20))
    (scratch / "manifest.json").write_bytes(content)
    ds, message = attempt(scratch)
    if ds is None:
        assert message.startswith("Dataset: manifest.json")
    else:
        assert ds.manifest == sound.manifest


@given(data=st.data())
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_in_the_header_of_an_array(sound, scratch, data):
    shutil.copy(sound.path / "manifest.json", scratch)
    name = data.draw(st.sampled_from(["faces.npy", "rest_vertices.npy", "00001.vertices.npy", "skeleton_rest.npy"]))
    original = (sound.path / name).read_bytes()
    content = bytearray(original)
    start = data.draw(st.integers(0, 140))
    end = data.draw(st.integers(start, start + 8))
    content[start:end] = data.draw(st.binary(max_size=8))
    (scratch / name).write_bytes(content)
    ds, message = attempt(scratch)
    (scratch / name).write_bytes(original)
    if ds is None:
        assert message.startswith((f"Dataset: {name}", "Dataset: faces.npy"))
    else:
        assert ds.vertex_rows.shape == sound.vertices.shape


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 3}, r"version 3; it must be a manifest of format 'rigwright.dataset', version 1 or 2"),
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
def test_wrong_manifests(folder, sound, change, message):
    write_manifest(folder, {**sound.manifest, **change})
    with pytest.raises(ValueError, match=message):
        rw.Dataset(folder)


@pytest.mark.parametrize("text", ["", "[]", "null", "{", '{"a": 1, "a": 2}', '{"a": NaN}', "[" * 100000, "\ud800"])
def test_what_is_no_manifest(folder, text):
    (folder / "manifest.json").write_text(text, errors="surrogatepass")
    with pytest.raises(ValueError, match=r"^Dataset: manifest.json is .*; it must be a JSON object"):
        rw.Dataset(folder)


def test_edited_manifest(folder, sound):
    text = (folder / "manifest.json").read_text().replace("CC0-1.0", "CC0-1.1")
    (folder / "manifest.json").write_text(text)
    with pytest.raises(ValueError, match="another hash than its content has; it must be unchanged"):
        rw.Dataset(folder)


def test_large_sets_are_not_read_at_once(tmp_path):
    """A hundred gigabytes that the disk does not hold open, and give single rows and slices, at once."""
    import hashlib

    sound = rw.sampling.sample(small_rig(), tmp_path / "a", count=20, probe=0, shard_rows=20)
    rows = 200_000_000
    nowhere = hashlib.sha256().hexdigest()
    entry = {"rows": rows, "channels": nowhere, "poses": nowhere, "vertices": nowhere}
    from rigwright.sampling._npy import npy_header

    for name, shape in (("channels", (9,)), ("poses", (37,)), ("vertices", (32, 3))):
        header = npy_header("<f4", (rows, *shape))
        with open(sound.path / f"00000.{name}.npy", "wb") as stream:
            stream.write(header)
            try:
                stream.truncate(len(header) + rows * 4 * int(np.prod(shape)))
            except OSError:
                pytest.skip("the file system has no sparse files of this size")
    write_manifest(sound.path, {**sound.manifest, "count": rows, "shard_rows": rows, "shards": [entry]})
    ds = rw.Dataset(sound.path)
    assert len(ds) == len(ds.vertex_rows) == rows
    assert not ds.take([5, rows - 1])[2].any()
    assert ds.vertex_rows[rows - 3 :].shape == (3, 32, 3)
