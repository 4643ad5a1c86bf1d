"""What the page shows of a model in a differential subspace."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from rigcast._core import DifferentialModel
from rigcast.report._body.assess import Assessment
from rigcast.report._body.charts import errors_by_control
from rigcast.report._differential import pictures
from rigcast.report._differential.cost import multiply_adds
from rigcast.report._differential.measure import Measured, measure_subspace
from rigcast.report._kit import words
from rigcast.report._kit.facts import Fact

ORIGINS = {
    "identity": "none: displacements from the mesh at rest",
    "source": "the skinning of the rig",
    "probed": "found by moving the rig's rest vertices",
    "fitted": "linear skinning fitted to the training poses",
}


@dataclass(frozen=True)
class SubspaceSection:
    """The section: numbers, pictures as addresses or SVG text, facts."""

    measured: Measured
    anchors: str
    gain: str
    components: str
    controls: str
    facts: list[Fact]

    def figures(self) -> dict[str, Any]:
        """All numbers by name, for machines."""
        measured = self.measured
        return {
            "quality": {
                step.name: {"mean_mm": step.mean, "max_mm": step.max, "milliseconds": step.milliseconds}
                for step in measured.steps
            },
            "sources": {source.name: {"mean_mm": source.mean, "max_mm": source.max} for source in measured.sources},
            "controls": {place.name: asdict(place) for place in measured.controls},
            "largest_gain": float(measured.gain.max()),
        }


def subspace_section(numbers: Assessment) -> SubspaceSection | None:
    """The section of a report whose subject is a differential model; None for any other."""
    model = numbers.subject.model
    if not isinstance(model, DifferentialModel):
        return None
    measured = measure_subspace(model, numbers.truths[0], numbers.accuracy[0][0].distances)
    return SubspaceSection(
        measured,
        pictures.anchors(model, measured),
        pictures.gain(model, measured),
        pictures.components(model, measured),
        errors_by_control(measured.controls, "subspace-controls"),
        _facts(model, numbers.subject.size),
    )


def _facts(model: DifferentialModel, size: int) -> list[Fact]:
    training = model.metadata.get("training", {})
    facts = [
        Fact("components", f"{model.num_components:,}"),
        Fact("anchors", f"{model.num_anchors:,}"),
        Fact("linear transforms", ORIGINS.get(model.transforms, model.transforms)),
        Fact("last step", "one dense product" if model.tail == "folded" else "product and solve"),
        Fact("model file", words.size(size)),
        Fact("multiply-adds of a pose", f"{multiply_adds(model):,}"),
        Fact("bytes read by a pose", words.size(model.num_bytes)),
    ]
    if "seconds" in training:
        facts.append(Fact("trained for", f"{words.figure(training['seconds'] / 60.0)} minutes"))
    return facts
