"""Pictures of the add-on at work: ``python -m docs.figures.draw_blender_addon CHARACTER.blend [FOLDER]``.

Plays the story from a Rigify character to a learned one that is dragged by its skin in an installed Blender, on a
display of Xvfb, and writes a picture at each stop. CHARACTER is that of the page "A generated Rigify character", made
by the same Blender: ``blender -b -P examples/rigs/rigify.py -- CHARACTER.blend``. Needs ``xvfb`` and ``xdotool``.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image

import rigcast

FOLDER = Path(__file__).resolve().parent
STORY = FOLDER / "blender_addon_story.py"
DISPLAY, SIZE = ":77", (1280, 800)
SHOWN, TONES = (0, 30, 1058, 800), 256  # of the window: the view, its sidebar, and the status bar; colors of a picture
PACKAGE = Path(rigcast.__file__).resolve().parents[1]


def main() -> int:
    """Play the story."""
    character = Path(sys.argv[1]).resolve()
    pictures = Path(sys.argv[2] if len(sys.argv) > 2 else FOLDER).resolve()
    screen = subprocess.Popen(["Xvfb", DISPLAY, "-screen", "0", f"{SIZE[0]}x{SIZE[1]}x24"])
    try:
        time.sleep(1.0)
        with tempfile.TemporaryDirectory() as folder:
            return play(character, pictures, Path(folder))
    finally:
        screen.terminate()
        screen.wait()


def play(character: Path, pictures: Path, folder: Path) -> int:
    """Run Blender on the display."""
    trainer = folder / "rigcast"
    trainer.write_text(f'#!/bin/sh\nPYTHONPATH={PACKAGE} exec {sys.executable} -m rigcast "$@"\n')
    trainer.chmod(0o755)
    settings = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
    settings |= {"DISPLAY": DISPLAY, "LIBGL_ALWAYS_SOFTWARE": "1", "HOME": str(folder)}
    settings |= {"BLENDER_USER_CONFIG": str(folder), "BLENDER_USER_SCRIPTS": str(folder)}
    window = ["--factory-startup", "--window-geometry", "0", "0", str(SIZE[0]), str(SIZE[1])]
    words = ["blender", *window, "--python", str(STORY), "--", str(character), str(pictures), str(trainer)]
    done = subprocess.run(words, env=settings, check=False).returncode
    for picture in pictures.glob("blender_addon_*.png"):
        Image.open(picture).convert("RGB").crop(SHOWN).quantize(TONES, kmeans=2).save(picture, optimize=True)
    return done


if __name__ == "__main__":
    sys.exit(main())
