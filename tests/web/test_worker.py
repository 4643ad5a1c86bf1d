"""A model in a worker of a browser has the vertices of the package."""

from __future__ import annotations

import functools
import http.server
import shutil
import threading
from typing import ClassVar

import numpy as np
import pytest

from tests.support.made.kinds import MAKERS, poses_of
from tests.web.module import WEB

ROUNDED = 1e-5  # of one product, in vectors of other widths


class Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map: ClassVar[dict[str, str]] = {"": "text/html", ".js": "text/javascript", ".wasm": "application/wasm"}

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def served(tmp_path):
    """The address of the package's folder beside a model."""
    shutil.copytree(WEB, tmp_path / "web")
    (tmp_path / "web" / "index.html").write_text("<!doctype html><title>worker</title><link rel='icon' href='data:,'>")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=tmp_path / "web"))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield tmp_path / "web", f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_worker_answers(browser, served):
    folder, address = served
    model = MAKERS["body"]()
    model.save(folder / "model.safetensors")
    poses = poses_of(model, 2)
    page = browser.page()
    page.open(address)
    page.until("document.title === 'worker'")
    found = page.evaluate(
        "(async () => { const { open } = await import('/worker.js'); window.model = await open('/model.safetensors');"
        f"return [...await window.model.evaluate({poses.ravel().tolist()})]; }})()"
    )
    expected = model.evaluate(poses)
    np.testing.assert_allclose(np.reshape(found, expected.shape), expected, atol=ROUNDED * np.abs(expected).max())
    said = page.evaluate("window.model.evaluate([1]).then(String, (error) => error.message)")
    assert "must be a multiple of" in said
    assert page.complaints == []
    page.close()
