"""Pages that carry their model: they pose, drag, play and color without a server, as the view does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import rigcast as rc
from rigcast.viewer._staging import acting_stage_of, stage_of
from rigcast.viewer._stored._carried import carried
from rigcast.viewer._stored._numbers import coded
from rigcast.viewer._wire import header_of
from tests.study.small import other_face
from tests.support.characters.plain_face import plain_face
from tests.support.made.kinds import MAKERS
from tests.support.made.players import face_synth
from tests.view.page_messages import page_messages
from tests.view.stage.posed import skinned_arm
from tests.web.module import MODULE

SHOWN = 2e-4  # of a row: four decimals of the view's own, and float32
WHOLE_PIXELS = 0.02  # of 80 pixels between two fingers
NEAR = 0.02  # of the figure's size: a point that is dragged, and its cursor
LARGEST_BESIDE_THE_MODEL = 600_000  # bytes

CLIP = np.linspace(0.0, 1.0, 12)[:, None] * np.array([0.8, 0.1, 0.4, 0.0, 0.6, 0.2])
MESSAGES: dict[str, list[dict[str, Any]]] = {
    "a slider": [{"type": "set", "channel": 1, "value": 0.7, "done": True}],
    "a slider beyond its range": [{"type": "set", "channel": 1, "value": 70.0, "done": True}],
    "reset": [{"type": "set", "channel": 0, "value": 0.7, "done": True}, {"type": "reset", "channels": [0, 1]}],
    "mirror": [{"type": "set", "channel": 0, "value": 0.7, "done": True}, {"type": "mirror", "from": "left"}],
    "undo": [
        {"type": "set", "channel": 0, "value": 0.7, "done": True},
        {"type": "set", "channel": 1, "value": 0.3, "done": True},
        {"type": "undo"},
    ],
    "redo": [{"type": "set", "channel": 0, "value": 0.7, "done": True}, {"type": "undo"}, {"type": "redo"}],
    "a frame": [{"type": "seek", "at": 7.5}],
    "a key": [
        {"type": "seek", "at": 2},
        {"type": "set", "channel": 1, "value": 0.9, "done": True},
        {"type": "key"},
        {"type": "seek", "at": 8},
        {"type": "set", "channel": 1, "value": 0.1, "done": True},
        {"type": "key"},
        {"type": "seek", "at": 5},
    ],
    "more frames": [{"type": "frames", "frames": 40}, {"type": "seek", "at": 39}],
}


# A place of the page a little below the first, from above, where a ray meets the skin.
TOP = """(() => {
  const box = view.canvas.getBoundingClientRect();
  for (let y = box.top + 1; y < box.bottom; y += 3) {
    for (let x = box.left + 1; x < box.right; x += 3) {
      const { origin, direction } = view.pointer.ray({ clientX: x, clientY: y + 8 });
      if (view.link.figure.surface.pick(origin, direction)) return [x, y + 8];
    }
  }
})()"""


@pytest.fixture
def opened(browser, tmp_path):
    """A function that opens what embed makes from a disk; a page that complained, or asked for anything, fails."""
    pages = []

    def open_page(*arguments, **options):
        made = rc.viewer.embed(*arguments, **options)
        path = tmp_path / f"{len(pages)}.html"
        made.save(path)
        page = browser.page()
        page.open(path.as_uri())
        page.until("window.view && view.frame")
        pages.append(page)
        return page

    yield open_page
    for page in pages:
        assert page.complaints == []
        assert [url for url in page.requests if not url.startswith(("file:", "data:", "blob:", "about:"))] == []
        page.close()


def sent(page, messages):
    """The frame after messages, one after another."""
    for message in messages:
        kind, entries = message["type"], {name: value for name, value in message.items() if name != "type"}
        before = page.evaluate("view.frame.frame")
        page.evaluate(f"view.link.send({kind!r}, {entries!r})".replace("True", "true"))
        page.until(f"view.frame.frame > {before}")
    return page.evaluate("view.frame")


def test_it_does_what_the_view_does(opened):
    """One page, the messages of all cases one after another; each begins with the state that it needs."""
    face = plain_face()
    page, stage = opened(face, poses=CLIP, fps=30.0), stage_of(face, poses=CLIP, fps=30.0)
    for name, messages in MESSAGES.items():
        first = [{"type": "seek", "at": 0}, {"type": "unkey"}, {"type": "reset", "channels": list(range(6))}]
        found = sent(page, [*first, *messages])
        for message in [*first, *messages]:
            header = stage.step(page_messages(message), 0.0)
        expected = header_of(header)
        np.testing.assert_allclose(found["row"], expected["row"], atol=SHOWN, err_msg=name)
        np.testing.assert_allclose(found["boxes"], expected["boxes"], atol=SHOWN, err_msg=name)
        for fact in ("frames", "at", "keys", "clip"):
            assert found["timeline"][fact] == pytest.approx(expected["timeline"][fact]), name
        assert (found["undo"], found["redo"]) == (expected["undo"], expected["redo"]), name


def test_the_picture_changes_with_a_slider(opened, tmp_path):
    page = opened(plain_face())
    before = page.evaluate("view.picture().then(blob => blob.arrayBuffer()).then(b => [...new Uint8Array(b)].join())")
    slider = "document.querySelector('#sliders input[type=range]')"
    page.evaluate(f"({slider}.value = {slider}.max, {slider}.dispatchEvent(new Event('input', {{ bubbles: true }})))")
    page.until("view.frame.row.some((value) => value > 0.9)")
    after = page.evaluate("view.picture().then(blob => blob.arrayBuffer()).then(b => [...new Uint8Array(b)].join())")
    assert before != after


def test_the_skin_follows_the_cursor(opened):
    arm = skinned_arm()
    page = opened(arm)
    size = float(np.linalg.norm(np.ptp(arm.rest_vertices, axis=0)))
    x, y = page.evaluate(TOP)
    page.mouse("Pressed", x, y)
    page.until("view.pointer.mode === 'drag'")
    for step in range(1, 9):
        page.mouse("Moved", x + 3 * step, y + 2 * step)
    page.until("view.frame.pins.length && view.frame.undo === false")
    page.until(f"Math.hypot(...view.frame.pins[0].at.map((p, k) => p - view.frame.pins[0].target[k])) < {NEAR * size}")
    page.mouse("Released", x + 24, y + 16)
    page.until("view.frame.pins.length === 0 && view.frame.undo")
    assert max(map(abs, page.evaluate("view.frame.row"))) > 1.0  # degrees


def touched(page, kind, *places):
    """Fingers at places: ``kind`` is Start, Move or End."""
    points = [{"x": x, "y": y, "id": finger} for finger, (x, y) in enumerate(places)]
    page.call("Input.dispatchTouchEvent", type=f"touch{kind}", touchPoints=points)


def test_a_finger_pulls_and_turns_and_two_zoom(opened):
    page = opened(skinned_arm())
    page.call("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=2, mobile=True)
    page.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
    page.until("innerWidth === 390")
    page.evaluate("new Promise(requestAnimationFrame).then(() => view.fit())")
    x, y = page.evaluate(TOP)
    touched(page, "Start", (x, y))
    page.until("view.pointer.mode === 'drag'")
    touched(page, "Move", (x + 24, y + 16))
    page.until("view.frame.pins.length && view.frame.row.some((value) => Math.abs(value) > 0.5)")
    touched(page, "End")
    page.until("view.frame.pins.length === 0 && view.frame.undo")
    turn, distance = page.evaluate("[view.camera.turn, view.camera.distance]")
    touched(page, "Start", (20, 120))
    page.until("view.pointer.mode === 'turn'")
    touched(page, "Move", (60, 120))
    touched(page, "End")
    assert page.evaluate("view.camera.turn") != turn
    touched(page, "Start", (100, 150), (140, 150))
    page.until("view.pointer.mode === 'pinch'")
    touched(page, "Move", (80, 150), (160, 150))
    touched(page, "End")
    page.until("view.pointer.mode === null && view.pointer.fingers.size === 0")
    distance_now = page.evaluate("view.camera.distance")
    assert distance_now == pytest.approx(0.5 * distance, rel=WHOLE_PIXELS)  # fingers are twice as far apart


def test_a_second_finger_lets_go_of_what_the_first_pulls(opened):
    """Also before the answer has come of what the first finger met; so does a second tap."""
    page = opened(skinned_arm())
    page.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
    x, y = page.evaluate(TOP)
    touched(page, "Start", (x, y))
    page.until("view.pointer.mode === 'drag'")
    touched(page, "Start", (x, y), (x + 60, y))
    page.until("view.pointer.mode === 'pinch' && view.frame.pins.length === 0")
    touched(page, "End")
    page.until("view.pointer.mode === null")
    page.evaluate(
        f"(() => {{ const at = {{ clientX: {x}, clientY: {y}, button: 0, pointerType: 'touch' }};"
        "const of = (pointerId) => ({ ...at, pointerId });"
        "view.canvas.setPointerCapture = () => {}; view.pointer.down(of(7)); view.pointer.down(of(8)); })()"
    )
    page.evaluate("view.pointer.up({ pointerId: 7 }), view.pointer.up({ pointerId: 8 })")
    sent(page, [{"type": "set", "channel": 1, "value": 0.0, "done": True}])  # answered after what was sent before
    page.until("view.frame.pins.length === 0 && view.pointer.mode === null")


def test_two_models_stand_side_by_side_and_their_difference_is_a_color(opened):
    page = opened(plain_face(), other_face(0.5))
    assert page.evaluate("view.scene.figures.length") == 2
    sent(page, [{"type": "set", "channel": 1, "value": 1.0, "done": True}])
    error = sent(page, [{"type": "color", "mode": "error"}])["error"]
    assert error["max"] > error["mean"] > 0.0


@pytest.mark.parametrize("kind", ["linear_blend", "body", "face_maps", "differential"])
def test_kinds_of_models_are_shown(opened, tmp_path, kind):
    """At rest the page's box is that of the model with its numbers in 16 bits."""
    model = MAKERS[kind]()
    page = opened(model)
    path = tmp_path / "stored.safetensors"
    (model.stored("16-bit") if hasattr(model, "stored") else model).save(path)
    path.write_bytes(coded(np.frombuffer(path.read_bytes(), np.uint8)).restored.tobytes())
    stage = stage_of(rc.load(path))
    low, high = page.evaluate("view.frame.boxes[0]")
    np.testing.assert_allclose(low, stage.vertices.min(axis=0), atol=SHOWN)
    np.testing.assert_allclose(high, stage.vertices.max(axis=0), atol=SHOWN)


