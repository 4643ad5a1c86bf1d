"""Folders of synthetic actors: pictures as PNG, labels as npz."""

from __future__ import annotations

import json
import os
import struct
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._atomic_files import atomic_npz, atomic_write
from rigcast._interrupts import held_back
from rigcast._resume.fingerprints import fingerprint
from rigcast._resume.locks import locked
from rigcast._validate import Arguments, bad_argument
from rigcast.capture._actors.cast import ActorVariation, Cast
from rigcast.capture._actors.shot import ShotPlan, film
from rigcast.progress import Progress, ProgressOption, as_callback

STATED = "set.json"
VERSION = 1  # of pictures and labels: a change makes another set


def make_actor_set(
    cast: Cast,
    folder: str | os.PathLike[str],
    *,
    actors: int = 6,
    seed: int = 0,
    plan: ShotPlan | None = None,
    variation: ActorVariation | None = None,
    weights: ArrayLike | None = None,
    overwrite: bool = False,
    threads: int = 0,
    progress: ProgressOption = None,
) -> Path:
    """Film actors into a folder; the same call goes on where an interrupted one stopped.

    ``actor_SEED/frame_0000.png`` is the actor's neutral, the next ones its shot, and ``actor_SEED/labels.npz`` holds
    the labels of :class:`ActorShot`. ``set.json`` says how the set was made, and that albedo, light and sensor are
    constructed. After Ctrl-C, the actor in work is filmed again, and no other.

    Parameters
    ----------
    cast : Cast
    folder : path-like
        New, or that of an interrupted call.
    actors : int
    seed : int
        Of the first actor; the next ones follow. Sets whose seeds do not overlap share no actor.
    plan, variation, weights
        As :func:`film` and :meth:`Cast.actor` take them.
    overwrite : bool
        Remove the pictures and labels of another set that the folder holds.
    threads : int
        Number of threads; 0 means all processors that this process may use.
        Files have the same bytes for any number.
    progress : True or callable, optional

    Returns
    -------
    Path
        Of ``set.json``.

    Raises
    ------
    ValueError
        If the folder holds another set or other files, or an argument is out of range.
    """
    check = Arguments("make_actor_set", K=cast.character.num_shapes)
    count, first = check.whole("actors", actors, least=1), check.whole("seed", seed)
    check.threads(threads)
    plan, variation = plan or ShotPlan(), variation or ActorVariation()
    clip = None if weights is None else check.numbers("weights", weights, "T+ K")
    report, path = as_callback(progress), Path(folder)
    decides = (VERSION, vars(plan), vars(variation), clip, _identity(cast))
    facts = {
        "what": "rendered synthetic actors; albedo, light and sensor are constructed, no frame shows a person",
        "made_of": cast.note,
        "seeds": [first, first + count],
        "plan": vars(plan),
        "variation": vars(variation),
        "motion": "constructed" if clip is None else "given",
        "fingerprint": fingerprint(*decides, first, count),
    }
    path.mkdir(parents=True, exist_ok=True)
    with locked(path / ".lock", "make_actor_set", "folder", path), held_back() as interrupted:
        _make_room(path, str(facts["fingerprint"]), overwrite)
        atomic_write(path / STATED, (json.dumps(facts, indent=1) + "\n").encode())
        for index in range(count):
            report(Progress("filming actors", index, count))
            place = path / f"actor_{first + index:04d}"
            mark = fingerprint(*decides, first + index)
            if _mark(place) != mark:
                shot = film(cast.actor(first + index, variation), plan, clip, threads=threads)
                place.mkdir(exist_ok=True)
                for t, picture in enumerate(shot.color):
                    atomic_write(place / f"frame_{t:04d}.png", png(picture))
                atomic_npz(place / "labels.npz", {**shot.labels, "fingerprint": np.array(mark)}, compressed=True)
            if interrupted():
                raise KeyboardInterrupt
        report(Progress("filming actors", count, count))
    return path / STATED


def png(picture: NDArray[np.uint8]) -> bytes:
    """An image (H, W, 3) as a PNG file."""
    height, width = picture.shape[:2]
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # each row begins with its filter, none
    rows[:, 1:] = picture.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = [(b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 6)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )


def _identity(cast: Cast) -> str:
    character = cast.character
    shapes = [character.column(k) for k in range(character.num_shapes)]
    return fingerprint(character.rest_vertices, shapes, cast.modes, cast.landmarks, cast.drawn, character.shape_names)


def _make_room(path: Path, mark: str, overwrite: bool) -> None:
    """Refuse a folder of another set or of other files; remove another set if it is to be replaced."""
    names = {name for name in os.listdir(path) if not name.startswith(".")}
    if not names:
        return
    try:
        stated = json.loads((path / STATED).read_text(encoding="utf-8"))["fingerprint"]
    except (OSError, ValueError, LookupError, TypeError):
        stated = None
    if stated and stated != mark and overwrite:
        for file in [*path.glob("actor_*/frame_*.png"), *path.glob("actor_*/labels.npz"), path / STATED]:
            file.unlink()
    elif stated != mark:
        got = f"{str(path)!r}, which holds {'another set' if stated else 'other files'}"
        raise bad_argument("make_actor_set", "folder", got, "absent, empty, or of the same call", path)


def _mark(place: Path) -> str:
    """The fingerprint of a finished actor; empty if there is none."""
    try:
        with np.load(place / "labels.npz") as labels:
            return str(labels["fingerprint"])
    except (OSError, ValueError, LookupError, zlib.error, EOFError):
        return ""
    except Exception as error:
        if type(error).__name__ == "BadZipFile":
            return ""
        raise
