"""The lines of ``rigcast info`` about files beside models and motion: pages, plans, lists, studies, and strangers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rigcast import _core, ik
from rigcast._formats.registry import FACE, MOTION, RIG, SHOT, WEIGHTS, readers
from rigcast._safe_reading import read_json
from rigcast.cli._batch.job_file import read_jobs
from rigcast.cli._result import WrongInput

PAGES, LISTS = (".html", ".htm"), (".json", ".toml")
FIRST = 4096  # letters of a page, among which stands what made it
MADE_BY = re.compile(r'<meta name="generator" content="rigcast">|<title>rigcast|rigcast')
TITLE = re.compile(r"<title>([^<]*)</title>")


def describe_other(path: Path) -> dict[str, Any] | None:
    """Facts of a file that no reader of characters and motion opens; None if it may be one of theirs.

    Raises
    ------
    ValueError
        If it is nothing that a command takes, with what may be given.
    """
    suffix = path.suffix.lower()
    if path.is_dir():
        return _folder(path)
    if suffix == ".safetensors":
        return _network(path)
    if suffix in PAGES:
        return _page(path)
    if suffix in LISTS:
        return _list(path)
    if suffix not in _known():
        raise WrongInput(f"{path} is no file that a command takes; {given()}")
    return None


def given() -> str:
    """Kinds of files that may be given, with endings."""
    endings = dict.fromkeys(ending for content in (RIG, FACE, SHOT, WEIGHTS, MOTION) for ending in readers(content))
    listed = ", ".join(ending for ending in endings if ending != ".safetensors")
    models = "models and synthesizers (.safetensors), data sets (their folders)"
    return f"info takes {models}, rigs, faces, shots, weights and motions ({listed})"


def _known() -> set[str]:
    endings = {ending for content in (RIG, FACE, SHOT, WEIGHTS, MOTION) for ending in readers(content)}
    return {f".{ending.rpartition('.')[2]}" for ending in endings} | {".ply", ".gz", ".npy", ".npz", ".csv"}


def _folder(path: Path) -> dict[str, Any] | None:
    if (path / "manifest.json").exists():
        return None
    from rigcast.capture._actors.folder import STATED as ACTORS
    from rigcast.study._records import STATED as STUDY

    for name, kind, hint in (
        (STUDY, "study", "rigcast study serve and rigcast study analyze read it"),
        (ACTORS, "actors", "a set of synthetic actors, as rigcast actors films it"),
    ):
        if (path / name).is_file():
            return {"type": kind, "name": path.name, "notes": [hint]}
    return None


def _network(path: Path) -> dict[str, Any] | None:
    """Facts of a model that evaluates no poses: learned inverse kinematics, or a network that reads faces."""
    try:
        about = json.loads(_core.TensorFile.read(path).metadata or "{}")
    except (ValueError, RecursionError):
        return None  # the reader of models says what is wrong
    kind = about.get("kind") if isinstance(about, dict) else None
    if kind == "face_ik":
        face_ik = ik.load(path)
        facts = {"points": len(face_ik.vertices), "meters_per_unit": face_ik.metadata.get("meters_per_unit")}
        hint = "rigcast ik, view --face-ik and report read it"
        return {"type": "learned inverse kinematics", "kind": kind, **facts, **_size(path), "notes": [hint]}
    if kind == "capture_network":
        from rigcast import capture

        network = capture.load_network(path)
        facts = {"shapes": len(network.names), "landmarks": network.num_landmarks, "error": about.get("error", {})}
        return {"type": "network that reads faces", "kind": kind, **facts, **_size(path),
                "notes": ["rigcast capture solve --read uses it"]}  # fmt: skip
    if kind == "style_transfer":
        return {"type": "style of faces", "kind": kind, **_size(path), "notes": ["rigcast.training reads it"]}
    return None


def _page(path: Path) -> dict[str, Any]:
    with path.open(encoding="utf-8", errors="replace") as stream:
        head = stream.read(FIRST)
    if not MADE_BY.search(head):
        raise WrongInput(f"{path} is a page that this program did not write; {given()}")
    title = TITLE.search(head)
    return {"type": "page", "name": path.name, "title": title.group(1).strip() if title else "", **_size(path),
            "notes": ["a report or a view, which any browser opens"]}  # fmt: skip


def _list(path: Path) -> dict[str, Any]:
    if path.suffix.lower() == ".toml":
        jobs = read_jobs(path)
        return {"type": "jobs", "name": path.name, "jobs": len(jobs), "notes": [f"rigcast batch {path.name} runs them"]}
    content = read_json(path)
    for is_kind, kind, hint in KINDS:
        if is_kind(content):
            return {"type": kind, "name": path.name, "entries": len(content), **_size(path), "notes": [hint]}
    raise WrongInput(f"{path} is JSON of another program, or of an option such as --joint-map; {given()}")


def _has(*keys: str) -> Callable[[Any], bool]:
    return lambda content: isinstance(content, dict) and set(keys) <= content.keys()


def _is_layers(content: Any) -> bool:
    return bool(
        isinstance(content, list) and content and all(isinstance(one, dict) and "kind" in one for one in content)
    )


KINDS: tuple[tuple[Callable[[Any], bool], str, str], ...] = (
    (
        _has("expressions", "covered"),
        "plan of expressions",
        "rigcast pack wrote it; transfer --examples-weights reads it",
    ),
    (
        _has("expressions", "settings"),
        "plan of expressions",
        "rigcast pack wrote it; transfer --examples-weights reads it",
    ),
    (_has("channels", "groups", "sources"), "limits of a rig", "rigcast limits wrote it; --limits reads it"),
    (_has("labels"), "list of clips", "rigcast synth fit --takes reads it"),
    (_has("commands"), "script", "rigcast synth play --script reads it"),
    (_has("jobs"), "jobs", "rigcast batch runs them"),
    (_is_layers, "layers", "rigcast synth play --layers reads it"),
)


def _size(path: Path) -> dict[str, Any]:
    return {"bytes": path.stat().st_size}


EXPECTED_METERS = (0.1, 10.0)  # of a character, or of a face


def size_notes(size_in_meters: float) -> list[str]:
    """The note on a character whose size hints at another unit than its file states."""
    low, high = EXPECTED_METERS
    if size_in_meters <= 0.0 or low <= size_in_meters <= high:
        return []
    words = f"{size_in_meters:.3g} m"
    return [f"a character of {words} hints at a wrong unit: --meters-per-unit says how long one is"]
