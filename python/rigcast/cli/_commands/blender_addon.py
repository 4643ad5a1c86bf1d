"""``rigcast blender-addon``: the add-on for Blender as a zip to install.

The add-on is GPL, as all that imports Blender's modules, and no part of this package: the command packs the sources
that lie beside it in a checkout or a source distribution.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
from pathlib import Path
from types import ModuleType

from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._overview import SUMMARIES
from rigcast.cli._result import Result, WrongInput

SUMMARY = SUMMARIES["blender-addon"]
EXAMPLE = "rigcast blender-addon -o rigcast_blender.zip"
LIBRARY = Path("build", "main", "bindings", "c", "librigcast.so.1")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The zip, and where its content lies."""
    parser.add_argument(
        "-o", "--output", metavar="FILE", type=arguments.OutputFile(".zip"), required=True, help="the zip to install"
    )
    parser.add_argument(
        "--sources",
        metavar="FOLDER",
        type=Path,
        help="a checkout of rigcast, or its unpacked source distribution (default: the one that this program is of)",
    )
    parser.add_argument(
        "--library",
        metavar="FILE",
        type=arguments.existing_file,
        help="librigcast.so.1 for the machines that the add-on is for (default: RIGCAST_LIBRARY, else the one that is "
        "built in the sources)",
    )


def run(args: argparse.Namespace, console: Console) -> Result:
    """Pack the sources and the library."""
    root: Path = args.sources or Path(__file__).resolve().parents[4]
    library = args.library or Path(os.environ.get("RIGCAST_LIBRARY") or root / LIBRARY)
    packing = _packing(root)
    if not library.is_file():
        raise WrongInput(
            f"there is no C library {library}: build it (cmake --build --preset main), or name it (--library)"
        )
    names = packing.pack(args.output, library)
    console.line(f"{args.output}: {len(names)} files, {args.output.stat().st_size:,} bytes")
    console.line("Blender 4.2 and later: Preferences > Get Extensions > Install from Disk; before: Add-ons > Install")
    return {"library": os.fspath(library), "files": names}


def _packing(root: Path) -> ModuleType:
    """``blender/pack.py`` of the sources."""
    path = root / "blender" / "pack.py"
    if not path.is_file():
        raise WrongInput(
            f"the add-on's sources are not in {root}: they are GPL and no part of the package rigcast; take the zip "
            "of a release, or name a checkout or an unpacked source distribution (--sources)"
        )
    spec = importlib.util.spec_from_file_location("rigcast_blender_packing", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
