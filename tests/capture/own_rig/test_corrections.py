"""Frames that an artist has corrected, read from files of other programs; and the command on them."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli import _dispatch as dispatch
from rigcast.plot._image import png
from tests.capture.capture import FOCAL, SIZE, acting, film
from tests.support.blender import has_wheel

FRAMES, CORRECTED = 24, [6, 12, 18]
PAGES = ("pyvista", "matplotlib", "jinja2")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A shot, its capture, and the weights with three frames corrected by an artist."""
    folder = tmp_path_factory.mktemp("corrections")
    rig = rc.faces.example()
    rig.save(folder / "face.safetensors")
    shot = film(rig, acting(rig, frames=FRAMES))
    np.savez(folder / "points.npz", points=shot.points, fps=60.0, size=SIZE)
    (folder / "map.json").write_text(json.dumps(shot.vertices.tolist()))
    found = rc.capture.solve(rig, shot.points, shot.vertices, size=SIZE, fps=60.0, neutral=0, focal=FOCAL)
    edited = found.weights.copy()
    edited[CORRECTED] = 0.8 * shot.weights[CORRECTED]
    return folder, rig, found, edited


def frames_of(rows):
    return np.flatnonzero(~np.isnan(rows).any(axis=1)).tolist()


@pytest.mark.parametrize("ending", [".npz", ".csv", ".glb"])
def test_frames_that_differ_from_the_capture_are_corrected(place, tmp_path, ending):
    _, rig, found, edited = place
    rc.exports.write_blendshape_weights(tmp_path / f"edited{ending}", rig, edited, fps=60.0)
    rows = rc.capture.load_corrections(tmp_path / f"edited{ending}", rig, found)
    assert frames_of(rows) == CORRECTED
    assert np.abs(rows[CORRECTED] - edited[CORRECTED]).max() <= 1e-5  # digits of a .csv
    assert np.isnan(np.delete(rows, CORRECTED, axis=0)).all()


def test_rows_without_nan_are_corrected(place, tmp_path):
    _, rig, found, edited = place
    rows = np.full(edited.shape, np.nan)
    rows[[3, 4]] = edited[[3, 4]]
    np.save(tmp_path / "rows.npy", rows)
    assert frames_of(rc.capture.load_corrections(tmp_path / "rows.npy", rig, found)) == [3, 4]


def test_a_file_that_names_its_frames_is_believed(place, tmp_path):
    """Of the view: frames with a key, though weights between keys differ, too, and one of them does not."""
    _, rig, found, edited = place
    every = {
        "weights": np.clip(edited + 0.01, 0, 1),
        "names": np.array(rig.shape_names),
        "corrected": np.array([2, 18]),
    }
    np.savez(tmp_path / "view.npz", **every)
    assert frames_of(rc.capture.load_corrections(tmp_path / "view.npz", rig, found)) == [2, 18]


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"weights": "same"}, "no frame differs"),
        ({"weights": "other"}, "it is of another one"),
        ({"weights": "short"}, "pins of shape"),
        ({"corrected": [30]}, "frame 30 of 24"),
        ({"corrected": []}, "no marked frame"),
    ],
)
def test_files_without_corrections_are_refused(place, tmp_path, change, match):
    _, rig, found, edited = place
    weights = {
        "same": found.weights, "other": np.clip(found.weights + 0.1, 0, 1), "short": edited[:-1]
    }.get(change.get("weights", ""), edited)  # fmt: skip
    arrays = {"weights": weights, "names": np.array(rig.shape_names)}
    if "corrected" in change:
        arrays["corrected"] = np.array(change["corrected"], np.int64)
    np.savez(tmp_path / "file.npz", **arrays)
    with pytest.raises(rc.errors.FileError, match=match):
        rc.capture.load_corrections(tmp_path / "file.npz", rig, found)


EDIT = """
import sys, bpy
place, marked = sys.argv[-2:]
bpy.ops.wm.open_mainfile(filepath=place)
block = next(item.data.shape_keys for item in bpy.data.objects if item.type == "MESH" and item.data.shape_keys)
scene = bpy.context.scene
for frame in (6, 12, 18):
    scene.frame_set(frame + 1)
    block.key_blocks["jawOpen"].value = 0.123
    block.key_blocks["jawOpen"].keyframe_insert("value", frame=frame + 1)
if marked == "marked":
    scene.timeline_markers.new("corrected by me", frame=13)
    scene.timeline_markers.new("line 2", frame=3)
bpy.ops.wm.save_as_mainfile(filepath=place)
"""


