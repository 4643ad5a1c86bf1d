"""Measures the live view in a headless Chromium.

    python -m benchmarks.systems.view.live [model.safetensors ...] [--write]

Without files: skinned tubes of 15,000 and 100,000 vertices. A point is dragged in circles for seconds, one drag per
picture, in a view of 640 x 480 pixels, with software GL. Printed beside its goal:

- drag: milliseconds from a drag's arrival at the server to the end of the write of its frame to the socket, median
- page: milliseconds to decode and upload a frame and to queue its draw calls, median
- pictures per second while dragging
- resting: pixels between a dragged point and the cursor 100 ms after the cursor rests, the largest of ten drags whose
  target is within reach
- picking: milliseconds to refit the search tree to a pose, and to pick, medians
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from tests.view.browser import Browser
from tests.view.stage.posed import Posed

import rigcast as rc
from benchmarks.marks import write_between_marks
from rigcast import _core
from rigcast._timing import load_average, machine

SECONDS = 6.0
GOALS = {
    15_000: {"drag": 8.0, "page": 4.0, "pictures": 25.0, "resting": 2.0},
    100_000: {"page": 10.0, "pictures": 20.0, "picking": 2.0},
}
FIGURES = {
    "drag": ("drag to socket", "ms"),
    "page": ("decode, upload, draw", "ms"),
    "pictures": ("pictures per second", ""),
    "resting": ("cursor to point at rest", "px"),
    "picking": ("refit and pick", "ms"),
}
JOINTS = 6
# A view of 640 x 480, whatever stands around it.
LAYOUT = "const s = document.getElementById('stage').style; s.width = '640px'; s.height = '480px';"
DRIVE = """
new Promise(done => {
  const pointer = view.pointer, begin = performance.now();
  view.statistics.work.length = 0;
  const frames = view.statistics.frames;
  let seen = -1;
  const step = () => {
    const t = performance.now() - begin;
    if (t > %(milliseconds)d) return done({ frames: view.statistics.frames - frames, seconds: t / 1000,
                                            work: view.statistics.work.slice() });
    if (view.statistics.frames !== seen) {
      seen = view.statistics.frames;
      pointer.pending = { clientX: %(x)f + 30 * Math.sin(t / 300), clientY: %(y)f + 10 * Math.cos(t / 300) };
      view.redraw();
    }
    requestAnimationFrame(step);
  };
  step();
})"""


REST = """
new Promise(done => {
  const pointer = view.pointer, gap = () => {
    const pin = view.frame.pins.find(pin => pin.grabbed);
    const [x, y] = view.overlay.project(view.camera, view.mesh(), pin.at), box = view.canvas.getBoundingClientRect();
    return Math.hypot(x + box.left - %(x)f, y + box.top - %(y)f);
  };
  pointer.pending = { clientX: %(x)f, clientY: %(y)f };
  view.redraw();
  setTimeout(() => done(gap()), 100);
})"""
REACH = 14.0  # pixels that a drag goes: the tube bends that far


def tube(num_vertices: int) -> rc.LinearBlendSkinning:
    """A bumpy tube of six joints with smooth weights."""
    around = 2 * int(np.sqrt(num_vertices / 8))
    along = num_vertices // around
    angle, height = np.meshgrid(np.arange(around) / around * 2 * np.pi, np.linspace(0, 1, along))
    radius = 0.08 * (1 + 0.2 * np.sin(25 * height) * np.cos(3 * angle))
    vertices = np.stack([radius * np.cos(angle), height, radius * np.sin(angle)], -1).reshape(-1, 3)
    index = np.arange(along * around).reshape(along, around)
    right = np.roll(index, -1, axis=1)
    faces = np.stack([index[:-1], index[1:], right[1:], right[:-1]], -1).reshape(-1, 4)
    rest = np.tile(np.eye(3, 4), (JOINTS, 1, 1))
    rest[1:, 1, 3] = 1 / JOINTS
    skeleton = rc.Skeleton([f"joint{j}" for j in range(JOINTS)], np.arange(-1, JOINTS - 1), rest)
    places = np.arange(JOINTS) / JOINTS
    weights = np.maximum(0, 1 - np.abs(vertices[:, 1:2] - places - 0.5 / JOINTS) * JOINTS) + 1e-9
    weights /= weights.sum(axis=1, keepdims=True)
    return rc.LinearBlendSkinning(skeleton, vertices, faces, weights)


def median_ms(call: Callable[[], object], runs: int = 50) -> float:
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return 1000.0 * float(np.median(times))


def picking(model: rc.Deformer) -> tuple[float, float]:
    """Milliseconds of a refit and of a pick."""
    vertices = np.asarray(model.rest_vertices)
    picker = _core.SurfacePicker(vertices, model.faces)
    origin = vertices.mean(axis=0) + np.array([0.0, 0.0, 10.0 * np.ptp(vertices)])
    return median_ms(lambda: picker.refit(vertices)), median_ms(lambda: picker.pick(origin, [0.0, 0.0, -1.0]))


def rested(posed: Posed, begin: list[float]) -> float:
    """The largest distance in pixels of ten drags from the place of a grabbed point, 100 ms after each has ended."""
    angles = np.linspace(0, 2 * np.pi, 10, endpoint=False)
    places = [{"x": begin[0] + REACH * np.cos(a), "y": begin[1] + 15 + 0.5 * REACH * np.sin(a)} for a in angles]
    return max(float(posed.page.evaluate(REST % place)) for place in places)


def measured(browser: Browser, model: rc.Deformer) -> dict[str, float]:
    """Milliseconds and pictures per second of one model."""
    posed = Posed(browser, model)
    try:
        posed.page.evaluate(LAYOUT)
        posed.page.evaluate("new Promise(done => setTimeout(done, 300))")
        posed.page.evaluate("view.fit()")
        high = posed.stage.vertices[:, "XYZ".index(model.up_axis)]
        (point,) = posed.facing_points(1) if model.up_axis != "Y" else posed.facing_points(1, above=0.6 * high.max())
        begin = posed.pixel(point)
        posed.page.mouse("Moved", *begin)
        posed.page.mouse("Pressed", *begin)
        posed.page.until("view.pointer.mode !== 'asked'")
        assert posed.page.evaluate("view.pointer.mode") == "drag"
        drive = {"x": begin[0], "y": begin[1] + 15}
        posed.page.evaluate(DRIVE % {"milliseconds": 1000, **drive})  # warm
        posed.live._server.latencies.clear()
        found = posed.page.evaluate(DRIVE % {"milliseconds": 1000 * SECONDS, **drive})
        latencies = list(posed.live._server.latencies)
        assert posed.page.complaints == []
        resting = rested(posed, begin)
    finally:
        posed.close()
    refit, pick = picking(model)
    return {
        "vertices": len(model.rest_vertices),
        "drag": 1000.0 * float(np.median(latencies)),
        "page": float(np.median(found["work"])),
        "pictures": found["frames"] / found["seconds"],
        "resting": resting,
        "picking": refit + pick,
    }


def goal(row: dict[str, float], name: str) -> str:
    """The goal of a figure, in parentheses; empty if it has none."""
    size = min(GOALS, key=lambda count: abs(count - row["vertices"]))
    wanted = GOALS[size].get(name)
    return "" if wanted is None else f" ({'>=' if name == 'pictures' else '<'} {wanted:g})"


def table(rows: list[dict[str, float]]) -> str:
    """The figures as Markdown."""
    lines = [
        "| vertices | " + " | ".join(f"{words}{unit and ', ' + unit}" for words, unit in FIGURES.values()) + " |",
        "| --- |" + " --- |" * len(FIGURES),
    ]
    for row in rows:
        cells = [f"{row[name]:.{1 if name == 'pictures' else 2}f}{goal(row, name)}" for name in FIGURES]
        lines.append(f"| {row['vertices']:,} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, "", f"Load {load_average():.1f}; {machine()}"])


def main() -> None:
    """Measure and print, or write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--write", action="store_true", help="write into docs/benchmarks/inverse_kinematics.md")
    args = parser.parse_args()
    models = [rc.load(path) for path in args.models] or [tube(15_000), tube(100_000)]
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        Browser(Path(folder), (1000, 700)) as browser,
    ):
        rows = [measured(browser, model) for model in models]
    print(json.dumps({"machine": machine(), "rows": rows}) if args.json else table(rows))
    if args.write:
        write_between_marks("live view", table(rows))


if __name__ == "__main__":
    main()
