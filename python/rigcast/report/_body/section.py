"""Sections of a report that only models of one kind have."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rigcast._pages import words
from rigcast._pages.facts import Fact
from rigcast._rigs.base_shapes import base_words
from rigcast.report._body.assess import Assessment
from rigcast.report._body.charts import errors_by_control
from rigcast.report._body.heldout import HeldOutPoses
from rigcast.report._body.places import PlaceErrors
from rigcast.report._body.quality import QualityStep
from rigcast.report._differential import section as differential
from rigcast.report._face_maps import section as face_maps


class Measured(Protocol):
    """The numbers of a section; ``controls`` are places where the model errs, the largest mean first."""

    @property
    def steps(self) -> list[QualityStep]: ...

    @property
    def controls(self) -> list[PlaceErrors]: ...

    def figures(self) -> dict[str, Any]:
        """All numbers that only this kind has, by name, for machines."""
        ...


class ReportSection(Protocol):
    """Additions to a report for one kind of models. ``TEMPLATE`` is the file of their HTML."""

    TEMPLATE: str

    def measure(self, model: Any, truth: HeldOutPoses, distances: NDArray[np.float32], /) -> Measured:
        """Measure a model whose distances (T, V) to the truth are known, in millimeters."""
        ...

    def pictures(self, model: Any, measured: Any, /) -> dict[str, Any]:
        """Draw the pictures of the template: addresses, by name."""
        ...

    def facts(self, model: Any, /) -> list[Fact]:
        """Facts that only models of this kind have."""
        ...


#: by the kind of the model
SECTIONS: dict[str, ReportSection] = {"face_maps": face_maps, "differential": differential}


@dataclass(frozen=True)
class KindSection:
    """Values of a section's template.

    Attributes
    ----------
    kind : str
        Of the model.
    template : str
    truth : str
        Title of the poses that it was measured on.
    measured : Measured
    pictures : dict
    controls : str
        Mean error by control, as SVG; empty without any.
    facts : list of Fact
    """

    kind: str
    template: str
    truth: str
    measured: Measured
    pictures: dict[str, Any]
    controls: str
    facts: list[Fact]

    def figures(self) -> dict[str, Any]:
        """All numbers by name, for machines."""
        return {
            "quality": {step.name: step.figures() for step in self.measured.steps},
            "controls": {place.name: asdict(place) for place in self.measured.controls},
            **self.measured.figures(),
        }


def section_of(numbers: Assessment) -> KindSection | None:
    """The section on the subject of a report; None if its kind has none."""
    model = numbers.subject.model
    section = SECTIONS.get(model.kind)
    if section is None:
        return None
    truth = numbers.truths[0]
    measured = section.measure(model, truth, numbers.accuracy[0][0].distances)
    return KindSection(
        model.kind,
        section.TEMPLATE,
        truth.title,
        measured,
        section.pictures(model, measured),
        errors_by_control(measured.controls, "controls"),
        [*section.facts(model), *_common_facts(model, numbers.subject.size)],
    )


def _common_facts(model: Any, size: int) -> list[Fact]:
    facts = [Fact("model file", words.size(size)), Fact("bytes read by a pose", words.size(model.num_bytes))]
    if base := base_words(model.metadata):
        facts.append(Fact("base", base))
    seconds = model.metadata.get("training", {}).get("seconds")
    return facts if seconds is None else [*facts, Fact("trained for", words.duration(seconds))]
