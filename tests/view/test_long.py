"""Long use of the page: many drags on three kinds of models, files, tabs that come and go."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.support.characters.plain_face import plain_face
from tests.view.stage.posed import skinned_arm

pytestmark = pytest.mark.long

POINTS = 20
NEAR = 2.0  # pixels


def rig_with_morphs():
    return rc.sources.example_body()


@pytest.mark.parametrize("make", [skinned_arm, plain_face, rig_with_morphs])
def test_twenty_points_follow_the_cursor_or_show_their_spring(pose, make):
    posed = pose(make())
    posed.hide_handles()
    rng = np.random.default_rng(0)
    for point in posed.facing_points(POINTS):
        begin = posed.pixel(point)
        end = [begin[0] + rng.uniform(-15, 15), begin[1] + rng.uniform(-15, 15)]
        posed.drag(begin, end, release=False)
        far = posed.page.evaluate("document.querySelectorAll('#pins .spring.far').length") == 1
        assert far == (posed.gap(end) > NEAR)
        posed.page.mouse("Released", *end)
        posed.page.until("view.frame.pins.length === 0")
        posed.reset()
    assert posed.page.evaluate("view.frame.row") == pytest.approx(posed.stage.rest.tolist())


@pytest.mark.parametrize("form", ["npz", "bvh", "glb"])
def test_every_export_arrives_with_content(pose, form):
    posed = pose(skinned_arm())
    posed.page.evaluate(
        "window.files = []; URL.createObjectURL = blob => { files.push(blob.size); return 'blob:none'; };"
        "HTMLAnchorElement.prototype.click = () => {};"
    )
    posed.page.evaluate(f"view.link.send('export', {{ format: '{form}' }})")
    posed.page.until("files.length === 1")
    assert posed.page.evaluate("files[0]") > 300


def test_a_sequence_has_a_picture_of_every_frame(pose):
    posed = pose(plain_face())
    posed.page.evaluate("view.link.send('frames', { frames: 4 })")
    posed.page.until("view.frame.timeline.frames === 4")
    posed.page.evaluate("window.files = []; URL.createObjectURL = blob => { files.push(blob); return 'blob:none'; }")
    posed.page.evaluate("HTMLAnchorElement.prototype.click = () => {}; view.film.sequence()")
    names = "(async () => (await files[0].text()).match(/\\.\\d{4}\\.png/g).sort())()"
    posed.page.until("files.length === 1")
    assert posed.page.evaluate(names) == sorted(2 * [f".{k:04d}.png" for k in range(4)])


def test_a_tab_that_was_closed_comes_back_to_the_pose(pose):
    posed = pose(plain_face())
    posed.page.evaluate("view.link.send('set', { channel: 1, value: 0.5, done: true })")
    posed.page.until("view.frame.row[1] === 0.5")
    posed.page.open("about:blank")
    posed.show()
    assert posed.page.evaluate("view.frame.row[1]") == 0.5


def test_two_tabs_show_one_pose(pose, browser):
    posed = pose(plain_face())
    other = browser.page()
    other.open(posed.live.url)
    other.until("window.view && view.frame")
    posed.page.evaluate("view.link.send('set', { channel: 2, value: 0.25, done: true })")
    for page in (posed.page, other):
        page.until("view.frame.row[2] === 0.25")
    assert other.complaints == []
    other.close()
