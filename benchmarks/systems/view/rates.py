"""Measures how often the live view draws, beside a page that draws nothing, in the same run.

    python -m benchmarks.systems.view.rates [model.safetensors ...] [--json | --write]

Without files: a skinned tube of 26,719 vertices or so, the size of the ICT face. The window is 1400 x 900, the canvas
what is left of it, in a headless Chromium with software GL. Each page turns its camera, and plays a clip; the rates are
pictures per second as a share of what a bare page reaches right before and after. Beside them stands the processor time
per picture of all of the browser's processes, with that of a page which clears a canvas of the same size: on a loaded
machine rates say little, and that time still says what a change is worth.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from tests.view.browser import Browser

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.systems.view.live import tube
from rigcast._timing import load_average, machine

WINDOW = (1400, 900)
PICTURES = 60  # of each measurement
VERTICES = 26_719
FRAMES, FPS = 48, 60.0  # of the clip: it is not what limits
TICKS = os.sysconf("SC_CLK_TCK")
GOAL = 0.8  # of a bare page's rate
# Calls something before each picture of the browser, and answers with milliseconds from the first to the last.
RUN = """
new Promise(done => {
  let count = 0, begin;
  const step = () => {
    if (count === 0) begin = performance.now();
    if (count++ === %(pictures)d) return done(performance.now() - begin);
    %(each)s;
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})"""
PLAYED = """
new Promise(done => {
  const from = view.statistics.frames, begin = performance.now();
  const step = () => {
    const frames = view.statistics.frames - from;
    if (frames >= %(pictures)d) return done((performance.now() - begin) / frames * %(pictures)d);
    requestAnimationFrame(step);
  };
  step();
})"""
CANVAS = """
document.body.innerHTML = '<canvas style="position: fixed; inset: 0; width: 1108px; height: 820px">';
const canvas = document.querySelector('canvas');
Object.assign(canvas, { width: 1108, height: 820 });
window.gl = canvas.getContext('webgl2', { alpha: false });
"""
CLEAR = "gl.clearColor(Math.random(), 0, 0, 1); gl.clear(gl.COLOR_BUFFER_BIT)"


def processor_seconds(root: int) -> float:
    """Seconds of all processes below one, itself included (Linux)."""
    below: dict[int, list[int]] = {}
    used = {}
    for entry in Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split() if entry.name.isdigit() else []
        except OSError:  # it ended meanwhile
            continue
        if fields:
            below.setdefault(int(fields[1]), []).append(int(entry.name))
            used[int(entry.name)] = int(fields[11]) + int(fields[12])
    ticks, waiting = 0, [root]
    while waiting:
        process = waiting.pop()
        ticks += used.get(process, 0)
        waiting += below.get(process, [])
    return ticks / TICKS


def measured(browser: Browser, page: Any, script: str) -> dict[str, float]:
    """Pictures per second, and milliseconds of the processors per picture."""
    before = processor_seconds(browser._process.pid)
    milliseconds = float(page.evaluate(script))
    used = processor_seconds(browser._process.pid) - before
    return {"rate": 1000.0 * PICTURES / milliseconds, "processor": 1000.0 * used / PICTURES}


def bare(browser: Browser) -> tuple[dict[str, float], dict[str, float]]:
    """A page that draws nothing, and one that clears a canvas."""
    page = browser.page()
    try:
        nothing = measured(browser, page, RUN % {"pictures": PICTURES, "each": "0"})
        page.evaluate(CANVAS)
        return nothing, measured(browser, page, RUN % {"pictures": PICTURES, "each": CLEAR})
    finally:
        page.close()


def clip_of(model: Any) -> np.ndarray:
    """Poses (T, C) in which the first channel goes to a half of its range and back."""
    channel = model.channels[0] if model.channels else None
    share = np.sin(np.linspace(0, np.pi, FRAMES))[:, None]
    if channel is None:
        return 0.5 * share * np.eye(1, len(model.control_names))
    rows = np.tile([c.rest for c in model.channels], (FRAMES, 1)).astype(np.float64)
    rows[:, :1] += 0.5 * share * (channel.high - channel.rest)
    return np.asarray(model.poses_from_channels(rows))


def rates(browser: Browser, model: Any) -> dict[str, Any]:
    """Rates of one model beside those of the bare pages around it."""
    before = bare(browser)
    with rc.view(model, poses=clip_of(model), fps=FPS) as live:
        page = browser.page()
        page.open(live.url)
        page.until("window.view && view.frame && !view.wanted")
        width, height = page.evaluate("[view.canvas.clientWidth, view.canvas.clientHeight]")
        turned = measured(browser, page, RUN % {"pictures": PICTURES, "each": "view.camera.orbit(1, 0); view.redraw()"})
        page.evaluate("view.link.send('play', { playing: true })")
        page.until("view.frame.timeline.playing")
        played = measured(browser, page, PLAYED % {"pictures": PICTURES})
        assert page.complaints == []
        page.close()
    after = bare(browser)
    nothing, cleared = ({key: (a[key] + b[key]) / 2 for key in a} for a, b in zip(before, after, strict=True))
    return {
        "vertices": len(model.rest_vertices),
        "canvas": [width, height],
        "bare": nothing,
        "cleared": cleared,
        "turned": turned,
        "played": played,
    }


def table(rows: list[dict[str, Any]]) -> str:
    """The figures as Markdown."""
    lines = [
        "| vertices | canvas | page | of a bare page's rate | processor time per picture, ms |",
        "| --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        place = f"| {row['vertices']:,} | {row['canvas'][0]} x {row['canvas'][1]} |"
        for name in ("cleared", "turned", "played"):
            share = row[name]["rate"] / row["bare"]["rate"]
            goal = "" if name == "cleared" else f" (>= {GOAL:g})"
            lines.append(f"{place} {name} | {share:.2f}{goal} | {row[name]['processor']:.1f} |")
    return "\n".join([*lines, "", f"Load {load_average():.1f}; {machine()}"])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=Path)
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--json", action="store_true")
    ways.add_argument("--write", action="store_true", help="into the documentation")
    args = parser.parse_args()
    models = [rc.load(path) for path in args.models] or [tube(VERTICES)]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, Browser(Path(folder), WINDOW) as browser:
        rows = [rates(browser, model) for model in models]
    print(json.dumps({"machine": machine(), "rows": rows}) if args.json else table(rows))
    if args.write:
        write_between_marks("view beside a bare page", table(rows))


if __name__ == "__main__":
    main()
