"""Draws a learned Rigify character: ``python -m docs.figures.draw_rigify MODEL RIG ACTION FRAME``.

MODEL and RIG are those of the page "A generated Rigify character". Writes rigify_error.png, an action's frame in
Blender, by the model, and the error in color; and rigify_view.png, the page of ``rigcast view`` (needs ``chromium``).
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image
from tests.view.browser import Browser

import rigcast as rc

FOLDER = Path(__file__).resolve().parent
SIZE = 1400, 900  # pixels of the view


def main() -> None:
    """Write both pictures."""
    model_file, rig_file, name, frame = sys.argv[1:]
    model = rc.load(model_file)
    with rc.sources.load(rig_file) as rig:
        action = rig.action(name)
        poses, truth = rig.sample(action.channels[int(frame) - 1 : int(frame)])
    draw_error(model, poses, truth)
    draw_view(model)


def draw_error(model: rc.Deformer, poses: np.ndarray, truth: np.ndarray) -> None:
    """One frame: Blender, the model, and the distance between both in color."""
    found = model.evaluate(poses)
    image = rc.plot.side_by_side(
        model,
        np.stack([truth[0], found[0], found[0]]),
        titles=["Blender", "model", "error"],
        values=[None, None, 1e3 * model.meters_per_unit * np.linalg.norm(found[0] - truth[0], axis=1)],
        unit="mm",
        width=330,
    )
    image.save(FOLDER / "rigify_error.png")


def draw_view(model: rc.Deformer) -> None:
    """The live view, in a browser without a window."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, Browser(Path(folder), SIZE) as browser:
        picture, page, live = Path(folder) / "view.png", browser.page(), rc.view(model)
        width, height = SIZE  # of the page, which a window's frame would make smaller
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        page.open(live.url)
        page.until("window.view && view.frame && !view.arrived")
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        page.screenshot(picture)
        live.close()
        Image.open(picture).convert("RGB").save(FOLDER / "rigify_view.png", optimize=True)


if __name__ == "__main__":
    main()
