"""The wheel ``rigcast-runtime``: a Python package around the C library, for every Python from 3.9 on."""

from __future__ import annotations

import platform
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from release.notices import NAME, notices
from release.project import ROOT, Part, run, version
from release.wheel_content import Promise, check_wheel

TAG = "py3-none-manylinux_2_28"
LARGEST = 2_000_000  # bytes
METADATA = """\
Metadata-Version: 2.4
Name: rigcast-runtime
Version: {version}
Summary: Runs learned character rigs in hosts: models, sessions, crowds, inverse rigs and drags over one C library
License-Expression: Apache-2.0
License-File: LICENSE
License-File: {notices}
Requires-Python: >=3.9
Description-Content-Type: text/markdown

{page}"""


def make_wheel(library: Path, folder: Path, inside: Sequence[Part], processor: str = platform.machine()) -> Path:
    """Pack the package and the library of a processor, which contains parts of others.

    Returns
    -------
    Path
        ``rigcast_runtime-VERSION-py3-none-manylinux_2_28_PROCESSOR.whl`` in ``folder``. NumPy is no requirement of it:
        hosts have their own.

    Raises
    ------
    SystemExit
        If it is too large, or needs what manylinux_2_28 does not promise.
    """
    tag = f"{TAG}_{processor}"
    with tempfile.TemporaryDirectory() as made:
        content = Path(made) / "content"
        package, facts = content / "rigcast_runtime", content / f"rigcast_runtime-{version()}.dist-info"
        shutil.copytree(
            ROOT / "python" / "rigcast_runtime", package, ignore=shutil.ignore_patterns("__pycache__", "*.so*")
        )
        shutil.copyfile(library, package / "librigcast.so.1")
        (facts / "licenses").mkdir(parents=True)
        shutil.copyfile(ROOT / "LICENSE", facts / "licenses" / "LICENSE")
        (facts / "licenses" / NAME).write_text(notices(inside), encoding="utf-8")
        page = (ROOT / "docs" / "how-to" / "programs" / "runtime.md").read_text(encoding="utf-8")
        (facts / "METADATA").write_text(METADATA.format(version=version(), notices=NAME, page=page), encoding="utf-8")
        (facts / "WHEEL").write_text(
            f"Wheel-Version: 1.0\nGenerator: rigcast {version()}\nRoot-Is-Purelib: false\nTag: {tag}\n",
            encoding="utf-8",
        )
        run([sys.executable, "-m", "wheel", "pack", content, "--dest-dir", folder])
    (wheel,) = folder.glob(f"rigcast_runtime-{version()}-{tag}.whl")
    check(wheel, processor)
    return wheel


def check(wheel: Path, processor: str) -> None:
    """Raise SystemExit if a wheel is too large or not what its tag says."""
    check_wheel(wheel, Promise(f"{TAG}_{processor}", ("rigcast_runtime/librigcast.so.1",), LARGEST))
