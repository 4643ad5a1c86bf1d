"""The page of a capture: its words, its pictures, and the figures that it states."""

from __future__ import annotations

import base64
import io
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import rigcast as rc
from rigcast._pages.words import figure
from rigcast.report._capture.captured import captured_shot
from tests.report.test_page import Collector

FRAMES, SIZE = 16, 96
LOST = (9, 10)
HIDDEN = 7  # a point that is occluded in frames 3 to 6


@pytest.fixture(scope="module")
def shot():
    cast = rc.capture.example_cast()
    filmed = rc.capture.film(cast.actor(3), rc.capture.ShotPlan(frames=FRAMES, size=SIZE))
    points = np.array(filmed.labels["landmarks_2d"], np.float64)
    points += np.random.default_rng(0).normal(0.0, 0.2, points.shape)
    points[LOST[0] : LOST[1] + 1] = np.nan
    certainty = np.where(np.isnan(points).any(axis=2), 0.0, 1.0)
    certainty[3:7, HIDDEN] = 0.0
    tracks = rc.capture.Tracks(points, certainty, 25.0, (SIZE, SIZE))
    focal = float(filmed.labels["focal"])
    found = rc.capture.solve(cast.character, tracks, cast.landmarks, focal=focal, neutral=0)
    return SimpleNamespace(rig=cast.character, tracks=tracks, found=found, color=filmed.color, landmarks=cast.landmarks)


@pytest.fixture(scope="module")
def page(shot, tmp_path_factory):
    for package in ("pyvista", "matplotlib", "jinja2"):
        pytest.importorskip(package, reason="the report extra is not installed")
    path = tmp_path_factory.mktemp("capture") / "take.html"
    steps = []
    numbers = rc.report.write_capture(
        path, shot.rig, shot.found, points=shot.tracks, pictures=shot.color, progress=steps.append
    )
    html = path.read_text(encoding="utf-8")
    collector = Collector()
    collector.feed(html)
    return SimpleNamespace(html=html, numbers=numbers, text=" ".join(collector.text), page=collector, steps=steps)


def pictures(html):
    from PIL import Image

    found = re.findall(r'src="data:image/(?:jpeg|webp);base64,([^"]+)"', html)
    return [np.asarray(Image.open(io.BytesIO(base64.b64decode(text))).convert("RGB")) for text in found]


def test_the_first_line_says_that_every_actor_is_rendered(page):
    verdicts = re.findall(r'<p class="verdict">(.*?)</p>', page.html)
    assert "every actor of its tests and benchmarks is rendered, and every albedo constructed" in verdicts[0]


def test_every_part_is_there_and_nothing_is_loaded(page):
    for part in ("frames", "errors", "unseen", "points", "weights", "head", "provenance"):
        assert f'<section id="{part}">' in page.html
    assert all(address.startswith(("data:", "#")) for address in page.page.addresses)
    assert len(page.steps) >= 3


def test_input_overlay_and_character_stand_side_by_side(page):
    """The overlay is the input where the character is not, and differs where it is."""
    shown = pictures(page.html)
    assert len(shown) % 3 == 0
    for before, over, character in zip(shown[::3], shown[1::3], shown[2::3], strict=True):
        changed = np.abs(before.astype(int) - over).max(axis=2) > 30  # JPEG alone changes less
        assert 0.1 < changed.mean() < 0.9
        assert (character < 240).any(axis=2).mean() > 0.1


def test_a_mirrored_video_is_drawn_as_it_shows_the_actor(shot):
    """The overlay lies on the points; weights are those of the result, with their sides exchanged."""
    given = {"focal": float(shot.found.focal), "neutral": 0}
    found = rc.capture.solve(shot.rig, shot.tracks, shot.landmarks, mirrored=True, **given)
    made = captured_shot(shot.rig, found, shot.tracks, None)
    assert made.mirrored
    off = np.linalg.norm(made.tracks.points[1, found.places.used] - made.projected(1), axis=1)
    np.testing.assert_allclose(off, found.residual[1, found.places.used], atol=0.01)  # pixels of 96
    assert not captured_shot(shot.rig, shot.found, shot.tracks, None).mirrored


