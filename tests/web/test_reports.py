"""Reports that move: the character is in each, and their buttons show the frames that they name."""

from __future__ import annotations

import numpy as np
import pytest

import rigcast as rc
from tests.support.characters.plain_face import plain_face
from tests.support.characters.second_face import first_face, second_neutral
from tests.support.made.players import face_synth
from tests.web.test_page import CLIP, SHOWN

for package in ("pyvista", "matplotlib", "jinja2"):
    pytest.importorskip(package, reason="the report extra is not installed")

FRAME = "document.getElementById('character').contentWindow.view?.frame"
LAST = "[...document.querySelectorAll('.stops button')].at(-1)"


def solved_shot(path):
    """The last button is the worst frame's."""
    face = plain_face()
    found = rc.inverse.solve(face, face.evaluate(CLIP.astype(np.float32)))
    rc.report.write_shot(path, face, face.evaluate(CLIP.astype(np.float32)), solution=found, methods=[])


def transferred(path):
    """Each button shows one shape at its full weight."""
    measured = rc.report.measure_transfer(first_face(), rc.transfer.transfer_rig(first_face(), second_neutral()))
    rc.report.write_transfer(path, measured)
    last = [int(n) for n in measured.order() if n < measured.target.num_shapes][:4][-1]
    return np.eye(measured.target.num_shapes)[last]


def synthesized(path):
    """The last button is the hardest acceleration of all that was played."""
    from rigcast.report._synthesis.worst import idling, worst_moments

    rc.report.write_synthesis(path, face_synth(), transitions=0, seconds=3.0)
    return worst_moments(face_synth(), idling(face_synth(), 3.0, rc.progress.silent), 2)[-1].controls


def learned_ik(path):
    """The last button is the configuration that the networks miss most."""
    pytest.importorskip("torch", reason="PyTorch is not installed")
    from rigcast.report._face_ik.measure import measure

    face = rc.faces.example()
    settings = rc.training.FaceIkSettings(hidden=16, rows=400, batch=64, bins=1, noise=1e-3)
    points = np.arange(0, len(face.rest_vertices), 60)
    ik = rc.training.face_ik(face, points, steps=10, threads=1, settings=settings)
    rc.report.write_face_ik(path, ik, face)
    found = measure(ik, face, None)
    return found.poses[found.answers[0].judged.mean(axis=1).argmax()]


def judged(path):
    """The last button is the pose with the largest error."""
    arm = rc.sources.example_body()
    learned = rc.sampling.sample(arm, path.parent / "learned.rwdata", count=60, seed=0)
    held = rc.sampling.sample(arm, path.parent / "held.rwdata", count=12, seed=1)
    model = rc.baselines.linear_blend(learned, influences=2)
    model.save(path.parent / "arm.safetensors")
    rc.report.write_body(path, [path.parent / "arm.safetensors"], held, training=learned)
    distances = np.linalg.norm(model.evaluate(held.poses) - held.vertices, axis=2)
    return held.channels[distances.max(axis=1).argmax()]


def captured(path):
    """The last button is the frame with the largest residual."""
    cast = rc.capture.example_cast()
    filmed = rc.capture.film(cast.actor(3), rc.capture.ShotPlan(frames=6, size=64))
    points = np.array(filmed.labels["landmarks_2d"], np.float64)
    tracks = rc.capture.Tracks(points, np.ones(points.shape[:2]), 25.0, (64, 64))
    found = rc.capture.solve(cast.character, tracks, cast.landmarks, focal=float(filmed.labels["focal"]), neutral=0)
    rc.report.write_capture(path, cast.character, found, points=tracks, pictures=filmed.color)


REPORTS = {
    "a solved shot": solved_shot,
    "a transfer": transferred,
    "a synthesizer": synthesized,
    "a body": judged,
    "a capture": captured,
    "face IK": learned_ik,
}


@pytest.mark.parametrize("kind", REPORTS)
def test_the_character_stands_in_the_report_and_a_button_shows_a_frame(browser, tmp_path, kind):
    path = tmp_path / "report.html"
    expected = REPORTS[kind](path)
    page = browser.page()
    page.open(path.as_uri())
    page.until("document.readyState === 'complete'")
    page.evaluate("document.getElementById('live').scrollIntoView()")
    page.until(FRAME)
    before = page.evaluate(f"{FRAME}.frame")
    name = page.evaluate(f"{LAST}.textContent")
    page.evaluate(f"{LAST}.click()")
    page.until(f"{FRAME}.frame > {before} && !{FRAME}.timeline.playing")
    found = page.evaluate(FRAME)
    if expected is None:
        assert found["timeline"]["at"] == int(name.split(":")[1])
    else:
        np.testing.assert_allclose(found["row"][: len(expected)], expected, atol=SHOWN)
    assert page.complaints == []
    assert [url for url in page.requests if not url.startswith(("file:", "data:", "blob:", "about:"))] == []
    page.close()
