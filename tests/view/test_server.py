"""The port: its page, who is refused, and what floods and broken messages do."""

from __future__ import annotations

import json
import logging
import time
from http.client import HTTPConnection
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

pytest.importorskip("websockets", reason="websockets is not installed (extra viewer)")

from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

import rigcast as rc
from rigcast.viewer import _server
from tests.support.characters.plain_face import plain_face
from tests.support.process import PATIENCE
from tests.view.frames import header_of


@pytest.fixture
def live():
    with rc.view(plain_face()) as view:
        yield view


def place(live):
    """Host with port, and token."""
    parts = urlsplit(live.url)
    return parts.netloc, parts.fragment


def opened(live, token=None, origin=None, host=None):
    at, own = place(live)
    token, origin = own if token is None else token, f"http://{at}" if origin is None else origin
    headers = {} if host is None else {"Host": host}
    return connect(f"ws://{at}/live?token={token}", origin=origin, additional_headers=headers, close_timeout=1)


def get(live, path, host=None):
    at, _ = place(live)
    connection = HTTPConnection(at, timeout=PATIENCE)
    connection.request("GET", path, headers={} if host is None else {"Host": host})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


def say(socket, kind, **entries):
    socket.send(json.dumps({"type": kind, **entries}))


def frame(socket):
    """The next frame, acknowledged."""
    while True:
        header = header_of(socket.recv(timeout=PATIENCE))
        if header["type"] == "frame":
            say(socket, "shown", frame=header["frame"])
            return header


def test_the_page_asks_for_nothing_outside_this_machine(live):
    answer, body = get(live, "/")
    assert answer.status == 200
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert b"://" not in body
    for path in ("/main.js", "/style.css"):
        answer, body = get(live, path)
        assert answer.status == 200
        assert b"https://" not in body


@pytest.mark.parametrize("path", ["/nothing", "/../_server.py", "/%2e%2e/_server.py", "/_server.py"])
def test_nothing_but_the_page_is_served(live, path):
    assert get(live, path)[0].status == 404


def test_another_hosts_name_gets_no_page(live):
    assert get(live, "/", host="evil.example")[0].status == 403


def test_the_token_is_in_none_of_the_files(live):
    _, token = place(live)
    assert token.encode() not in b"".join(get(live, path)[1] for path in ("/", "/main.js", "/link.js"))


@pytest.mark.parametrize("wrong", [{"token": "guess"}, {"origin": "http://evil.example"}, {"token": ""}])
def test_a_stranger_is_refused_before_the_socket_opens(live, wrong):
    with pytest.raises(InvalidStatus) as caught:
        opened(live, **wrong)
    assert caught.value.response.status_code == 403


def test_a_page_gets_the_scene_and_then_the_pose(live):
    with opened(live) as socket:
        assert header_of(socket.recv(timeout=PATIENCE))["type"] == "scene"
        assert frame(socket)["row"][0] == 0.0
        say(socket, "set", channel=0, value=0.5, done=True)
        assert frame(socket)["row"][0] == 0.5


def test_no_frame_is_sent_before_the_last_was_shown(live):
    with opened(live) as socket:
        socket.recv(timeout=PATIENCE)
        number = header_of(socket.recv(timeout=PATIENCE))["frame"]
        for k in range(20):
            say(socket, "set", channel=0, value=k / 20, done=False)
        with pytest.raises(TimeoutError):
            socket.recv(timeout=0.3)
        say(socket, "shown", frame=number)
        assert frame(socket)["row"][0] == 0.95


def test_two_pages_show_the_same(live):
    with opened(live) as first, opened(live) as second:
        frame(first), frame(second)
        say(first, "set", channel=1, value=0.5, done=True)
        assert frame(first)["row"][1] == frame(second)["row"][1] == 0.5


