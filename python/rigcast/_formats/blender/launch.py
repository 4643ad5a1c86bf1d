"""Entry point of the host process: ``python launch.py -- FD`` or ``blender --python launch.py -- FD``.

Loads the ``host`` folder next to this file as a package of its own, so that nothing else of rigcast, and none of its
dependencies, has to be importable in Blender's Python.
"""

import importlib
import importlib.util
import sys
from pathlib import Path


def load_host() -> None:
    """Make the ``host`` folder importable as ``rigcast_host``."""
    folder = Path(__file__).resolve().parent / "host"
    spec = importlib.util.spec_from_file_location(
        "rigcast_host", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["rigcast_host"] = module
    spec.loader.exec_module(module)


if __name__ == "__main__":
    load_host()
    importlib.import_module("rigcast_host.serve").main(int(sys.argv[sys.argv.index("--") + 1]))
