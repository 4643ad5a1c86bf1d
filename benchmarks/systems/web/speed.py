"""Time of one pose in WebAssembly beside the native engine, and how soon a page can be dragged.

    python -m benchmarks.systems.web.speed [model.safetensors ...] [--rounds 9] [--write]

Without files: a random learned body of the demo's size. Rounds take turns: the native engine at its best and with SSE4
(the set that WebAssembly's 128-bit vectors match), node, and a headless Chromium with the page that
``rc.viewer.embed`` makes. Each is a session on one thread in which every joint moves; the figure is the median over the
rounds of the median pose. Page: bytes beside the model's file, seconds from opening the file to the first picture, and
pictures per second while a point is dragged with software GL.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from tests.support.made.models import random_body
from tests.view.browser import Browser, Page
from tests.web.module import MODULE, node

import rigcast as rc
from benchmarks.marks import write_between_marks
from rigcast._timing import load_average, machine

POSES, PASSES = 64, 12
SIZES = {"num_joints": 60, "num_vertices": 13_380, "num_sets": 40, "hidden": 64, "components": 60}
NATIVE = """
import json, sys, time
import numpy as np
import rigcast as rc
model, poses = rc.load(sys.argv[1]), np.load(sys.argv[2])
session = model.session()
times = []
for _ in range(int(sys.argv[3])):
    for pose in poses:
        begin = time.perf_counter()
        session.evaluate(pose)
        times.append(1e3 * (time.perf_counter() - begin))
print(json.dumps(float(np.median(times[len(times) // 3:]))))
"""
IN_PAGE = """(() => {
  const { session } = view.link.figure, poses = window.poses, times = [];
  for (let round = 0; round < %d; ++round) {  // a page's clock has steps of .1 ms: all poses at a time
    const begin = performance.now();
    for (const pose of poses) session.evaluate(pose);
    times.push((performance.now() - begin) / poses.length);
  }
  times.splice(0, times.length / 3);
  times.sort((a, b) => a - b);
  return times[times.length >> 1];
})()"""
DRAG = """new Promise(done => {
  const begin = performance.now(), first = view.statistics.frames, box = view.canvas.getBoundingClientRect();
  let seen = -1;
  const step = () => {
    const t = performance.now() - begin;
    if (t > 5000) return done((view.statistics.frames - first) / (t / 1000));
    if (view.statistics.frames !== seen) {
      seen = view.statistics.frames;
      view.pointer.pending = { clientX: %f + 30 * Math.sin(t / 300), clientY: %f + 10 * Math.cos(t / 300) };
      view.redraw();
    }
    requestAnimationFrame(step);
  };
  step();
})"""
SKIN = """(() => {
  const box = view.canvas.getBoundingClientRect();
  for (let y = box.top + 1; y < box.bottom; y += 3) for (let x = box.left + 1; x < box.right; x += 3) {
    const { origin, direction } = view.pointer.ray({ clientX: x, clientY: y + 8 });
    if (view.link.figure.surface.pick(origin, direction)) return [x, y + 8];
  }
})()"""


def native(model: Path, poses: Path, instruction_set: str | None) -> float:
    """Milliseconds of a pose in a process of its own."""
    env = os.environ | ({} if instruction_set is None else {"RIGCAST_INSTRUCTION_SET": instruction_set})
    command = [sys.executable, "-c", NATIVE, model, poses, str(PASSES)]
    return float(json.loads(subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout))


def opened(browser: Browser, path: Path) -> tuple[Page, float]:
    """A page from a disk, and the seconds until its first picture."""
    page = browser.page()
    begin = time.perf_counter()
    page.open(path.as_uri())
    page.until("window.view && view.statistics.frames > 0")
    return page, time.perf_counter() - begin


def pictures(page: Page) -> float:
    """Per second, while a point of the skin is dragged."""
    x, y = page.evaluate(SKIN)
    page.mouse("Pressed", x, y)
    page.until("view.pointer.mode === 'drag'")
    found = float(page.evaluate(DRAG % (x, y + 15)))
    page.mouse("Released", x, y)
    return found


def measured(browser: Browser, path: Path, rounds: int, folder: Path) -> dict[str, float | str]:
    """The figures of one model."""
    model = rc.load(path)
    low, high = np.array(model.control_ranges).T
    drawn = np.random.default_rng(0).random((POSES, len(low)))
    poses = (low + (0.25 + 0.5 * drawn) * (high - low)).astype(np.float32)
    np.save(folder / "poses.npy", poses)
    poses.tofile(folder / "poses.raw")
    rc.viewer.embed(model, storage="float32").save(folder / "exact.html")
    page, _ = opened(browser, folder / "exact.html")
    page.evaluate(f"window.poses = {json.dumps(poses.tolist())}.map((pose) => Float32Array.from(pose)), 0")
    times: dict[str, list[float]] = {"native": [], "SSE4": [], "node": [], "Chromium": []}
    for _ in range(rounds):
        times["native"].append(native(path, folder / "poses.npy", None))
        times["SSE4"].append(native(path, folder / "poses.npy", "SSE4"))
        times["node"].append(json.loads(node("speed.mjs", MODULE, path, folder / "poses.raw"))["median"])
        times["Chromium"].append(page.evaluate(IN_PAGE % PASSES))
    page.close()
    row: dict[str, float | str] = {name: float(np.median(values)) for name, values in times.items()}
    made = rc.viewer.embed(model)
    made.save(folder / "page.html")
    page, seconds = opened(browser, folder / "page.html")
    row |= {"vertices": len(model.rest_vertices), "file": path.stat().st_size, "page": len(made.page.encode())}
    row |= {"seconds": seconds, "pictures": pictures(page)}
    page.close()
    return row


def table(names: list[str], rows: list[dict[str, float | str]]) -> str:
    """The figures as Markdown."""
    lines = [
        "| model | native, ms | SSE4 | node of SSE4 | Chromium of SSE4 | Chromium of native |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for name, row in zip(names, rows, strict=True):
        own = {key: float(value) for key, value in row.items()}
        ratios = [own[a] / own[b] for a, b in (("node", "SSE4"), ("Chromium", "SSE4"), ("Chromium", "native"))]
        lines.append(
            f"| {name} | {own['native']:.3f} | {own['SSE4']:.3f} | " + " | ".join(f"{r:.2f}" for r in ratios) + " |"
        )
    lines += [
        "",
        "| model | file, MB | page, MB | first picture, s | pictures per second in a drag |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, row in zip(names, rows, strict=True):
        own = {key: float(value) for key, value in row.items()}
        lines.append(
            f"| {name} | {own['file'] / 1e6:.1f} | {own['page'] / 1e6:.1f} | {own['seconds']:.2f} "
            f"| {own['pictures']:.0f} |"
        )
    return "\n".join([*lines, "", f"Load {load_average():.1f}; {machine()}"])


def main() -> None:
    """Measure and print, or write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--write", action="store_true", help="write into docs/benchmarks/experiments/in_a_page.md")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as made, Browser(Path(made), (1000, 700)) as browser:
        folder, paths = Path(made), list(args.models)
        if not paths:
            paths = [folder / "random body.safetensors"]
            random_body(**SIZES).save(paths[0])
        rows = [measured(browser, path, args.rounds, folder) for path in paths]
    text = table([path.stem.replace("_", " ") for path in paths], rows)
    print(text)
    if args.write:
        write_between_marks("the engine in a page", text)


if __name__ == "__main__":
    main()
