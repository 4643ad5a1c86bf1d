"""What stands around the picture: clips, values under the cursor, materials, bones, themes, shortcuts, names."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from rigcast._rigs.motions.action import Action
from tests.support.characters.plain_face import plain_face
from tests.view.stage.posed import skinned_arm

PICTURE = "(async () => (await (await view.picture()).arrayBuffer()).byteLength)()"
CLICK = "document.getElementById('{}').click()"


@pytest.fixture
def animated():
    arm = rc.sources.example_body()
    rows = np.linspace(0, 40, 24)[:, None] * (np.arange(len(arm.channel_names)) == 0)
    arm.actions = {"wave": 24, "nod": 24}
    arm.action = lambda name: Action(name, rows, 24.0)
    return arm


def test_a_clip_is_chosen_beside_play(pose, animated):
    posed = pose(animated)
    assert posed.page.evaluate("[...clip.options].map(x => x.value)") == ["", "wave", "nod"]
    posed.page.evaluate("clip.value = 'nod'; clip.dispatchEvent(new Event('change'))")
    posed.page.until("view.frame.timeline.name === 'nod' && clip.value === 'nod'")
    posed.page.evaluate("view.link.send('seek', { at: 23 })")
    posed.page.until("Math.abs(view.frame.row[0] - 40) < 1e-3")


def test_a_character_without_clips_has_no_list(pose):
    assert pose(plain_face()).page.evaluate("clip.hidden")


def test_the_value_under_the_cursor_is_shown_on_a_colored_skin_alone(pose):
    posed = pose(skinned_arm(), skinned_arm())
    posed.hide_handles()
    (point,) = posed.facing_points(1)
    posed.page.mouse("Moved", *posed.pixel(point))
    assert posed.page.evaluate("readout.hidden")
    posed.page.evaluate("color.value = 'error'; color.dispatchEvent(new Event('change'))")
    posed.page.until("view.frame.color === 'error'")
    x, y = posed.pixel(point)
    posed.page.call("Input.dispatchMouseEvent", type="mouseMoved", x=x + 1, y=y, button="none")
    posed.page.until("!readout.hidden")
    assert posed.page.evaluate("readout.textContent") == "0.0 mm from the other figure"
    posed.page.call("Input.dispatchMouseEvent", type="mouseMoved", x=5, y=y, button="none")
    posed.page.until("readout.hidden")


def test_nothing_is_drawn_while_nothing_changes(pose):
    posed = pose(skinned_arm())
    posed.page.until("view.sharpener === undefined || !view.renderer.options.moving")
    frames = "new Promise(done => { let n = 0; const f = () => (++n > 30 ? done() : requestAnimationFrame(f)); f(); })"
    before = posed.page.evaluate("view.statistics.drawn")
    posed.page.evaluate(frames)
    assert posed.page.evaluate("view.statistics.drawn") == before


def test_what_moves_has_half_the_pixels_and_what_rests_has_all(pose):
    posed = pose(skinned_arm())
    if not posed.page.evaluate("view.renderer.software"):
        pytest.skip("this browser draws with graphics hardware")
    pixels = "view.canvas.width * view.canvas.height / (view.canvas.clientWidth * view.canvas.clientHeight)"
    posed.page.until(f"!view.wanted && {pixels} === 1")
    shares = posed.page.evaluate(
        f"new Promise(done => {{ const shares = []; const f = () => {{ view.camera.orbit(1, 0); view.render();"
        f"shares.push({pixels}); shares.length > 2 ? done(shares) : f(); }}; f(); }})"
    )
    assert shares[-1] == pytest.approx(0.5, abs=0.01)  # rounded to whole pixels
    posed.page.until(f"{pixels} === 1")


def test_materials_of_parts_by_name_are_offered_and_drawn(pose):
    face = rc.faces.example()
    count = len(face.rest_vertices)
    parts = {"segments": {"face": [0, count - 40], "eyeball_left": [count - 40, count]}}
    still = np.zeros((1, count, 3), np.float32)
    dressed = rc.BlendshapeRig(face.rest_vertices, still, names=["smile"], faces=face.faces, metadata=parts)
    posed = pose(dressed)
    assert posed.page.evaluate("[...color.options].map(x => x.value)")[:2] == ["material", "plain"]
    posed.page.until("view.frame.color === 'material'")
    dressed_picture = posed.page.evaluate(PICTURE)
    posed.page.evaluate("color.value = 'plain'; color.dispatchEvent(new Event('change'))")
    posed.page.until("view.frame.color === 'plain'")
    assert posed.page.evaluate(PICTURE) != dressed_picture


def test_bones_and_x_ray_change_the_picture_and_say_that_they_are_on(pose):
    posed = pose(skinned_arm())
    seen = [posed.page.evaluate(PICTURE)]
    posed.page.evaluate(CLICK.format("bones"))
    posed.page.until("view.frame.bones?.length === 3")
    seen.append(posed.page.evaluate(PICTURE))
    posed.page.evaluate(CLICK.format("xray"))
    seen.append(posed.page.evaluate(PICTURE))
    assert len(set(seen)) == 3
    assert posed.page.evaluate("['bones', 'xray'].map(id => document.getElementById(id).ariaPressed)") == ["true"] * 2


def test_the_theme_follows_the_system_until_it_is_chosen(pose):
    posed = pose(plain_face())
    theme = "document.documentElement.dataset.theme"
    for name in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": name}]
        posed.page.call("Emulation.setEmulatedMedia", features=features)
        posed.page.until(f"{theme} === '{name}'")
    posed.page.evaluate(CLICK.format("theme"))
    assert posed.page.evaluate(theme) == "light"
    posed.show()
    assert posed.page.evaluate(theme) == "light"
    posed.page.evaluate("localStorage.clear()")


def test_a_question_mark_lists_the_shortcuts(pose):
    posed = pose(plain_face())
    key = {"key": "?", "text": "?", "code": "Slash"}
    posed.page.call("Input.dispatchKeyEvent", type="keyDown", **key)
    posed.page.until("help.open")
    assert "Space, K" in posed.page.evaluate("help.innerText")


def test_a_search_without_a_match_says_so(pose):
    posed = pose(plain_face())
    posed.page.evaluate("search.value = 'zzz'; search.dispatchEvent(new Event('input'))")
    said = "document.getElementById('nothing')"
    assert posed.page.evaluate(f"{said}.hidden") is False
    assert 'has "zzz" in its name' in posed.page.evaluate(f"{said}.textContent")
    posed.page.evaluate("search.value = ''; search.dispatchEvent(new Event('input'))")
    assert posed.page.evaluate(f"{said}.hidden") is True


def test_all_that_can_be_used_has_a_name_and_toggles_say_how_they_stand(pose):
    page = pose(plain_face()).page
    nameless = (
        "[...document.querySelectorAll('button, select, input, canvas')].filter(e => !(e.ariaLabel || e.labels?.length"
        "|| e.textContent.trim())).map(e => e.id || e.className)"
    )
    assert page.evaluate(nameless) == []
    assert page.evaluate("[...document.querySelectorAll('.toggle')].every(e => e.ariaPressed !== null)")


def test_names_of_figures_do_not_touch(pose):
    posed = pose(skinned_arm(), skinned_arm())
    posed.page.evaluate("view.camera.zoom(3); view.redraw()")
    posed.page.until("!view.wanted")
    first, second = posed.page.evaluate(
        "[...document.querySelectorAll('#labels span')].map(label => label.getBoundingClientRect().toJSON())"
    )
    apart = first["right"] <= second["left"] or first["bottom"] <= second["top"]
    assert apart
