"""The files for Maya, against a stand-in of its modules and their type stubs; not run in Maya."""

import sys
from pathlib import Path

import tests.runtime  # noqa: F401 -- reads rigcast_runtime from the sources where only rigcast is installed
from tests.maya import fake_maya

FILES = Path(__file__).resolve().parents[2] / "maya"
sys.path.append(str(FILES / "rigcast" / "scripts"))
for name, module in fake_maya.MODULES.items():
    sys.modules.setdefault(name, module)
