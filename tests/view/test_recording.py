"""A page that was saved plays without a server."""

from __future__ import annotations

import html

import numpy as np
import pytest

import rigcast as rc
from rigcast.viewer._coarse import coarse_mesh
from rigcast.viewer._drawing._geometry import triangles
from rigcast.viewer._stored._recording import recorded
from rigcast.viewer._stored._summed import planes
from tests.support.characters.plain_face import plain_face
from tests.view.page_messages import page_messages


def clip(count=6):
    face = plain_face()
    return face, np.linspace(0, 1, count)[:, None] * (np.arange(face.num_shapes) == 0)


def test_it_plays_from_a_file_and_asks_for_nothing(browser, tmp_path):
    face, poses = clip()
    path = tmp_path / "clip.html"
    rc.viewer.record(face, poses=poses, fps=30).save(path)
    page = browser.page()
    page.open(path.as_uri())
    page.until("window.view && view.frame")
    page.evaluate("view.link.send('seek', { at: 5 })")
    page.until("view.frame.row[0] === 1 && view.frame.timeline.at === 5")
    page.evaluate("document.getElementById('play').click()")
    page.until("view.frame.timeline.playing && Math.floor(view.frame.timeline.at) === 2")
    page.evaluate("document.getElementById('play').click()")
    page.until("!view.frame.timeline.playing")
    assert page.complaints == []
    assert [url for url in page.requests if not url.startswith(("file:", "data:", "about:"))] == []
    page.close()


def test_without_a_motion_it_holds_one_pose():
    assert rc.viewer.record(plain_face()).page.count('"recording"') == 1


def test_a_notebook_gets_the_whole_page():
    face, poses = clip(2)
    recording = rc.viewer.record(face, poses=poses)
    assert html.escape(recording.page, quote=True) in recording._repr_html_()


def test_where_the_browser_is_elsewhere_a_live_view_is_shown_as_its_recording(monkeypatch):
    pytest.importorskip("websockets", reason="websockets is not installed (extra viewer)")
    with rc.view(plain_face()) as live:
        monkeypatch.setenv("COLAB_RELEASE_TAG", "release")
        assert "srcdoc=" in live._repr_html_()


def test_recording_leaves_the_view_as_it_stands():
    pytest.importorskip("websockets", reason="websockets is not installed (extra viewer)")
    face, poses = clip()
    with rc.view(face, poses=poses) as live:
        stage = live._server.stage
        stage.step(page_messages({"type": "seek", "at": 3}), 0.0)
        before = stage.state, stage.timeline.at
        live._server.on_stage(recorded)
        assert (stage.state, stage.timeline.at) == before


def test_a_recording_too_large_for_a_browser_is_refused():
    face = plain_face()
    with pytest.raises(ValueError, match=r"record: poses is .* frames"):
        rc.viewer.record(face, poses=np.zeros((200_000, face.num_shapes)))


def test_it_is_saved_as_html_only(tmp_path):
    with pytest.raises(ValueError, match=r"ViewPage\.save: path"):
        rc.viewer.record(plain_face()).save(tmp_path / "clip.txt")


SHOWN = """(() => {
  const { bytes, box } = view.link.frames.figures[0].packed(FRAME, view.link.frames.header.shares);
  const place = (i, k) => box[0][k] + (bytes.getUint16(12 * i + 2 * k, true) / 65535) * (box[1][k] - box[0][k]);
  return [...new Array(bytes.byteLength / 12).keys()].map((i) => [0, 1, 2].map((k) => place(i, k)));
})()"""  # positions in a frame


def test_a_small_recording_shows_the_frames_of_the_whole_one(browser, tmp_path):
    """Positions to a thousandth of the size, rows of sliders, and playing; vertices that stay are the same."""
    face, _ = clip()
    rng = np.random.default_rng(0)
    poses = 0.5 + 0.5 * np.sin(np.arange(30)[:, None] * rng.uniform(0.1, 0.4, face.num_shapes))
    path = tmp_path / "small.html"
    rc.viewer.record(face, poses=poses, fps=30, vertices=len(face.rest_vertices)).save(path)
    page = browser.page()
    page.open(path.as_uri())
    page.until("window.view && view.frame")
    truth, size = face.evaluate(poses), np.linalg.norm(np.ptp(face.rest_vertices, axis=0))
    for frame in (0, 17, 29):
        page.evaluate(f"view.link.send('seek', {{ at: {frame} }})")
        page.until(f"view.frame.timeline.at === {frame}")
        shown = page.evaluate(SHOWN.replace("FRAME", str(frame)))
        assert np.abs(np.array(shown) - truth[frame]).max() < 2e-3 * size
        row = page.evaluate("view.frame.row")
        np.testing.assert_allclose(row[: face.num_shapes], poses[frame], atol=6e-4)  # half of a thousandth, and digits
    page.evaluate("document.getElementById('play').click()")
    page.until("view.frame.timeline.playing && Math.floor(view.frame.timeline.at) === 2")
    assert page.complaints == []
    assert [url for url in page.requests if not url.startswith(("file:", "data:", "about:", "blob:"))] == []
    page.close()


