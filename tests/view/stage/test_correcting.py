"""A captured shot in the view: frames with a key are corrections, to which the actor's shapes are fitted."""

from __future__ import annotations

import io

import numpy as np
import pytest

import rigcast as rc
from rigcast.cli import main
from rigcast.viewer._export import Snapshot, written
from rigcast.viewer._staging import stage_of
from tests.capture.capture import FOCAL, SIZE, acting, film
from tests.view.frames import header_of
from tests.view.page_messages import page_messages

FRAMES, CORRECTED = 30, [8, 16, 24]
STRONGER = 1.3  # shapes of the actor against the character's


@pytest.fixture(scope="module")
def shot():
    """An actor whose shapes are stronger than the character's."""
    rig = rc.capture.example_cast().character
    deltas = STRONGER * np.stack([rig.column(k) for k in range(rig.num_shapes)])
    actor = rc.BlendshapeRig(rig.rest_vertices, deltas, names=rig.shape_names, faces=rig.faces, metadata=rig.metadata)
    filmed = film(actor, 0.7 * acting(rig, frames=FRAMES))
    found = rc.capture.solve(rig, filmed.points, filmed.vertices, size=SIZE, fps=60.0, neutral=0, focal=FOCAL)
    return rig, filmed, found


@pytest.fixture
def stage(shot):
    rig, filmed, found = shot
    return stage_of(rig, capture=found, points=filmed.points, head=found.motion)


def send(stage, *messages):
    return header_of(stage.step(page_messages(*messages), 0.0))


def correct(stage, truth):
    """Set every slider of some frames, and keep them as keys; sliders have the order of the shapes."""
    for frame in CORRECTED:
        send(stage, {"type": "seek", "at": frame})
        for k, value in enumerate(truth[frame]):
            send(stage, {"type": "set", "channel": k, "value": float(value), "done": True})
        send(stage, {"type": "key"})


def test_the_scene_offers_it(stage, shot):
    assert stage.scene_facts()["corrects"]
    assert "corrects" not in stage_of(shot[0], poses=shot[2].weights).scene_facts()


def test_the_other_frames_come_nearer(stage, shot):
    """And the corrected ones stay as they were set, with their keys."""
    _, filmed, found = shot
    correct(stage, filmed.weights)
    shown = send(stage, {"type": "refit"})
    rows = np.array([stage.timeline.row(t) for t in range(FRAMES)])
    others = np.setdiff1d(np.arange(FRAMES), CORRECTED)
    before, after = (np.abs(weights - filmed.weights)[others].mean() for weights in (found.weights, rows))
    assert after < 0.5 * before
    assert np.abs(rows - filmed.weights)[CORRECTED].max() <= 1e-6  # float32
    assert shown["timeline"]["keys"] == CORRECTED
    assert "fitted to 3 corrected frames" in shown["notice"]


def test_more_keys_are_added_to_those_before(stage, shot):
    """A second fit counts from the capture, with all keys that there are."""
    _, filmed, _ = shot
    correct(stage, filmed.weights)
    send(stage, {"type": "refit"})
    first = np.array([stage.timeline.row(t) for t in range(FRAMES)])
    shown = send(stage, {"type": "refit"})
    assert "fitted to 3 corrected frames" in shown["notice"]
    assert np.abs(np.array([stage.timeline.row(t) for t in range(FRAMES)]) - first).max() <= 1e-5  # float32 rows


def test_without_keys_it_says_what_to_do(stage):
    assert "no frame has a key" in send(stage, {"type": "refit"})["notice"]


def test_a_view_without_points_refuses(shot):
    assert "no captured shot" in send(stage_of(shot[0], poses=shot[2].weights), {"type": "refit"})["notice"]


def test_keys_of_the_view_are_corrections_of_the_command(stage, shot, tmp_path):
    """What Export writes is read by ``rigcast capture --corrected``."""
    rig, filmed, found = shot
    correct(stage, filmed.weights)
    name, content = written(Snapshot.of(stage), "npz")
    (tmp_path / name).write_bytes(io.BytesIO(content.tobytes()).getvalue())
    rows = rc.capture.load_corrections(tmp_path / name, rig, found)
    assert np.flatnonzero(~np.isnan(rows).any(axis=1)).tolist() == CORRECTED
    assert np.abs(rows[CORRECTED] - filmed.weights[CORRECTED]).max() <= 1e-6  # float32


