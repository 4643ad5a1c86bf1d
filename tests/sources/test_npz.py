import io
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rigcast._formats.npz.rig import MEMBERS
from rigcast.sources import load, load_npz_rig, save_npz_rig
from tests.support.characters.small_rig import small_rig
from tests.support.characters.surfaces import same_surface
from tests.support.damage import damaged_bytes


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    path = tmp_path_factory.mktemp("npz") / "small.npz"
    save_npz_rig(path, small_rig())
    return path


def arrays_of(path):
    with np.load(path, allow_pickle=False) as file:
        return dict(file)


def test_round_trip_keeps_every_bit(saved, tmp_path):
    rig, again = small_rig(), load(saved)
    channels = np.random.default_rng(0).uniform(*rig.channel_ranges.T, size=(5, len(rig.channel_names)))
    for expected, got in zip(rig.sample(channels), again.sample(channels), strict=True):
        np.testing.assert_array_equal(got, expected)
    assert again.facts == rig.facts
    assert again.channels == rig.channels
    np.testing.assert_array_equal(again.channel_rest, rig.channel_rest)
    np.testing.assert_array_equal(again.faces, rig.faces)
    assert same_surface(again.surface, rig.surface)
    save_npz_rig(tmp_path / "again.npz", again)
    assert (tmp_path / "again.npz").read_bytes() == saved.read_bytes()


def test_a_rig_written_by_numpy_alone_opens(tmp_path):
    path = tmp_path / "plain.npz"
    triangle = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], ">f8")
    np.savez(path, format="rigcast.rig", version=1, vertices=np.asfortranarray(triangle), faces=[[0, 1, 2]])
    rig = load_npz_rig(path)
    np.testing.assert_array_equal(rig.rest_vertices, triangle)
    assert rig.skeleton is None
    assert (rig.up_axis, rig.meters_per_unit, rig.channel_names) == ("Y", 1.0, [])


@pytest.mark.parametrize("name", sorted(set(MEMBERS) - {"name", "licence", "origin", "meters_per_unit", "up_axis"}))
def test_a_missing_array_is_named_or_optional(saved, tmp_path, name):
    arrays = arrays_of(saved)
    del arrays[name]
    np.savez(tmp_path / "part.npz", **arrays)
    if name == "channel_rest":
        assert load_npz_rig(tmp_path / "part.npz").channel_rest[-1] == 0
    else:
        with pytest.raises(ValueError, match=f"without {name}"):
            load_npz_rig(tmp_path / "part.npz")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"format": "other"}, "format is 'other'"),
        ({"version": 2}, "version 2"),
        ({"extra": np.zeros(3)}, "'extra.npy'"),
        ({"vertices": np.zeros((29, 3))}, r"skin_joint is of shape \(30, 3\)|vertices is of shape"),
        ({"vertices": np.zeros((30, 2))}, "vertices is of shape"),
        ({"vertices": np.zeros(90)}, "vertices is of shape"),
        ({"vertices": np.zeros((30, 3), complex)}, "vertices is of type complex128"),
        ({"faces": np.zeros((8, 5), int)}, "faces"),
        ({"faces": np.full((8, 4), 2**63, np.uint64)}, "faces"),
        ({"joint_parents": np.array([1, 2, 0, -1])}, "parents before children"),
        ({"joint_parents": np.array([-1, 0, 2, -1])}, "parents before children"),
        ({"skin_joint": np.full((30, 3), 4)}, "skin.joint"),
        ({"skin_weight": np.zeros((30, 3))}, "sum 0"),
        ({"channel_kinds": np.array(["rotate"] * 10)}, "kind is 'rotate'"),
        ({"channel_joints": np.full(10, 2**63, np.uint64)}, "joint"),
        ({"channel_ranges": np.tile([1, 0], (10, 1))}, "low <= rest <= high"),
        ({"morph_offsets": np.array([0, 5, 3, 35, 35])}, "morph_offsets"),
        ({"morph_offsets": np.array([0, 30, 33, 35, 34])}, "morph_offsets"),
        ({"morph_offsets": np.array([0, 30, 33, 35])}, "morph_offsets"),
        ({"morph_vertices": np.zeros(35, int)}, "ascending"),
        ({"driver_channels": np.array([0, 10, 0, 0])}, "driver_channels"),
        ({"driver_morphs": np.array([0, -1, 0, 0])}, "driver_morphs"),
        ({"driver_slopes": np.array([0, np.nan, 0, 0])}, "drivers is not finite"),
        ({"factor_channels": np.array([10, 0])}, "factor_channels"),
        ({"factor_morphs": np.array([-1, 0])}, "factor_morphs"),
        ({"factor_tents": np.array([[1.0, 0.0, 2.0], [0.0, 0.0, 0.0]])}, "a tent of finite x1 < x2 < x3"),
        ({"meters_per_unit": np.inf}, "meters_per_unit"),
        ({"up_axis": "W"}, "up_axis"),
        ({"name": np.array([0x7FFFFFFF], np.uint32).view("<U1")[0:1].reshape(())}, "name is not valid text"),
        ({"joint_names": np.array(["a", "b", "b", "c"])}, "'b' twice"),
    ],
)
def test_wrong_arrays_are_refused_in_words(saved, tmp_path, changes, words):
    np.savez(tmp_path / "wrong.npz", **{**arrays_of(saved), **changes})
    with pytest.raises(ValueError, match=words):
        load_npz_rig(tmp_path / "wrong.npz")


