"""Files dropped into a real browser: sent, opened, refused, and what a page without a server says."""

from __future__ import annotations

import contextlib

import pytest

import rigcast as rc
from rigcast.cli._commands import view as command
from rigcast.cli._console import Console
from tests.support.characters.plain_face import plain_face
from tests.view.dropping.sending import FRAMES, parsed
from tests.view.stage.posed import SHIFT, skinned_arm
from tests.view.test_movie import program

NOTICE = "document.getElementById('notice').textContent"
CLIPS = "[...clip.options].map(option => option.value)"


def drag(page, *paths, kinds=("dragEnter", "dragOver"), modifiers=0):
    """Hold files and folders of the disk over the picture."""
    data = {"items": [], "files": list(map(str, paths)), "dragOperationsMask": 1}
    for kind in kinds:
        page.call("Input.dispatchDragEvent", type=kind, x=200, y=300, data=data, modifiers=modifiers)


def dropped(page, *paths, modifiers=0):
    """Drop files and folders; what the page says in the end."""
    drag(page, *paths, kinds=("dragEnter", "dragOver", "drop"), modifiers=modifiers)
    page.until("!view.dropping.isOver && !view.dropping.busy")
    return page.evaluate(NOTICE)


@pytest.fixture
def served(browser):
    """A function that opens a page of ``rigcast view FILE``; a page that complained fails the test."""
    opened = []
    with contextlib.ExitStack() as stack:

        def serve(file):
            live, _ = command.served(parsed(file), Console(), stack)
            opened.append(browser.page())
            stack.callback(opened[-1].close)
            opened[-1].open(live.url)
            opened[-1].until("window.view && view.frame")
            return opened[-1], live

        yield serve
    assert [complaint for page in opened for complaint in page.complaints] == []


def test_a_motion_joins_the_clips_and_plays_under_a_camera_that_stays(served, files):
    page, _ = served(files / "arm.safetensors")
    page.evaluate("view.camera.orbit(120, 40)")
    camera = "[view.camera.turn, view.camera.tilt, view.camera.distance, view.camera.target]"
    before = page.evaluate(camera)
    drag(page, files / "bend.bvh")
    assert page.evaluate("document.getElementById('stage').className") == "is-target"
    assert page.evaluate(NOTICE).startswith("Drop a character or a motion")
    assert dropped(page, files / "bend.bvh").startswith("bend.bvh plays")
    assert page.evaluate("document.getElementById('stage').className") == ""
    page.until("view.frame.timeline.playing && clip.value === 'bend.bvh'")
    assert page.evaluate(f"[{CLIPS}, clip.hidden]") == [["", "bend.bvh"], False]
    assert page.evaluate(f"view.frame.timeline.frames === {FRAMES} && view.frame.timeline.fps === 24")
    page.until("view.frame.row.some(angle => angle > 10)")  # it moves
    assert page.evaluate(camera) == before


def test_a_character_takes_the_place_of_the_one_that_is_shown(served, files):
    page, live = served(files / "face.safetensors")
    picture = "(async () => (await (await view.picture()).arrayBuffer()).byteLength)()"
    before = page.evaluate(picture)
    page.evaluate("view.camera.zoom(3); view.pointer.begin('turn')")
    assert dropped(page, files / "bend.bvh", files / "arm.safetensors").splitlines()[0] == "arm.safetensors is shown"
    page.until("view.frame && view.frame.timeline.playing")
    assert page.evaluate("view.pointer.mode") is None  # what was held is let go
    model = rc.load(files / "arm.safetensors")
    assert page.evaluate("view.scene.figures[0].vertices") == len(model.rest_vertices)
    assert page.evaluate("document.querySelectorAll('.row').length") == len(live._server.stage.rest)
    middle = (model.rest_vertices.min(axis=0) + model.rest_vertices.max(axis=0)) / 2
    assert page.evaluate("view.camera.target") == pytest.approx(middle.tolist(), abs=1e-3)  # sent as float32 text
    assert page.evaluate("clip.value") == "bend.bvh"  # a motion joins the character that is dropped with it
    assert page.evaluate(picture) != before


