"""Live figures: drawn by the browser as the pictures are, turned by drags, answered and stored like pictures."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rigcast as rc
from rigcast.study._pictures import Framing, NamedExpression, PictureSettings, Poser
from tests.study import small
from tests.study.test_page import Participant, expected_rating
from tests.support.characters.plain_face import plain_face

ALIKE = 0.5  # of 255; no light or camera that differs comes so near
DEGREES_A_PIXEL = 0.4
CANVAS = "document.querySelectorAll('.face canvas')[{}]"


@pytest.fixture
def live(tmp_path):
    return small.rating(
        tmp_path / "study", pictures={"live": True}, settings={"picture_degrees": 5.0, "turn": 30.0, "fixation": 0.0}
    )


def pixels(page, place):
    """(H, W, 3) of a canvas."""
    canvas = CANVAS.format(place)
    size = page.evaluate(f"{canvas}.width")
    values = page.evaluate(f"Array.from({canvas}.getContext('2d').getImageData(0, 0, {size}, {size}).data)")
    return np.array(values, np.uint8).reshape(size, size, 4)[:, :, :3]


def picture(expression, level, degrees, size):
    """(H, W, 3) as a study of pictures shows it."""
    poser = Poser("test", "face", plain_face())
    framing = Framing.of(poser, "c0", PictureSettings(size=size))
    mesh = poser.vertices(expression, level)
    return framing.draw(mesh[None], poser.faces, degrees, threads=1)[0]


def apart(one, other):
    """The largest difference of 8 by 8 pixels' means, of squares that the face fills in both."""
    size = len(one) // 8 * 8
    squares = [p[:size, :size].astype(float).reshape(size // 8, 8, size // 8, 8, 3) for p in (one, other)]
    filled = np.logical_and(*((p != 128).any(axis=4).all(axis=(1, 3)) for p in squares))
    assert filled.sum() > 100
    return float(np.abs(squares[0].mean(axis=(1, 3)) - squares[1].mean(axis=(1, 3)))[filled].max())


@pytest.mark.long
def test_a_live_figure_looks_like_the_picture_from_each_side(live, browser):
    with rc.study.StudyServer(live) as server:
        person = Participant(browser, waits=True)
        person.open(server.url)
        page = person.page
        page.until(CANVAS.format(1))
        file = page.evaluate(f"{CANVAS.format(1)}.dataset.shown")
        trial = next(t for t in [*live.training] if live.stimuli[t.options["expression"]].files == [[file]])
        expression = next(e for e in small.EXPRESSIONS if e.name == trial.facts["unit"])
        shown = pixels(page, 1)
        level = trial.facts["activation"]
        assert apart(shown, picture(expression, level, 0.0, len(shown))) < ALIKE
        middle = "(r => [r.x + r.width / 2, r.y + r.height / 2])({}.getBoundingClientRect())"
        x, y = page.evaluate(middle.format(CANVAS.format(0)))
        page.mouse("Pressed", x, y)
        page.mouse("Moved", x + 50, y)
        page.mouse("Released", x + 50, y)
        for place, found in ((0, NamedExpression("", {})), (1, expression)):
            turned = pixels(page, place)
            assert apart(turned, picture(found, level, 50 * DEGREES_A_PIXEL, len(turned))) < ALIKE
            assert apart(turned, picture(found, level, -50 * DEGREES_A_PIXEL, len(turned))) > 20 * ALIKE
        assert [line for line in page.complaints if "getImageData" not in line] == []  # of this test's own readings
        page.close()


@pytest.mark.long
def test_a_study_of_live_figures_from_consent_to_thanks(live, browser):
    with rc.study.StudyServer(live) as server:
        person = Participant(browser)
        person.open(server.url)
        person.finish()
    table = rc.study.answers(live)
    assert len(table) == len(live.trials)
    for name, rating in zip(table.columns["trial"].tolist(), table.columns["rating"].tolist(), strict=True):
        assert rating == expected_rating(live, name)
    assert table.columns["turned"].tolist() == [0.0] * len(table)


@pytest.mark.parametrize("turned", ["far", -1.0, 91.0, True, None])
def test_a_turn_that_is_none_is_refused(live, turned):
    with rc.study.StudyServer(live) as server:
        person = small.Person(live, "p", server.url)
        trial = person.sign_up()["trials"][0]
        status, content = person.post("answers", person.message(trial, {"rating": 3, "turned": turned}))
        assert (status, "turned must be a number" in content["error"]) == (400, True)
        status, _ = person.post("answers", person.message(trial, {"rating": 3, "turned": 12.5}))
        assert status == 200
    assert rc.study.answers(live).columns["turned"].tolist() == [12.5]


def test_meshes_of_one_face_share_its_triangles_and_are_found_again(live):
    assert len({stimulus.faces for stimulus in live.stimuli.values()}) == 1
    again = rc.study.open_study(live.folder)
    assert again.stimuli == live.stimuli
    assert again.build == live.build
    stated = json.loads((live.folder / "study.json").read_text())["stimuli"]
    assert set(next(iter(stated.values()))) == {"files", "faces"}


def test_a_study_with_a_mesh_missing_is_refused(live):
    name = live.stimuli[live.trials[0].reference].files[0][0]
    (live.folder / "stimuli" / name).unlink()
    with pytest.raises(ValueError, match=name):
        rc.study.open_study(live.folder)


def test_jspsych_shows_no_live_figures(live, tmp_path):
    with pytest.raises(ValueError, match=r"live figures.*pictures or loops"):
        rc.study.write_jspsych(live, tmp_path / "exported")
