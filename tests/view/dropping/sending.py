"""A page without a browser, which sends files as the page does, and the arguments of the command that opens them."""

from __future__ import annotations

import argparse
import contextlib
import json
from typing import Any
from urllib.parse import urlsplit

from rigcast.cli._commands.view import add_arguments
from tests.support.process import PATIENCE
from tests.view.frames import header_of

PART = 60_000  # bytes, as the page has it
FRAMES = 12  # of the motions


def parsed(*words: object) -> argparse.Namespace:
    """The arguments of ``rigcast view``."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return parser.parse_args(list(map(str, words)))


class SendingPage:
    """One socket: acknowledges frames, keeps the newest scene and frame, and sends files as the page does."""

    def __init__(self, live: Any) -> None:
        from websockets.sync.client import connect

        parts = urlsplit(live.url)
        address = f"ws://{parts.netloc}/live?token={parts.fragment}"
        self._open = contextlib.ExitStack()
        options = {"origin": f"http://{parts.netloc}", "max_size": None, "close_timeout": 1}
        self.socket = self._open.enter_context(connect(address, **options))
        self.scene: dict[str, Any] = {}
        self.frame: dict[str, Any] = {}
        self.notices: list[str] = []
        self.until("frame")

    def say(self, kind: str, **entries: Any) -> None:
        self.socket.send(json.dumps({"type": kind, **entries}))

    def receive(self, timeout: float = PATIENCE) -> dict[str, Any]:
        """The next message; a frame is acknowledged."""
        header = header_of(self.socket.recv(timeout=timeout))
        if header["type"] == "scene":
            self.scene = header
        elif header["type"] == "clips":
            self.scene["clips"] = header["names"]
        elif header["type"] == "frame":
            self.frame = header
            self.notices += [header["notice"]] * bool(header["notice"])
            self.say("shown", frame=header["frame"])
        return header

    def until(self, *kinds: str) -> dict[str, Any]:
        """The next message of some kinds."""
        while (header := self.receive())["type"] not in kinds:
            pass
        return header

    def announce(self, name: str, size: int, motion: bool = False, first: bool = True) -> dict[str, Any]:
        """Announce a file; the answer."""
        self.say("file", name=name, size=size, motion=motion, first=first)
        return self.until("received", "refused")

    def send(self, name: str, data: bytes, **options: Any) -> tuple[str, str]:
        """Send a file; returns "opened" or "refused", and the sentence of the page."""
        answer = self.announce(name, len(data), **options)
        for at in range(0, len(data) if answer["type"] == "received" else 0, PART):
            self.socket.send(data[at : at + PART])
        if answer["type"] != "refused":
            answer = self.until("opened", "refused")
        return answer["type"], answer["text"]

    def close(self) -> None:
        self._open.close()

    def __enter__(self) -> SendingPage:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