def rewrite(source, target, member, content, *, compression=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", compression) as new:
        for name in old.namelist():
            new.writestr(name, content if name == member else old.read(name))


def test_pickled_arrays_are_refused_without_unpickling(saved, tmp_path):
    class Bomb:
        def __reduce__(self):
            return (pytest.fail, ("unpickled",))

    stream = io.BytesIO()
    np.save(stream, np.array([Bomb()], object), allow_pickle=True)
    rewrite(saved, tmp_path / "bomb.npz", "vertices.npy", stream.getvalue())
    with pytest.raises(ValueError, match="vertices is of type object"):
        load_npz_rig(tmp_path / "bomb.npz")


@pytest.mark.parametrize("shape", [(10**9, 3), (2**62, 3), (31, 3), (29, 3)])
def test_a_header_that_lies_about_its_size_is_refused(saved, tmp_path, shape):
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f4", "fortran_order": False, "shape": shape})
    rewrite(saved, tmp_path / "lie.npz", "vertices.npy", stream.getvalue() + b"\0" * (30 * 12))
    with pytest.raises(ValueError, match="vertices is"):
        load_npz_rig(tmp_path / "lie.npz")


def test_an_archive_that_unpacks_to_far_more_than_its_length_is_refused(saved, tmp_path):
    rewrite(saved, tmp_path / "zip.npz", "vertices.npy", b"\0" * (64 << 20))
    with pytest.raises(ValueError, match="unpacks to at most"):
        load_npz_rig(tmp_path / "zip.npz")


@pytest.mark.parametrize(
    "header",
    [
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (30, 3)",
        b"{'descr': '|O', 'fortran_order': False, 'shape': (30, 3)}",
        b"{'descr': ('<f4', (2,)), 'fortran_order': False, 'shape': (30, 3)}",
        b"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (30, 3)}",
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (-30, 3)}",
        b"{'descr': '<f4', 'fortran_order': False, 'shape': (True, 3)}",
        b"{'descr': '<U0', 'fortran_order': False, 'shape': (30, 3)}",
        b"{'descr': '<f4', 'shape': (30, 3)}",
        b"[1, 2]",
        b"(" * 3000,
        b"\xff\xfe",
        b"",
    ],
)
def test_broken_headers_are_refused(saved, tmp_path, header):
    content = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + b"\0" * 360
    rewrite(saved, tmp_path / "header.npz", "vertices.npy", content)
    with pytest.raises(ValueError, match="vertices is"):
        load_npz_rig(tmp_path / "header.npz")


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_files_raise_value_errors_or_load(saved, tmp_path, data):
    path = tmp_path / "damaged.npz"
    path.write_bytes(damaged_bytes(data, saved.read_bytes()))
    try:
        rig = load_npz_rig(path)
    except ValueError:
        return
    assert np.isfinite(rig.sample(rig.channel_rest[None])[1]).all()


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_members_in_an_intact_archive_raise_value_errors_or_load(saved, tmp_path, data):
    with zipfile.ZipFile(saved) as archive:
        member = data.draw(st.sampled_from(sorted(archive.namelist())))
        content = damaged_bytes(data, archive.read(member), fewest=1, most=6, cut=False)
    path = tmp_path / "member.npz"
    rewrite(saved, path, member, content, compression=zipfile.ZIP_STORED)
    try:
        rig = load_npz_rig(path)
    except ValueError:
        return
    with np.errstate(all="ignore"):  # a changed exponent may put a vertex at 1e38, or an activation beyond all numbers
        try:
            rig.sample(rig.channel_rest[None])
        except ValueError as error:
            assert "activations is not finite" in str(error)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=400))
def test_garbage_is_refused(tmp_path, content):
    (tmp_path / "garbage.npz").write_bytes(content)
    with pytest.raises(ValueError, match="load_npz_rig: "):
        load_npz_rig(tmp_path / "garbage.npz")


def test_load_names_wrong_paths(tmp_path):
    (tmp_path / "hero.ma").write_bytes(b"//Maya ASCII")
    with pytest.raises(ValueError, match=r"load: path is '.*hero.ma'; it must be a file that ends in \.glb"):
        load(tmp_path / "hero.ma")
    with pytest.raises(FileNotFoundError, match=r"load: path is .*missing\.npz', which does not exist"):
        load(tmp_path / "missing.npz")
    (tmp_path / "folder.npz").mkdir()
    with pytest.raises(ValueError, match="which is no file"):
        load(tmp_path / "folder.npz")
