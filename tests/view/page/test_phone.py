"""A phone: fingers that zoom, move and press long, a drawer for the sliders, room for fingers, nothing cut."""

from __future__ import annotations

import pytest

from tests.support.characters.plain_face import plain_face
from tests.view.stage.bodies import NAMED, body, skinned
from tests.view.stage.posed import skinned_arm

CONTROLS = "[...document.querySelectorAll('button, select, input')].filter(e => e.offsetParent)"
WIDE = f"{CONTROLS}.filter(e => e.getBoundingClientRect().right > innerWidth + 0.5).map(e => e.id || e.className)"
LOW = f"{CONTROLS}.filter(e => e.getBoundingClientRect().height < 32).map(e => e.id || e.className)"


def as_phone(posed, width=420, height=800):
    """The page in a small window that fingers touch."""
    posed.page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=True)
    posed.page.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
    posed.page.until(f"innerWidth === {width} && matchMedia('(pointer: coarse)').matches && !view.wanted")
    return posed


def touch(posed, kind, *places):
    """``kind`` is Start, Move, End or Cancel, with all fingers that are down."""
    points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(places)]
    posed.page.call("Input.dispatchTouchEvent", type=f"touch{kind}", touchPoints=points)


@pytest.fixture
def arm(pose):
    posed = as_phone(pose(skinned_arm()))
    posed.hide_handles()
    return posed


@pytest.mark.parametrize("subject", [plain_face, lambda: skinned(body(NAMED["plain"]))], ids=["face", "body"])
def test_nothing_is_cut_and_all_can_be_hit(pose, subject):
    posed = as_phone(pose(subject()))
    for _ in range(2):  # closed, open
        assert posed.page.evaluate(WIDE) == []
        assert posed.page.evaluate(LOW) == []
        assert posed.page.evaluate("document.documentElement.scrollWidth") <= 420
        posed.page.evaluate("document.getElementById('drawer').click()")


def test_the_drawer_opens_below_and_gives_its_place_back(arm):
    height = "document.getElementById('stage').clientHeight"
    closed = arm.page.evaluate(height)
    assert arm.page.evaluate("document.getElementById('panel').offsetParent") is None
    arm.page.evaluate("document.getElementById('drawer').click()")
    panel, stage = arm.page.evaluate(
        "['panel', 'stage'].map(id => document.getElementById(id).getBoundingClientRect().toJSON())"
    )
    assert panel["top"] >= stage["bottom"]
    assert arm.page.evaluate(height) < closed
    assert arm.page.evaluate("document.getElementById('drawer').ariaPressed") == "true"


def corners(posed):
    """Pixels of the box around what is shown, and of the picture."""
    return posed.page.evaluate(
        "(() => { const [low, high] = view.renderer.box, at = [];"
        "for (const x of [0, 1]) for (const y of [0, 1]) for (const z of [0, 1]) at.push(view.overlay.project("
        "view.camera, view.mesh(), [x, y, z].map((k, i) => (k ? high : low)[i])));"
        "return [at, view.canvas.clientWidth, view.canvas.clientHeight]; })()"
    )


def test_all_stays_in_view_when_the_window_changes_unless_the_camera_was_moved(arm):
    for width, height in ((800, 420), (420, 800)):
        as_phone(arm, width, height)
        arm.page.until("Math.abs(view.camera.aspect - view.canvas.clientWidth / view.canvas.clientHeight) < 1e-3")
        at, wide, high = corners(arm)
        assert all(0 <= x <= wide and 0 <= y <= high for x, y in at)
    arm.page.evaluate("view.camera.zoom(-0.5)")
    distance = arm.page.evaluate("view.camera.distance")
    as_phone(arm, 800, 420)
    arm.page.until("Math.abs(view.camera.aspect - view.canvas.clientWidth / view.canvas.clientHeight) < 1e-3")
    assert arm.page.evaluate("view.camera.distance") == distance


def test_two_fingers_zoom_and_move(arm):
    before = arm.page.evaluate("[view.camera.distance, ...view.camera.target, view.camera.turn]")
    touch(arm, "Start", (60, 400))
    touch(arm, "Start", (60, 400), (120, 400))
    arm.page.until("view.pointer.mode === 'pinch'")
    touch(arm, "Move", (40, 450), (160, 450))
    arm.page.until(f"view.camera.distance < {0.6 * before[0]}")
    touch(arm, "End")
    arm.page.until("view.pointer.mode === null")
    after = arm.page.evaluate("[view.camera.distance, ...view.camera.target, view.camera.turn]")
    assert after[0] == pytest.approx(before[0] / 2, rel=0.02)  # whole pixels of the fingers
    assert after[2] > before[2], "what fingers drag down is seen from higher up"
    assert after[4] == before[4]


def test_a_long_press_holds_a_point_and_another_lets_it_go(arm):
    (point,) = arm.facing_points(1, seed=3)
    place = arm.pixel(point)
    touch(arm, "Start", place)
    arm.page.until("view.pointer.mode === 'drag' && view.pointer.holds")
    touch(arm, "End")
    arm.page.until("view.frame.pins.length === 1 && !view.frame.pins[0].grabbed")
    touch(arm, "Start", arm.pixel(arm.page.evaluate("view.frame.pins[0].at")))
    arm.page.until("view.frame.pins.length === 0")
    touch(arm, "End")
    arm.page.until("view.pointer.mode === null")


def test_a_short_press_holds_nothing(arm):
    """However long the machine takes: no press is a long one here."""
    arm.page.evaluate("window.later = setTimeout, window.setTimeout = (f, t) => t > 500 ? 0 : later(f, t), 0")
    (point,) = arm.facing_points(1, seed=3)
    touch(arm, "Start", arm.pixel(point))
    touch(arm, "End")
    arm.settle()
    assert arm.page.evaluate("view.frame.pins") == []
