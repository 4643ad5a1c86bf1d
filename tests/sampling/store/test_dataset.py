"""Reading data sets: what is asked for arrives, and damaged or hostile folders are refused by name."""

import os
import re
import shutil

import numpy as np
import pytest

import rigcast as rc
from rigcast.errors import SourceError
from tests.sampling.rigs import SMALL, At, small_rig, write_manifest


def test_shards_in_order_are_the_whole_set(whole):
    pieces = list(whole.shards())
    assert [len(piece[0]) for piece in pieces] == [16, 16, 16, 2]
    for position, array in enumerate((whole.channels, whole.poses, whole.vertices)):
        np.testing.assert_array_equal(np.concatenate([piece[position] for piece in pieces]), array)
        assert not any(piece[position].flags.writeable for piece in pieces)


def test_take_reads_rows_in_the_order_given(whole):
    rows = [49, 0, 17, 17, 31]
    for taken, array in zip(whole.take(rows), (whole.channels, whole.poses, whole.vertices), strict=True):
        np.testing.assert_array_equal(taken, array[rows])
    assert [len(array) for array in whole.take([])] == [0, 0, 0]


@pytest.mark.parametrize("rows", [[50], [-1], [0.5], [[0]], "all"])
def test_take_refuses_other_rows(whole, rows):
    with pytest.raises(ValueError, match=r"take: rows is .*; it must be integers .* from 0 to 49"):
        whole.take(rows)


def test_split_parts_the_rows(whole):
    training, held_out = whole.split(0.2, seed=3)
    assert len(held_out) == 10
    assert sorted([*training, *held_out]) == list(range(50))
    np.testing.assert_array_equal(held_out, whole.split(0.2, seed=3)[1])
    assert held_out.tolist() != whole.split(0.2, seed=4)[1].tolist()
    assert [len(part) for part in whole.split(0.0)] == [50, 0]
    with pytest.raises(ValueError, match=r"split: fraction is 1\.5; it must be a number from 0 to 1"):
        whole.split(1.5)


def test_nothing_can_be_written(whole):
    for array in (whole.vertices, whole.rest_vertices, whole.faces, whole.probe.poses):
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
    ds = rc.Dataset(folder)
    size = (folder / "00001.vertices.npy").stat().st_size
    os.truncate(folder / "00001.vertices.npy", size - 11 * 32 * 12 - 1)  # 4 whole rows of 16 are left
    with pytest.raises(ValueError, match=r"^Dataset: 00001.vertices.npy is cut short: row 20 is missing; it must be"):
        read(ds)


def test_a_shard_cut_while_it_is_read_names_file_and_row(folder, monkeypatch):
    ds = rc.Dataset(folder)
    path = folder / "00001.vertices.npy"
    before = os.stat(path)
    os.truncate(path, before.st_size - 2 * 32 * 12)
    monkeypatch.setattr("rigcast.sampling._store.rows.os.fstat", lambda handle: before)  # as it was when the read began
    with pytest.raises(ValueError, match=r"00001.vertices.npy is cut short: row 30 is missing; it must be .* bytes"):
        ds.vertex_rows.take(np.array([16, 29, 30, 31]))


@reads
@pytest.mark.parametrize("how", ["removed", "edited", "replaced"])
def test_a_shard_changed_under_an_open_set_is_named(folder, read, how):
    ds, path = rc.Dataset(folder), folder / "00001.vertices.npy"
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
    ds = rc.Dataset(folder.name)
    monkeypatch.chdir("/")
    assert ds.vertices.shape == (50, 32, 3)


@pytest.mark.parametrize("rows", [slice(None), slice(3, 40), slice(40, 3), slice(None, None, 7), slice(None, None, -1)])
def test_slices_of_rows_are_those_of_the_array(whole, rows):
    np.testing.assert_array_equal(whole.vertex_rows[rows], whole.vertices[rows])