def test_a_rig_is_shown_as_the_skinning_that_drags_it(opened):
    arm = rc.sources.example_body()
    page = opened(arm, channels=np.linspace(0.0, 20.0, 4)[:, None] * np.ones(len(arm.channel_names)))
    row = sent(page, [{"type": "seek", "at": 3}])["row"]
    np.testing.assert_allclose(row[:5], 20.0, atol=SHOWN)  # the sixth, a dial, ends at 1


def test_what_a_page_leaves_out_is_said():
    face = plain_face()
    head = np.tile(np.eye(3, 4), (len(CLIP), 1, 1))
    stage = stage_of(face, poses=CLIP, fps=30.0, head=head)
    stage.timeline.set_key(stage.state.row)
    notes = carried(stage).notes
    assert notes == ["the head of the motion stays still in a page", "keys are not kept in a page"]


@pytest.mark.parametrize("wrong", [{"seed": 5}, {"moods": {"waiting": "nobody"}}])
def test_what_is_for_synthesizers_is_refused(wrong):
    with pytest.raises(ValueError, match=r"embed: (seed|moods) is given for what is no synthesizer"):
        rc.viewer.embed(plain_face(), **wrong)


def test_the_storage_is_stated():
    model = MAKERS["body"]()
    assert "16 bits" in rc.viewer.embed(model).notes[0]
    assert rc.viewer.embed(model, storage="float32").notes == []
    with pytest.raises(ValueError, match="embed: storage is '8-bit'"):
        rc.viewer.embed(model, storage="8-bit")


def test_the_page_is_small_beside_its_model(tmp_path):
    face = plain_face()
    face.save(tmp_path / "face.safetensors")
    page = rc.viewer.embed(face).page
    assert len(page.encode()) - (tmp_path / "face.safetensors").stat().st_size <= LARGEST_BESIDE_THE_MODEL
    assert MODULE.exists()


def test_a_synthesizer_plays_for_ever(opened):
    """The frames of the view with the same seed; a label is requested, a slider adds."""
    page = opened(face_synth(), seed=5)
    page.until("view.frame.timeline.playing && view.frame.timeline.frames > 12")
    played = np.array(page.evaluate("window.view.link.clock.rows.slice(0, 10).map((row) => [...row])"))
    stage = acting_stage_of(face_synth(), seed=5)
    stage.timeline._make(9)
    np.testing.assert_allclose(played, np.array(list(stage.timeline._made))[:10], atol=SHOWN)
    page.evaluate("view.link.send('tell', { label: view.scene.labels[1] })")
    page.until("view.frame.acting.requested === view.scene.labels[1]")
    page.until("view.frame.acting.label === view.scene.labels[1]")
