"""An exported study runs in jsPsych itself, simulated in a browser, and its data come back."""

from __future__ import annotations

import functools
import importlib.util
import re
import shutil
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

import rigcast as rc
from tests.study import small

pytestmark = pytest.mark.long  # a browser, whose simulated participant takes its time

# The library as ES modules, which the MIT-licenced package expdeploy brings: there is no network in tests.
LOCAL = """<script type="importmap">{"imports": {
"jspsych": "./jspsych/jspsych.js",
"@jspsych/plugin-html-keyboard-response": "./jspsych/plugins/html-keyboard-response.js",
"@jspsych/plugin-html-button-response": "./jspsych/plugins/html-button-response.js"}}</script>"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """Print nothing."""


@pytest.fixture
def simulated(browser):
    """A function that runs an exported page with the library's own simulated participant, and gives its data."""
    found = importlib.util.find_spec("expdeploy")
    if found is None:
        pytest.skip("expdeploy, which brings jsPsych 8.2.3, is not installed")
    assets = Path(found.submodule_search_locations[0]) / "jspsych_assets" / "8.2.3"

    def run(page):
        shutil.copytree(assets, page.parent / "jspsych")
        text = re.sub(r"<link[^>]*>", "", page.read_text())
        text = re.sub(r'<script type="importmap">.*?</script>', LOCAL, text, flags=re.DOTALL)
        page.write_text(text.replace("run();", "globalThis.found = run('visual');"))
        handler = functools.partial(Quiet, directory=str(page.parent))
        with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            tab = browser.page()
            tab.open(f"http://127.0.0.1:{server.server_address[1]}/?order=2&participant=P9")
            tab.until("globalThis.found")
            data = tab.evaluate("globalThis.found")
            tab.close()
            server.shutdown()
        return data

    return run


@pytest.mark.parametrize("protocol", ["rating", "choice", "ranking"])
def test_a_simulated_participant_of_jspsych_comes_back(protocol, simulated, tmp_path):
    study = getattr(small, protocol)(tmp_path / "study", settings={"fixation": 0.01, "limit": 5.0})
    page = rc.study.write_jspsych(study, tmp_path / "online", orders=3)
    (tmp_path / "data.json").write_text(simulated(page))
    table = rc.study.read_jspsych(study, tmp_path / "data.json")
    assert sorted(table.columns["trial"].tolist()) == [trial.name for trial in study.trials]
    assert set(table.columns["person"].tolist()) == {"P9"}
    assert (table.columns["rt"] > 0.0).all()
    values = {"rating": ["rating"], "choice": ["similarity"], "ranking": ["rank_best", "rank_bad"]}[protocol]
    assert all(np.isfinite(table.columns[name]).any() for name in values)
