"""The page's section on a model in a differential subspace: numbers and pictures."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import plot
from rigcast._core import DifferentialModel
from rigcast._pages.facts import Fact
from rigcast._pages.markers import MarkedMesh
from rigcast._pages.pictures import data_uri
from rigcast.report._differential.cost import multiply_adds
from rigcast.report._differential.measure import MeasuredDifferential, measure_subspace

ORIGINS = {
    "identity": "none: displacements from the mesh at rest",
    "source": "the skinning of the rig",
    "probed": "found by moving the rig's rest vertices",
    "fitted": "linear skinning fitted to the training poses",
}
MARKER = 0.006  # radius of an anchor, relative to the longest side of the mesh
WIDTH, LARGE = 240, 460  # pixels of a picture among several, of one alone
TEMPLATE = "differential.html"
measure = measure_subspace


def pictures(model: DifferentialModel, measured: MeasuredDifferential) -> dict[str, str]:
    """Anchors, error gain and components."""
    return {
        "anchors": _picture_of_anchors(model, measured),
        "gain": _picture_of_gain(model, measured),
        "components": _picture_of_components(model, measured),
    }


def facts(model: DifferentialModel) -> list[Fact]:
    """Facts that only models in a differential subspace have."""
    return [
        Fact("components", f"{model.num_components:,}"),
        Fact("anchors", f"{model.num_anchors:,}"),
        Fact("linear transforms", ORIGINS.get(model.transforms, model.transforms)),
        Fact("last step", "one dense product" if model.tail == "folded" else "product and solve"),
        Fact("multiply-adds of a pose", f"{multiply_adds(model):,}"),
    ]


def _picture_of_anchors(model: DifferentialModel, measured: MeasuredDifferential) -> str:
    """All anchors on the mesh at rest, from both sides."""
    return _both(_marked(model, measured), None)


def _picture_of_gain(model: DifferentialModel, measured: MeasuredDifferential) -> str:
    """The distance that noise in the delta coordinates moves each vertex, with the anchors."""
    marked = _marked(model, measured)
    return _both(marked, marked.values(measured.gain, np.zeros(len(measured.anchors))))


def _picture_of_components(model: DifferentialModel, measured: MeasuredDifferential) -> str:
    """The leading components: the mesh moved by two standard deviations, colored by the distance of one."""
    moved = measured.components
    unit = 1e3 * model.meters_per_unit
    image = plot.side_by_side(
        model,
        model.rest_vertices + 2.0 * moved,
        titles=[f"component {k + 1}" for k in range(len(moved))],
        columns=3,
        values=list(unit * np.linalg.norm(moved, axis=2)),
        unit="mm",
        width=WIDTH,
    )
    return data_uri(np.asarray(image, np.uint8)[..., :3])


def _marked(model: DifferentialModel, measured: MeasuredDifferential) -> MarkedMesh:
    return MarkedMesh(model, model.rest_vertices[measured.anchors], MARKER)


def _both(marked: MarkedMesh, values: NDArray[Any] | None) -> str:
    """From the front and from behind."""
    shown = marked.on_marker.astype(np.float64) if values is None else values
    top = 1.0 if values is None else None
    images = [
        np.asarray(plot.mesh(marked, values=shown, top=top, turn=turn, width=LARGE))[..., :3] for turn in (25.0, 205.0)
    ]
    if values is None:  # no scale: colors only tell anchors from the mesh
        images = [image[:, :LARGE] for image in images]
    height = max(image.shape[0] for image in images)
    padded = [np.pad(image, ((0, height - len(image)), (0, 0), (0, 0)), constant_values=255) for image in images]
    return data_uri(np.concatenate(padded, axis=1))