def test_what_was_lost_or_hidden_is_told(page):
    assert f"No face in 2 frames ({LOST[0]} to {LOST[1]})" in page.text
    assert f"{HIDDEN} ({100 * 4 / (FRAMES - 2):.0f}%)" in page.text
    assert page.numbers["lost"] == 2


def test_figures_are_those_of_the_capture(page, shot):
    residual = shot.found.residual[~shot.found.lost]
    assert page.numbers["residual"] == pytest.approx(np.nanmean(np.nanmean(residual, axis=1)))
    bends = np.diff(shot.found.weights, n=2, axis=0)
    assert page.numbers["weight_jitter"] == pytest.approx(np.sqrt(np.square(bends).mean() / 6.0))
    assert figure(page.numbers["residual"]) in page.text
    for note in shot.found.notes:
        assert note[1:] in page.text


def test_points_alone_are_drawn_on_gray(shot, tmp_path):
    pytest.importorskip("pyvista", reason="the report extra is not installed")
    rc.report.write_capture(tmp_path / "p.html", shot.rig, shot.found, points=shot.tracks)
    shown = pictures((tmp_path / "p.html").read_text(encoding="utf-8"))
    assert (np.abs(shown[0].astype(int) - 40).max(axis=2) < 30).mean() > 0.8


def test_points_in_space_have_no_image(shot, tmp_path):
    pytest.importorskip("pyvista", reason="the report extra is not installed")
    landmarks = rc.capture.example_cast().landmarks
    placed = shot.rig.evaluate(np.linspace(0, 0.5, 5)[:, None] * np.eye(shot.rig.num_shapes)[0])[:, landmarks]
    found = rc.capture.solve(shot.rig, placed.astype(float), landmarks, neutral=0)
    numbers = rc.report.write_capture(tmp_path / "s.html", shot.rig, found, points=placed.astype(float))
    html = (tmp_path / "s.html").read_text(encoding="utf-8")
    assert numbers["unit"] == "units of the points"
    assert "character over it</figcaption>" not in html.replace("\n", "")


def test_a_mirrored_shot_is_laid_over_its_pictures(shot, tmp_path):
    """The capture has the sides exchanged: its page turns points and pictures around with it."""
    pytest.importorskip("pyvista", reason="the report extra is not installed")
    center = SIZE / 2
    flipped = replace(shot.tracks, points=np.where([True, False], 2 * center - shot.tracks.points, shot.tracks.points))
    found = rc.capture.solve(shot.rig, shot.tracks, rc.capture.example_cast().landmarks, neutral=0, focal=200.0)
    numbers = rc.report.write_capture(tmp_path / "a.html", shot.rig, found, points=shot.tracks, pictures=shot.color)
    other = rc.report.write_capture(
        tmp_path / "b.html", shot.rig, found, points=flipped, pictures=shot.color[:, :, ::-1]
    )
    assert other["residual"] == numbers["residual"]
    a, b = (pictures((tmp_path / name).read_text(encoding="utf-8")) for name in ("a.html", "b.html"))
    assert np.abs(a[1].astype(int) - b[1]).mean() < 2.0  # levels of 8 bits, after JPEG


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"points": lambda s: s.tracks.points[:-1]}, "frames of"),
        ({"points": lambda s: s.tracks.points + 60.0}, "elsewhere than the character"),
        ({"pictures": lambda s: s.color[:-1]}, "one per frame"),
        ({"rig": lambda s: rc.BlendshapeRig(np.eye(3), np.zeros((1, 3, 3)), faces=[[0, 1, 2]])}, "of the rig"),
    ],
)
def test_wrong_input_is_named(shot, tmp_path, change, match):
    pytest.importorskip("pyvista", reason="the report extra is not installed")
    given = {"rig": shot.rig, "points": shot.tracks, "pictures": shot.color}
    given |= {key: made(shot) for key, made in change.items()}
    with pytest.raises(rc.errors.ArgumentError, match=match):
        rc.report.write_capture(
            tmp_path / "x.html", given["rig"], shot.found, points=given["points"], pictures=given["pictures"]
        )
    assert not (tmp_path / "x.html").exists()
