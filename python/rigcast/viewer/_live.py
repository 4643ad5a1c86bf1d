"""The server in a thread of its own, and the address of its page."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import html
import logging
import os
import secrets
import socket
import tempfile
import threading
import webbrowser
from pathlib import Path
from typing import Any

from rigcast._interrupts import wait_for
from rigcast._shown import no_pickle
from rigcast._validate import bad_argument
from rigcast.viewer._admission import TOKEN_BYTES, kept_token
from rigcast.viewer._figures._model import RecordedFigure
from rigcast.viewer._received._opening import Opener
from rigcast.viewer._server import Server
from rigcast.viewer._stage import Stage
from rigcast.viewer._stored._carried import carried
from rigcast.viewer._stored._recording import recorded
from rigcast.viewer._stored._view_page import ViewPage

log = logging.getLogger("rigcast.viewer")
log.addHandler(logging.NullHandler())
STARTING = 60.0  # seconds
# Environment variables of hosts where the browser runs on another machine than the kernel.
ELSEWHERE = ("COLAB_RELEASE_TAG", "JUPYTERHUB_USER", "KAGGLE_KERNEL_RUN_TYPE", "SSH_CONNECTION")


def _no_place(host: str, port: int, error: OSError) -> Exception:
    """The reason why a server cannot listen, in words of the arguments."""
    if isinstance(error, socket.gaierror) or error.errno in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
        return bad_argument("view", "host", repr(host), "an address or a name of this machine, as 127.0.0.1 or 0.0.0.0")
    why = {errno.EADDRINUSE: ", which another program uses", errno.EACCES: ", which this user may not open"}
    if error.errno not in why:
        return error
    return bad_argument("view", "port", f"{port}{why[error.errno]}", "a free port, or 0 for any that is free")


@no_pickle("it serves a page; pickle the model that it shows")
class LiveView:
    """A running view. Close it when done, or use it in a ``with`` block; a notebook shows it as an iframe.

    :func:`rigcast.view` makes it.

    Attributes
    ----------
    url : str
        The address to open in a browser. It contains the token without which the server answers nobody.
    """

    def __init__(
        self,
        stage: Stage,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        token_file: str | os.PathLike[str] | None = None,
        opens: Opener | None = None,
    ) -> None:
        self._ready = threading.Event()
        self._stop: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None
        self._error: BaseException | None = None
        self._port = port
        self._door: Path | None = None
        self._token = secrets.token_urlsafe(TOKEN_BYTES) if token_file is None else kept_token(token_file)
        self._server = Server(stage, self._token, opens)
        self._thread = threading.Thread(target=self._run, args=(host, port), name="rigcast-view", daemon=True)
        self._thread.start()
        self._ready.wait(STARTING)
        if self._error is not None:
            raise self._error
        name = f"[{host}]" if ":" in host else {"0.0.0.0": "127.0.0.1"}.get(host, host)
        self.url = f"http://{name}:{self._port}/#{self._token}"

    def _run(self, host: str, port: int) -> None:
        try:
            asyncio.run(self._serve(host, port))
        except OSError as error:
            self._error = error if self._ready.is_set() else _no_place(host, port, error)
        except BaseException as error:  # noqa: BLE001  raised again in the thread that waits
            self._error = error
        finally:
            self._ready.set()

    async def _serve(self, host: str, port: int) -> None:
        stop = asyncio.Event()
        self._stop = asyncio.get_running_loop(), stop

        def opened(chosen: int) -> None:
            self._port = chosen
            self._ready.set()

        await self._server.run(host, port, opened, stop)

    def open_browser(self) -> None:
        """Open the page, by a file that only this user may read: other users see the command lines of a browser."""
        if self._door is None:
            handle, name = tempfile.mkstemp(prefix="rigcast-view-", suffix=".html")  # of mode 600
            target = html.escape(self.url, quote=True)
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(
                    f'<!doctype html><meta http-equiv="refresh" content="0; url={target}"><a href="{target}">view</a>'
                )
            self._door = Path(name)
        webbrowser.open(self._door.as_uri())

    def close(self) -> None:
        """End the server; pages that are open say so."""
        if self._door is not None:
            self._door.unlink(missing_ok=True)
            self._door = None
        if self._stop is not None and self._thread.is_alive():
            loop, stop = self._stop
            loop.call_soon_threadsafe(stop.set)
            self._thread.join()

    def wait(self, seconds: float | None = None) -> None:
        """Block until the view is closed, or for some time.

        Parameters
        ----------
        seconds : float, optional
        """
        wait_for(self._thread, seconds)

    def __enter__(self) -> LiveView:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<rigcast.viewer.LiveView at {self.url}>"

    def _repr_html_(self) -> str:
        """HTML for a notebook: the view itself, or, on a machine that its browser cannot reach, a page in its place.

        The page carries the model; where that is not possible, it has the frames of what plays.
        """
        if any(name in os.environ for name in ELSEWHERE):
            return self._server.on_stage(_page_of)._repr_html_()
        source = html.escape(self.url, quote=True)
        return f'<iframe src="{source}" width="100%" height="640" style="border:0" allow="fullscreen"></iframe>'


def _page_of(stage: Stage) -> ViewPage:
    """The page that carries a stage's model; its frames, where such a page would show less, or cannot be made."""
    timeline = stage.timeline
    is_less = timeline.head is not None or timeline.pictures is not None or timeline.keys
    if not is_less and not isinstance(stage.beside, RecordedFigure):
        with contextlib.suppress(FileNotFoundError, ValueError):
            return carried(stage)
    return recorded(stage)
