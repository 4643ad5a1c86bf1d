"""Type stubs of programs that cannot be installed here, and mypy over the files for these programs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.conftest import TESTS

ROOT = TESTS.parent
SETTINGS = """\
[mypy]
strict = true
warn_unreachable = true
python_version = 3.10
[mypy-{stubs}.*]
ignore_errors = true
"""


def stubs_of(name: str, package: str) -> Path:
    """The folder of the stubs of a module; skips the test where the package with them is not installed."""
    found = [Path(place) / f"{name}-stubs" for place in sys.path if (Path(place) / f"{name}-stubs").is_dir()]
    if not found:
        pytest.skip(f"{package} is not installed: the files for {name} are not checked against its stubs")
    return found[0]


def findings(name: str, stubs: Path, folder: Path, *paths: Path, path: Path | None = None) -> list[str]:
    """Complaints of mypy about files, with the stubs of a module: ``file:line: error: ...``.

    mypy takes no stubs of packages from MYPYPATH, so they are linked there by the name of the module. Their own faults
    are left aside.
    """
    api = pytest.importorskip("mypy.api", reason="mypy is not installed")
    (folder / "linked").mkdir()
    (folder / "linked" / name).symlink_to(stubs, target_is_directory=True)
    (folder / "mypy.ini").write_text(SETTINGS.format(stubs=name))
    with pytest.MonkeyPatch.context() as patch:
        places = [folder / "linked", ROOT / "python", *([path] if path else [])]
        patch.setenv("MYPYPATH", os.pathsep.join(map(str, places)))
        words = ["--config-file", folder / "mypy.ini", "--cache-dir", folder / "cache", "--no-error-summary", *paths]
        shown, told, code = api.run(list(map(str, words)))
    assert code in (0, 1), shown + told
    return [line for line in shown.splitlines() if ": error:" in line]
