"""Requests that are no page's: each has an answer, and none is served as if it were GET."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

import pytest

pytest.importorskip("websockets", reason="websockets is not installed (extra viewer)")

import rigcast as rc
from tests.support.characters.plain_face import plain_face
from tests.support.process import PATIENCE

REQUESTS = {
    "GET": (b"GET / HTTP/1.1\r\nHost: %s\r\n\r\n", 200),
    "HEAD": (b"HEAD / HTTP/1.1\r\nHost: %s\r\n\r\n", 200),
    "HEAD of the socket": (b"HEAD /live HTTP/1.1\r\nHost: %s\r\n\r\n", 404),
    "POST with a body": (b"POST / HTTP/1.1\r\nHost: %s\r\nContent-Length: 3\r\n\r\nabc", 405),
    "PUT": (b"PUT / HTTP/1.1\r\nHost: %s\r\n\r\n", 405),
    "DELETE": (b"DELETE /main.js HTTP/1.1\r\nHost: %s\r\n\r\n", 405),
    "GET with a body": (b"GET / HTTP/1.1\r\nHost: %s\r\nContent-Length: 3\r\n\r\nabc", 400),
    "a body in pieces": (b"GET / HTTP/1.1\r\nHost: %s\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    "two hosts": (b"GET / HTTP/1.1\r\nHost: %s\r\nHost: other\r\n\r\n", 400),
    "no host": (b"GET / HTTP/1.1\r\nX-Host: %s\r\n\r\n", 400),
    "another host": (b"GET / HTTP/1.1\r\nHost: other\r\nX-Host: %s\r\n\r\n", 403),
    "UTF-8 in the path": (b"GET /\xc3\xa9 HTTP/1.1\r\nHost: %s\r\n\r\n", 400),
    "bytes in the path": (b"GET /\xff\x00 HTTP/1.1\r\nHost: %s\r\n\r\n", 400),
    "another protocol": (b"GET / HTTP/2.0\r\nHost: %s\r\n\r\n", 400),
    "a field without a colon": (b"GET / HTTP/1.1\r\nHost: %s\r\nfield\r\n\r\n", 400),
    "bare line ends": (b"GET / HTTP/1.1\nHost: %s\n\n", 400),
    "no request": (b"%s\x00\r\n\r\n", 400),
}


@pytest.fixture(scope="module")
def place():
    with rc.view(plain_face()) as live:
        yield urlsplit(live.url).netloc


def answer(place, request):
    host, port = place.rsplit(":", 1)
    with socket.create_connection((host, int(port)), PATIENCE) as connection:
        whole = request.find(b"\r\n\r\n") // 7 * 7  # from here on at once: the server may answer and hang up
        for byte in range(0, whole, 7):  # in pieces, as a slow network brings it
            connection.sendall(request[byte : byte + 7])
        connection.sendall(request[max(whole, 0) :])
        content = b""
        while piece := connection.recv(1 << 16):
            content += piece
    head, _, body = content.partition(b"\r\n\r\n")
    return head, body


@pytest.mark.parametrize(("request_of", "status"), REQUESTS.values(), ids=REQUESTS)
def test_every_request_has_its_answer(place, request_of, status):
    head, body = answer(place, request_of.replace(b"%s", place.encode()))
    assert head.split()[1] == str(status).encode()
    assert (b"Allow: GET, HEAD" in head) == (status == 405)
    assert not (body and (request_of.startswith(b"HEAD / ") or status in (400, 405)))


def test_head_says_how_long_the_page_is(place):
    head, _ = answer(place, REQUESTS["HEAD"][0] % place.encode())
    _, body = answer(place, REQUESTS["GET"][0] % place.encode())
    assert f"Content-Length: {len(body)}".encode() in head


UNUSABLE = {
    "a name that is none": ({"host": "300.1.1.1"}, "host is '300.1.1.1'; it must be an address or a name of this mach"),
    "another machine's address": ({"host": "8.8.8.8"}, "host is '8.8.8.8'; it must be an address or a name of this"),
}


@pytest.mark.parametrize(("arguments", "said"), UNUSABLE.values(), ids=UNUSABLE)
def test_a_host_that_is_none_is_named(arguments, said):
    with pytest.raises(ValueError, match=f"^view: {said}"):
        rc.view(plain_face(), **arguments)


def test_a_port_that_is_in_use_is_named(place):
    port = int(place.rsplit(":", 1)[1])
    with pytest.raises(ValueError, match=f"^view: port is {port}, which another program uses; it must be a free port"):
        rc.view(plain_face(), port=port)
