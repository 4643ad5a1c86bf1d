"""Latent spaces at the points of many characters on an NVIDIA GPU: ``python -m benchmarks.systems.cuda.synthesis``.

A space of random points with values of the size of a face's (three dimensions, 50 outputs, through 100 inducing points,
as ``rc.synthesis.fit`` makes them of long clips). Mean, variance and gradient of the variance, in double precision;
wall times with copies, medians after a warm-up, beside the engine on the CPU.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from tests.support.made import latent

from benchmarks.systems.cuda.script import Found, Script, extension, markdown, wall
from rigcast import _core

FRAMES, DIMENSION, OUTPUTS, INDUCING = 1000, 3, 50, 100
CHARACTERS = (1, 10, 100, 1000, 10000)


def measure(given: argparse.Namespace) -> Found:
    """A row per number of characters."""
    made = latent.setting(FRAMES, DIMENSION, OUTPUTS)
    chosen = made.points[latent.spread_frames(FRAMES, INDUCING)]
    space = _core.LatentSpace(made.points, made.values, made.variance, made.length, made.noise, chosen)
    on_device = extension().DeviceLatentSpace(space)
    rows = []
    for count in given.characters:
        x = np.random.default_rng(2).uniform(-2, 2, (count, DIMENSION))
        mean, variance, gradient = on_device.evaluate(x)
        expected = space.mean(x), space.predictive_variance(x), space.variance_gradient(x)
        pairs = zip((mean, variance, gradient), expected, strict=True)
        row = {"characters": count, "call_ms": wall(lambda x=x: on_device.evaluate(x))}
        row["cpu_ms"] = wall(lambda x=x: (space.mean(x), space.predictive_variance(x), space.variance_gradient(x)), 3)
        rows.append(row | {"difference": max(float(np.abs(a - b).max()) for a, b in pairs)})
    return {"rows": rows}


def table(found: Found) -> list[str]:
    """Lines of Markdown."""
    about = f"{DIMENSION} dimensions, {OUTPUTS} outputs, {INDUCING} inducing points; float64."
    rows = [
        [f"{row['characters']:,}", f"{row['call_ms']:.3f}", f"{row['cpu_ms']:.3f}", f"{row['difference']:.0e}"]
        for row in found["rows"]
    ]
    return [about, "", *markdown(["characters", "call ms", "CPU ms", "largest difference"], rows)]


def headline(found: Found) -> str:
    """The last row."""
    row = found["rows"][-1]
    return (
        f"{row['characters']:,} characters in {row['call_ms']:.3f} ms, {row['cpu_ms'] / row['call_ms']:.1f} x the CPU"
    )


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--characters", type=int, nargs="+", default=CHARACTERS)


SCRIPT = Script(__doc__, measure, table, headline, options)

if __name__ == "__main__":
    sys.exit(SCRIPT.main())
