"""A headless Chromium, driven through its DevTools protocol."""

from __future__ import annotations

import base64
import contextlib
import itertools
import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from tests.support.process import PATIENCE

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
OPTIONS = [
    *("--headless", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"),
    *("--hide-scrollbars", "--no-first-run", "--disable-extensions", "--disable-background-networking"),
    *("--disable-dev-shm-usage", "--remote-debugging-port=0", "--remote-allow-origins=*"),
]


class Page:
    """One tab: evaluates expressions, moves the mouse, takes pictures, and keeps what its console said."""

    def __init__(self, address: str) -> None:
        from websockets.sync.client import connect

        self._open = contextlib.ExitStack()
        options = {"max_size": None, "compression": None, "ping_interval": None, "close_timeout": 1}
        self._socket = self._open.enter_context(connect(address, **options))
        self._numbers = itertools.count(1)
        self.complaints: list[str] = []
        self.requests: list[str] = []
        for domain in ("Runtime", "Log", "Page", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setFocusEmulationEnabled", enabled=True)  # behind another tab, too, it is drawn

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """One command of the protocol, and its result."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            answer = json.loads(self._socket.recv(timeout=PATIENCE))
            if answer.get("id") == number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            self._note(answer)

    def _note(self, event: dict[str, Any]) -> None:
        method, params = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
            self.complaints.append(str([entry.get("value") for entry in params["args"]]))
        elif method == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
            self.complaints.append(params["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])

    def evaluate(self, expression: str) -> Any:
        """The value of an expression; promises are waited for."""
        found = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def until(self, condition: str) -> None:
        """Wait until a condition holds, looked at after every picture of the page."""
        self.evaluate(f"new Promise(done => {{ const f = () => ({condition}) ? done() : setTimeout(f, 4); f(); }})")

    def mouse(self, kind: str, x: float, y: float, button: str = "left", modifiers: int = 0) -> None:
        """``kind`` is Pressed, Moved or Released."""
        held = {"left": 1, "right": 2, "middle": 4}[button] if kind != "Released" else 0
        self.call(
            "Input.dispatchMouseEvent",
            type=f"mouse{kind}",
            x=x,
            y=y,
            button=button,
            buttons=held,
            clickCount=1,
            modifiers=modifiers,
        )

    def open(self, url: str) -> None:
        """Go to an address."""
        self.call("Page.navigate", url=url)

    def screenshot(self, path: Path) -> None:
        """A picture of the page as PNG."""
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def close(self) -> None:
        """Close the tab."""
        self.call("Page.close")
        self._open.close()


class Browser:
    """A Chromium process of its own, with a profile in ``folder``.

    Words ``before`` it start it elsewhere: in the root of another system, with a profile in that one's ``/tmp``.
    """

    def __init__(self, folder: Path, size: tuple[int, int] = (960, 640), before: Sequence[str] = ()) -> None:
        window = f"--window-size={size[0]},{size[1]}"
        assert CHROMIUM is not None
        program = [*before, "/usr/bin/chromium"] if before else [CHROMIUM]
        folder = Path("/tmp") if before else folder
        command = [*program, *OPTIONS, window, f"--user-data-dir={folder}/profile", "about:blank"]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        assert self._process.stderr is not None
        found = None
        for line in self._process.stderr:
            found = re.search(r"DevTools listening on ws://([^/]+)/", line)
            if found:
                break
        assert found is not None, "Chromium did not start"
        self._address = found.group(1)

    def page(self) -> Page:
        """A new tab."""
        made = urlopen(Request(f"http://{self._address}/json/new?about:blank", method="PUT"))
        return Page(json.load(made)["webSocketDebuggerUrl"])

    def close(self) -> None:
        self._process.kill()  # its profile is thrown away
        self._process.wait(timeout=PATIENCE)
        assert self._process.stderr is not None
        self._process.stderr.close()

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
