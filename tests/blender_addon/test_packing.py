"""The zip of the add-on: packed by the command, installed by Blender's own operator, the same bytes again."""

from __future__ import annotations

import re
import shutil
import zipfile
from pathlib import Path

import pytest

import tests.runtime  # noqa: F401 -- reads rigcast_runtime from the sources where only rigcast is installed
from release.project import version
from tests.blender_addon.models import tube
from tests.blender_addon.working import blenders, told
from tests.cli.command import rigcast_command

pytest.importorskip("rigcast_runtime", reason="the C library is not built", exc_type=ImportError)
SOURCES = Path(__file__).resolve().parents[2]  # rigcast itself may be installed elsewhere


@pytest.fixture(scope="module")
def packed(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("packed")
    done = rigcast_command("blender-addon", "-o", "addon.zip", "--sources", SOURCES, folder=folder)
    assert done.returncode == 0, done.stderr
    return folder / "addon.zip"


@pytest.fixture(scope="module", params=blenders())
def installed(request, packed, tmp_path_factory):
    folder = tmp_path_factory.mktemp("installed")
    tube(folder / "tube.safetensors")
    return folder, told("install.py", folder, packed, folder / "tube.safetensors", blender=request.param)


def test_an_installed_add_on_moves_a_mesh_as_the_model_does(installed):
    _, facts = installed
    assert facts["worst"] == 0.0
    assert facts["moves"] > 0.05


def test_it_brings_its_engine(installed):
    folder, facts = installed
    assert facts["library"].startswith(str(folder))


def test_it_has_a_panel_and_settings(installed):
    _, facts = installed
    assert facts["panel"]
    assert facts["settings"] == [0, ""]


def test_disabled_it_leaves_nothing(installed):
    _, facts = installed
    assert facts["handlers"] > 0
    assert facts["left"] == [False, False]
    assert facts["handlers left"] == 0


def test_the_same_sources_give_the_same_bytes(packed, tmp_path):
    done = rigcast_command("blender-addon", "-o", "again.zip", "--sources", SOURCES, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "again.zip").read_bytes() == packed.read_bytes()


def test_both_licences_are_inside(packed):
    with zipfile.ZipFile(packed) as content:
        own, engine = (content.read(f"rigcast_blender/{name}LICENSE").decode() for name in ("", "lib/"))
    assert "GNU GENERAL PUBLIC LICENSE" in own
    assert "Apache License" in engine


def test_the_code_that_reads_bones_is_that_of_rigcast(packed):
    shared = SOURCES / "python" / "rigcast" / "_formats" / "blender" / "host" / "describe" / "transforms.py"
    with zipfile.ZipFile(packed) as content:
        assert content.read("rigcast_blender/lib/transforms.py") == shared.read_bytes()


def test_every_file_of_the_add_on_states_its_licence():
    files = [path for path in (SOURCES / "blender" / "rigcast_blender").rglob("*.py") if "lib" not in path.parts]
    assert files
    assert not [path for path in files if "SPDX-License-Identifier: GPL-3.0-or-later" not in path.read_text()[:80]]


def test_add_on_and_project_have_one_version():
    folder = SOURCES / "blender" / "rigcast_blender"
    manifest, module = (folder / "blender_manifest.toml").read_text(), (folder / "__init__.py").read_text()
    assert f'\nversion = "{version()}"' in manifest
    (numbers,) = re.findall(r'"version": \((.+)\)', module)
    assert numbers.replace(", ", ".") == version()


def test_without_its_sources_the_command_says_where_they_are(tmp_path):
    done = rigcast_command("blender-addon", "-o", "addon.zip", "--sources", tmp_path, folder=tmp_path)
    assert done.returncode == 2
    assert "they are GPL and no part of the package rigcast" in done.stderr


def test_without_a_library_the_command_says_how_to_build_it(tmp_path):
    (tmp_path / "blender").mkdir()
    shutil.copy(SOURCES / "blender" / "pack.py", tmp_path / "blender")
    done = rigcast_command("blender-addon", "-o", "addon.zip", "--sources", tmp_path, folder=tmp_path)
    assert done.returncode == 2
    assert "build it" in done.stderr
