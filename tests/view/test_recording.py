"""A page that was saved plays without a server."""

from __future__ import annotations

import html

import numpy as np
import pytest

import rigwright as rw
from rigwright.viewer._coarse import coarse_mesh
from rigwright.viewer._geometry import triangles
from rigwright.viewer._recording import recorded
from rigwright.viewer._summed import planes
from tests.support.plain_face import plain_face


def clip(count=6):
    face = plain_face()
    return face, np.linspace(0, 1, count)[:, None] * (np.arange(face.num_shapes) == 0)


def test_it_plays_from_a_file_and_asks_for_nothing(browser, tmp_path):
    face, poses = clip()
    path = tmp_path / "clip.html"
    rw.viewer.record(face, poses=poses, fps=30).save(path)
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
    assert rw.viewer.record(plain_face()).page.count('"recording"') == 1


def test_a_notebook_gets_the_whole_page():
    face, poses = clip(2)
    recording = rw.viewer.record(face, poses=poses)
    assert html.escape(recording.page, quote=True) in recording._repr_html_()


def test_where_the_browser_is_elsewhere_a_live_view_is_shown_as_its_recording(monkeypatch):
    pytest.importorskip("websockets", reason="websockets is not installed (extra viewer)")
    with rw.view(plain_face()) as live:
        monkeypatch.setenv("COLAB_RELEASE_TAG", "release")
        assert "srcdoc=" in live._repr_html_()


def test_recording_leaves_the_view_as_it_stands():
    pytest.importorskip("websockets", reason="websockets is not installed (extra viewer)")
    face, poses = clip()
    with rw.view(face, poses=poses) as live:
        stage = live._server.stage
        stage.step([{"type": "seek", "at": 3}], 0.0)
        before = stage.state, stage.timeline.at
        live._server.on_stage(recorded)
        assert (stage.state, stage.timeline.at) == before


def test_a_recording_too_large_for_a_browser_is_refused():
    face = plain_face()
    with pytest.raises(ValueError, match=r"record: poses is .* frames"):
        rw.viewer.record(face, poses=np.zeros((200_000, face.num_shapes)))


def test_it_is_saved_as_html_only(tmp_path):
    with pytest.raises(ValueError, match=r"Recording\.save: path"):
        rw.viewer.record(plain_face()).save(tmp_path / "clip.txt")


def test_a_small_recording_shows_the_frames_of_the_whole_one(browser, tmp_path):
    """Positions to a thousandth of the size, rows of sliders, and playing; vertices that stay are the same."""
    face, _ = clip()
    rng = np.random.default_rng(0)
    poses = 0.5 + 0.5 * np.sin(np.arange(30)[:, None] * rng.uniform(0.1, 0.4, face.num_shapes))
    path = tmp_path / "small.html"
    rw.viewer.record(face, poses=poses, fps=30, vertices=len(face.rest_vertices)).save(path)
    page = browser.page()
    page.open(path.as_uri())
    page.until("window.view && view.frame")
    truth, size = face.evaluate(poses), np.linalg.norm(np.ptp(face.rest_vertices, axis=0))
    for frame in (0, 17, 29):
        page.evaluate(f"view.link.send('seek', {{ at: {frame} }})")
        page.until(f"view.frame.timeline.at === {frame}")
        shown = page.evaluate(
            "(() => { const { bytes, box } = view.link.frames.figures[0].packed(%d, view.link.frames.header.shares);"
            " return [...new Array(bytes.byteLength / 12).keys()].map((i) => [0, 1, 2].map((k) =>"
            " box[0][k] + bytes.getUint16(12 * i + 2 * k, true) / 65535 * (box[1][k] - box[0][k]))); })()" % frame
        )
        assert np.abs(np.array(shown) - truth[frame]).max() < 2e-3 * size
        row = page.evaluate("view.frame.row")
        np.testing.assert_allclose(row[: face.num_shapes], poses[frame], atol=6e-4)
    page.evaluate("document.getElementById('play').click()")
    page.until("view.frame.timeline.playing && Math.floor(view.frame.timeline.at) === 2")
    assert page.complaints == []
    assert [url for url in page.requests if not url.startswith(("file:", "data:", "about:", "blob:"))] == []
    page.close()


def test_a_small_recording_of_a_face_stays_small():
    """Half a minute of a face of 2,500 vertices in a hundred kilobytes; the whole one has 30 MB."""
    face = rw.faces.example()
    t = np.arange(720)[:, None] / 24
    poses = 0.5 + 0.5 * np.sin(t * np.random.default_rng(0).uniform(1, 3, face.num_shapes))
    small = rw.viewer.record(face, poses=poses, vertices=1000)
    assert len(small.page) < 250_000


def test_vertices_that_move_apart_are_not_merged():
    """Two sheets that lie on each other at rest stay two where one of them is lifted."""
    grid = np.stack(np.meshgrid(np.arange(20), np.arange(20)), axis=-1).reshape(-1, 2)
    sheet = np.column_stack([grid, np.zeros(400)])
    square = np.array([[0, 1, 21, 20]]) + (np.arange(19)[:, None] + 20 * np.arange(19)).reshape(-1, 1)
    rest = np.concatenate([sheet, sheet]).astype(np.float32)
    lifted = rest + np.float32([0, 0, 5]) * (np.arange(800) >= 400)[:, None]
    faces = np.concatenate([square, square + 400, [[0, 400, 401, 1]]]).astype(np.int32)  # of one connected part
    kept, found = coarse_mesh(np.stack([rest, lifted]), faces, triangles(faces), 200)
    assert 100 < len(kept) <= 200
    assert (kept < 400).sum() == pytest.approx((kept >= 400).sum(), abs=10)
    assert ((kept[found] < 400).all(axis=1) | (kept[found] >= 400).all(axis=1)).mean() > 0.98
    assert len(np.unique(found)) == len(kept)


@pytest.mark.parametrize("numbers", [[0, 5, -7, 2**30, -(2**30), 1], [3], []])
def test_whole_numbers_come_back_from_their_planes(numbers):
    stored = planes(np.array(numbers, np.int64)).reshape(4, -1).astype(np.uint32)
    code = stored[0] | stored[1] << 8 | stored[2] << 16 | stored[3] << 24
    back = np.cumsum((code >> 1).astype(np.int64) ^ -(code & 1).astype(np.int64)) if len(numbers) else []
    assert list(back) == numbers


def test_too_few_vertices_are_named():
    with pytest.raises(ValueError, match=r"record: vertices is 3; it must be .* 100"):
        rw.viewer.record(plain_face(), vertices=3)