def test_a_page_that_comes_back_finds_what_was_posed(live):
    with opened(live) as socket:
        frame(socket)
        say(socket, "set", channel=2, value=0.75, done=True)
        frame(socket)
    with opened(live) as again:
        assert frame(again)["row"][2] == 0.75


@pytest.mark.parametrize("message", ["{", b"\x00\xff", '{"type": "set"}', '{"type": "drag", "pin": NaN}'])
def test_broken_messages_change_nothing_and_are_logged(live, message, caplog):
    with caplog.at_level(logging.WARNING, "rigcast.viewer"), opened(live) as socket:
        frame(socket)
        socket.send(message)
        say(socket, "set", channel=0, value=0.5, done=True)
        assert frame(socket)["row"] == pytest.approx([0.5] + [0.0] * (len(plain_face().shape_names) - 1))
    assert "refused a message" in caplog.text


def test_a_message_over_64_kb_ends_the_connection(live, caplog):
    with caplog.at_level(logging.WARNING, "rigcast.viewer"), opened(live) as socket:
        frame(socket)
        socket.send('{"type": "' + "x" * 70_000 + '"}')
        with pytest.raises(ConnectionClosed) as caught:
            socket.recv(timeout=PATIENCE)
        assert caught.value.rcvd.code == 1009
    with opened(live) as socket:
        assert frame(socket)["row"][0] == 0.0


def test_what_is_over_240_messages_a_second_is_refused(live, caplog, monkeypatch):
    # A clock that stands: a loaded machine needs more than a second for 400 messages.
    monkeypatch.setattr(_server, "time", SimpleNamespace(monotonic=lambda: 0.0, perf_counter=time.perf_counter))
    with caplog.at_level(logging.WARNING, "rigcast.viewer"), opened(live) as socket:
        frame(socket)
        for _ in range(400):
            say(socket, "set", channel=0, value=0.5, done=False)
        assert frame(socket)["row"][0] == 0.5
        give_up = time.monotonic() + PATIENCE  # the first message alone makes a frame: the others may be on their way
        while "more than 240 messages a second" not in caplog.text and time.monotonic() < give_up:
            time.sleep(0.01)
    assert "more than 240 messages a second" in caplog.text


def test_an_export_comes_as_a_file(live, tmp_path):
    import numpy as np

    from tests.view.frames import payload_of

    with opened(live) as socket:
        frame(socket)
        say(socket, "set", channel=0, value=0.5, done=True)
        frame(socket)
        say(socket, "export", format="npz")
        while header_of(message := socket.recv(timeout=PATIENCE))["type"] != "file":
            pass
    (tmp_path / "pose.npz").write_bytes(payload_of(message))
    with np.load(tmp_path / "pose.npz") as archive:
        assert archive["channels"][0, 0] == 0.5
        assert archive["poses"].shape == (1, len(plain_face().shape_names))


def test_a_closed_view_is_gone(live):
    at, _ = place(live)
    live.close()
    live.close()
    with pytest.raises(OSError, match=r"refused|111"):
        HTTPConnection(at, timeout=PATIENCE).request("GET", "/")


def test_a_notebook_shows_it_as_an_iframe(live):
    assert f'<iframe src="{live.url}"' in live._repr_html_()


def test_a_picture_of_no_movie_is_answered_with_a_sentence(live):
    with opened(live) as socket:
        frame(socket)
        say(socket, "picture", size=3)
        while (header := header_of(socket.recv(timeout=PATIENCE)))["type"] != "refused":
            pass
    assert header["text"] == "No movie was made: no movie was begun"


def test_a_machine_without_ffmpeg_says_so_in_the_scene_and_to_a_page_that_asks(live, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with opened(live) as socket:
        frame(socket)
        say(socket, "movie", step="begin")
        while (header := header_of(socket.recv(timeout=PATIENCE)))["type"] != "refused":
            pass
    assert "needs ffmpeg on the PATH" in header["text"]
    assert header_of(live._server.stage.scene())["movie"] is False
