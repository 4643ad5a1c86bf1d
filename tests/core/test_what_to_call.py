"""Missing and foreign files, wrong keywords, and objects where arrays belong: errors say what to do instead."""

from __future__ import annotations

import zipfile

import numpy as np
import pytest

import rigwright as rw
from tests.support.blendshapes import random_rig
from tests.support.models import linear_blend
from tests.support.plain_face import plain_face

RIG = plain_face()
REST, FACES = np.asarray(RIG.rest_vertices), np.asarray(RIG.faces)
SHOT = rw.sources.Shot(np.stack([REST, REST]), 30.0)

READERS = {
    "load": rw.load,
    "Solution.load": rw.inverse.Solution.load,
    "Dataset": rw.Dataset,
    "sources.load": rw.sources.load,
    "load_blendshapes": rw.sources.load_blendshapes,
    "load_blendshape_weights": lambda path: rw.sources.load_blendshape_weights(path, RIG),
    "load_shot": rw.sources.load_shot,
    "load_bvh": rw.sources.load_bvh,
    "load_npz_rig": rw.sources.load_npz_rig,
    "faces.ict": rw.faces.ict,
    "faces.makehuman": rw.faces.makehuman,
    "faces.makehuman_macro_targets": rw.faces.makehuman_macro_targets,
    "faces.makehuman_body": rw.faces.makehuman_body,
    "faces.compskin_curves": rw.faces.compskin_curves,
    "compskin_combinations": rw.faces.compskin_combinations,
}


@pytest.mark.parametrize("ending", ["", ".npz", ".glb", ".bvh", ".safetensors", ".obj"])
@pytest.mark.parametrize("name", READERS)
def test_what_does_not_exist_is_file_not_found(tmp_path, name, ending):
    with pytest.raises(FileNotFoundError, match=f"{name.removeprefix('sources.')}: .*nowhere{ending}.* does not exist"):
        READERS[name](tmp_path / f"nowhere{ending}")


@pytest.mark.parametrize("name", READERS)
def test_what_is_cut_off_or_foreign_is_a_value_error(tmp_path, name):
    solution = rw.inverse.solve(RIG, REST, alpha=0.0)
    solution.save(tmp_path / "whole.npz")
    whole = (tmp_path / "whole.npz").read_bytes()
    np.save(tmp_path / "array.npy", np.zeros(3))
    RIG.save(tmp_path / "model.safetensors")
    model = (tmp_path / "model.safetensors").read_bytes()
    files = {"cut.npz": whole[: len(whole) // 2], "empty.npz": b"", "text.npz": b"hello", "text.bvh": b"hello"}
    files |= {"array.npz": (tmp_path / "array.npy").read_bytes(), "short.safetensors": model[:20]}
    files |= {"half.safetensors": model[: len(model) // 2], "text.safetensors": b"hello, this is a text"}
    for file, content in files.items():
        (tmp_path / file).write_bytes(content)
        with pytest.raises(ValueError, match=rf"{file.partition('.')[0]}"):
            READERS[name](tmp_path / file)


def test_a_solution_with_a_broken_header_is_named(tmp_path):
    rw.inverse.solve(RIG, REST, alpha=0.0).save(tmp_path / "whole.npz")
    with zipfile.ZipFile(tmp_path / "whole.npz") as whole, zipfile.ZipFile(tmp_path / "bad.npz", "w") as bad:
        for name in whole.namelist():  # a parenthesis that is never closed
            bad.writestr(name, whole.read(name).replace(b"'shape': (", b"'shape': (("))
    with pytest.raises(ValueError, match=r"^Solution\.load: path is .*bad\.npz"):
        rw.inverse.Solution.load(tmp_path / "bad.npz")


@pytest.mark.parametrize(
    ("function", "file", "words"),
    [
        (rw.load, "hero.glb", "rigwright.sources.load (rigs)"),
        (rw.load, "hero.gltf", "rigwright.sources.load (rigs)"),
        (rw.load, "hero.blend", "rigwright.sources.load_blendshapes (blendshape rigs)"),
        (rw.load, "hero.npz", "rigwright.inverse.Solution.load"),
        (rw.load, "hero.obj", "rigwright.sources.load_shot (moving meshes)"),
        (rw.load, "hero.bvh", "rigwright.sources.load_bvh"),
        (rw.load, "hero.bvh.gz", "rigwright.sources.load_bvh"),
        (rw.load, "hero.safetensors", "a model that rigwright saved (.safetensors)"),
        (rw.sources.load, "hero.safetensors", "rigwright.load"),
        (rw.sources.load, "hero.bvh", "rigwright.sources.load_bvh"),
        (rw.sources.load_blendshapes, "hero.obj", "rigwright.sources.load_shot (moving meshes)"),
        (rw.sources.load_shot, "hero.bvh", "rigwright.sources.load_bvh"),
    ],
)
def test_a_file_of_another_kind_is_told_with_its_reader(tmp_path, function, file, words):
    (tmp_path / file).write_bytes(b"anything at all")
    with pytest.raises(ValueError, match=file) as caught:
        function(tmp_path / file)
    assert words in str(caught.value)


def test_a_model_opens_under_any_name(tmp_path):
    RIG.save(tmp_path / "face.model")
    assert isinstance(rw.load(tmp_path / "face.model"), rw.BlendshapeRig)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda p: rw.load(p / "face.npz", mesh="x"), r"^load\(\) got"),
        (lambda p: rw.sources.load(p / "face.npz", mseh="x"), r"^load\(\) got"),
        (lambda p: rw.sources.load_blendshapes(p / "face.npz", mseh="x"), r"^load_blendshapes\(\) got"),
        (lambda p: rw.sources.load_shot(p / "a.npy", clp="x"), r"^load_shot\(\) got"),
        (lambda p: rw.sources.load_blendshape_weights(p / "w.npz", RIG, clp="x"), r"^load_blendshape_weights\(\) got"),
        (lambda p: rw.inverse.solve(RIG, REST, alfa=1.0), r"^solve\(\) got"),
        (lambda p: rw.inverse.trade_off(RIG, REST[None], alfa=1.0), r"^trade_off\(\) got"),
    ],
)
def test_a_wrong_keyword_names_the_function_that_was_called(tmp_path, call, words):
    rw.exports.write_rig(tmp_path / "face.npz", RIG)
    np.save(tmp_path / "a.npy", REST[None])
    np.savez(tmp_path / "w.npz", weights=np.zeros((1, RIG.num_shapes)))
    with pytest.raises(TypeError, match=words):
        call(tmp_path)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (SHOT, r"a Shot; it must be numbers .*: hand over its \.vertices"),
        (RIG, r"a BlendshapeRig; it must be numbers .*: hand over its \.rest_vertices"),
        (
            "other.obj",
            r"the path 'other.obj'; it must be numbers .*, read from it: rigwright.sources.load_shot\(path\)",
        ),
    ],
)
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("solve: targets", lambda x: rw.inverse.solve(RIG, x)),
        ("solve: targets", lambda x: rw.inverse.solve(RIG, x, rigid=[0, 1, 2])),
        ("find_contacts: neutral", lambda x: rw.transfer.find_contacts(x, REST[None], FACES)),
    ],
)
def test_objects_where_vertices_belong_are_told_with_their_attribute(name, call, value, words):
    with pytest.raises(ValueError, match=f"^{name} is {words}"):
        call(value)


