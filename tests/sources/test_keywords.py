"""What a loader takes beside the path is in its signature; what a format has no use for is refused by name."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import rigcast as rc
from rigcast._formats import registry

RIG = rc.faces.example()
LOADERS = {
    "load": (rc.sources.load, registry.RIG),
    "load_blendshapes": (rc.sources.load_blendshapes, registry.FACE),
    "load_shot": (rc.sources.load_shot, registry.SHOT),
    "load_blendshape_weights": (rc.sources.load_blendshape_weights, registry.WEIGHTS),
}


@pytest.mark.parametrize("name", LOADERS)
def test_a_loader_takes_what_its_formats_take(name):
    loader, content = LOADERS[name]
    keywords = {p.name for p in inspect.signature(loader).parameters.values() if p.kind is p.KEYWORD_ONLY}
    assert keywords == {option for reader in registry.readers(content).values() for option in reader.options}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("keywords")
    rc.exports.write_rig(folder / "face.npz", RIG)
    rc.exports.write_rig(folder / "face.glb", RIG)
    RIG.save(folder / "face.safetensors")
    rc.sources.save_npz_rig(folder / "arm.npz", rc.sources.example_body())
    np.save(folder / "shot.npy", RIG.rest_vertices[None])
    np.savez(folder / "curves.npz", weights=np.zeros((1, RIG.num_shapes)))
    (folder / "scan.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    return folder


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda f: rc.sources.load(f / "arm.npz", mesh="body"),
            r"^load: mesh is 'body' for a \.npz file; .* it is for \.glb, \.gltf, \.vrm, \.blend, \.fbx files",
        ),
        (lambda f: rc.sources.load(f / "face.glb", armature="a"), r"^load: armature is 'a' for a \.glb file; "),
        (lambda f: rc.sources.load(f / "face.glb", limits={}), r"^load: limits is \{\} for a \.glb file; "),
        (lambda f: rc.sources.load(f / "arm.npz", ranges=0.0), r"^load: ranges is 0\.0 for a \.npz file; "),
        (lambda f: rc.sources.load(f / "arm.npz", run_scripts=True), r"^load: run_scripts is True for a \.npz file; "),
        (
            lambda f: rc.sources.load_blendshapes(f / "face.safetensors", mesh="head"),
            r"^load_blendshapes: mesh is 'head' for a \.safetensors file; .* it is for .*\.blend, \.fbx, .*files",
        ),
        (
            lambda f: rc.sources.load_blendshapes(f / "face.glb", drop_unreadable=True),
            r"^load_blendshapes: drop_unreadable is True for a \.glb file; ",
        ),
        (
            lambda f: rc.sources.load_shot(f / "shot.npy", clip="walk"),
            r"^load_shot: clip is 'walk' for a \.npy file; .* it is for \.glb, \.gltf, \.vrm, \.fbx files",
        ),
        (lambda f: rc.sources.load_shot(f / "scan.obj", mesh="m"), r"^load_shot: mesh is 'm' for a \.obj file; "),
        (
            lambda f: rc.sources.load_blendshape_weights(f / "curves.npz", RIG, fps=25.0),
            r"^load_blendshape_weights: fps is 25\.0 for a \.npz file; .* it is for \.glb, \.gltf, \.vrm, \.csv files",
        ),
    ],
)
def test_a_keyword_of_other_formats_is_refused_with_those_that_take_it(folder, call, words):
    with pytest.raises(ValueError, match=words):
        call(folder)


def test_keywords_that_nobody_gave_are_no_fault(folder):
    assert rc.sources.load(folder / "arm.npz", mesh=None, run_scripts=False).channel_names


def test_a_keyword_reaches_its_reader(folder):
    assert rc.sources.load_shot(folder / "shot.npy", fps=12.0).fps == 12.0


@pytest.mark.parametrize("kind", ["BlenderRig", "Bvh", "RigChannel", "Facts", "GltfRig", "Joints", "Morph", "Skin"])
def test_what_rigs_are_made_of_and_what_loaders_return_is_public(kind):
    assert getattr(rc.sources, kind).__name__ == kind