@pytest.mark.skipif(not has_wheel(), reason="the bpy wheel is not installed")
@pytest.mark.parametrize(("marked", "frames"), [("plain", CORRECTED), ("marked", [12])])
def test_frames_that_are_keyed_in_blender_come_back(place, tmp_path, marked, frames):
    """A capture is written as .blend, opened in Blender, three frames keyed by other values; markers decide if set."""
    _, rig, found, _ = place
    rc.capture.write(tmp_path / "take.blend", rig, found)
    script = tmp_path / "edit.py"
    script.write_text(EDIT)
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path / "take.blend"), marked], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    rows = rc.capture.load_corrections(tmp_path / "take.blend", rig, found)
    assert frames_of(rows) == frames
    assert np.abs(rows[frames, rig.shape_names.index("jawOpen")] - 0.123).max() <= 1e-6  # float32
    others = [k for k, name in enumerate(rig.shape_names) if name != "jawOpen"]
    assert np.abs(rows[np.ix_(frames, others)] - found.weights[np.ix_(frames, others)]).max() <= 1e-6  # float32


@pytest.fixture
def run(place, tmp_path, monkeypatch, capsys):
    """Run the command in a new folder; gives its JSON object."""
    monkeypatch.chdir(tmp_path)
    files = [str(place[0] / name) for name in ("points.npz", "face.safetensors")]
    usual = ["--map", str(place[0] / "map.json"), "--neutral", "0", "--focal", str(FOCAL)]

    def call(*more):
        code = dispatch.main(["capture", "solve", *files, *usual, *map(str, more), "--json"])
        shown = capsys.readouterr()
        return json.loads(shown.out) if code == 0 else (code, shown.err)

    return call


def test_the_command_takes_a_live_link_file_with_changed_rows(run, place, tmp_path):
    _, rig, _, edited = place
    rc.exports.write_blendshape_weights(tmp_path / "edited.csv", rig, edited, fps=60.0)
    result = run("-o", "again.npz", "--corrected", "edited.csv")
    assert any("fitted to 3 corrected frames" in note for note in result["notes"])
    weights, _ = rc.sources.load_blendshape_weights("again.npz", rig)
    assert np.abs(weights[CORRECTED] - edited[CORRECTED]).max() <= 1e-5  # digits of a .csv


def test_the_command_fits_the_actor_first(run, monkeypatch):
    """With the built-in cast in place of a copy of ICT-FaceKit."""
    monkeypatch.setattr(rc.capture, "ict_cast", lambda folder: rc.capture.example_cast())
    plain, own = run("-o", "plain.npz"), run("-o", "own.npz", "--identity", ".", "--at-rest", "1")
    assert own["shapes"] == plain["shapes"]
    assert any("fitted to 2 neutral frames" in note for note in own["notes"])
    assert own["residual_pixels"] < 1.0  # the actor is the character himself: points lie on his face


@pytest.mark.parametrize("options", [("--corrected", "edited.csv"), ("--identity", ".")], ids=lambda given: given[0])
def test_a_page_is_made_of_the_face_that_was_solved(run, place, tmp_path, monkeypatch, options):
    """The actor's, which is kept beside the capture, and replaced with --overwrite only."""
    for package in PAGES:
        pytest.importorskip(package, reason="the report extra is not installed")
    monkeypatch.setattr(rc.capture, "ict_cast", lambda folder: rc.capture.example_cast())
    folder, rig, _, edited = place
    rc.exports.write_blendshape_weights(tmp_path / "edited.csv", rig, edited, fps=60.0)
    result = run("-o", "own.npz", *options, "--report", "solved.html")
    assert any(note.endswith("is in own.actor.safetensors") for note in result["notes"])
    words = ["own.npz", "own.actor.safetensors", "--points", folder / "points.npz", "-o", "saved.html"]
    assert dispatch.main(["capture", "report", *map(str, words)]) == 0
    assert (tmp_path / "saved.html").read_bytes() == (tmp_path / "solved.html").read_bytes()
    code, said = run("-o", "own.csv", *options)
    assert code == 2
    assert "own.actor.safetensors exists; --overwrite" in said


@pytest.mark.parametrize(
    ("options", "match"),
    [(["--at-rest", "3"], "--identity"), (["--identity", ".", "--own-rig", "--pictures", "."], "--own-rig")],
)
def test_options_of_a_fit_belong_together(run, tmp_path, options, match):
    (tmp_path / "0.png").write_bytes(png(np.zeros((8, 8, 3), np.uint8)))
    code, said = run("-o", "w.npz", *options)
    assert code != 0
    assert match in said
