"""The page's section on a face on deformation maps: numbers, layouts with errors, maps under their mesh."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rigcast import plot
from rigcast._core import Deformer, FaceMaps
from rigcast._rigs.base_shapes import base_words
from rigcast.plot._deformation_maps import ACROSS
from rigcast.plot._drawing import STYLE, figure
from rigcast.report._body.assess import Assessment
from rigcast.report._body.charts import errors_by_control
from rigcast.report._face_maps.measure import MeasuredFaceMaps, measure_maps
from rigcast.report._kit import words
from rigcast.report._kit.facts import Fact
from rigcast.report._kit.jpeg import data_uri

DPI = 150
MOST_LAYOUTS = 4  # of the coarse segments with most vertices
MOST_MAPS = 16
FEWEST = 24  # vertices of a segment that is shown


@dataclass(frozen=True)
class MapSection:
    """The section: numbers, pictures as addresses or SVG text, facts.

    Attributes
    ----------
    mapped : MeasuredFaceMaps
    layouts : list of (title, address)
    maps, controls : str
    facts : list of Fact
    """

    mapped: MeasuredFaceMaps
    layouts: list[tuple[str, str]]
    maps: str
    controls: str
    facts: list[Fact]

    def figures(self) -> dict[str, Any]:
        """All numbers by name, for machines."""
        mapped = self.mapped
        return {
            "quality": {
                step.name: {
                    "mean_mm": step.mean,
                    "max_mm": step.max,
                    "normals_degrees": step.normals,
                    "milliseconds": step.milliseconds,
                }
                for step in mapped.steps
            },
            "segments": {
                row.segment.name: {
                    "level": row.segment.level,
                    "floor_mm": row.floor,
                    "coarse_mm": row.coarse,
                    "refined_mm": row.refined,
                }
                for row in mapped.segments
            },
            "rigid_parts": {
                row.name: {"fit_mm": row.fit, "mean_mm": row.mean, "max_mm": row.max} for row in mapped.parts
            },
            "controls": {place.name: asdict(place) for place in mapped.controls},
        }


def map_section(numbers: Assessment) -> MapSection | None:
    """The section of a report whose subject is a face on deformation maps; None for any other."""
    model = numbers.subject.model
    if not isinstance(model, FaceMaps):
        return None
    mapped = measure_maps(model, numbers.truths[0], numbers.accuracy[0][0].distances)
    return MapSection(
        mapped,
        _pictures_of_layouts(model, mapped),
        _picture_of_maps(model, mapped),
        errors_by_control(mapped.controls, "controls"),
        _facts(model, numbers.subject.size),
    )


def _facts(model: FaceMaps, size: int) -> list[Fact]:
    stated = model.metadata.get("face_maps", {})
    facts = [
        Fact("model file", words.size(size)),
        Fact("multiply-adds of a pose", f"{model.multiply_adds():,} of {model.multiply_adds(all_texels=True):,}"),
        Fact("bytes read by a pose", words.size(model.num_bytes)),
    ]
    if base := base_words(model.metadata):
        facts.append(Fact("base", base))
    if "seconds" in stated:
        facts.append(Fact("trained for", words.duration(stated["seconds"])))
    if "judged_by" in stated:
        facts.append(Fact("training judged by", str(stated["judged_by"])))
    return facts


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
