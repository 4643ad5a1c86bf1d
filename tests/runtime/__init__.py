"""The C library, and rigcast_runtime: the package for hosts that calls it through ctypes.

In an environment with rigcast installed, rigcast_runtime is read from the sources.
"""

import importlib.util
import sys
from pathlib import Path

if importlib.util.find_spec("rigcast_runtime") is None:
    sys.path.append(str(Path(__file__).resolve().parents[2] / "python"))
