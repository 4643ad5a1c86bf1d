"""The server in a thread of its own, and the address of its page."""

from __future__ import annotations

import asyncio
import html
import logging
import os
import secrets
import threading
import time
from typing import Any

from rigcast.viewer._recording import recorded
from rigcast.viewer._server import Server
from rigcast.viewer._stage import Stage

log = logging.getLogger("rigcast.viewer")
log.addHandler(logging.NullHandler())
STARTING = 60.0  # seconds
# Environment variables of hosts where the browser runs on another machine than the kernel.
ELSEWHERE = ("COLAB_RELEASE_TAG", "JUPYTERHUB_USER", "KAGGLE_KERNEL_RUN_TYPE", "SSH_CONNECTION")
STEP = 0.2  # seconds: how soon a wait notices Ctrl-C


class LiveView:
    """A running view. Close it when done, or use it in a ``with`` block; a notebook shows it as an iframe.

    :func:`rigcast.view` makes it.

    Attributes
    ----------
    url : str
        The address to open in a browser. It contains the token without which the server answers nobody.
    """

    def __init__(self, stage: Stage, host: str = "127.0.0.1", port: int = 0) -> None:
        self._ready = threading.Event()
        self._stop: tuple[asyncio.AbstractEventLoop, asyncio.Event] | None = None
        self._error: BaseException | None = None
        self._port = port
        self._token = secrets.token_urlsafe(24)
        self._server = Server(stage, self._token)
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

    def close(self) -> None:
        """End the server; pages that are open say so."""
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
        until = None if seconds is None else time.monotonic() + seconds
        while self._thread.is_alive() and (until is None or time.monotonic() < until):
            self._thread.join(STEP)

    def __enter__(self) -> LiveView:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<rigcast.viewer.LiveView at {self.url}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the view itself, or, on a machine that its browser cannot reach, what plays in it."""
        if any(name in os.environ for name in ELSEWHERE):
            return self._server.on_stage(recorded)._repr_html_()
        source = html.escape(self.url, quote=True)
        return f'<iframe src="{source}" width="100%" height="640" style="border:0" allow="fullscreen"></iframe>'
