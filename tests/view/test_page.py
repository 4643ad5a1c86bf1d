"""The page in a real browser: drags, sliders, what is drawn, and a console without complaints."""

from __future__ import annotations

from urllib.parse import urlsplit

import numpy as np
import pytest

from tests.support.characters.plain_face import plain_face
from tests.view.stage.bodies import NAMED, body, skinned
from tests.view.stage.posed import SHIFT, skinned_arm

NEAR = 2.0  # pixels


def test_five_points_of_the_skin_follow_the_cursor(pose):
    posed = pose(skinned_arm())
    posed.hide_handles()
    rng = np.random.default_rng(1)
    hand = 0.75 * posed.stage.figure.rest_vertices[:, 1].max()  # above both joints: they reach any place nearby
    for point in posed.facing_points(5, above=hand):
        begin = posed.pixel(point)
        end = [begin[0] + rng.uniform(-25, 25), begin[1] + rng.uniform(5, 20)]
        posed.drag(begin, end, release=False)
        assert posed.page.evaluate("view.pointer.mode") == "drag"
        assert posed.gap(end) < NEAR
        posed.page.mouse("Released", *end)
        posed.page.until("view.frame.pins.length === 0")
        posed.reset()


def test_everything_stands_inside_a_narrow_window(pose):
    posed = pose(plain_face())
    inside = "[...document.querySelectorAll('button, select, input')].filter(e => e.offsetParent && %s).map(e => e.id)"
    right = "e.getBoundingClientRect().right > innerWidth"
    assert posed.page.evaluate(inside % right) == []


def test_a_press_goes_through_every_note_over_the_picture(pose):
    posed = pose(plain_face())
    posed.page.evaluate(
        "document.getElementById('labels').append(document.createElement('span'));"
        "window.notes = [...document.querySelectorAll('#stage > :not(canvas, svg, #labels), #labels span')];"
        "for (const note of notes) Object.assign(note, { hidden: false, textContent: 'a note' })"
    )
    pressed = (
        "notes.map(note => note.getBoundingClientRect())"
        ".map(box => document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2).id)"
    )
    assert posed.page.evaluate("notes.every(note => note.getBoundingClientRect().width > 0)")
    assert posed.page.evaluate(pressed) == ["canvas"] * 8  # labels, picture, badge, legend, value, notice, lost, hint


def test_a_point_out_of_reach_shows_its_spring(pose):
    posed = pose(skinned_arm())
    posed.hide_handles()
    (point,) = posed.facing_points(1)
    begin = posed.pixel(point)
    posed.drag(begin, [20, begin[1]], release=False)
    assert posed.page.evaluate("document.querySelectorAll('#pins .spring.far').length") == 1
    posed.page.mouse("Released", 20, begin[1])


def test_a_held_point_stays_where_another_is_dragged(pose):
    posed = pose(skinned_arm())
    posed.hide_handles()
    first, second = posed.facing_points(2, seed=3)
    begin = posed.pixel(first)
    posed.drag(begin, [begin[0] + 8, begin[1]], modifiers=SHIFT)
    posed.settle()
    assert posed.page.evaluate("view.frame.pins.map(pin => pin.grabbed)") == [False]
    begin = posed.pixel(second)
    posed.drag(begin, [begin[0] + 6, begin[1]])
    posed.settle()
    assert posed.page.evaluate("view.frame.pins.length") == 1
    assert posed.page.evaluate("document.querySelectorAll('#pins .held').length") == 1


def test_a_page_that_comes_back_sets_pins_beside_those_that_are_held(pose):
    posed = pose(skinned_arm())
    posed.hide_handles()
    first, second = posed.facing_points(2, seed=3)
    begin = posed.pixel(first)
    posed.drag(begin, [begin[0] + 8, begin[1]], modifiers=SHIFT)
    posed.show()
    posed.hide_handles()
    begin = posed.pixel(second)
    posed.drag(begin, [begin[0] + 6, begin[1]], modifiers=SHIFT)
    pins = posed.page.evaluate("view.frame.pins")
    assert len(pins) == 2
    np.testing.assert_allclose([pin["at"] for pin in pins], [first, second], atol=0.05 * np.ptp(first) + 0.05)


def test_a_handle_is_dragged_where_the_cursor_is_and_can_be_hidden(pose):
    posed = pose(skinned(body(NAMED["plain"])))
    ((number, hand),) = [
        (k, h) for k, h in enumerate(posed.page.evaluate("view.frame.handles")) if h["name"] == "hand_l"
    ]
    begin = np.add(posed.pixel(hand["at"]), [3, -2])  # beside its center
    end = np.add(begin, [-25, -40])
    posed.page.mouse("Moved", *begin)
    posed.page.mouse("Pressed", *begin)
    assert posed.page.evaluate("view.pointer.mode") == "handle"
    for share in (0.3, 0.7, 1.0):
        posed.page.mouse("Moved", *(begin + share * (end - begin)))
    for _ in range(40):  # a step that the server works on is in no queue
        posed.settle()
        found = posed.pixel(posed.page.evaluate(f"view.frame.handles[{number}].at"))
        if np.hypot(*np.subtract(found, end - [3, -2])) < NEAR:
            break
    assert np.hypot(*np.subtract(found, end - [3, -2])) < NEAR
    posed.page.mouse("Released", *end)
    posed.page.until("view.pointer.mode === null && view.frame.undo")
    count = "document.querySelectorAll('#pins .handle').length"
    assert posed.page.evaluate(count) == 9
    posed.page.evaluate("document.getElementById('handles').click()")
    posed.page.until(f"{count} === 0")


