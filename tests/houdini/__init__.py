"""The files for Houdini, against a stand-in of its module ``hou`` and its type stubs; not run in Houdini."""

import sys
from pathlib import Path

import tests.runtime  # noqa: F401 -- reads rigcast_runtime from the sources where only rigcast is installed
from tests.houdini import fake_hou

FILES = Path(__file__).resolve().parents[2] / "houdini" / "packages"
sys.path.append(str(FILES / "rigcast"))
sys.modules.setdefault("hou", fake_hou)  # type: ignore[arg-type]
