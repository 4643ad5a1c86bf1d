"""Errors of the times that a study's page measures: answers that a script gives 500 ms after the faces appear.

    python -m benchmarks.systems.perception.response_times [--write]

Needs a Chromium and a machine without other work. The time of appearance is that of the second frame after the faces
are on the page, taken apart from the page's own.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
from tests.study import small
from tests.study.test_page import DONE, Participant
from tests.view.browser import Browser

import rigcast as rc
from benchmarks.marks import write_between_marks
from rigcast._timing import load_average, machine

DELAY, GOALS = 500.0, {"median": 10.0, "95 %": 20.0}  # milliseconds
PILOT = """
let seen = null;
const press = (key) => dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
const watch = () => {
  const face = document.querySelector(".face");
  if (document.getElementById("scale") && face !== seen) {
    seen = face;
    requestAnimationFrame(() => requestAnimationFrame((onset) => {
      press("5");
      setTimeout(() => press("Enter"), DELAY - (performance.now() - onset));
    }));
  }
};
new MutationObserver(watch).observe(document, { childList: true, subtree: true, attributes: true });
""".replace("DELAY", str(DELAY))


def errors(live: bool) -> np.ndarray:
    """Milliseconds by which each stored time misses the delay."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        study = small.rating(
            folder / "study",
            characters=2,
            repetitions=3,
            pictures={"size": 400, "live": live},
            settings={"fixation": 0.1},
        )
        with Browser(folder / "chromium", (1366, 768)) as browser, rc.study.StudyServer(study) as server:
            person = Participant(browser, waits=True)
            person.page.call("Page.addScriptToEvaluateOnNewDocument", source=PILOT)
            person.open(server.url)
            person.page.until(DONE)
            person.page.close()
        return 1000.0 * rc.study.answers(study).columns["rt"] - DELAY


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--write", action="store_true", help="into the page of docs/benchmarks")
    arguments = parser.parse_args()
    lines = ["| stimuli | answers | median error, ms | 95 % of errors within, ms |", "| --- | --- | --- | --- |"]
    for word, live in (("pictures", False), ("live figures", True)):
        missed = errors(live)
        median, most = float(np.median(missed)), float(np.quantile(np.abs(missed), 0.95))
        cells = (f"{median:.1f} (<= {GOALS['median']:g})", f"{most:.1f} (<= {GOALS['95 %']:g})")
        lines.append(f"| {word} | {len(missed)} | {cells[0]} | {cells[1]} |")
    lines += ["", f"Load {load_average():.1f}; {machine()}"]
    print("\n".join(lines))
    if arguments.write:
        write_between_marks("response times", "\n".join(lines))


if __name__ == "__main__":
    main()
