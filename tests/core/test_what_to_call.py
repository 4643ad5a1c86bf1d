"""Missing and foreign files, wrong keywords, and objects where arrays belong: errors say what to do instead."""

from __future__ import annotations

import zipfile

import numpy as np
import pytest

import rigcast as rc
from tests.support.characters.plain_face import plain_face
from tests.support.made.blendshapes import random_rig
from tests.support.made.models import linear_blend

RIG = plain_face()
REST, FACES = np.asarray(RIG.rest_vertices), np.asarray(RIG.faces)
SHOT = rc.sources.Shot(np.stack([REST, REST]), 30.0)

READERS = {
    "load": rc.load,
    "Solution.load": rc.inverse.Solution.load,
    "Dataset": rc.Dataset,
    "sources.load": rc.sources.load,
    "load_blendshapes": rc.sources.load_blendshapes,
    "load_blendshape_weights": lambda path: rc.sources.load_blendshape_weights(path, RIG),
    "load_shot": rc.sources.load_shot,
    "load_bvh": rc.sources.load_bvh,
    "load_npz_rig": rc.sources.load_npz_rig,
    "faces.ict": rc.faces.ict,
    "faces.makehuman": rc.faces.makehuman,
    "faces.makehuman_macro_targets": rc.faces.makehuman_macro_targets,
    "faces.makehuman_body": rc.faces.makehuman_body,
    "faces.compskin_curves": rc.faces.compskin_curves,
    "compskin_combinations": rc.faces.compskin_combinations,
}


@pytest.mark.parametrize("ending", ["", ".npz", ".glb", ".bvh", ".safetensors", ".obj"])
@pytest.mark.parametrize("name", READERS)
def test_what_does_not_exist_is_file_not_found(tmp_path, name, ending):
    with pytest.raises(FileNotFoundError, match=f"{name.removeprefix('sources.')}: .*nowhere{ending}.* does not exist"):
        READERS[name](tmp_path / f"nowhere{ending}")


@pytest.mark.parametrize("name", READERS)
def test_what_is_cut_off_or_foreign_is_a_value_error(tmp_path, name):
    solution = rc.inverse.solve(RIG, REST, alpha=0.0)
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
    rc.inverse.solve(RIG, REST, alpha=0.0).save(tmp_path / "whole.npz")
    with zipfile.ZipFile(tmp_path / "whole.npz") as whole, zipfile.ZipFile(tmp_path / "bad.npz", "w") as bad:
        for name in whole.namelist():  # a parenthesis that is never closed
            bad.writestr(name, whole.read(name).replace(b"'shape': (", b"'shape': (("))
    with pytest.raises(ValueError, match=r"^Solution\.load: path is .*bad\.npz"):
        rc.inverse.Solution.load(tmp_path / "bad.npz")


@pytest.mark.parametrize(
    ("function", "file", "words"),
    [
        (rc.load, "hero.glb", "rigcast.sources.load (rigs)"),
        (rc.load, "hero.gltf", "rigcast.sources.load (rigs)"),
        (rc.load, "hero.blend", "rigcast.sources.load_blendshapes (blendshape rigs)"),
        (rc.load, "hero.npz", "rigcast.inverse.Solution.load"),
        (rc.load, "hero.obj", "rigcast.sources.load_shot (moving meshes)"),
        (rc.load, "hero.bvh", "rigcast.sources.load_bvh"),
        (rc.load, "hero.bvh.gz", "rigcast.sources.load_bvh"),
        (rc.load, "hero.safetensors", "a model that rigcast saved (.safetensors)"),
        (rc.sources.load, "hero.safetensors", "a complete safetensors file"),
        (rc.sources.load, "hero.bvh", "rigcast.sources.load_bvh"),
        (rc.sources.load_blendshapes, "hero.obj", "rigcast.sources.load_shot (moving meshes)"),
        (rc.sources.load_shot, "hero.bvh", "rigcast.sources.load_bvh"),
    ],
)
def test_a_file_of_another_kind_is_told_with_its_reader(tmp_path, function, file, words):
    (tmp_path / file).write_bytes(b"anything at all")
    with pytest.raises(ValueError, match=file) as caught:
        function(tmp_path / file)
    assert words in str(caught.value)


