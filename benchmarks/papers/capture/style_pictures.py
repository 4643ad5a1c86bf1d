"""A contact sheet after figures 6.9 to 6.11 of Bailey 2020: an actor, the character by each method, the truth."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw

from benchmarks.marks import ROOT
from benchmarks.papers.capture.helmet import HelmetShot
from benchmarks.papers.capture.judged import Bytes

COLUMNS, SCALE, LABEL = 8, 2, 180  # frames; magnification; pixels of the words
PLACE = ROOT / "docs" / "figures" / "style_transfer.png"


def contact_sheet(actor: HelmetShot, truth: HelmetShot, methods: dict[str, Bytes]) -> None:
    """Write the picture of the docs: frames whose weights are farthest from each other, a row per method."""
    frames = spread_frames(actor.weights)
    rows = {
        "source (character, neutral)": truth.recording.pictures[[0] * len(frames)],
        "driving (unseen actor)": actor.recording.pictures[frames],
        **{name: pictures[frames] for name, pictures in methods.items()},
        "truth (character, rendered)": truth.recording.pictures[frames],
    }
    side = SCALE * actor.recording.pictures.shape[1]
    sheet = Image.new("RGB", (LABEL + side * len(frames), side * len(rows)), "white")
    draw = ImageDraw.Draw(sheet)
    for i, (name, pictures) in enumerate(rows.items()):
        strip = np.concatenate(list(pictures), axis=1).repeat(SCALE, axis=0).repeat(SCALE, axis=1)
        sheet.paste(Image.fromarray(strip), (LABEL, i * side))
        draw.text((8, i * side + side // 2 - 6), name, fill="black")
    PLACE.parent.mkdir(exist_ok=True)
    sheet.save(PLACE, optimize=True)


def spread_frames(weights: np.ndarray) -> list[int]:
    """Frames in their order: each next one is the farthest from all that are chosen, and from the neutral."""
    away, chosen = np.linalg.norm(weights, axis=1), []
    for _ in range(min(COLUMNS, len(weights))):
        chosen.append(int(np.argmax(away)))
        away = np.minimum(away, np.linalg.norm(weights - weights[chosen[-1]], axis=1))
    return sorted(chosen)