def test_verify_hashes_every_file(whole, folder):
    names = sorted(file.name for file in folder.glob("*.npy"))
    rc.Dataset(folder).verify()
    for name in names:
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        with pytest.raises(ValueError, match=rf"(verify|Dataset): {name}"):
            rc.Dataset(folder).verify()
        (folder / name).write_bytes(content)
    rc.Dataset(folder).verify()


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
            rc.Dataset(folder)


def test_arrays_of_an_unpickling_bomb_are_not_loaded(folder):
    class Bomb:
        def __reduce__(self):
            return os.mkdir, (str(folder / "pwned"),)

    np.save(folder / "00000.poses.npy", np.array([Bomb()] * 16, object), allow_pickle=True)
    with pytest.raises(ValueError, match=r"00000.poses.npy is \|O"):
        rc.Dataset(folder)
    assert not (folder / "pwned").exists()


def test_pipes_and_devices_are_not_opened(folder):
    (folder / "00000.poses.npy").unlink()
    os.mkfifo(folder / "00000.poses.npy")
    with pytest.raises(ValueError, match=r"00000.poses.npy is unreadable .no regular file"):
        rc.Dataset(folder)
    (folder / "manifest.json").unlink()
    (folder / "manifest.json").symlink_to("/dev/zero")
    with pytest.raises(ValueError, match=r"manifest.json is unreadable .no regular file"):
        rc.Dataset(folder)


def test_other_folders(tmp_path, whole):
    with pytest.raises(
        FileNotFoundError, match=r"^Dataset: path is .*nothing', which does not exist; it must be a folder"
    ):
        rc.Dataset(tmp_path / "nothing")
    with pytest.raises(ValueError, match=r"^Dataset: path is .*; it must be a folder that .*sample has finished"):
        rc.Dataset(tmp_path)

    def fail(poses, vertices):
        raise RuntimeError

    with pytest.raises(SourceError):
        rc.sampling.sample(At(whole.channels[40], fail), tmp_path / "a", **SMALL)
    with pytest.raises(ValueError, match="which is unfinished; it must be finished: call sample again"):
        rc.Dataset(tmp_path / "a")


def test_edited_mesh(folder):
    faces = np.load(folder / "faces.npy")
    np.save(folder / "faces.npy", np.roll(faces, 1, axis=0))
    with pytest.raises(
        ValueError, match=r"faces.npy is a mesh of topology hash .*; it must be the mesh of the manifest"
    ):
        rc.Dataset(folder)
    faces[0, 0] = 99
    np.save(folder / "faces.npy", faces)
    with pytest.raises(ValueError, match=r"faces.npy is 99 in face 0; it must be vertex indices from 0 to 31"):
        rc.Dataset(folder)


def test_large_sets_are_not_read_at_once(tmp_path):
    """A hundred gigabytes that the disk does not hold open, and give single rows and slices, at once."""
    import hashlib

    whole = rc.sampling.sample(small_rig(), tmp_path / "a", count=20, probe=0, shard_rows=20)
    rows = 200_000_000
    nowhere = hashlib.sha256().hexdigest()
    entry = {"rows": rows, "channels": nowhere, "poses": nowhere, "vertices": nowhere}
    from rigcast.sampling._store.layout import npy_header

    for name, shape in (("channels", (9,)), ("poses", (37,)), ("vertices", (32, 3))):
        header = npy_header("<f4", (rows, *shape))
        with open(whole.path / f"00000.{name}.npy", "wb") as stream:
            stream.write(header)
            try:
                stream.truncate(len(header) + rows * 4 * int(np.prod(shape)))
            except OSError:
                pytest.skip("the file system has no sparse files of this size")
    write_manifest(whole.path, {**whole.manifest, "count": rows, "shard_rows": rows, "shards": [entry]})
    ds = rc.Dataset(whole.path)
    assert len(ds) == len(ds.vertex_rows) == rows
    assert not ds.take([5, rows - 1])[2].any()
    assert ds.vertex_rows[rows - 3 :].shape == (3, 32, 3)