def test_a_small_recording_of_a_face_stays_small():
    """Half a minute of a face of 2,500 vertices in a hundred kilobytes; the whole one has 30 MB."""
    face = rc.faces.example()
    t = np.arange(720)[:, None] / 24
    poses = 0.5 + 0.5 * np.sin(t * np.random.default_rng(0).uniform(1, 3, face.num_shapes))
    small = rc.viewer.record(face, poses=poses, vertices=1000)
    assert len(small.page) < 250_000


def sheet(across):
    """Vertices and triangles of a wavy square sheet."""
    x, y = (axis.ravel() for axis in np.meshgrid(np.arange(across), np.arange(across)))
    points = np.column_stack([x, y, np.sin(0.4 * x) * np.cos(0.3 * y)]).astype(np.float32)
    first = (np.arange(across - 1)[:, None] + across * np.arange(across - 1)).reshape(-1, 1)
    quads = np.concatenate([first, first + 1, first + across + 1, first + across], axis=1).astype(np.int32)
    return points, triangles(quads)


def test_a_coarse_mesh_is_the_same_surface_without_holes():
    """Close to the whole one, with the same border, no edge of three triangles, and no triangle turned over."""
    points, whole = sheet(30)
    kept, found = coarse_mesh(points[None], whole, 200)
    assert len(kept) == 200
    sides = np.sort(found[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    edges, counts = np.unique(sides, axis=0, return_counts=True)
    assert counts.max() == 2
    assert len(kept) - len(edges) + len(found) == 1  # Euler: a disk
    a, b, c = points[kept][found].transpose(1, 0, 2)
    up = np.cross(b - a, c - a)[:, 2]
    assert (up >= 0).all() or (up <= 0).all()
    assert np.abs(up).sum() / 2 == pytest.approx(29**2)  # the square is covered once
    center = (a + b + c) / 3
    assert np.abs(center[:, 2] - np.sin(0.4 * center[:, 0]) * np.cos(0.3 * center[:, 1])).max() < 0.3


def test_surfaces_that_touch_are_not_joined():
    points, own = sheet(20)
    kept, found = coarse_mesh(np.concatenate([points, points])[None], np.concatenate([own, own + 400]), 200)
    sides = (kept[found] >= 400).sum(axis=1)
    assert set(sides) == {0, 3}
    assert len(np.unique(found)) == len(kept) <= 200


def test_what_moves_keeps_its_detail():
    """Of a flat sheet that bulges in one corner in a later pose, that corner keeps more vertices."""
    points, own = sheet(30)
    flat = points * np.float32([1, 1, 0])
    bulge = flat.copy()
    bulge[:, 2] = 4 * np.exp(-((flat[:, 0] - 6) ** 2 + (flat[:, 1] - 6) ** 2) / 12)
    kept, _ = coarse_mesh(np.stack([flat, bulge]), own, 150)
    near = (np.linalg.norm(flat[:, :2] - 6, axis=1) < 7).astype(int)
    assert near[kept].mean() > 1.6 * near.mean()


@pytest.mark.parametrize("numbers", [[0, 5, -7, 2**30, -(2**30), 1], [3], []])
def test_whole_numbers_come_back_from_their_planes(numbers):
    stored = planes(np.array(numbers, np.int64)).reshape(4, -1).astype(np.uint32)
    code = stored[0] | stored[1] << 8 | stored[2] << 16 | stored[3] << 24
    back = np.cumsum((code >> 1).astype(np.int64) ^ -(code & 1).astype(np.int64)) if len(numbers) else []
    assert list(back) == numbers


def test_too_few_vertices_are_named():
    with pytest.raises(ValueError, match=r"record: vertices is 3; it must be .* 100"):
        rc.viewer.record(plain_face(), vertices=3)
