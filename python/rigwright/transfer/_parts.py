"""Transfer in parts that are kept as they are done, so that an interruption loses little."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigwright._core import DeformationTransfer
from rigwright._files import atomic_file, atomic_write
from rigwright._interrupts import held_back
from rigwright._validate import Arguments, bad_argument
from rigwright.progress import Progress, ProgressCallback, silent
from rigwright.transfer._contacts import Contacts, contact_pairs
from rigwright.transfer._resting import Fixed, held_vertices, holds_each

Float32 = NDArray[np.float32]

#: Shapes of a part. Parts never depend on what was done before: several right-hand sides are solved side by side, and
#: how many they are may decide a last bit.
SHAPES = 8


def transfer_in_parts(
    source_neutral: ArrayLike,
    source_shapes: ArrayLike,
    target_neutral: ArrayLike,
    faces: ArrayLike,
    folder: str | os.PathLike[str],
    *,
    fixed: Fixed = "rest",
    contacts: Contacts = "auto",
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> Float32:
    """Transfer shapes part by part; parts that ``folder`` holds of the same transfer are not done again.

    Any number of runs gives the same bytes. The caller removes the folder when the result is in safety.

    Parameters
    ----------
    source_neutral, source_shapes, target_neutral, faces, fixed, contacts, threads
        As in :func:`rigwright.transfer.deformation_transfer`.
    folder : path
        Takes one file a part; made if it is missing, emptied if it holds parts of another transfer.
    progress : callable, optional

    Returns
    -------
    (K, V, 3) float32
        Positions.

    Raises
    ------
    ValueError
        As ``deformation_transfer`` does, and if the folder holds files that are no parts.
    KeyboardInterrupt
        After the part in work at the first Ctrl-C, at once at the second; the message says what is kept.
    """
    show = progress or silent
    check = Arguments("transfer_in_parts")
    check.threads(threads)
    neutral = check.numbers("target_neutral", target_neutral, "V 3", dtype=np.float32)
    shapes = check.numbers("source_shapes", source_shapes, "K V 3", dtype=np.float32)
    kept = Path(folder)
    held = held_vertices("transfer_in_parts", fixed, source_neutral, shapes)
    pairs = contact_pairs("transfer_in_parts", contacts, source_neutral, shapes, faces, threads)
    # Factored even where all parts are there: it checks every argument.
    solver = DeformationTransfer(source_neutral, neutral, faces, held, contacts=pairs)
    _open(kept, _fingerprint(source_neutral, shapes, neutral, faces, held, pairs, [holds_each(fixed)]))
    transfer = solver.transfer_keep_rest if holds_each(fixed) else solver.transfer
    result = np.empty(shapes.shape, np.float32)
    with held_back() as pressed:
        for begin in range(0, len(shapes), SHAPES):
            show(Progress("transferring", begin, len(shapes)))
            if pressed():
                raise KeyboardInterrupt(_interrupted(begin, len(shapes), kept))
            part = result[begin : begin + SHAPES]
            path = kept / f"{begin:06d}.npy"
            known = _read(path, part.shape)
            if known is None:
                known = transfer(shapes[begin : begin + SHAPES], threads=threads)
                with atomic_file(path) as stream:
                    np.save(stream, known)
            part[:] = known
    show(Progress("transferring", len(shapes), len(shapes)))
    return result


def _interrupted(done: int, total: int, folder: Path) -> str:
    return (
        f"interrupted with {done:,} of {total:,} shapes transferred and kept in {folder}; "
        "run the same command again to continue"
    )


def _fingerprint(*arrays: ArrayLike | None) -> str:
    """Hash of everything that decides the parts."""
    digest = hashlib.blake2b(digest_size=16)
    for array in arrays:
        whole = np.ascontiguousarray(np.zeros(0) if array is None else array)
        digest.update(f"{whole.dtype} {whole.shape}".encode())
        digest.update(whole.data if whole.size else b"")
    return digest.hexdigest()


def _open(folder: Path, fingerprint: str) -> None:
    """Make the folder, emptied where it holds another transfer."""
    stamp = folder / "transfer.json"
    if folder.exists() and _stamped(stamp) != fingerprint:
        if not stamp.exists() and any(folder.iterdir()):
            raise bad_argument("transfer_in_parts", "folder", f"{folder}, which holds other files", "absent or empty")
        shutil.rmtree(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if not stamp.exists():
        atomic_write(stamp, json.dumps({"transfer": fingerprint}).encode())


def _stamped(stamp: Path) -> str:
    try:
        return str(json.loads(stamp.read_text(encoding="utf-8"))["transfer"])
    except (OSError, ValueError, LookupError, TypeError):
        return ""


def _read(path: Path, shape: tuple[int, ...]) -> NDArray[Any] | None:
    """A part, or None where there is none that can be used."""
    try:
        part = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None
    return part if isinstance(part, np.ndarray) and part.dtype == np.float32 and part.shape == shape else None
