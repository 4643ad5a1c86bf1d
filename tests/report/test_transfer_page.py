"""The page of a transfer: complete, offline, alive in a browser, and true to the numbers."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest

import rigcast as rc
from tests.report.test_page import CHROMIUM, Collector, probed
from tests.support.characters.second_face import first_face, second_neutral, second_truth

PAIRS = np.array([[3, 30], [4, 31], [60, 75]])


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """With truth and contacts, and with neither."""
    for package in ("pyvista", "matplotlib", "jinja2"):
        pytest.importorskip(package, reason="the report extra is not installed")
    from rigcast import report

    folder, rig = tmp_path_factory.mktemp("pages"), first_face()
    made = rc.transfer.transfer_rig(rig, second_neutral(), contacts=PAIRS)
    free = rc.transfer.deformation_transfer(
        rig.rest_vertices, rc.transfer.positions_from_rig(rig), second_neutral(), rig.faces, contacts=None
    )
    measured = report.measure_transfer(rig, made, truth=second_truth(), contacts=PAIRS, free_shapes=free)
    bare = report.measure_transfer(rig, made)
    numbers = report.write_transfer(folder / "full.html", measured, name="second face")
    report.write_transfer(folder / "bare.html", bare)
    return SimpleNamespace(
        full=folder / "full.html", bare=folder / "bare.html", measured=measured, unjudged=bare, numbers=numbers
    )


def test_measurements_are_what_they_say(tolerance):
    from rigcast import report

    rig, truth = first_face(), second_truth()
    made = rc.transfer.transfer_rig(rig, second_neutral())
    measured = report.measure_transfer(rig, made, truth=truth)
    assert measured.names[6:] == ["left_smile * right_smile", "brow_up at 0.5"]
    assert measured.judged.tolist() == list(range(6)), "combinations have no name to be found by"
    for k in range(6):
        apart = 10.0 * np.linalg.norm(made.column(k) - truth.column(k), axis=1)
        np.testing.assert_allclose(measured.distances(k), apart, atol=tolerance["float32_character"])
        np.testing.assert_allclose(
            measured.copy_distances(k),
            10.0 * np.linalg.norm(rig.column(k) - truth.column(k), axis=1),
            atol=tolerance["float32_character"],
        )
    worst = measured.order()[0]
    assert measured.errors[worst] == np.nanmax(measured.errors)
    assert np.isnan(measured.errors[6:]).all()


def test_a_copy_is_made_in_the_targets_unit():
    from rigcast import report

    rig = first_face()
    shapes = rc.transfer.positions_from_rig(rig)
    meters = rc.transfer.rig_from_positions(
        rig, 0.01 * rig.rest_vertices, 0.01 * shapes, metadata={"meters_per_unit": 1.0}
    )
    measured = report.measure_transfer(rig, meters, truth=rig)
    assert measured.errors[:6].max() < 1e-3
    assert measured.copy_errors[:6].max() < 1e-3
    assert not measured.quality.flipped.any()


def test_every_part_is_there_and_nothing_is_loaded(pages):
    for path, parts in (
        (pages.full, ("faces", "overview", "shapes", "contacts", "distortion", "list", "provenance")),
        (pages.bare, ("faces", "shapes", "distortion", "list", "provenance")),
    ):
        html = path.read_text(encoding="utf-8")
        found = re.findall(r'<section id="(\w+)">', html)
        assert [part for part in found if part != "live"] == list(parts)
        collector = Collector()
        collector.feed(html)
        assert [a for a in collector.addresses if not a.startswith(("data:", "#"))] == []
        assert collector.tags.count("script") <= 1  # of the buttons that move the character
        for name in pages.measured.names:
            assert name in collector.text


def test_the_list_is_sorted_and_holds_the_numbers(pages):
    from rigcast._pages.words import figure

    html = pages.full.read_text(encoding="utf-8")
    rows = re.findall(r"<tr><td>([^<]+)</td><td>([^<]+)</td><td>([^<]+)</td>", html)
    measured = pages.measured
    assert [row[0] for row in rows] == [measured.names[n] for n in measured.order()]
    for name, error, copy in rows[:6]:
        n = measured.names.index(name)
        assert (error, copy) == (figure(measured.errors[n]), figure(measured.copy_errors[n]))
    assert pages.numbers["mean_error_mm"] == pytest.approx(np.nanmean(measured.errors))


def test_stretch_is_told_in_percent(pages):
    html = pages.bare.read_text(encoding="utf-8")
    assert "log stretch" not in html
    assert "<li>≥ 100 %</li>" in html
    assert re.search(r"99 of 100 faces by at most [\d.]+ %", html)


def test_without_truth_the_most_doubtful_come_first(pages):
    doubt = pages.unjudged.quality.doubt[pages.unjudged.order()]
    assert (np.diff(doubt) <= 0).all()
    assert "no true shapes" in pages.bare.read_text(encoding="utf-8")


def test_what_does_not_fit_together_is_refused():
    from rigcast import report

    rig = first_face()
    made = rc.transfer.transfer_rig(rig, second_neutral())
    other = rc.BlendshapeRig(rig.rest_vertices, rig.columns()[:2], names=["ear", "nose"], faces=rig.faces)
    with pytest.raises(ValueError, match="report: target is with other shapes"):
        report.measure_transfer(rig, other)
    with pytest.raises(ValueError, match=r"report: truth is a rig of other shapes \(ear, nose\)"):
        report.measure_transfer(rig, made, truth=other)
    small = rc.BlendshapeRig(np.eye(3), np.ones((1, 3, 3)))
    with pytest.raises(ValueError, match="report: truth is of 3 vertices; it must be a rig of the target's 117"):
        report.measure_transfer(rig, made, truth=small)


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the PATH")
@pytest.mark.parametrize("which", ["full", "bare"])
def test_a_browser_shows_every_picture(pages, which, tmp_path):
    html = getattr(pages, which).read_text(encoding="utf-8")
    seen = probed(html, tmp_path)
    assert (seen["broken"], seen["images"]) == ("0", str(html.count("<img ")))


def test_a_head_is_shown_whole_and_of_a_body_what_moves():
    """Each face in its own frame: the source's larger head is not cut by the target's."""
    pytest.importorskip("pyvista", reason="the report extra is not installed")
    from rigcast.report._transfer.framing import framed
    from rigcast.report._transfer.gallery import FACING

    rig = first_face()

    moving = rig.rest_vertices[:, 1] > 3.0

    def inside(shown):
        view = framed(shown, moving, FACING, aspect=0.8)
        right = np.cross(view.up, view.toward)
        away = shown.rest_vertices - view.center
        return (np.abs(away @ view.up) <= view.extent) & (np.abs(away @ right) <= 0.8 * view.extent)

    assert inside(rig).all()
    tall = rig.rest_vertices.copy()
    tall[~moving, 1] -= 100.0
    body = rc.BlendshapeRig(tall, rig.columns(), [], names=rig.column_names, faces=rig.faces)
    assert inside(body)[moving].all()
    assert not inside(body)[~moving].any()


def test_empty_shapes_are_named_on_the_page(tmp_path):
    pytest.importorskip("pyvista", reason="the report extra is not installed")
    pytest.importorskip("jinja2", reason="the report extra is not installed")
    from rigcast import report

    rig = first_face()
    columns = rig.columns()[: rig.num_shapes]
    columns[2] = 0.0
    still = rc.BlendshapeRig(rig.rest_vertices, columns, names=rig.shape_names, faces=rig.faces)
    measured = report.measure_transfer(still, rc.transfer.transfer_rig(still, second_neutral(), contacts=None))
    assert report.write_transfer(tmp_path / "empty.html", measured)["empty"] == ["left_brow"]
    assert "move nothing of the target: left_brow." in (tmp_path / "empty.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def matched_page(tmp_path_factory):
    """A target that is matched by landmarks: the numbers measured, and the page."""
    for package in ("pyvista", "matplotlib", "jinja2"):
        pytest.importorskip(package, reason="the report extra is not installed")
    from rigcast import report

    rig, rows = first_face(), np.array([0, 8, 40, 60, 76, 108, 116])
    found = rc.transfer.correspond(
        rig.rest_vertices, rig.faces, second_neutral(), rig.faces, landmarks=np.stack([rows, rows], axis=1)
    )
    carried = found.resample(rig.rest_vertices, rc.transfer.positions_from_rig(rig))
    shapes = rc.transfer.deformation_transfer(*carried, second_neutral(), rig.faces)
    made = rc.transfer.rig_from_positions(rig, second_neutral(), shapes)
    measured = report.measure_transfer(rig, made, carried=carried, match=found)
    path = tmp_path_factory.mktemp("matched") / "fit.html"
    report.write_transfer(path, measured)
    return SimpleNamespace(measured=measured, html=path.read_text(encoding="utf-8"))


def test_the_fit_is_shown_with_its_landmarks(matched_page):
    section = matched_page.html.split('<section id="fit">')[1].split("</section>")[0]
    assert section.count("<img ") == 3
    for words in ("7 landmarks", "torn edge", "distance from the fitted source", "unmatched in orange"):
        assert words in section


def test_the_fit_is_told_in_sentences_to_act_on(matched_page):
    from dataclasses import replace

    from rigcast.report._transfer.fit import fit_advice

    measured = matched_page.measured
    assert measured.match is not None
    off = replace(measured.match, landmark_error=np.array([0, 0, 5.0, 0, 0, 0, 0]), torn=np.array([[3, 4]]))
    told = " ".join(fit_advice(replace(measured, match=off)))
    assert "The fit misses landmarks: line 3 (50.0 mm); look at both vertices of these." in told
    assert "1 edge of the target is torn (3-4)" in told


def test_there_is_no_fit_in_one_topology(pages):
    assert 'id="fit"' not in pages.bare.read_text(encoding="utf-8")


def test_errors_are_explained_only_beside_a_truth(pages):
    assert "Errors are means" in pages.full.read_text(encoding="utf-8")
    assert "Errors are means" not in pages.bare.read_text(encoding="utf-8")


def test_crossings_of_the_sources_neutral_are_none_of_its_shapes(pages):
    from dataclasses import replace

    measured = pages.unjudged
    quality = replace(measured.quality, source_crossings=np.full(len(measured.names), 7))
    assert replace(measured, quality=quality, rest_crossings=7).figures()["crossings"]["source"] == 0


def test_new_crossings_are_shown_where_they_are(pages):
    """Made by folding the right half of a sheet through the left one."""
    from dataclasses import replace

    from rigcast.report._transfer.framing import crossing_rows

    measured, counts, drawn = pages.unjudged, np.zeros(len(pages.unjudged.shapes), np.int64), []
    shapes, right = measured.shapes.copy(), measured.neutral[:, 0] > 0.0
    x = measured.neutral[right, 0]
    shapes[2] = measured.neutral
    shapes[2, right] += np.stack([-1.8 * x, 0.0 * x, 0.4 * x.max() - 0.8 * x], axis=1)
    counts[2] = 1
    quality = replace(measured.quality, new_crossings=counts, deepest=0.02 * counts)
    (row,) = crossing_rows(
        replace(measured, shapes=shapes, quality=quality),
        lambda vertices, view, edges: drawn.append(edges) or "picture",
    )
    pairs = rc.transfer.new_crossings(
        measured.source_shapes[2], measured.neutral, shapes[2], faces=measured.target.faces
    )
    assert row.title == measured.names[2]
    assert row.text.startswith(f"{len(pairs)} new crossings, 0.2 mm deep at most, between faces at ")
    corners = np.asarray(measured.target.faces)[np.unique(pairs)]
    np.testing.assert_array_equal(np.unique(drawn[0]), np.unique(corners[corners >= 0]))


def test_an_open_jaw_is_framed_whole():
    pytest.importorskip("pyvista", reason="the report extra is not installed")
    from rigcast.report._transfer.framing import framed, reached
    from rigcast.report._transfer.gallery import FACING

    rig = first_face()
    columns = np.array(rig.columns()[:1])
    columns[0, :30, 1] = -6.0
    jaw = rc.BlendshapeRig(rig.rest_vertices, columns, faces=rig.faces)
    opened = jaw.rest_vertices + columns
    view = framed(jaw, columns[0].any(axis=1), FACING, 0.8, reached(jaw, opened))
    away = opened[0] - view.center
    assert np.abs(away @ view.up).max() <= view.extent
    assert np.abs(away @ np.cross(view.up, view.toward)).max() <= 0.8 * view.extent