def test_pictures_refine_what_is_shown(shot):
    """The last stage of the shot is theirs, as in the command."""
    rig, filmed, found = shot
    pictures = np.full((FRAMES, SIZE[1], SIZE[0], 3), 90, np.uint8)
    stage = stage_of(rig, capture=found, points=filmed.points, pictures=pictures)
    plain = stage_of(rig, capture=found, points=filmed.points)
    for one in (stage, plain):
        correct(one, filmed.weights)
        send(one, {"type": "refit"})
    assert not np.array_equal(stage.timeline.rows, plain.timeline.rows)
    assert np.array_equal(stage.timeline.rows[CORRECTED], plain.timeline.rows[CORRECTED])


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"points": None}, "view: points is None"),
        ({"capture": None}, "view: capture is None"),
        ({"poses": "some"}, "view: capture is given beside a clip"),
        ({"points": "fewer"}, "view: points"),
        ({"model": "other"}, "view: capture is of another rig"),
    ],
)
def test_what_does_not_belong_together_is_refused(shot, change, match):
    rig, filmed, found = shot
    given = {"capture": found, "points": filmed.points} | change
    model = rc.sources.example_body() if given.pop("model", None) else rig
    if isinstance(given["points"], str):
        given["points"] = filmed.points[:-1]
    if "poses" in change:
        given["poses"] = found.weights
    with pytest.raises(rc.errors.ArgumentError, match=match):
        stage_of(model, **given)


def test_a_saved_capture_is_the_same_capture(shot, tmp_path):
    rig, filmed, found = shot
    found.save(tmp_path / "captured.npz")
    again = rc.capture.load_capture(tmp_path / "captured.npz", rig)
    for name in ("weights", "head", "residual", "offsets", "strength", "focal", "center", "noise", "fps", "mirrored"):
        assert np.array_equal(getattr(again, name), getattr(found, name), equal_nan=name == "residual"), name
    assert np.abs(again.motion - found.motion).max() <= 1e-9  # of a product of rotations
    rows = np.full(found.weights.shape, np.nan)
    rows[CORRECTED] = filmed.weights[CORRECTED]
    fits = [rc.capture.personalize(rig, one, filmed.points, corrected=rows).mixes for one in (found, again)]
    assert np.array_equal(*fits)


@pytest.mark.parametrize(
    ("change", "match"),
    [("weights", "no capture"), ("rig", "not those of the rig"), ("nan", "not finite"), ("vertices", "vertices")],
)
def test_files_of_something_else_are_refused(shot, tmp_path, change, match):
    rig, _, found = shot
    found.save(tmp_path / "captured.npz")
    arrays = dict(np.load(tmp_path / "captured.npz"))
    if change == "weights":
        del arrays["head"]
    elif change == "rig":
        arrays["names"] = arrays["names"][::-1]
    elif change == "nan":
        arrays["offsets"] = np.full_like(arrays["offsets"], np.nan)
    else:
        arrays["vertices"] = arrays["vertices"] + rig.num_vertices
    np.savez(tmp_path / "captured.npz", **arrays)
    with pytest.raises(rc.errors.FileError, match=match):
        rc.capture.load_capture(tmp_path / "captured.npz", rig)


def test_the_command_opens_it(shot, tmp_path, monkeypatch):
    pytest.importorskip("websockets", reason="websockets is not installed (extra viewer)")
    rig, filmed, found = shot
    rig.save(tmp_path / "face.safetensors")
    found.save(tmp_path / "captured.npz")
    np.savez(tmp_path / "points.npz", points=filmed.points, fps=60.0, size=SIZE)
    monkeypatch.chdir(tmp_path)
    seen = []
    monkeypatch.setattr(rc.viewer.LiveView, "wait", lambda live, seconds: seen.append(live._server.stage))
    code = main(["view", "face.safetensors", "--motion", "captured.npz", "--points", "points.npz", "--no-browser"])
    assert code == 0
    assert seen[0].scene_facts()["corrects"]


def test_the_button_of_the_page(browser, shot):
    rig, filmed, found = shot
    with rc.view(rig, capture=found, points=filmed.points) as live:
        page = browser.page()
        page.open(live.url)
        page.until("window.view && view.frame")
        assert not page.evaluate("document.getElementById('refit').hidden")
        page.evaluate("view.link.send('seek', { at: 8 })")
        page.until("view.frame.timeline.at === 8")
        page.evaluate("view.link.send('key')")
        page.until("view.frame.timeline.keys.length === 1")
        page.evaluate("document.getElementById('refit').click()")
        page.until("document.getElementById('notice').textContent.includes('fitted to 1 corrected frame')")
        assert page.complaints == []
        page.close()
