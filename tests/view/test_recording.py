"""A page that was saved plays without a server."""

from __future__ import annotations

import html

import numpy as np
import pytest

import rigwright as rw
from rigwright.viewer._recording import recorded
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
