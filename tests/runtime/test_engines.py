"""The examples for Unity and Unreal, compiled against stand-ins: what they show is the model in the engine's axes."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import pytest

import rigcast as rc
from tests.docs.site import ROOT, blocks
from tests.runtime.library import rr

EXAMPLES = ROOT / "examples"
# Rows are the engine's axes in terms of the model's, which are right-handed. In both engines the model stands upright,
# and is the mirror image that left-handed axes need.
UNITY = {  # left-handed, y up, meters
    "X": [[0, 1, 0], [1, 0, 0], [0, 0, 1]],
    "Y": [[-1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "Z": [[-1, 0, 0], [0, 0, 1], [0, -1, 0]],
}
UNREAL = {  # left-handed, z up, centimeters
    "X": [[0, -1, 0], [0, 0, 1], [1, 0, 0]],
    "Y": [[1, 0, 0], [0, 0, 1], [0, 1, 0]],
    "Z": [[1, 0, 0], [0, -1, 0], [0, 0, 1]],
}
UNIT = 0.02


def model(up):
    """A box and a pyramid of quads and triangles, corners counterclockwise seen from outside, and a shape."""
    box = np.array([[x, y, z] for x in (0, 1) for y in (0, 2) for z in (0, 3)], np.float64)
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4]]
    top = [[1, 5, 8, -1], [5, 7, 8, -1], [7, 3, 8, -1], [3, 1, 8, -1]]
    rest = np.append(box, [[0.5, 1, 4]], axis=0)
    shapes = np.random.default_rng(0).uniform(-0.1, 0.1, (2, 9, 3))
    about = {"meters_per_unit": UNIT, "up_axis": up}
    return rc.BlendshapeRig(rest, shapes, names=["a", "b"], faces=np.array(quads + top, np.int32), metadata=about)


def volume(vertices, triangles):
    """Six times the volume that triangles enclose; positive if the cross product of edges points outward."""
    return np.linalg.det(vertices[triangles]).sum()


def shown(program, folder, up):
    """Vertices and triangles that a program prints for both shapes at 0.5."""
    model(up).save(folder / "model.safetensors")
    done = subprocess.run([*program, "model.safetensors", "2", "0.5"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "session_evaluate: pose is" in done.stderr  # the pose of another width was refused in words
    lines = [line.split() for line in done.stdout.splitlines()]
    vertices = np.array([line[1:] for line in lines if line[0] == "v"], np.float64)
    return vertices, np.array([line[1:] for line in lines if line[0] == "f"], np.int64)


def check(found, up, axes, unit):
    """Positions, and the same triangles; returns whether cross products of edges point outward."""
    (vertices, triangles), faces = found, model(up).faces
    truth = model(up).evaluate(np.full((1, 2), 0.5, np.float32))[0].astype(np.float64)
    # positions of order one in float32, printed
    np.testing.assert_allclose(vertices, truth @ np.array(axes[up], np.float64).T * UNIT / unit, rtol=1e-6, atol=1e-7)
    assert np.linalg.det(axes[up]) == pytest.approx(-1)
    halves = [faces[:, [0, 1, 2]], faces[faces[:, 3] >= 0][:, [0, 2, 3]]]
    assert volume(truth, np.concatenate(halves)) > 0
    assert sorted(map(sorted, triangles.tolist())) == sorted(map(sorted, np.concatenate(halves).tolist()))
    return volume(vertices, triangles) > 0


@pytest.fixture(scope="module")
def unity(tmp_path_factory):
    """The component for Unity as a program."""
    if shutil.which("mcs") is None or shutil.which("mono") is None:
        pytest.skip("no compiler of C# is installed (mono-mcs)")
    folder = tmp_path_factory.mktemp("unity")
    sources = [EXAMPLES / "csharp" / "Rigcast.cs", *sorted((EXAMPLES / "unity").glob("*.cs"))]
    subprocess.run(["mcs", "-warnaserror", "-out:run.exe", *sources], cwd=folder, check=True)
    (folder / "librigcast.so").symlink_to(rr._library.PATH)
    return folder


@pytest.fixture(scope="module")
def unreal(tmp_path_factory):
    """The component for Unreal as a program."""
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler is installed")
    folder = tmp_path_factory.mktemp("unreal")
    strict = ["-std=c++17", "-Wall", "-Wextra", "-Werror"]
    include = ["-I", ROOT / "bindings" / "c" / "include", "-I", EXAMPLES / "unreal" / "stand_ins"]
    sources = sorted((EXAMPLES / "unreal").glob("*.cpp"))
    library = rr._library.PATH
    linked = [library, f"-Wl,-rpath,{library.parent}", "-o", "run"]
    subprocess.run([compiler, *strict, *include, *sources, *linked], cwd=folder, check=True)
    return folder


@pytest.mark.parametrize("up", "XYZ")
def test_unity_shows_the_model_in_its_axes_right_side_out(unity, up):
    outward = check(shown(["mono", "run.exe"], unity, up), up, UNITY, 1.0)
    assert outward  # "clockwise as you look down on the visible outer surface", in left-handed axes


@pytest.mark.parametrize("up", "XYZ")
def test_unreal_shows_the_model_in_its_axes_right_side_out(unreal, up):
    outward = check(shown(["./run"], unreal, up), up, UNREAL, 0.01)
    assert not outward  # "cross product of consecutive face vertices opposes the stored normal direction"


def test_the_script_of_the_page_about_unity_compiles(unity, tmp_path):
    (text,) = [b.text for b in blocks(ROOT / "docs/how-to/programs/unity.md") if b.language == "csharp"]
    (tmp_path / "Swing.cs").write_text(text, encoding="utf-8")
    library = ["-target:library", "-out:swing.dll", f"-reference:{unity / 'run.exe'}"]
    # the editor sets fields that the script does not: CS0649
    subprocess.run(["mcs", "-warnaserror", "-nowarn:0649", *library, "Swing.cs"], cwd=tmp_path, check=True)


@pytest.mark.parametrize("program", ["unity", "unreal"])
def test_a_file_that_is_no_model_is_refused_in_words(program, request, tmp_path):
    folder = request.getfixturevalue(program)
    (folder / "none.safetensors").write_bytes(b"none")
    run = ["mono", "run.exe"] if program == "unity" else ["./run"]
    done = subprocess.run([*run, "none.safetensors", "1", "1"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (1, 2)
    assert "none.safetensors" in done.stderr


@pytest.mark.parametrize("platform", ["Linux", "Win64"])
def test_the_module_of_unreal_links_and_ships_the_library(platform, tmp_path):
    if shutil.which("mcs") is None or shutil.which("mono") is None:
        pytest.skip("no compiler of C# is installed (mono-mcs)")
    sources = [EXAMPLES / "unreal" / name for name in ("Rigcast.Build.cs", "BuildStandIns.cs")]
    subprocess.run(["mcs", "-warnaserror", "-out:build.exe", *sources], cwd=tmp_path, check=True)
    said = subprocess.run(["mono", "build.exe", platform], cwd=tmp_path, capture_output=True, text=True, check=True)
    lines = said.stdout.splitlines()
    assert lines[:2] == ["type External", "include module/include"]
    linked, shipped = {"Linux": ("librigcast.so", "librigcast.so.1"), "Win64": ("rigcast.lib", "rigcast.dll")}[platform]
    assert f"link module/lib/{linked}" in lines  # of librigcast.so.1 the build tool would make -lrigcast.so
    assert f"ship $(BinaryOutputDir)/{shipped} from module/lib/{shipped}" in lines


def test_headers_of_unreal_are_included_outside_of_conditions():
    """UnrealHeaderTool reads no include in one, and refuses a class without its generated header."""
    lines = (EXAMPLES / "unreal" / "RigcastComponent.h").read_text(encoding="utf-8").splitlines()
    assert not [line for line in lines if line.startswith(("#if", "#else", "#endif"))]
    assert [line for line in lines if line.startswith("#include")][-1].startswith(
        '#include "RigcastComponent.generated.h"'
    )
