"""The module in node: memory, damaged files, faults of callers, size, and what it asks of its host."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import rigcast as rc
from tests.support.made.kinds import MAKERS
from tests.web.module import MODULE, WEB, node

LARGEST = {"rigcast": 1_660_000, "page": 1_190_000}  # bytes
LARGEST_PACKED = {"rigcast": 455_000, "page": 330_000}  # by Brotli


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "model.safetensors"
    MAKERS["body"]().save(path)
    return path


@pytest.mark.parametrize("cycles", [500, pytest.param(10_000, marks=pytest.mark.long)])
def test_memory_does_not_grow(model, cycles):
    after_ten, after_all = json.loads(node("cycles.mjs", MODULE, model, cycles))
    assert after_all == after_ten


def test_damaged_files_are_refused_with_a_sentence(model, tmp_path):
    """Bytes that change, and files that end too early; some of them are read, as they hold other numbers."""
    random = np.random.default_rng(0)
    sources = [make() for make in MAKERS.values()]
    for number in range(210):
        path = tmp_path / f"{number:03}"
        sources[number % len(sources)].save(path)
        content = bytearray(path.read_bytes())
        if number % 3 == 0:
            content = content[: random.integers(len(content))]
        else:
            for at in random.integers(2000, size=random.integers(1, 9)):
                content[at % len(content)] = random.integers(256)
        path.write_bytes(content)
    told = json.loads(node("damaged.mjs", MODULE, tmp_path))
    assert told["refused"] + told["read"] == 210
    assert told["refused"] > 100
    assert told["wordless"] == 0


def test_faults_are_sentences(model):
    told = json.loads(node("faults.mjs", MODULE, model))
    expected = {
        "half of a pose": "RangeError: poses has .* numbers; it must be a multiple of .*",
        "a pose without numbers": "RigcastError: session_evaluate: pose .*",
        "an unknown channel": 'RangeError: no channel is called "nobody"',
        "a vertex that is none": "RigcastError: drag_new: vertices.*",
        "no place for a vertex": "RigcastError: drag_solve: targets.*",
        "a freed session": "RigcastError: the session was freed",
        "half of a surface": "RangeError: vertices has .* numbers; it must have .*",
        "a number for a file": "TypeError: load takes bytes, a URL or a text, not 7",
        "a freed model": "RigcastError: evaluate: model .*",
    }
    assert told.keys() == expected.keys()
    for name, pattern in expected.items():
        assert re.fullmatch(pattern, told[name]), told[name]


@pytest.mark.parametrize("name", ["rigcast", "page"])
def test_the_modules_are_small(name):
    told = json.loads(node("described.mjs", WEB / f"{name}.wasm"))
    assert told["bytes"] <= LARGEST[name]
    assert told["brotli"] <= LARGEST_PACKED[name]


def test_the_module_asks_for_a_clock_and_nothing_else_that_a_page_could_give():
    """All other imports are files, the environment and the end of the program, which host.js refuses."""
    told = json.loads(node("described.mjs", MODULE))
    refused = r"env\.(__syscall_\w+|emscripten_notify_memory_growth)"
    wasi = r"wasi_snapshot_preview1\.(clock_time_get|proc_exit|environ_\w+|fd_\w+|random_get)"
    assert [name for name in told["imports"] if not re.fullmatch(f"{refused}|{wasi}", name)] == []


def test_types_name_all_that_is_exported():
    exported = set(json.loads(node("described.mjs", MODULE))["exports"])
    types = (WEB / "rigcast.d.ts").read_text()
    assert exported == set(re.findall(r"^export (?:declare )?(?:class|function) (\w+)", types, re.M))


def test_the_package_has_the_version_of_the_engine():
    assert json.loads((WEB / "package.json").read_text())["version"] == rc.__version__
