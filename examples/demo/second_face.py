"""The demo's transfer: the face's shapes given to a second identity made from the same assets."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from examples.characters.assets import asset_folder, load_base
from examples.characters.face import CENTIMETERS, build_face, head_of
from examples.demo.stored import edition, read_json, write_json
from rigcast import report, transfer
from rigcast._resume.fingerprints import fingerprint
from rigcast.exports import write_rig
from rigcast.progress import Progress, ProgressCallback
from rigcast.report._transfer.measured import MeasuredTransfer

# An old woman beside the young man of the first identity. Weights of MakeHuman's macro targets.
SECOND = {
    "macrodetails/african-female-old": 1.0,
    "macrodetails/universal-female-old-averagemuscle-averageweight": 1.0,
}
SHOWN = ("eyeBlinkLeft", "browInnerUp", "mouthPucker", "jawOpen", "jawOpen * mouthSmileLeft")
NAME = "Demo Character, second face"


def transfer_face(folder: Path, announce: Callable[[str], None], progress: ProgressCallback) -> dict[str, Any]:
    """Give the face's shapes to a second identity, and write a page with both rows of faces; re-used when done.

    There is no truth to compare with. The assets hold one set of shapes, offsets that MakeHuman adds to every identity
    alike: their own answer for a second face is a plain copy, and that is what a transfer is to improve on. So the
    numbers are crossing and flipped faces.

    Parameters
    ----------
    folder : Path
        Takes ``second-face.safetensors``, ``second-face.glb`` and ``transfer.html``.
    announce : callable
        Receives one line per stage.
    progress : callable

    Returns
    -------
    dict
        Numbers by name: those of the page, ``seconds`` of the transfer, ``page``.
    """
    rig, neutral = build_face(), second_neutral(asset_folder())
    page, numbers_file = folder / "transfer.html", folder / "transfer.json"
    key = _key(rig, neutral)
    known = read_json(numbers_file)
    if known.get("key") == key and page.exists():
        announce("re-using the second face")
        return dict(known["numbers"])
    announce("giving the face's shapes to a second identity")
    begin = time.monotonic()
    measured = given_to(rig, neutral, progress)
    seconds = time.monotonic() - begin
    for ending in (".safetensors", ".glb"):
        write_rig(folder / f"second-face{ending}", measured.target)
    numbers = report.write_transfer(page, measured, name=NAME, shown=SHOWN, progress=progress)
    numbers |= {"seconds": seconds, "page": str(page)}
    write_json(numbers_file, {"key": key, "numbers": numbers})
    return numbers


def second_neutral(folder: Path) -> NDArray[np.float32]:
    """(V, 3) the second identity's head in centimeters, with the vertices of :func:`build_face`."""
    everything, _ = load_base(folder, SECOND)
    return np.asarray(CENTIMETERS * everything[head_of(folder)[0]], np.float32)


def given_to(rig: Any, neutral: NDArray[np.float32], progress: ProgressCallback) -> MeasuredTransfer:
    """A rig's shapes and combinations for another neutral, measured beside the same without contacts."""
    progress(Progress("transferring", 0, 3, "finding contacts"))
    shapes = transfer.positions_from_rig(rig)
    contacts = transfer.find_contacts(rig.rest_vertices, shapes, rig.faces)
    free = transfer.deformation_transfer(rig.rest_vertices, shapes, neutral, rig.faces, contacts=None)
    progress(Progress("transferring", 1, 3, f"{len(contacts)} contacts"))
    held = transfer.deformation_transfer(rig.rest_vertices, shapes, neutral, rig.faces, contacts=contacts)
    progress(Progress("transferring", 2, 3, "measuring"))
    made = transfer.rig_from_positions(rig, neutral, held, metadata={"name": NAME})
    return report.measure_transfer(rig, made, contacts=contacts, free_shapes=free)


def _key(rig: Any, neutral: NDArray[np.float32]) -> str:
    """Hash of everything that the rig and the page are made of."""
    return fingerprint(edition(), SHOWN, rig.rest_vertices, rig.columns(), rig.faces, neutral)
