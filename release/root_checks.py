"""Installs the artifacts of a folder where nothing else is, and uses them there: ``./run release --roots``."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from release.project import version
from release.systems.roots import ROOTS, CommandFailed, Reach, copy, discard, lacking, prepared, run_in

RESULTS = ROOTS / "results"  # files of a check that later ones use: the package writes a model, hosts read it

PACKAGE = """
test -z "$(ls -d /usr/include/{eigen3,hwy,nlohmann,suitesparse} /usr/lib/*/lib{hwy,cholmod}* 2>/dev/null)"
python3 -m venv /venv
/venv/bin/pip install --no-compile ARTIFACT
cd /results
/venv/bin/rigcast doctor
/venv/bin/python <<'PYTHON'
import numpy as np
import rigcast as rc
face = rc.faces.example()
face.save("face.safetensors")
model = rc.load("face.safetensors")
weights = np.linspace(0, 1, 5 * face.num_shapes).reshape(5, -1)
vertices = model.evaluate(weights)
np.savez("face.npz", weights=weights, vertices=vertices)
found = rc.inverse.solve(face, vertices, alpha=0.0)
assert found.rmse.max() < 1e-4, found.rmse
print(rc.__version__, vertices.shape, found.rmse.max())
PYTHON
/venv/bin/rigcast info face.safetensors
"""
RUNTIME = """
python3 -m venv --system-site-packages /venv
/venv/bin/pip install --no-index --no-compile ARTIFACT
cd /results
/venv/bin/python <<'PYTHON'
import numpy as np
import rigcast_runtime as rr
model, known = rr.load("face.safetensors"), np.load("face.npz")
vertices = model.evaluate(known["weights"])
assert np.array_equal(model.session().evaluate(known["weights"][0]), vertices[0])
difference = np.abs(vertices - known["vertices"]).max() / np.abs(vertices).max()
assert difference < 1e-6, difference
print(rr.__version__, rr.instruction_set(), np.__version__, vertices.shape, difference)
PYTHON
"""
LIBRARY = """
tar -xf ARTIFACT
cd librigcast-*/
cc -std=c99 -O2 -Wall -Wextra -Werror examples/evaluate.c -Iinclude -Llib -lrigcast -Wl,-rpath,"$PWD/lib" -o evaluate
./evaluate /results/face.safetensors
"""


@dataclass(frozen=True)
class Check:
    """An artifact, the Debian packages beside it, and what is done with it.

    Attributes
    ----------
    artifact : Path
        The file, which stands in the root as ``ARTIFACT`` of the script.
    packages : sequence of str
        All that is in the root beside what every Debian has.
    script : str
        Commands of bash; files in ``/results`` are kept.
    """

    artifact: Path
    packages: Sequence[str]
    script: str


def checks_of(folder: Path, processor: str) -> list[Check]:
    """List the checks of what lies in a folder. Those that write a model for others come first.

    Raises
    ------
    SystemExit
        If no sources and no wheel of the package are there.
    """
    wheels = sorted(folder.glob(f"rigcast-{version()}-cp311-cp311-*{processor}.whl"))
    sources = sorted(folder.glob(f"rigcast-{version()}.tar.gz"))
    if not wheels and not sources:
        raise SystemExit(f"{folder} has no sources and no wheel for Python 3.11: make them by ./run release")
    python = ["python3-venv"]
    return [
        *(Check(path, python, PACKAGE) for path in wheels),
        *(Check(path, [*python, "python3-dev", "g++"], PACKAGE) for path in sources),
        *(
            Check(path, [*python, "python3-numpy"], RUNTIME)
            for path in sorted(folder.glob(f"rigcast_runtime-{version()}-*_{processor}.whl"))
        ),
        *(
            Check(path, ["gcc", "libc6-dev", "xz-utils"], LIBRARY)
            for path in sorted(folder.glob(f"librigcast-{version()}-linux-{processor}.tar.xz"))
        ),
    ]


def check_in_roots(folder: Path, say: Callable[[str], None]) -> None:
    """Make the checks of a folder's artifacts, and say of each how long it took, or why it failed.

    Raises
    ------
    SystemExit
        After the last one, if any failed.
    """
    reason = lacking()
    if reason is not None:
        say(f"SKIPPED: nothing is installed in minimal Debian systems: {reason}")
        return
    reach = Reach.of_this_machine()
    shutil.rmtree(RESULTS, ignore_errors=True)
    RESULTS.mkdir(parents=True)
    failed = []
    for check in checks_of(folder, os.uname().machine):
        name = check.artifact.name
        say(f"{name} beside {', '.join(check.packages)} ...")
        begin = time.monotonic()
        try:
            _make(check, reach)
        except CommandFailed as error:
            failed.append(name)
            say(f"{name} FAILED:\n{error}")
        else:
            say(f"{name}: ok, {time.monotonic() - begin:.0f} s")
    if failed:
        raise SystemExit(f"failed in a minimal Debian: {', '.join(failed)}")


def _make(check: Check, reach: Reach) -> None:
    """Copy a root, install the artifact, and keep the results."""
    log = ROOTS / f"{check.artifact.name}.log"
    log.unlink(missing_ok=True)
    root = ROOTS / f"used-{os.getpid()}"
    discard(root)
    copy(prepared(check.packages, reach, log), root)
    try:
        reach.copy_into(root)
        shutil.copy(check.artifact, root)
        shutil.copytree(RESULTS, root / "results")
        run_in(root, check.script.replace("ARTIFACT", f"/{check.artifact.name}"), reach.environment, log)
        shutil.copytree(root / "results", RESULTS, dirs_exist_ok=True)
    finally:
        discard(root)
