"""All kinds of models in WebAssembly have the bytes of the engine's vectors of four on this processor."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from rigcast import _core
from tests.support.made.kinds import FORWARD_ONLY, KINDS
from tests.web.module import MODULE, node

RESULTS = ("vertices", "confidence", "session")
SOLVED = ("vjp", "jvp", "dragged", "errors")


@pytest.fixture(scope="module")
def different(tmp_path_factory):
    """Bytes that differ, by kind and result."""
    if "SSE4" not in _core.instruction_sets():
        pytest.skip("this processor has no SSE4")
    folder = tmp_path_factory.mktemp("kinds")
    environment = os.environ | {"RIGCAST_INSTRUCTION_SET": "SSE4"}
    subprocess.run([sys.executable, "-m", "tests.web.native", folder], env=environment, check=True, timeout=300)
    return json.loads(node("computed.mjs", MODULE, folder))


@pytest.mark.parametrize("kind", KINDS)
def test_the_bytes_are_those_of_the_processor(different, kind):
    expected = [*RESULTS, *([] if kind in FORWARD_ONLY else SOLVED)]
    assert different[kind.replace(" ", "_")] == dict.fromkeys(expected, 0)
