"""Admission to the server: the token, the page's origin, the name of the host, and a limit of messages."""

from __future__ import annotations

import contextlib
import hmac
import ipaddress
import os
import re
import secrets
import socket
import stat
from collections import deque
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from rigcast._extras import require
from rigcast._validate import bad_argument

LONGEST_HEAD = 1 << 16  # bytes of a request that are waited for; websockets refuses longer ones by itself
LOOPBACK = ("127.0.0.1", "localhost", "::1")
MOST_PER_SECOND = 240
TOKEN_BYTES = 24
LONGEST_TOKEN = 128  # characters
TOKEN = re.compile(r"[A-Za-z0-9_-]{24,128}")  # what can stand in an address


class Admission:
    """Decides which requests are answered.

    Parameters
    ----------
    token : str
        What the query of a WebSocket's address must contain.
    host : str
        The address that the server listens at.
    port : int
    """

    def __init__(self, token: str, host: str, port: int) -> None:
        self._token = token.encode()
        self._port = port
        self._names = {*LOOPBACK, host.lower()}
        self._any_address = not is_loopback(host)
        if self._any_address:
            self._names |= {socket.gethostname().lower(), socket.getfqdn().lower()}

    def knows_host(self, host: str | None) -> bool:
        """True if a Host header names this server: another name may be a rebound DNS entry of a foreign page."""
        try:
            parts = urlsplit(f"//{host or ''}")
            name, port = (parts.hostname or "").lower(), parts.port or 80
        except ValueError:
            return False
        if port != self._port or parts.username is not None:
            return False
        return name in self._names or (self._any_address and _is_address(name))

    def accepts(self, host: str | None, origin: str | None, target: str) -> bool:
        """True if a WebSocket may be opened: from our own page, with the token, which is compared in constant time."""
        own_page = self.knows_host(host) and origin == f"http://{host}"
        given = parse_qs(urlsplit(target).query).get("token", [""])[-1]
        return hmac.compare_digest(given.encode("utf-8", "replace"), self._token) and own_page


def kept_token(path: str | os.PathLike[str]) -> str:
    """The token that a file keeps, so that an address stays valid; made, for this user alone, if there is none.

    Raises
    ------
    ValueError
        If the file is another user's, others may read it, or it holds no token.
    OSError
        If it cannot be made or read.
    """
    file = Path(path)
    with contextlib.suppress(FileExistsError):
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as stream:
            stream.write(secrets.token_urlsafe(TOKEN_BYTES) + "\n")
    state = file.stat()
    if not stat.S_ISREG(state.st_mode):
        raise bad_argument("view", "token_file", f"{str(path)!r}, which is no file", "a file, or none yet", path)
    if os.name == "posix" and (state.st_uid != os.getuid() or state.st_mode & 0o077):
        got = f"{str(path)!r}, which others may read or write"
        raise bad_argument("view", "token_file", got, f"a file of this user alone (chmod 600 {file.name})", path)
    with file.open("rb") as opened:
        token = opened.read(LONGEST_TOKEN + 2).decode("ascii", "replace").strip()
    if not TOKEN.fullmatch(token):
        got = f"{str(path)!r}, which holds no token of a view"
        raise bad_argument("view", "token_file", got, "a file that a view made, or none yet", path)
    return token


def is_loopback(host: str) -> bool:
    """True if only this machine can reach an address."""
    return host.lower() in LOOPBACK or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class RateLimit:
    """Counts the messages of one connection over the last second."""

    def __init__(self, most: int = MOST_PER_SECOND) -> None:
        self._most = most
        self._times: deque[float] = deque()

    def allows(self, now: float) -> bool:
        """True if a message at ``now`` (seconds) is within the limit; it counts if it is."""
        while self._times and self._times[0] <= now - 1.0:
            self._times.popleft()
        if len(self._times) >= self._most:
            return False
        self._times.append(now)
        return True


def fault(head: bytes) -> HTTPStatus | None:
    """The answer to a request that is not to be served: a wrong method, no HTTP, a body, or not one Host header."""
    lines = head.partition(b"\r\n\r\n")[0].split(b"\r\n")
    words = lines[0].split(b" ")
    fields = [
        (name.lower(), colon, value.strip()) for name, colon, value in (line.partition(b":") for line in lines[1:])
    ]
    is_http = len(words) == 3 and words[2] in (b"HTTP/1.0", b"HTTP/1.1") and lines[0].isascii()
    if not is_http or not all(colon for _, colon, _ in fields) or any(b"\n" in line for line in lines):
        return HTTPStatus.BAD_REQUEST
    if words[0] not in (b"GET", b"HEAD"):
        return HTTPStatus.METHOD_NOT_ALLOWED
    names = [name for name, _, _ in fields]
    has_body = b"transfer-encoding" in names or any(n == b"content-length" and v != b"0" for n, _, v in fields)
    return HTTPStatus.BAD_REQUEST if has_body or names.count(b"host") != 1 else None


def answering_connection() -> type[Any]:
    """The connection of websockets, but for requests that it closes without a word or serves as if they were GET."""
    base: Any = require("websockets.asyncio.server", extra="viewer", purpose="the live view").ServerConnection

    class Connection(base):  # type: ignore[misc]
        only_head = False
        _waiting: bytes | None = b""  # what came of the head; None: it was whole

        def data_received(self, data: bytes) -> None:
            if self._waiting is None:
                super().data_received(data)
                return
            self._waiting += data
            if b"\n\n" not in self._waiting.replace(b"\r", b"") and len(self._waiting) <= LONGEST_HEAD:
                return
            whole, self._waiting = self._waiting, None
            status = fault(whole)
            if status is None:
                self.only_head = whole.startswith(b"HEAD ")
                super().data_received(b"GET " + whole[5:] if self.only_head else whole)  # it serves GET alone
                return
            fields = ["Allow: GET, HEAD"] * (status == HTTPStatus.METHOD_NOT_ALLOWED)
            fields = [f"HTTP/1.1 {status.value} {status.phrase}", *fields, "Content-Length: 0", "Connection: close"]
            self.transport.write("".join(f"{field}\r\n" for field in [*fields, ""]).encode())
            self.transport.close()

    return Connection
