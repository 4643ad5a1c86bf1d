"""Draws frames of a preview: ``python docs/figures/draw_webcam.py DATA`` (half a minute).

DATA is a folder with ``ict_facekit`` and ``makehuman_hm08``. The video is rendered: an actor of ICT's face.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

import rigcast as rc
from rigcast.capture._video.ffmpeg import write_video

FOLDER = Path(__file__).resolve().parent
ACTOR, FRAMES, SIZE = 900, 75, 300
SHOWN = (0, 40, 70)
COLORS = 255


def main() -> None:
    """Film, detect, solve, and put frames of the preview below each other."""
    data = Path(sys.argv[1])
    actor = rc.capture.ict_cast(data / "ict_facekit").actor(ACTOR)
    rig = rc.faces.makehuman(data / "makehuman_hm08")
    with tempfile.TemporaryDirectory() as folder:
        video, preview = Path(folder) / "webcam.mp4", Path(folder) / "preview.mp4"
        write_video(video, iter(rc.capture.film(actor, rc.capture.ShotPlan(frames=FRAMES, size=SIZE)).color), 30.0)
        tracks = rc.capture.detect(video)
        found = rc.capture.solve(rig, tracks, neutral=0)
        rc.capture.write_preview(preview, rig, found, pictures=rc.capture.Pictures(video), tracks=tracks)
        frames = rc.capture.Pictures(preview)
        shown = np.concatenate([frames[t] for t in SHOWN])
    Image.fromarray(shown).quantize(COLORS).save(FOLDER / "webcam.png", optimize=True)


if __name__ == "__main__":
    main()
