"""Files of meshes and rigs that hang, grow or warn where a reader does not look: refused by name."""

from __future__ import annotations

import gzip
import json
import os
import tracemalloc
import warnings

import numpy as np
import pytest

import rigcast as rc
from rigcast._formats.live_link.read import COLUMNS
from tests.support.characters.faces import small_face

SQUARE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n"


@pytest.fixture(autouse=True)
def no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_a_pipe_in_a_folder_of_meshes_is_refused_and_blocks_nothing(tmp_path):
    (tmp_path / "a1.obj").write_text(SQUARE)
    os.mkfifo(tmp_path / "a2.obj")
    with pytest.raises(ValueError, match=r"load_shot: path is .*a2\.obj: .*a pipe; it must be a file"):
        rc.sources.load_shot(tmp_path)


def test_a_device_is_no_mesh(tmp_path):
    (tmp_path / "a.obj").symlink_to("/dev/zero")
    with pytest.raises(ValueError, match="a device; it must be a file"):
        rc.sources.load_shot(tmp_path / "a.obj")


def test_a_packed_mesh_that_unpacks_to_much_is_refused(tmp_path):
    (tmp_path / "bomb.obj.gz").write_bytes(gzip.compress(b"v 0 0 0\n" * 1_000_000))
    with pytest.raises(ValueError, match=r"bomb\.obj\.gz: unreadable \(more than \d+ bytes unpacked\)"):
        rc.sources.load_shot(tmp_path / "bomb.obj.gz")


@pytest.mark.parametrize("ends", [b"\n", b"\r\n", b"\r"])
def test_a_mesh_takes_memory_of_a_few_times_its_file(tmp_path, ends):
    lines = [b"v 1.25 2.5 3.75"] * 2_000 + [b"f 1 2 3"] * 2_000
    (tmp_path / "a.obj").write_bytes(ends.join(lines))
    size = (tmp_path / "a.obj").stat().st_size
    tracemalloc.start()
    shot = rc.sources.load_shot(tmp_path / "a.obj")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert shot.faces.shape == (2_000, 4)
    assert peak < 8 * size + 100_000


def test_an_existing_file_with_the_letters_of_a_pattern_is_that_file(tmp_path):
    vertices = np.zeros((2, 4, 3), np.float32)
    np.save(tmp_path / "take[1].npy", vertices)
    np.savez(tmp_path / "what?.npz", vertices=vertices)
    assert rc.sources.load_shot(tmp_path / "take[1].npy").vertices.shape == (2, 4, 3)
    assert rc.sources.load_shot(tmp_path / "what?.npz").vertices.shape == (2, 4, 3)


def test_a_pattern_that_is_no_file_finds_files(tmp_path):
    (tmp_path / "a1.obj").write_text(SQUARE)
    assert len(rc.sources.load_shot(tmp_path / "a[1].obj").vertices) == 1


@pytest.mark.parametrize("value", [1e300, -1e39])
def test_weights_beyond_float32_are_refused_without_a_warning(tmp_path, value):
    rig = small_face()
    np.savez(tmp_path / "w.npz", weights=np.full((2, rig.num_shapes), value), names=np.array(rig.shape_names))
    with pytest.raises(ValueError, match=r"not finite everywhere .*w\.npz"):
        rc.sources.load_blendshape_weights(tmp_path / "w.npz", rig)
    cells = ["0:0:0:0", "61", str(value), *["0"] * (len(COLUMNS) - 1)]
    rows = [",".join(["Timecode", "BlendshapeCount", *COLUMNS]), ",".join(cells)]
    (tmp_path / "w.csv").write_text("\n".join(rows))
    with pytest.raises(ValueError, match=r"w\.csv: row 2 of 63 cells, not all finite"):
        rc.sources.load_blendshape_weights(tmp_path / "w.csv", rig)


@pytest.mark.parametrize("ending", ["npy", "npz"])
def test_a_shot_beyond_float32_is_refused_without_a_warning(tmp_path, ending):
    vertices = np.full((2, 4, 3), 1e300)
    if ending == "npy":
        np.save(tmp_path / "a.npy", vertices)
    else:
        np.savez(tmp_path / "a.npz", vertices=vertices)
    with pytest.raises(
        ValueError, match=rf"^load_shot: vertices is not finite everywhere \(inf at \(0, 0, 0\)\).*a\.{ending}"
    ):
        rc.sources.load_shot(tmp_path / f"a.{ending}")


def test_an_array_file_that_is_half_an_archive_is_named(tmp_path):
    (tmp_path / "a.npy").write_bytes(b"PK\x03\x04 torn")
    with pytest.raises(ValueError, match=r"load_shot: path is .*a\.npy: no array of numbers"):
        rc.sources.load_shot(tmp_path / "a.npy")


def glb(tmp_path, change):
    rc.exports.write_rig(tmp_path / "a.glb", small_face())
    content = (tmp_path / "a.glb").read_bytes()
    length = int.from_bytes(content[12:16], "little")
    document = json.loads(content[20 : 20 + length])
    change(document)
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    rest = content[20 + length :]
    total = (20 + len(text) + len(rest)).to_bytes(4, "little")
    path = tmp_path / "b.glb"
    path.write_bytes(content[:8] + total + len(text).to_bytes(4, "little") + content[16:20] + text + rest)
    return path


def test_a_rotation_beyond_float32_is_refused_without_a_warning(tmp_path):
    path = glb(tmp_path, lambda document: document["nodes"][0].update(rotation=[1e300, 1e300, 0, 0]))
    with pytest.raises(ValueError, match=r"rotation is .*; it must be finite in float32"):
        rc.sources.load_blendshapes(path)


def test_half_a_surrogate_pair_in_a_name_is_refused_with_its_file(tmp_path):
    def rename(document):
        document["nodes"][0]["name"] = "a\udfff"

    path = glb(tmp_path, rename)
    with pytest.raises(ValueError, match=r"a name is 'a\\udfff'; it must be Unicode text.*b\.glb"):
        rc.sources.load_blendshapes(path)


def test_half_a_surrogate_pair_is_no_name_of_a_shape():
    with pytest.raises(ValueError, match=r"BlendshapeRig: names is holding '\\udfff'"):
        rc.BlendshapeRig(np.zeros((1, 3)), np.zeros((1, 1, 3)), names=["\udfff"])


def test_a_file_whose_name_is_no_text_opens(tmp_path):
    rc.exports.write_rig(tmp_path / "face.glb", rc.faces.example())
    odd = tmp_path / "a\udc80.glb"
    (tmp_path / "face.glb").rename(odd)
    assert rc.sources.load_blendshapes(odd).metadata["name"] == "a\\udc80"
    assert rc.sources.load(odd).name == "a\\udc80"
    assert rc.sources.load_mesh(odd).name == "a\\udc80"