def test_the_page_says_what_is_refused_and_goes_on(served, files, tmp_path):
    (tmp_path / "scan.obj").write_text("v 0 0 0\n")
    (tmp_path / "large.bvh").write_bytes(b"HIERARCHY" + bytes(700_000))  # in parts
    page, _ = served(files / "face.safetensors")
    said = dropped(page, files / "torn.safetensors", tmp_path / "scan.obj", tmp_path / "large.bvh").splitlines()
    assert [line.split(" was ")[0] for line in said] == ["torn.safetensors", "scan.obj", "large.bvh"]
    assert "rigcast solve" in said[1]
    page.evaluate("view.link.send('set', { channel: 0, value: 0.5, done: true })")
    page.until("view.frame.row[0] === 0.5")
    assert dropped(page, files / "nod.npz") == "nod.npz plays"


def test_with_shift_a_file_of_both_is_a_motion_and_a_folder_is_none(served, files, tmp_path):
    page, live = served(files / "arm.safetensors")
    (tmp_path / "hero.rwdata").mkdir()
    said = dropped(page, tmp_path / "hero.rwdata", files / "arm.glb", modifiers=SHIFT).splitlines()
    assert said[0].startswith("hero.rwdata is a folder: rigcast view hero.rwdata shows a data set")
    assert said[1] == "arm.glb plays"
    assert live._server.stage.transport.clips == ["arm.glb"]


def test_a_file_that_is_taken_back_leaves_no_mark(served, files):
    page, _ = served(files / "face.safetensors")
    drag(page, files / "nod.npz")
    page.until("view.dropping.isOver")
    page.until("!view.dropping.isOver")
    assert page.evaluate("[document.getElementById('stage').className, document.getElementById('notice').hidden]") == [
        "",
        True,
    ]


def test_a_page_without_a_server_opens_no_files(browser, files, tmp_path):
    rc.viewer.record(plain_face()).save(tmp_path / "face.html")
    page = browser.page()
    page.open((tmp_path / "face.html").as_uri())
    page.until("window.view && view.frame")
    drag(page, files / "nod.npz")
    assert page.evaluate("document.getElementById('stage').className") == ""
    assert dropped(page, files / "nod.npz").startswith("This page has no server, and opens no files")
    assert page.complaints == []
    page.close()


def test_a_view_of_python_says_what_opens_a_file(pose, files):
    said = dropped(pose(plain_face()).page, files / "nod.npz")
    assert said.startswith("nod.npz was not opened: a view of Python opens no files")


def test_pictures_of_a_movie_come_as_they_were_sent(pose, tmp_path, monkeypatch):
    # A stand-in for ffmpeg, whose movie is all pictures one after another.
    program(tmp_path, monkeypatch, 'for last; do :; done; [ "$#" -lt 6 ] || /bin/cat "${last%/*}"/*.png > "$last"\n')
    posed = pose(skinned_arm())
    posed.page.evaluate("view.link.send('frames', { frames: 3 })")
    posed.page.until("view.frame.timeline.frames === 3")
    posed.page.evaluate(
        "window.files = []; window.pictures = [];"
        "URL.createObjectURL = blob => { files.push(blob); return 'blob:none'; };"
        "HTMLAnchorElement.prototype.click = () => {}; const picture = view.picture.bind(view);"
        "view.picture = async () => { pictures.push(await picture()); return pictures.at(-1); };"
        "document.getElementById('movie').disabled = false; document.getElementById('movie').click()"
    )
    posed.page.until("files.length === 1")
    assert posed.page.evaluate("[pictures.length, Math.min(...pictures.map(blob => blob.size)) > 60000]") == [3, True]
    same = "await files[0].text() === await new Blob(pictures).text()"
    assert posed.page.evaluate(f"(async () => {same})()")


def test_the_list_of_shortcuts_says_that_files_are_opened(pose):
    page = pose(plain_face()).page
    page.evaluate("document.getElementById('ask').click()")
    page.until("help.open")
    assert "Drop a file" in page.evaluate("help.innerText")
