"""Draws the chart of every page of benchmarks: ``python -m docs.figures.draw_benchmarks [NAME ...]``.

The numbers are those of the tables, read between their marks; run it again after a benchmark wrote one. A chart is
named after its page and writes benchmark_NAME.svg.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import matplotlib as mpl
from docs.figures.charts import models, solvers, systems
from matplotlib.figure import Figure

FOLDER = Path(__file__).resolve().parent

# One per page, of the comparison that its first sentence makes; the table below the sentence has the rest.
CHARTS: tuple[Callable[[Figure], None], ...] = (
    models.learned_bodies,
    models.baselines,
    models.which_model,
    models.deformation_maps,
    models.differential_subspace,
    models.latent_spaces,
    models.stated_error,
    models.synthetic_actors,
    solvers.inverse_rig,
    solvers.inverse_rig_mismatch,
    solvers.inverse_kinematics,
    solvers.packing,
    solvers.packed_examples,
    solvers.transfer,
    systems.blendshapes,
    systems.landmarks_and_sessions,
    systems.level_of_detail,
    systems.engine_shapes,
    systems.gpu,
    systems.farm,
)


def main() -> None:
    """Write the named charts, or all, as SVG without the time, so that equal charts are equal files."""
    mpl.rcParams |= {"svg.hashsalt": "rigcast", "svg.fonttype": "path", "font.size": 11}
    named = sys.argv[1:] or [chart.__name__ for chart in CHARTS]
    for chart in CHARTS:
        if chart.__name__ in named:
            figure = Figure(layout="constrained", facecolor="white")
            chart(figure)
            path = FOLDER / f"benchmark_{chart.__name__}.svg"
            figure.savefig(path, metadata={"Date": None})
            print(path.name, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
