"""The module of Maya: its description, its zip, its types as far as stubs know them, and what is said of it."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import zipfile

import pytest

from release import host_files
from release.project import version
from tests.conftest import TESTS
from tests.maya import FILES, fake_maya
from tests.structure.test_words import free_relatives
from tests.support.host_stubs import findings, stubs_of

ROOT = TESTS.parent
PAGE = ROOT / "docs" / "how-to" / "programs" / "maya.md"
SCRIPTS = FILES / "rigcast" / "scripts"
MODULES = sorted((FILES / "rigcast").rglob("*.py"))
HOST = host_files.HOSTS[1]
WRONG = """\
import maya.OpenMaya as om
import maya.OpenMayaMPx as mpx

om.MItGeometry().everyPosition()
mpx.MPxDeformer()
"""


def test_the_description_is_that_of_a_module_with_paths_of_its_own():
    """ "Module description file": + qualifiers, name, version, path from the description."""
    (line,) = (FILES / "rigcast.mod").read_text().splitlines()
    sign, platform, name, number, path = line.split()
    assert (sign, platform, name, number) == ("+", "PLATFORM:linux", "rigcast", version())
    assert path == "./rigcast"
    assert {folder.name for folder in (FILES / path).iterdir()} == {"plug-ins", "scripts"}  # as Maya looks for them


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_modules_are_of_python_3_9(path):
    """Maya 2023 has it."""
    ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 9))


def test_docstrings_open_with_a_verb_or_a_noun():
    assert free_relatives(FILES) == []


def test_the_plug_in_states_the_version():
    assert f'"rigcast", "{version()}"' in (FILES / "rigcast" / "plug-ins" / "rigcast_deformer.py").read_text()


@pytest.mark.slow
def test_the_files_have_the_names_of_maya(tmp_path):
    """The stubs of its API know names, of its commands types, too; and mypy sees a name that is not there."""
    stubs = stubs_of("maya", "maya-stubs")
    (tmp_path / "wrong.py").write_text(WRONG)
    plugin = FILES / "rigcast" / "plug-ins" / "rigcast_deformer.py"
    found = findings("maya", stubs, tmp_path, SCRIPTS / "rigcast_maya", plugin, tmp_path / "wrong.py", path=SCRIPTS)
    assert [re.sub(r"^.*/", "", line).split(": ")[0] for line in found] == ["wrong.py:4", "wrong.py:5"]


def test_the_stand_in_has_no_class_or_method_that_maya_has_not():
    """By names, against the stubs."""
    stubs = stubs_of("maya", "maya-stubs")
    for module in ("OpenMaya", "OpenMayaMPx", "cmds"):
        path = stubs / f"{module}.pyi"
        text = (path if path.is_file() else stubs / module / "__init__.pyi").read_text(encoding="utf-8")
        known = {
            node.name: node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ClassDef | ast.FunctionDef)
        }
        for name in vars(fake_maya.MODULES[f"maya.{module}"]):
            if name.startswith("__") or name in ("cvar", "MFnData", "MFnNumericData"):
                continue
            assert name in known, f"{module}.{name}"


def test_the_zip_of_a_release(tmp_path):
    """Unpacked it runs with nothing of the sources."""
    rr = pytest.importorskip("rigcast_runtime", reason="the C library is not built", exc_type=ImportError)
    made = host_files.make_host_files(HOST, rr._library.PATH, tmp_path, [])
    with zipfile.ZipFile(made) as content:
        names = content.namelist()
        content.extractall(tmp_path / "unpacked")
    assert {"rigcast.mod", "rigcast/plug-ins/rigcast_deformer.py", "rigcast/scripts/LICENSE"} < set(names)
    code = f"""if True:
        import sys, tests.maya.fake_maya as fake
        sys.modules.update(fake.MODULES)
        sys.path.insert(0, {str(tmp_path / "unpacked" / "rigcast" / "scripts")!r})
        import rigcast_maya as found, rigcast_maya.deformer, rigcast_runtime as rr, rigcast_host.engine as engine
        print(found.__file__, rr.__file__, rr._library.PATH, engine.transforms.__file__)"""
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "RIGCAST_LIBRARY")}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert all(path.startswith(str(tmp_path / "unpacked")) for path in done.stdout.split())


def test_the_page_says_first_what_was_not_run():
    assert PAGE.read_text(encoding="utf-8").split("\n\n")[1].lower().startswith("**not run in maya")
