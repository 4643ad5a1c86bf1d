"""What pages send: names, sizes, bytes that were not announced, and openers that fail or wait."""

from __future__ import annotations

import logging
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("websockets", reason="websockets is not installed (extra viewer)")

import rigcast as rc
from rigcast.viewer import LiveView, _server
from rigcast.viewer._received import _upload
from rigcast.viewer._received._opening import Opened
from rigcast.viewer._received._upload import LARGEST_FILE, DropFolder, safe_name
from rigcast.viewer._staging import stage_of
from tests.support.characters.plain_face import plain_face
from tests.support.process import PATIENCE
from tests.view.dropping.sending import PART, SendingPage


class Kept:
    """An opener that keeps the bytes of what it gets; ``does`` is called with each file and the view."""

    def __init__(self, does=lambda file, view: None):
        self.does, self.files, self.folder_at_close = does, [], None

    def refusal(self, name, as_motion):
        return "no such files here" if name.endswith(".png") else ""

    def open(self, file, view):
        self.files.append((file, file.path.read_bytes()))
        self.does(file, view)
        return Opened(is_character=False, notes=(f"{file.path} was kept",))

    def close(self):
        self.folder_at_close = [file.path.exists() for file, _ in self.files]


def serving(opener):
    return LiveView(stage_of(plain_face()), opens=opener)


@pytest.fixture
def kept():
    return Kept()


@pytest.fixture
def live(kept):
    with serving(kept) as view:
        yield view


@pytest.fixture
def page(live):
    with SendingPage(live) as opened:
        yield opened


def folder_of(live):
    return live._server._openings.folder.path


# What a page calls a file -> its name here.
NAMES = {
    "walk.bvh": "walk.bvh",
    "../../etc/passwd.bvh": "passwd.bvh",
    r"C:\takes\walk.bvh": "walk.bvh",
    "..bvh": "bvh",
    ".hidden.glb": "hidden.glb",
    "a\nb\x00c\x1b[31m.bvh": "abc[31m.bvh",
    "walk\u202e.bvh": "walk.bvh",
    "\ud800walk.bvh": "walk.bvh",
    'a<b>:"c|d?*.bvh': "a_b___c_d__.bvh",
    "walk.bvh. . ": "walk.bvh",
    " .bvh.gz": "bvh.gz",
    "läufer 走.bvh": "läufer 走.bvh",
    "x" * 500 + ".bvh.gz": "x" * 113 + ".bvh.gz",
    "走" * 500 + ".bvh": "走" * 38 + ".bvh",
}


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_a_name_is_that_of_one_plain_file(name):
    assert safe_name(name) == NAMES[name]


@pytest.mark.parametrize("name", ["", "..", "/", "a/", "\x00\x01", ". . ."])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(ValueError, match="it has no name"):
        safe_name(name)


def test_sizes_have_limits(monkeypatch):
    folder = DropFolder()
    for size, message in ((0, "it is empty"), (LARGEST_FILE + 1, "at most 512 MB")):
        with pytest.raises(ValueError, match=message):
            folder.upload("a.bvh", size)
    assert folder.path is None
    monkeypatch.setattr(_upload, "LARGEST_FOLDER", 10)
    first = folder.upload("a.bvh", 6)
    with pytest.raises(ValueError, match="dropped into this view would have more than"):
        folder.upload("b.bvh", 5)
    first.cancel()
    folder.forget(first.path)
    folder.upload("b.bvh", 5).cancel()
    folder.close()


@pytest.mark.parametrize("size", [1, PART - 1, PART, PART + 1, 3 * PART + 7])
def test_a_file_comes_as_it_was_sent(page, kept, size):
    data = np.random.default_rng(size).bytes(size)
    kind, text = page.send("a walk.bvh", data, motion=True)
    ((file, found),) = kept.files
    assert found == data
    assert (file.path.name, file.as_motion, file.is_alone) == ("a walk.bvh", True, True)
    assert (kind, text) == ("opened", "a walk.bvh plays\na walk.bvh was kept")  # without the folder


def test_every_part_is_confirmed(page):
    assert page.announce("a.bvh", 5)["bytes"] == 0
    for part, total in ((b"ab", 2), (b"cde", 5)):
        page.socket.send(part)
        assert page.until("received")["bytes"] == total
    assert page.until("opened")["text"].startswith("a.bvh plays")


def test_parts_of_a_file_are_no_flood(page, kept, monkeypatch):
    # A clock that stands: more than a limit's worth of parts in no time.
    monkeypatch.setattr(_server, "time", SimpleNamespace(monotonic=lambda: 0.0, perf_counter=time.perf_counter))
    page.announce("a.bvh", 600)
    for _ in range(600):
        page.socket.send(b"x")
    page.until("opened")
    assert kept.files[0][1] == b"x" * 600