def test_a_model_opens_under_any_name(tmp_path):
    RIG.save(tmp_path / "face.model")
    assert isinstance(rc.load(tmp_path / "face.model"), rc.BlendshapeRig)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda p: rc.load(p / "face.npz", mesh="x"), r"^load\(\) got"),
        (lambda p: rc.sources.load(p / "face.npz", mseh="x"), r"^load\(\) got"),
        (lambda p: rc.sources.load_blendshapes(p / "face.npz", mseh="x"), r"^load_blendshapes\(\) got"),
        (lambda p: rc.sources.load_shot(p / "a.npy", clp="x"), r"^load_shot\(\) got"),
        (lambda p: rc.sources.load_blendshape_weights(p / "w.npz", RIG, clp="x"), r"^load_blendshape_weights\(\) got"),
        (lambda p: rc.inverse.solve(RIG, REST, alfa=1.0), r"^solve\(\) got"),
        (lambda p: rc.inverse.trade_off(RIG, REST[None], alfa=1.0), r"^trade_off\(\) got"),
    ],
)
def test_a_wrong_keyword_names_the_function_that_was_called(tmp_path, call, words):
    rc.exports.write_rig(tmp_path / "face.npz", RIG)
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
            r"the path 'other.obj'; it must be numbers .*, read from it: rigcast.sources.load_shot\(path\)",
        ),
    ],
)
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("solve: targets", lambda x: rc.inverse.solve(RIG, x)),
        ("solve: targets", lambda x: rc.inverse.solve(RIG, x, rigid=[0, 1, 2])),
        ("find_contacts: neutral", lambda x: rc.transfer.find_contacts(x, REST[None], FACES)),
    ],
)
def test_objects_where_vertices_belong_are_told_with_their_attribute(name, call, value, words):
    with pytest.raises(ValueError, match=f"^{name} is {words}"):
        call(value)


def test_a_solution_where_weights_belong_is_told_with_its_attribute(tmp_path):
    solution = rc.inverse.solve(RIG, REST, alpha=0.0)
    with pytest.raises(ValueError, match=r"weights is a Solution; .*: hand over its \.weights"):
        rc.exports.write_blendshape_weights(tmp_path / "w.npz", RIG, solution, fps=30.0)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("solve", lambda rig, p: rc.inverse.solve(rig, REST)),
        ("trade_off", lambda rig, p: rc.inverse.trade_off(rig, REST[None])),
        ("transfer_rig", lambda rig, p: rc.transfer.transfer_rig(rig, REST)),
        ("write_rig", lambda rig, p: rc.exports.write_rig(p / "m.glb", rig)),
        ("write_rig", lambda rig, p: rc.exports.write_rig(p / "m.safetensors", rig)),
        (
            "write_blendshape_weights",
            lambda rig, p: rc.exports.write_blendshape_weights(p / "w.csv", rig, [[0, 0]], fps=30.0),
        ),
    ],
)
def test_what_is_no_blendshape_rig_is_refused(tmp_path, name, call):
    body = linear_blend(num_vertices=20, seed=0)
    with pytest.raises(ValueError, match=f"^{name}: rig is a .*; it must be a rigcast.BlendshapeRig$"):
        call(body, tmp_path)
    with pytest.raises(
        ValueError, match=rf"{name}: rig is the path 'f.glb'; .*: rigcast.sources.load_blendshapes\(path\)"
    ):
        call("f.glb", tmp_path)
    assert not list(tmp_path.iterdir())


def test_write_rig_with_its_arguments_swapped_is_refused(tmp_path):
    with pytest.raises(ValueError, match="write_rig: rig is the path"):
        rc.exports.write_rig(RIG, tmp_path / "m.glb")


def test_progress_may_be_none():
    flat = np.array([[x, y, 0.2 * x * y] for x in range(4) for y in range(4)], float)
    quads = np.array([[4 * i + j, 4 * i + j + 4, 4 * i + j + 5, 4 * i + j + 1] for i in range(3) for j in range(3)])
    found = rc.transfer.correspond(flat, quads, flat, quads, iterations=1, progress=None)
    assert found.matched.any()


def test_crossings_of_unequal_shapes_are_refused_by_name():
    rest = random_rig(seed=1).rest_vertices
    with pytest.raises(
        ValueError, match=r"count_new_crossings: source_shapes is float32 \(2, .*it must be numbers \(3,"
    ):
        rc.transfer.count_new_crossings(np.stack([rest] * 2), rest, np.stack([rest] * 3), faces=[[0, 1, 2]])


def test_skinning_is_fitted_into_an_existing_folder_only(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"fit_skinning_baselines: folder is .*nowhere"):
        rc.report.fit_skinning_baselines(None, str(tmp_path / "nowhere"))
