"""A .blend that a script makes from a recipe: made once, again if script or recipe change, whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rigcast._atomic_files import atomic_write
from rigcast._formats.blender import run_script

Recipe = tuple[dict[str, Any], dict[str, Any]]  # plain values, and arrays


def made_blend(
    path: str | os.PathLike[str],
    scripts: Sequence[Path],
    recipe: Recipe,
    blender: str | None,
    timeout: float,
    finish: Callable[[Path], None] | None = None,
) -> Path:
    """Run the first of ``scripts`` in Blender, unless ``path`` already holds what it would make.

    Parameters
    ----------
    path : path-like
        The .blend to write; ``path`` + ".key" beside it remembers what it was made from.
    scripts : sequence of Path
        What Blender runs, then the files that it or ``finish`` uses: a change of any makes the file anew.
    recipe : (dict, dict)
        Written as ``recipe.json`` and ``recipe.npz`` into the folder that the script is given.
    blender : str or None
        A Blender executable; without it the ``bpy`` wheel, else ``blender`` on the PATH.
    timeout : float
        Seconds that Blender may take.
    finish : callable, optional
        Gets the file before it takes its place.
    """
    target = Path(path).resolve()
    values, arrays = recipe
    key, stamp = _key(scripts, values, arrays), target.with_name(target.name + ".key")
    if target.is_file() and stamp.is_file() and stamp.read_text(encoding="utf-8").strip() == key:
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".blend-", dir=target.parent) as folder:
        Path(folder, "recipe.json").write_text(json.dumps(values), encoding="utf-8")
        np.savez(Path(folder, "recipe.npz"), **arrays)
        built = Path(folder, "made.blend")
        run_script(scripts[0], [folder, str(built)], blender=blender, timeout=timeout)
        if finish is not None:
            finish(built)
        os.replace(built, target)
    atomic_write(stamp, f"{key}\n".encode())
    return target


def _key(scripts: Sequence[Path], values: dict[str, Any], arrays: dict[str, Any]) -> str:
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in scripts))
    digest.update(json.dumps(values, sort_keys=True).encode())
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype} {array.shape}".encode() + array.tobytes())
    return digest.hexdigest()