def test_a_drag_beside_the_figure_turns_the_camera_and_poses_nothing(pose):
    posed = pose(skinned_arm())
    before = posed.page.evaluate("[view.camera.turn, JSON.stringify(view.frame.row)]")
    posed.drag([60, 400], [160, 420])
    after = posed.page.evaluate("[view.camera.turn, JSON.stringify(view.frame.row)]")
    assert after[0] != before[0]
    assert after[1] == before[1]


def test_a_slider_is_moved_searched_and_reset(pose):
    posed = pose(plain_face())
    posed.page.evaluate(
        "(() => { const range = document.querySelector('.range'); range.value = 0.5;"
        "range.dispatchEvent(new Event('input')); range.dispatchEvent(new Event('change')); })()"
    )
    posed.page.until("view.frame.row.some(value => value === 0.5) && view.frame.undo")
    assert posed.page.evaluate("document.querySelectorAll('.row.moved').length") == 1
    posed.page.evaluate("document.getElementById('undo').click()")
    posed.page.until("view.frame.row.every(value => value === 0)")
    name = plain_face().shape_names[-1]
    posed.page.evaluate(f"search.value = {name!r}; search.dispatchEvent(new Event('input'))")
    shown = posed.page.evaluate("[...document.querySelectorAll('.row:not([hidden]) .name')].map(x => x.textContent)")
    assert name in shown
    assert len(shown) < len(plain_face().shape_names)


def test_the_figure_is_drawn_and_edges_and_colors_change_the_picture(pose):
    face = plain_face()
    posed = pose(face, face)
    picture = "(async () => (await (await view.picture()).arrayBuffer()).byteLength)()"
    plain = posed.page.evaluate(picture)
    posed.page.evaluate("document.getElementById('wire').click()")
    edged = posed.page.evaluate(picture)
    assert plain > 4000
    assert edged != plain
    posed.page.evaluate("color.value = 'error'; color.dispatchEvent(new Event('change'))")
    posed.page.until("view.frame.color === 'error' && !document.getElementById('legend').hidden")


def test_keys_are_set_played_and_scrubbed(pose):
    posed = pose(plain_face())
    click = "document.getElementById('{}').click()"
    posed.page.evaluate(click.format("key"))
    posed.page.until("view.frame.timeline.keys.length === 1")
    posed.page.evaluate(
        "view.link.send('seek', { at: 10 }); view.link.send('set', { channel: 0, value: 1, done: true })"
    )
    posed.page.evaluate(click.format("key"))
    posed.page.until("view.frame.timeline.keys.length === 2")
    posed.page.evaluate("view.link.send('seek', { at: 5 })")
    posed.page.until("view.frame.timeline.at === 5")
    assert posed.page.evaluate("view.frame.row[0]") == pytest.approx(0.5)
    posed.page.evaluate(click.format("play"))
    posed.page.until("view.frame.timeline.at > 7")
    posed.page.evaluate(click.format("play"))
    posed.page.until("!view.frame.timeline.playing")


def test_nothing_is_asked_of_another_machine(pose):
    posed = pose(plain_face())
    posed.settle()
    hosts = {urlsplit(url).hostname for url in posed.page.requests if not url.startswith(("data:", "blob:", "about:"))}
    assert hosts == {"127.0.0.1"}


def test_a_key_looks_from_a_side_and_fits_what_is_shown(pose):
    posed = pose(skinned_arm())
    posed.page.evaluate("view.camera.orbit(200, -900)")
    posed.page.call("Input.dispatchKeyEvent", type="keyDown", key="1", code="Digit1", windowsVirtualKeyCode=49)
    posed.page.until("view.camera.turn === 0 && view.camera.tilt === 0")
    upright = posed.page.evaluate("view.camera.target")
    angle = 0.5 * posed.stage.figure.sliders[2].high
    posed.page.evaluate(f"view.link.send('set', {{ channel: 2, value: {angle}, done: true }})")
    posed.page.until(f"Math.abs(view.frame.row[2] - {angle}) < 1e-3")
    posed.settle()
    posed.page.evaluate("document.getElementById('frame').click()")
    middle = (posed.stage.vertices.min(axis=0) + posed.stage.vertices.max(axis=0)) / 2
    # The angle above is met to 1e-3.
    assert posed.page.evaluate("view.camera.target") == pytest.approx(middle.tolist(), abs=1e-3)
    assert np.linalg.norm(middle - upright) > 0.01


def test_no_slider_says_minus_nought(pose):
    posed = pose(plain_face())
    posed.page.evaluate("view.sliders.show(view.frame.row.map(() => -1e-9))")
    numbers = posed.page.evaluate("[...document.querySelectorAll('.row .value')].map(x => x.value)")
    assert set(numbers) == {"0.000"}
