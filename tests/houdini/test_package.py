"""The package of Houdini: its JSON, its Python, the zip of a release, and what is said of it."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import zipfile

import pytest

from release import host_files
from release.runtime_wheel import METADATA
from tests.conftest import TESTS
from tests.houdini import FILES
from tests.structure.test_words import free_relatives

ROOT = TESTS.parent
PAGE = ROOT / "docs" / "how-to" / "programs" / "houdini.md"
MODULES = sorted([*(FILES / "rigcast").rglob("*.py"), *(ROOT / "python" / "rigcast_host").rglob("*.py")])
# "Houdini packages" of Houdini's reference, https://www.sidefx.com/docs/houdini/ref/plugins.html
KEYS = {
    "enable", "env", "hpath", "load_package_once", "name", "package_path", "path", "process_order", "recommends",
    "requires", "show", "version",
}  # fmt: skip
HOST = host_files.HOSTS[0]
METHODS = {"append", "prepend", "replace"}


@pytest.fixture(scope="module")
def package() -> dict:
    return json.loads((FILES / "rigcast.json").read_text())


def test_the_package_has_keys_of_houdini_alone(package):
    assert set(package) <= KEYS
    for variable in package["env"]:
        ((name, entry),) = variable.items()
        assert re.fullmatch(r"[A-Z_]+", name)
        assert set(entry) == {"method", "value"}
        assert entry["method"] in METHODS
    assert re.fullmatch(r"houdini_version >= '\d+\.\d+'", package["enable"])


def test_paths_count_from_the_package_and_are_there(package):
    """Of any version of Python: no folder ``pythonX.Ylibs``."""
    (entry,) = (variable["PYTHONPATH"] for variable in package["env"])
    assert entry["method"] == "prepend"  # a value without a method replaces Houdini's own
    start, _, rest = entry["value"].partition("/")
    assert start == "$HOUDINI_PACKAGE_PATH"
    assert (FILES / rest / "rigcast_houdini" / "__init__.py").is_file()


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_modules_are_of_python_3_9(path):
    """Houdini 20.0 has 3.10; NumPy's oldest that the runtime takes, 3.9."""
    ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))


def test_docstrings_open_with_a_verb_or_a_noun():
    assert free_relatives(FILES / "rigcast") == []


def test_the_zip_of_a_release(tmp_path):
    """Unpacked it runs with nothing of the sources."""
    rr = pytest.importorskip("rigcast_runtime", reason="the C library is not built", exc_type=ImportError)
    made = host_files.make_host_files(HOST, rr._library.PATH, tmp_path, [])
    assert made.name.startswith("rigcast-houdini-")
    with zipfile.ZipFile(made) as content:
        names = content.namelist()
        content.extractall(tmp_path / "unpacked")
    assert {"packages/rigcast.json", "packages/rigcast/LICENSE", "packages/rigcast/THIRD_PARTY.txt"} < set(names)
    assert not [name for name in names if "__pycache__" in name]
    code = f"""if True:
        import sys, tests.houdini.fake_hou
        sys.modules["hou"] = tests.houdini.fake_hou
        sys.path.insert(0, {str(tmp_path / "unpacked" / "packages" / "rigcast")!r})
        import rigcast_houdini as found, rigcast_runtime as rr, rigcast_host.engine as engine
        print(found.__file__, rr.__file__, rr._library.PATH, engine.transforms.__file__)"""
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "RIGCAST_LIBRARY")}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert all(path.startswith(str(tmp_path / "unpacked")) for path in done.stdout.split())


def test_a_zip_has_the_same_bytes_again(tmp_path):
    library = tmp_path / "librigcast.so.1"
    library.write_bytes(b"a library")
    one, other = (tmp_path / name for name in ("one", "other"))
    for folder in (one, other):
        folder.mkdir()
    first, again = (host_files.make_host_files(HOST, library, folder, []) for folder in (one, other))
    assert first.read_bytes() == again.read_bytes()


def test_the_runtime_asks_for_no_package():
    """hython brings NumPy: a wheel with one of its own would break it."""
    assert "Requires-Dist" not in METADATA


def test_without_numpy_the_runtime_says_what_is_missing():
    code = "import sys; sys.modules['numpy'] = None; import rigcast_runtime"
    environment = os.environ | {"PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "import of numpy halted" in done.stderr


def test_the_page_says_first_what_was_not_run():
    first = PAGE.read_text(encoding="utf-8").split("\n\n")[1]
    assert first.lower().startswith("**not run in houdini")


def test_the_page_shows_the_text_for_a_python_sop():
    page = PAGE.read_text(encoding="utf-8")
    for name in ("python_sop.py", "python_sop_face.py"):
        assert (FILES / "rigcast" / name).read_text() in page


@pytest.mark.parametrize("host", ["Houdini", "Maya"])
def test_nothing_claims_that_it_runs_there(host):
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    claim = re.compile(rf"works\s+in\s+{host}", re.IGNORECASE)
    read, found = 0, []
    for name in filter(None, listed.split("\0")):
        if not (ROOT / name).is_file():
            continue
        text = (ROOT / name).read_text(encoding="utf-8", errors="ignore")
        read += 1
        found += [name] if claim.search(text) else []
    assert read > 1500
    assert found == []
