"""What the page shows of a face on deformation maps."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from rigcast._core import FaceMaps
from rigcast.report._body.assess import Assessment
from rigcast.report._body.charts import errors_by_control
from rigcast.report._face_maps import pictures
from rigcast.report._face_maps.measure import Mapped, measure_maps
from rigcast.report._kit import words
from rigcast.report._kit.facts import Fact


@dataclass(frozen=True)
class MapSection:
    """The section: numbers, pictures as addresses or SVG text, facts.

    Attributes
    ----------
    mapped : Mapped
    layouts : list of (title, address)
    maps, controls : str
    facts : list of Fact
    """

    mapped: Mapped
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
        pictures.layouts(model, mapped),
        pictures.maps(model, mapped),
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
    if "seconds" in stated:
        facts.append(Fact("trained for", f"{words.figure(stated['seconds'] / 60.0)} minutes"))
    if "judged_by" in stated:
        facts.append(Fact("training judged by", str(stated["judged_by"])))
    return facts
