# SPDX-License-Identifier: GPL-3.0-or-later
"""A plan to learn a character: a folder with a copy of the scene, and steps, of which finished ones are kept."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import time
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import bpy

from ..jobs.running import JobError
from ..jobs.trainer import this_blender

FILE = "plan.json"
SCENE = "scene.blend"
DATA = "samples.rwdata"
MODEL = "model.safetensors"


@dataclass(frozen=True)
class Wish:
    """What is asked for.

    Attributes
    ----------
    meshes : tuple of str
        Mesh objects; empty: all that the armature moves.
    armature : str
    count : int
        Poses.
    minutes : float
    steps : int
        Of the optimizer; 0: as many as the minutes allow.
    ranges : str
        ``file``, ``actions``, ``people`` or degrees.
    workers : int
    """

    meshes: tuple[str, ...]
    armature: str
    count: int
    minutes: float
    steps: int
    ranges: str
    workers: int


@dataclass
class Plan:
    """The way from a scene to a model; kept in its folder as it goes on."""

    folder: Path
    wish: Wish
    done: list[str] = field(default_factory=list)
    results: dict[str, Any] = field(default_factory=dict)
    began: float = 0.0

    @property
    def model(self) -> Path:
        """The model file."""
        return self.folder / MODEL

    @property
    def unfinished(self) -> bool:
        """True if something remains to be done."""
        return [name for name, _ in self.steps()] != self.done

    def steps(self) -> list[tuple[str, list[str]]]:
        """The steps: a name, and the words of the command."""
        rig = [*self._rig(), *this_blender()]
        data, scene = str(self.folder / DATA), str(self.folder / SCENE)
        train = ["train", "body", data, "-o", str(self.model)]
        amount = ["--steps", str(self.wish.steps)] if self.wish.steps else ["--minutes", f"{self.wish.minutes:g}"]
        sample = ["sample", scene, "-o", data, "--count", str(self.wish.count), "--workers", str(self.wish.workers)]
        return [("info", ["info", scene, *rig]), ("sample", [*sample, *rig]), ("train", [*train, *amount])]

    def _rig(self) -> list[str]:
        words = [word for name in self.wish.meshes for word in ("--mesh", name)]
        words += ["--armature", self.wish.armature] if self.wish.armature else []
        return words + ([] if self.wish.ranges == "file" else ["--ranges", self.wish.ranges])

    def finish(self, name: str, result: dict[str, Any]) -> None:
        """Note that a step is done."""
        self.done.append(name)
        self.results[name] = result
        self.save()

    def save(self) -> None:
        """Write the file whole or not at all."""
        value = {**asdict(self), "folder": None}
        waiting = self.folder / f"{FILE}.part"
        waiting.write_text(json.dumps(value), encoding="utf-8")
        os.replace(waiting, self.folder / FILE)


def begin(folder: Path, wish: Wish) -> Plan:
    """Begin anew: the scene as it is now is copied into the folder; what was there goes."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    plan = Plan(folder, wish, began=time.time())
    try:
        bpy.ops.wm.save_as_mainfile(filepath=str(folder / SCENE), copy=True, check_existing=False, compress=False)
    except RuntimeError as error:
        raise JobError(f"the scene cannot be copied to {folder}: {error}") from None
    plan.save()
    return plan


def kept(folder: Path) -> Plan | None:
    """The plan in a folder, finished or not; None without one that can be read."""
    try:
        return _read(folder, (folder / FILE).stat().st_mtime_ns)
    except OSError:
        return None


@lru_cache(maxsize=8)
def _read(folder: Path, _changed: int) -> Plan | None:
    """The same, once for every change of the file: panels ask with each redraw."""
    try:
        value = json.loads((folder / FILE).read_text(encoding="utf-8"))
        wish = {**value["wish"], "meshes": tuple(value["wish"]["meshes"])}
        found = Plan(folder, Wish(**wish), value["done"], value["results"], value["began"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if (folder / SCENE).is_file() else None


def folder_of(cache: Path, character: str) -> Path:
    """The folder of a character of the file that is open."""
    path = bpy.data.filepath
    stem = re.sub(r"[^\w.-]+", "_", f"{Path(path).stem or 'untitled'}-{character}")
    return cache / "learning" / f"{stem}-{hashlib.sha1(f'{path}|{character}'.encode()).hexdigest()[:8]}"
