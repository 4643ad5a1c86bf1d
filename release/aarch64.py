"""The C library and the wheels for 64-bit ARM: ``./run release --aarch64`` compiles them by Zig.

Nothing here has that processor. QEMU runs what was compiled, which tells whether results are right, not how fast they
come.
"""

from __future__ import annotations

import platform
import re
import shutil
import sys
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from release.library import SYSTEM, archive, compile_library, compile_target
from release.package_wheels import find_interpreters, make_wheels
from release.project import ROOT, Part, run
from release.runtime_wheel import make_wheel
from release.systems.emulation import PYTHON, Emulation, NoEmulation, make_emulation
from release.try_wheel import TRIAL

PROCESSOR = "aarch64"
CHECKS = ("check_storage", "check_dense", "check_derivatives")
MACHINES = "check_machines"
WITHIN = 1e-5  # of the largest number of a model
SCALES = ("write", "write-large")  # tasks of check_machines
MODELS = ROOT / "build" / "release" / platform.machine() / "tried" / "models"  # of release.try_wheel, with results
USE = """
import pathlib, sys
import numpy as np
import rigcast_runtime as rr

for path in sorted(pathlib.Path(sys.argv[1]).glob("*.safetensors")):
    model = rr.load(path)
    rest = np.asarray(model.rest_pose)
    vertices = model.evaluate(np.stack([rest, rest]))
    assert np.isfinite(vertices).all(), path
    assert vertices[1].tobytes() == model.session().evaluate(rest).tobytes(), path
random = np.random.default_rng(0)
neutral, deltas, weights = random.normal(size=(500, 3)), random.normal(size=(9, 500, 3)), random.random((4, 9))
rig = rr.BlendshapeRig(neutral, deltas)
vertices = rig.evaluate(weights)
np.testing.assert_allclose(vertices, neutral + np.tensordot(weights, deltas, 1), rtol=0, atol=1e-5)
shot = rr.solve(rig, vertices, alpha=0.0)
np.testing.assert_allclose(shot.weights, weights, rtol=0, atol=1e-3)
print(f"{rr.__version__}, {rr.instruction_set()}, Python {sys.version.split()[0]}, NumPy {np.__version__}")
"""


def make_for_aarch64(folder: Path, inside: Sequence[Part], say: Callable[[str], None]) -> list[Path]:
    """Make the archive of the C library and the wheel rigcast-runtime, and check them in emulation.

    Parameters
    ----------
    folder : Path
        Receives both.
    inside : sequence of Part
        What the library contains of others.
    say : callable
        Receives lines for people, one of them if this machine cannot emulate.

    Returns
    -------
    list of Path
        The archive and the wheel.

    Raises
    ------
    SystemExit
        If something does not compile, or does not compute in emulation what it does here.
    """
    build = _build(PROCESSOR)
    say("the C library and rigcast-runtime for aarch64 ...")
    library = compile_library(build, PROCESSOR)
    packed, wheel = archive(library, folder, inside, PROCESSOR), make_wheel(library, folder, inside, PROCESSOR)
    try:
        emulation = make_emulation()
    except NoEmulation as reason:
        say(f"SKIPPED: nothing for aarch64 is run: {reason}")
        return [packed, wheel]
    say("checks for aarch64, compiled, then run by QEMU ...")
    for processor, names in ((PROCESSOR, (*CHECKS, MACHINES)), (platform.machine(), (MACHINES,))):
        for name in names:
            compile_target(_build(processor), name, processor, PYTHON="OFF", CHECKS="ON")
    for name in CHECKS:
        emulation.run(_program(PROCESSOR, name))
        say(f"  {name}: ok")
    models = build / "models"
    for task in SCALES:
        say(f"  {MACHINES} {task}: {_compare(emulation, task, models)}")
    say(f"  evaluate.c: {_try_example(emulation, build, library, models)}")
    say(f"  {wheel.name}: {_try_wheel(emulation, build, wheel, models)}")
    return [packed, wheel]


def make_package_for_aarch64(folder: Path, inside: Sequence[Part], say: Callable[[str], None]) -> list[Path]:
    """Make the wheel of rigcast for the emulated Python, and compare its results with those of this machine's wheels.

    Parameters
    ----------
    folder : Path
        Receives it.
    inside : sequence of Part
        What its extension contains of others.
    say : callable
        Receives lines for people.

    Returns
    -------
    list of Path
        The wheel, or nothing if this machine has no emulation or no Python of that version.

    Raises
    ------
    SystemExit
        If it does not compile, or a result is further off than rounding.
    """
    own = next((found for found in find_interpreters()[0] if found.version == PYTHON), None)
    if own is None:
        say(f"SKIPPED: no wheel rigcast for {PROCESSOR}: no CPython {PYTHON} with headers is here")
        return []
    try:
        emulation = make_emulation()
    except NoEmulation as reason:
        say(f"SKIPPED: no wheel rigcast for {PROCESSOR}: {reason}")
        return []
    build = _build(PROCESSOR)
    interpreter = replace(own, processor=PROCESSOR, headers=emulation.headers)
    (wheel,) = make_wheels(build, folder, [interpreter], inside, say)
    tried = emulation.run_python(TRIAL, MODELS, "compare", packages=_unpack(wheel, build))
    for line in tried.splitlines():
        say(f"  in emulation, {line}")
    return [wheel]


def _build(processor: str) -> Path:
    return ROOT / "build" / "release" / processor


def _program(processor: str, name: str) -> Path:
    return _build(processor) / "tests" / "cpp" / name


def _compare(emulation: Emulation, task: str, models: Path) -> str:
    """Evaluate models of every kind here and in emulation; returns what the program says of the difference."""
    native = _program(platform.machine(), MACHINES)
    run([native, task, models])
    run([native, "evaluate", models, models / "here.f32"])
    shown = emulation.run(_program(PROCESSOR, MACHINES), "agree", models, models / "here.f32").strip()
    found = re.search(r"largest difference (\S+)", shown)
    if found is None or not float(found[1]) <= WITHIN:
        raise SystemExit(f"{MACHINES} on {PROCESSOR}: {shown}; {WITHIN} is the most")
    return shown


def _try_example(emulation: Emulation, build: Path, library: Path, models: Path) -> str:
    """Compile the C example, run it on a model, and return its first line."""
    program = build / "evaluate"
    source, header = ROOT / "examples" / "c" / "evaluate.c", ROOT / "bindings" / "c" / "include"
    target = f"{PROCESSOR}-{SYSTEM}"
    run([sys.executable, "-m", "ziglang", "cc", "-target", target, "-std=c99", "-O1", source, "-I", header, library,
         "-o", program])  # fmt: skip
    shown = emulation.run(program, models / "body0.safetensors", LD_LIBRARY_PATH=library.parent)
    return shown.splitlines()[0]


def _try_wheel(emulation: Emulation, build: Path, wheel: Path, models: Path) -> str:
    """Use the wheel in the emulated Python, and return what that prints."""
    return emulation.run_python("-c", USE, models, packages=_unpack(wheel, build)).strip()


def _unpack(wheel: Path, build: Path) -> Path:
    """Unpack a wheel as pip does, and return the folder."""
    place = build / "unpacked" / wheel.name.partition("-")[0]
    shutil.rmtree(place, ignore_errors=True)
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(place)
    return place
