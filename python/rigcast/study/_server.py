"""The server of a study: pages, pictures and answers over HTTP, with the standard library alone."""

from __future__ import annotations

import contextlib
import hmac
import json
import logging
import secrets
import socket
import sqlite3
import threading
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from rigcast._interrupts import wait_for
from rigcast._shown import no_pickle
from rigcast._validate import Arguments, bad_argument, shown
from rigcast.study._desk import Desk
from rigcast.study._live_figures import KINDS
from rigcast.study._messages import LARGEST
from rigcast.study._records import PICTURES, Study
from rigcast.study._store import StudyStore
from rigcast.study._table import StudyAnswers, answers_of, csv_bytes, npz_bytes
from rigcast.viewer._admission import Admission
from rigcast.viewer._page import HEADERS, files_of

log = logging.getLogger("rigcast.study")
log.addHandler(logging.NullHandler())
SILENCE = 60.0  # seconds after which a connection without a request is closed
POLL = 0.2  # seconds: how soon the server notices that it is closed
ADMIN = "/admin"
Sent = tuple[int, str, bytes]  # status, content type, content
JSON = "application/json"


@no_pickle("it listens at a port; pickle its study")
class StudyServer:
    """A running server of a study. Close it when done, or use it in a ``with`` block.

    Parameters
    ----------
    study : Study
    host : str
        ``"0.0.0.0"`` lets other machines in.
    port : int
        0 takes a free one.
    names : sequence of str
        Further names of this machine that pages may be opened under, as behind a proxy.

    Attributes
    ----------
    url : str
        The page of participants; ``?participant=CODE`` names one.
    admin_url : str
        Progress and results, with a token that nobody else should have.

    Raises
    ------
    ValueError
        If it cannot listen there.

    Examples
    --------
    >>> plan = rc.study.StudyPlan("smiles", [rc.study.NamedExpression("Smile", {"mouthSmileLeft": 1.0})])
    >>> made = rc.study.make_rating("served", {"face": rc.faces.example()}, plan)
    >>> with rc.study.StudyServer(made) as server:
    ...     print(server.url.startswith("http://127.0.0.1:"))
    True
    """

    def __init__(
        self, study: Study, host: str = "127.0.0.1", port: int = 0, *, names: Iterable[str] = (), token: str = ""
    ) -> None:
        Arguments("StudyServer").whole("port", port, most=65535)
        self.study = study
        self._store = StudyStore(study.folder)
        self._token = token or secrets.token_urlsafe(18)
        try:
            self._http = _Http((host, port), Desk(study, self._store), self._token)
        except OSError as error:
            self._store.close()
            got, must = f"{host}:{port} ({error.strerror or error})", "a free port of an address of this machine"
            raise bad_argument("StudyServer", "host, port", got, must) from None
        port = self._http.server_address[1]
        self._http.admission = Admission(self._token, host, port)
        self._http.names = {name.lower() for name in names}
        name = {"0.0.0.0": "127.0.0.1"}.get(host, host)
        self.url = f"http://{name}:{port}/"
        self.admin_url = f"{self.url}admin?token={self._token}"
        self._thread = threading.Thread(
            target=self._http.serve_forever, args=(POLL,), name="rigcast-study", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """End the server; pages keep what they have not sent, and send it to the next one."""
        if self._thread.is_alive():
            self._http.shutdown()
            self._thread.join()
            self._http.end_connections()
            self._http.server_close()
            self._store.close()

    def wait(self, seconds: float | None = None) -> None:
        """Block until the server is closed, or for some time.

        Parameters
        ----------
        seconds : float, optional
        """
        wait_for(self._thread, seconds)

    def __enter__(self) -> StudyServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<rigcast.study.StudyServer of {shown(self.study.name)} at {self.url}>"


class _Http(ThreadingHTTPServer):
    """The sockets: one thread per connection."""

    daemon_threads = True
    request_queue_size = 128
    admission: Admission | None = None
    names: set[str]

    def __init__(self, address: tuple[str, int], desk: Desk, token: str) -> None:
        self.desk, self.token = desk, token.encode()
        self.names = set()
        self.files = files_of("rigcast.study")
        self.pictures = desk.study.file_names()
        self._open: set[socket.socket] = set()
        super().__init__(address, _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Remember a connection."""
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Forget a connection."""
        self._open.discard(request)
        super().shutdown_request(request)

    def end_connections(self) -> None:
        """Close what browsers keep open, so that no thread answers after the end."""
        for connection in list(self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def knows_host(self, host: str | None) -> bool:
        """True if a Host header names this server, or one of the names that were given."""
        name = urlsplit(f"//{host or ''}").hostname or ""
        return name.lower() in self.names or (self.admission is not None and self.admission.knows_host(host))

    def handle_error(self, *_: Any) -> None:
        """A page that goes away in the middle of a request is nothing to report."""
        log.debug("a request ended early", exc_info=True)


class _Handler(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    timeout = SILENCE
    server_version, sys_version = "rigcast", ""
    disable_nagle_algorithm = True
    server: _Http

    def do_GET(self) -> None:
        self._respond(self._get)

    def do_HEAD(self) -> None:
        self._respond(self._get)

    def do_POST(self) -> None:
        self._respond(self._post)

    def _respond(self, make: Any) -> None:
        try:
            if not self.server.knows_host(self.headers.get("Host")):
                status, kind, content = _json(403, {"error": "another host's name"})
            else:
                status, kind, content = make()
        except sqlite3.Error as error:  # a full or broken disk: the page keeps its answer and sends it again
            log.error("the answers cannot be stored: %s", error)
            status, kind, content = _json(503, {"error": "not stored: the disk of the study is full or broken"})
        if status >= 400:
            self.close_connection = True
        self.send_response(status)
        for name, value in HEADERS.items():
            self.send_header(name, value)
        if status == 200 and self.path.startswith(f"/{PICTURES}/"):
            self.send_header("Cache-Control", "private, max-age=86400, immutable")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def _get(self) -> Sent:
        path, desk = urlsplit(self.path).path, self.server.desk
        if path == ADMIN or path.startswith(f"{ADMIN}/"):
            return self._admin(path)
        if path in self.server.files and path != "/admin.html":
            kind, content = self.server.files[path]
            return 200, kind, content
        if path == "/about":
            return _json(200, desk.about())
        folder, _, name = path.lstrip("/").partition("/")
        if folder == PICTURES and name in self.server.pictures:
            return 200, KINDS[Path(name).suffix], (desk.study.folder / PICTURES / name).read_bytes()
        return _text(404, "There is no such page.")

    def _admin(self, path: str) -> Sent:
        given = parse_qs(urlsplit(self.path).query).get("token", [""])[-1]
        if not hmac.compare_digest(given.encode("utf-8", "replace"), self.server.token):
            return _text(403, "Refused: the address of this page has a token, which rigcast study serve prints.")
        desk = self.server.desk
        if path == ADMIN:
            kind, content = self.server.files["/admin.html"]
            return 200, kind, content
        if path == f"{ADMIN}/progress":
            return _json(200, desk.progress())
        table: StudyAnswers = answers_of(desk.study, desk.store)
        if path == f"{ADMIN}/answers.csv":
            return 200, "text/csv; charset=utf-8", csv_bytes(table)
        if path == f"{ADMIN}/answers.npz":
            return 200, "application/octet-stream", npz_bytes(table)
        return _text(404, "There is no such page.")

    def _post(self) -> Sent:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > LARGEST:
            return _json(413, {"error": f"a message has a length of at most {LARGEST} bytes"})
        origin = self.headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != self.headers.get("Host"):
            return _json(403, {"error": "a page from elsewhere"})
        content = self.rfile.read(int(length))
        path, desk = urlsplit(self.path).path, self.server.desk
        if path == "/session":
            return _json(*desk.sign_up(content))
        if path == "/answers":
            return _json(*desk.answer(content))
        return _json(404, {"error": "there is no such place"})

    def log_message(self, format: str, *values: object) -> None:
        """Requests are not printed."""
        log.debug(format, *values)


def _json(status: int, content: object) -> Sent:
    return status, JSON, json.dumps(content).encode()


def _text(status: int, line: str) -> Sent:
    return status, "text/plain; charset=utf-8", f"{line}\n".encode()
