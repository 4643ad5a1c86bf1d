"""Measures a synthesizer in the live view.

    python -m benchmarks.systems.view.acting [SYNTH.safetensors RIG] [--seconds 60]

Without files: the small face of the tests. In a headless Chromium, another label is told every half second while the
character plays on. Printed: milliseconds from the message to the end of the write of its frame to the socket, median
and 99th percentile beside the goal of 40, and frames per second that the page shows.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
from tests.support.made.players import face_synth
from tests.view.browser import Browser
from tests.view.stage.posed import Posed

import rigcast as rc
from rigcast._timing import load_average, machine

GOAL = 40.0  # milliseconds
PAUSE = 0.5  # seconds between labels
TELL = "view.link.send('tell', {{ label: {!r} }})"


def measured(synth: rc.synthesis.Synthesizer, seconds: float) -> dict[str, float]:
    """Milliseconds and frames per second."""
    random = np.random.default_rng(0)
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        Browser(Path(folder), (1000, 700)) as browser,
    ):
        posed = Posed(browser, synth, seed=1)
        try:
            posed.page.until("view.frame.timeline.playing")
            latencies = posed.live._server.latencies
            latencies.clear()
            begin, before = time.monotonic(), posed.page.evaluate("view.statistics.frames")
            while time.monotonic() - begin < seconds:
                posed.page.evaluate(TELL.format(str(random.choice(synth.labels))))
                time.sleep(PAUSE)
            shown = posed.page.evaluate("view.statistics.frames") - before
            rate = shown / (time.monotonic() - begin)
            assert posed.page.complaints == []
            assert latencies, "no label was told"
            found = 1000.0 * np.array(latencies)
        finally:
            posed.close()
    return {
        "median": float(np.median(found)),
        "slow": float(np.quantile(found, 0.99)),
        "count": float(len(found)),
        "rate": rate,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("synth", nargs="?", type=Path)
    parser.add_argument("rig", nargs="?", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0)
    given = parser.parse_args()
    if given.synth is not None and given.rig is None:
        parser.error("a synthesizer needs its rig")
    synth = face_synth() if given.synth is None else rc.synthesis.load(given.synth, rig=rc.load(given.rig))
    row = measured(synth, given.seconds)
    print(f"{machine()}, load {load_average():.0f}; {synth}")
    print(
        f"{row['count']:.0f} labels told: median {row['median']:.1f} ms, 99 % under {row['slow']:.1f} ms "
        f"(goal {GOAL:g} ms); {row['rate']:.1f} frames per second shown"
    )


if __name__ == "__main__":
    main()