def test_more_than_was_announced_is_refused_and_the_next_file_comes_whole(page, kept, live):
    page.announce("a.bvh", 4)
    for _ in range(5):
        page.socket.send(b"abc")
    assert "a.bvh was not opened: more than the 4 bytes" in page.until("refused")["text"]
    assert [path for path in folder_of(live).rglob("*") if path.is_file()] == []
    assert page.send("b.bvh", b"whole")[0] == "opened"
    assert [data for _, data in kept.files] == [b"whole"]


def test_bytes_that_no_message_announced_are_refused(page, caplog):
    with caplog.at_level(logging.WARNING, "rigcast.viewer"):
        page.socket.send(b"stray")
        assert page.send("b.bvh", b"whole")[0] == "opened"
    assert "bytes that no message announced" in caplog.text


@pytest.mark.parametrize(
    ("name", "size", "why"),
    [("scan.png", 5, "no such files"), ("a.bvh", 0, "it is empty"), ("..", 5, "no name"), ("a.bvh", 2**30, "512 MB")],
)
def test_what_is_refused_is_refused_before_it_is_sent(page, kept, name, size, why):
    answer = page.announce(name, size)
    assert answer["type"] == "refused"
    assert why in answer["text"]
    assert kept.files == []


@pytest.mark.parametrize("wrong", [{"name": 5}, {"size": -1}, {"size": 0.5}, {"motion": 1}, {"first": None}])
def test_a_broken_announcement_is_no_message(page, wrong, caplog):
    with caplog.at_level(logging.WARNING, "rigcast.viewer"):
        page.say("file", **{"name": "a.bvh", "size": 5, "motion": False, "first": True, **wrong})
        assert page.send("b.bvh", b"whole")[0] == "opened"
    assert "refused a message: file: " in caplog.text


def test_a_view_of_python_opens_nothing_and_says_what_does():
    with rc.view(plain_face()) as live, SendingPage(live) as page:
        assert "the command rigcast view does" in page.send("a.bvh", b"abc")[1]
        assert folder_of(live) is None


def test_an_opener_that_fails_leaves_the_view_and_no_file():
    def fails(file, view):
        raise RuntimeError(f"{file.path} is broken\nin two lines")

    with serving(Kept(fails)) as live, SendingPage(live) as page:
        stage = live._server.stage
        assert page.send("a.bvh", b"abc") == ("refused", "a.bvh was not opened: a.bvh is broken in two lines")
        assert live._server.stage is stage
        assert list(folder_of(live).iterdir()) == []
        page.say("set", channel=0, value=0.5, done=True)
        while page.frame["row"][0] != 0.5:
            page.until("frame")


def test_files_are_for_this_user_alone_and_go_after_what_was_opened_is_closed(kept):
    with serving(kept) as live, SendingPage(live) as page:
        page.send("a.bvh", b"abc")
        folder = folder_of(live)
        assert folder.stat().st_mode & 0o077 == 0
        assert kept.files[0][0].path.is_relative_to(folder)
    assert kept.folder_at_close == [True]
    assert not folder.exists()


def test_a_view_that_is_closed_waits_for_the_file_that_is_being_opened():
    begun, ends = threading.Event(), threading.Event()

    def waits(file, view):
        begun.set()
        assert ends.wait(PATIENCE)

    opener = Kept(waits)
    live = serving(opener)
    with SendingPage(live) as page:
        page.announce("a.bvh", 3)
        page.socket.send(b"abc")
        assert begun.wait(PATIENCE)
        folder = folder_of(live)
        closing = threading.Thread(target=live.close)
        closing.start()
        closing.join(0.2)
        assert closing.is_alive()
        assert opener.folder_at_close is None
        ends.set()
        closing.join(PATIENCE)
    assert opener.folder_at_close == [True]
    assert not folder.exists()


def test_a_page_poses_while_a_file_is_opened():
    ends = threading.Event()
    with serving(Kept(lambda file, view: ends.wait(PATIENCE))) as live, SendingPage(live) as page:
        page.announce("a.bvh", 3)
        page.socket.send(b"abc")
        page.say("set", channel=0, value=0.5, done=True)
        while page.frame["row"][0] != 0.5:
            assert page.receive()["type"] != "opened"
        ends.set()
        page.until("opened")


def test_a_page_that_goes_leaves_no_part_of_a_file(live, kept):
    with SendingPage(live) as page:
        page.announce("a.bvh", 30)
        page.socket.send(b"abc")
        page.until("received")
    give_up = time.monotonic() + PATIENCE
    while list(folder_of(live).iterdir()) and time.monotonic() < give_up:
        time.sleep(0.01)
    assert list(folder_of(live).iterdir()) == []
    assert kept.files == []
