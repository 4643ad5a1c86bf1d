"""The page's section on a face on deformation maps: numbers, layouts with errors, maps under their mesh."""

from __future__ import annotations

from typing import Any

import numpy as np

from rigcast import plot
from rigcast._core import Deformer, FaceMaps
from rigcast._pages.facts import Fact
from rigcast._pages.pictures import data_uri
from rigcast.plot._deformation_maps import ACROSS
from rigcast.plot._drawing import STYLE, figure
from rigcast.report._face_maps.measure import MeasuredFaceMaps, measure_maps

DPI = 150
MOST_LAYOUTS = 4  # of the coarse segments with most vertices
MOST_MAPS = 16
FEWEST = 24  # vertices of a segment that is shown
TEMPLATE = "face_maps.html"
measure = measure_maps


def pictures(model: FaceMaps, measured: MeasuredFaceMaps) -> dict[str, Any]:
    """Layouts as pairs of a title and an address, and the maps."""
    return {"layouts": _pictures_of_layouts(model, measured), "maps": _picture_of_maps(model, measured)}


def facts(model: FaceMaps) -> list[Fact]:
    """Facts that only faces on maps have."""
    work = f"{model.multiply_adds():,} of {model.multiply_adds(all_texels=True):,}"
    judge = model.metadata.get("face_maps", {}).get("judged_by")
    return [Fact("multiply-adds of a pose", work)] + [Fact("training judged by", str(judge))] * (judge is not None)


def _pictures_of_layouts(model: Deformer, mapped: MeasuredFaceMaps) -> list[tuple[str, str]]:
    """Title and picture of the layout of the largest coarse segments, colored by the residual of the best map."""
    layout = mapped.layout
    order = _shown([len(segment.vertices) for segment in layout.coarse])
    found = []
    for number in order[:MOST_LAYOUTS]:
        one = len(layout.original_uvs[number]) != len(layout.coarse[number].vertices)
        canvas, axes = figure(1, 1 if one else 2, (5.5 if one else 11.0, 5.2))
        plot.map_layout(layout, number, faces=model.faces, error=mapped.floors, axes=list(axes))
        found.append((layout.coarse[number].name, _raster(canvas)))
    return found


def _picture_of_maps(model: Deformer, mapped: MeasuredFaceMaps) -> str:
    """The maps of segments at one pose, the coarse ones with most vertices first, then refinements; "" without maps."""
    segments = mapped.layout.segments
    if not segments:
        return ""
    order = _shown([len(segment.vertices) for segment in segments])[:MOST_MAPS]
    order.sort(key=lambda number: segments[number].level)
    rows = -(-len(order) // ACROSS)
    canvas, axes = figure(rows, min(ACROSS, len(order)), (2.75 * min(ACROSS, len(order)), 3.0 * rows))
    plot.deformation_maps(model, mapped.pose, order, axes=list(axes))
    for axis in axes[len(order) :]:
        axis.set_axis_off()
    return _raster(canvas)


def _shown(sizes: list[int]) -> list[int]:
    """Numbers of segments, the largest first; those that only rigid parts follow are left out if there are others."""
    order = sorted(range(len(sizes)), key=lambda number: -sizes[number])
    return [number for number in order if sizes[number] >= FEWEST] or order


def _raster(canvas: Any) -> str:
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    with rc_context(STYLE):
        canvas.set_dpi(DPI)
        drawn = FigureCanvasAgg(canvas)
        drawn.draw()
        return data_uri(np.array(np.asarray(drawn.buffer_rgba())[..., :3]))
