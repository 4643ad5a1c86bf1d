"""Transfer in parts that are kept as they are done, so that an interruption loses little."""

from __future__ import annotations

import io
import os

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rigcast._core import DeformationTransfer
from rigcast._interrupts import SOON, held_back
from rigcast._resume.fingerprints import fingerprint
from rigcast._resume.parts import PartsFolder, opened
from rigcast._validate import Arguments
from rigcast.progress import Progress, ProgressOption, as_callback
from rigcast.transfer._contacts import Contacts, contact_pairs
from rigcast.transfer._positions import check_positions
from rigcast.transfer._resting import Fixed, held_vertices, holds_each

Float32 = NDArray[np.float32]

#: Shapes of a part. Parts never depend on what was done before: several right-hand sides are solved side by side, and
#: how many they are may decide a last bit.
SHAPES = 8


def transfer_in_parts(
    source_neutral: ArrayLike,
    source_shapes: ArrayLike,
    target_neutral: ArrayLike,
    faces: ArrayLike,
    *,
    folder: str | os.PathLike[str] | PartsFolder,
    fixed: Fixed = "rest",
    contacts: Contacts = "auto",
    threads: int = 0,
    progress: ProgressOption = None,
) -> Float32:
    """Transfer shapes part by part; parts that ``folder`` holds of the same transfer are not done again.

    Any number of runs gives the same bytes. The caller removes the folder when the result is in safety.

    Parameters
    ----------
    source_neutral, source_shapes, target_neutral, faces, fixed, contacts
        As in :func:`rigcast.transfer.deformation_transfer`.
    folder : path-like
        Takes one file per part; made if it is missing. Parts of another transfer are removed from it.
    threads : int
        Number of threads; 0 means all processors that this process may use.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`.

    Returns
    -------
    (K, V, 3) float32
        Positions.

    Raises
    ------
    ValueError
        As ``deformation_transfer`` does, and for a folder that another run writes or that holds other files.
    KeyboardInterrupt
        After the part in work, half a second after Ctrl-C, or at once if it is pressed again; the message says what is
        kept.
    """
    show = as_callback(progress)
    check_positions("transfer_in_parts", source_neutral, source_shapes, "source_shapes")
    check = Arguments("transfer_in_parts")
    check.threads(threads)
    neutral = check.numbers("target_neutral", target_neutral, "V 3", dtype=np.float32)
    shapes = check.numbers("source_shapes", source_shapes, "K V 3", dtype=np.float32)
    held = held_vertices("transfer_in_parts", fixed, source_neutral, shapes)
    pairs = contact_pairs("transfer_in_parts", contacts, source_neutral, shapes, faces, threads)
    # Factored even where all parts are there: it checks every argument.
    solver = DeformationTransfer(source_neutral, neutral, faces, held, contacts=pairs)
    arrays = [np.asarray(array) for array in (source_neutral, shapes, neutral, faces)]
    decides = fingerprint(*arrays, held, pairs, holds_each(fixed))
    transfer = solver.transfer_keep_rest if holds_each(fixed) else solver.transfer
    result = np.empty(shapes.shape, np.float32)
    done = 0
    with (
        opened(folder, "transfer_in_parts") as kept,
        held_back(SOON, lambda: _interrupted(done, len(shapes), kept.folder)) as pressed,
    ):
        kept.begin(decides)
        for begin in range(0, len(shapes), SHAPES):
            done = begin
            show(Progress("transferring", begin, len(shapes)))
            if pressed():
                raise KeyboardInterrupt(_interrupted(done, len(shapes), kept.folder))
            part = result[begin : begin + SHAPES]
            known = kept.get(f"{begin:06d}")
            if known is not None:
                part[:] = np.load(io.BytesIO(known), allow_pickle=False)
                continue
            part[:] = transfer(shapes[begin : begin + SHAPES], threads=threads)
            content = io.BytesIO()
            np.save(content, part)
            kept.put(f"{begin:06d}", content.getbuffer())
    show(Progress("transferring", len(shapes), len(shapes)))
    return result


def _interrupted(done: int, total: int, folder: os.PathLike[str]) -> str:
    return (
        f"interrupted with {done:,} of {total:,} shapes transferred and kept in {folder}; "
        "run the same command again to continue"
    )