def test_a_solution_where_weights_belong_is_told_with_its_attribute(tmp_path):
    solution = rw.inverse.solve(RIG, REST, alpha=0.0)
    with pytest.raises(ValueError, match=r"weights is a Solution; .*: hand over its \.weights"):
        rw.exports.write_blendshape_weights(tmp_path / "w.npz", RIG, solution, 30.0)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("solve", lambda rig, p: rw.inverse.solve(rig, REST)),
        ("trade_off", lambda rig, p: rw.inverse.trade_off(rig, REST[None])),
        ("transfer_rig", lambda rig, p: rw.transfer.transfer_rig(rig, REST)),
        ("write_rig", lambda rig, p: rw.exports.write_rig(p / "m.glb", rig)),
        ("write_rig", lambda rig, p: rw.exports.write_rig(p / "m.safetensors", rig)),
        (
            "write_blendshape_weights",
            lambda rig, p: rw.exports.write_blendshape_weights(p / "w.csv", rig, [[0, 0]], 30.0),
        ),
    ],
)
def test_what_is_no_blendshape_rig_is_refused(tmp_path, name, call):
    body = linear_blend(num_vertices=20, seed=0)
    with pytest.raises(ValueError, match=f"^{name}: rig is a .*; it must be a rigwright.BlendshapeRig$"):
        call(body, tmp_path)
    with pytest.raises(
        ValueError, match=rf"{name}: rig is the path 'f.glb'; .*: rigwright.sources.load_blendshapes\(path\)"
    ):
        call("f.glb", tmp_path)
    assert not list(tmp_path.iterdir())


def test_write_rig_with_its_arguments_swapped_is_refused(tmp_path):
    with pytest.raises(ValueError, match="write_rig: rig is the path"):
        rw.exports.write_rig(RIG, tmp_path / "m.glb")


def test_progress_may_be_none():
    flat = np.array([[x, y, 0.2 * x * y] for x in range(4) for y in range(4)], float)
    quads = np.array([[4 * i + j, 4 * i + j + 4, 4 * i + j + 5, 4 * i + j + 1] for i in range(3) for j in range(3)])
    found = rw.transfer.correspond(flat, quads, flat, quads, iterations=1, progress=None)
    assert found.matched.any()


def test_crossings_of_unequal_shapes_are_refused_by_name():
    rest = random_rig(seed=1).rest_vertices
    with pytest.raises(
        ValueError, match=r"count_new_crossings: source_shapes is float32 \(2, .*it must be numbers \(3,"
    ):
        rw.transfer.count_new_crossings(np.stack([rest] * 2), rest, np.stack([rest] * 3), [[0, 1, 2]])


def test_skinning_is_fitted_into_an_existing_folder_only(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"fit_skinning_baselines: folder is .*nowhere"):
        rw.report.fit_skinning_baselines(None, str(tmp_path / "nowhere"))
