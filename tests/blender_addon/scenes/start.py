"""The beginning of every script: the add-on enabled in this Blender, and a place for what is told."""

import json
import os
import sys
from pathlib import Path

import bpy  # isort: skip -- as a module it brings addon_utils
import addon_utils

HERE = Path(__file__).resolve().parent
FOLDER = Path(sys.argv[sys.argv.index("--") + 1])
ARGUMENTS = sys.argv[sys.argv.index("--") + 2 :]

sys.path[:0] = [str(HERE), str(HERE / "subjects"), str(HERE.parents[2] / "blender")]


def enable():
    """Enable the add-on; its trainer is the one of the tests, its cache in the test's folder."""
    addon_utils.enable("rigcast_blender", default_set=True, handle_error=fail)
    preferences = bpy.context.preferences.addons["rigcast_blender"].preferences
    preferences.trainer, preferences.cache = os.environ["RIGCAST_TEST_TRAINER"], str(FOLDER / "cache")


def fail(error):
    """An add-on that cannot be enabled is a failure of the script."""
    raise error


def tell(**facts):
    """Write facts for the test."""
    (FOLDER / "told.json").write_text(json.dumps(facts))
