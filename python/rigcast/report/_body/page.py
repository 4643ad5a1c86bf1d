"""The page: numbers, charts and pictures in one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast import metrics
from rigcast._pages import words
from rigcast._pages.gallery import Gallery
from rigcast._pages.template import KeyFigure, fill
from rigcast._pose_statistics.expected_error import reliability
from rigcast._rigs.resting import resting_count, resting_groups
from rigcast._rigs.segments import segments
from rigcast._validate import FPS
from rigcast.metrics._gate import stated_difficulty
from rigcast.plot import _colors as colors
from rigcast.report._body import charts
from rigcast.report._body.answer import answer, near, summary
from rigcast.report._body.assess import FAR, Assessment
from rigcast.report._body.contenders import reference
from rigcast.report._body.contract import Contract
from rigcast.report._body.heldout import RANDOM, HeldOutPoses
from rigcast.report._body.measure import histogram
from rigcast.report._body.places import PlaceErrors, by_channel, by_control, by_joint, by_part, size_in_millimeters
from rigcast.report._body.provenance import provenance
from rigcast.report._body.section import KindSection
from rigcast.report._body.timing import BATCH
from rigcast.report._character import LiveCharacter, live_character
from rigcast.sampling import Dataset

MOST_PLACES = 10  # rows of a table
MOST_RESTING = 12  # names of a reason
POSES, POSES_FPS = 10, 1.0  # random poses that are shown, and how many in a second

Distances = NDArray[np.float32]
Array = NDArray[np.float64]


def render(
    numbers: Assessment,
    pictures: Gallery,
    training: Dataset | None,
    not_reproduced: Sequence[str] = (),
    section: KindSection | None = None,
    stated: Contract | None = None,
) -> str:
    """The HTML text of a report; ``not_reproduced`` names what of the rig no pose decides."""
    shown = context(numbers, pictures, training, not_reproduced)
    return fill("page.html", shown | {"section": section, "contract": stated})


def context(
    numbers: Assessment, pictures: Gallery, training: Dataset | None, not_reproduced: Sequence[str] = ()
) -> dict[str, Any]:
    """Values of the template, by name."""
    subject = numbers.subject
    known = {subject.model.metadata.get("data_hash"), None if training is None else training.hash}
    return {
        "name": words.title(subject.model.metadata.get("name") or subject.label),
        "summary": summary(numbers, training),
        "warnings": [
            f"The {truth.title} below are the very poses that the model learned from: their errors flatter it. "
            "Sample another set with another seed to judge it."
            for truth in numbers.truths
            if truth.dataset.hash in known
        ]
        + unseen_channels(numbers)
        + left_out(not_reproduced),
        "answer": answer(numbers, known),
        "verdicts": numbers.verdicts(),
        "subject": f"the {subject.label}" if subject.label == "learned model" else subject.label,
        "to_mm": 1000.0 * subject.model.meters_per_unit,
        "stated": stated_difficulty(subject.model.metadata) if not numbers.gates else None,
        "simple": [gate for gate in map(numbers.gates.get, (truth.title for truth in numbers.truths)) if gate],
        "key_figures": key_figures(numbers),
        "numbers": numbers,
        "rows": list(enumerate(numbers.contenders)),
        "gallery": pictures,
        "histogram": charts.histogram(_series(numbers, 0, histogram)),
        "over_time": _over_time(numbers),
        "confidence": charts.confidences(
            [charts.Series(title, colors.ACCENT, np.asarray(c, float)) for title, c in numbers.confidence.items()]
        ),
        "reliability": reliability(subject.model.metadata),
        "far": FAR,
        "turned": "joint" if subject.model.joint_names else "dial",
        "batch": BATCH,
        "groups": provenance(numbers, training),
        "has_enveloping": bool(np.isfinite(numbers.accuracy[0][0].enveloping)),
        "ratio": words.ratio,
        "nan": np.nan,
        "size": size_in_millimeters(subject.model),
        "places": places(numbers),
        "live": live(numbers),
        "live_text": "Drag the skin, or a slider; color by confidence shows where it falls.",
        "near": near(numbers),
    }


def places(numbers: Assessment) -> list[tuple[str, str, list[PlaceErrors]]]:
    """Tables of where the subject errs: title, what the second column counts, rows."""
    model, truth, distances = numbers.subject.model, numbers.truths[0], numbers.accuracy[0][0].distances
    turned = ("Channel", "far from rest in", by_channel(truth, distances))
    if not model.joint_names:
        turned = ("Control", "far from 0 in", by_control(model, truth, distances))
    tables = [
        ("Joint", "leads", by_joint(model, distances)),
        turned,
        (segments(model).by.removesuffix("s").capitalize(), "has", by_part(model, distances)),
    ]
    return [(title, about, rows[:MOST_PLACES]) for title, about, rows in tables if rows]


def left_out(not_reproduced: Sequence[str]) -> list[str]:
    """The parts of the rig that depend on more than a pose, in one sentence."""
    return [f"Not reproduced, because no pose decides it: {'; '.join(not_reproduced)}."] * bool(not_reproduced)


def unseen_channels(numbers: Assessment) -> list[str]:
    """The channels that never moved in training, and those of them that the poses of the report move, in sentences."""
    model = numbers.subject.model
    resting = model.metadata.get("resting", {})
    lines = []
    if resting:
        groups = [f"{names} ({reason})" for reason, names in resting_groups(resting, MOST_RESTING)]
        lines.append(f"{resting_count(resting)}: {'; '.join(groups)}.")
    for truth in numbers.truths:
        outside = metrics.outside_training(model, truth.poses)
        if outside.resting or outside.doubtful:
            lines.append(f"The {truth.title}: {'; '.join(outside.lines())}.")
    return lines


def key_figures(numbers: Assessment) -> list[KeyFigure]:
    """The few numbers that decide: errors, speed, size."""
    compared = reference(numbers.contenders)
    at = None if compared is None else numbers.contenders.index(compared)
    rows: dict[str, list[KeyFigure]] = {"mean": [], "max": []}
    for truth, results in zip(numbers.truths, numbers.accuracy, strict=True):
        for name, key in (("mean error", "mean"), ("largest error", "max")):
            value = getattr(results[0], key)
            other = (
                "" if at is None or compared is None else _ratio_text(getattr(results[at], key), value, compared.label)
            )
            rows[key].append(KeyFigure(words.millimeters(value), "mm", f"{name}, {truth.title}", other))
    single = numbers.timings[0].single
    rig = ""
    if (host := numbers.host) is not None:
        rig = f"{host.name}: {words.figure(host.milliseconds)} ms, {words.ratio(host.milliseconds, single)} as long"
    amount, unit = words.size(numbers.subject.size).split(" ")
    return [
        *rows["mean"],
        *rows["max"],
        KeyFigure(words.figure(single), "ms", "a pose, one thread", rig),
        KeyFigure(amount, unit, "model file", "float32, one safetensors file"),
    ]


def _ratio_text(other: float, ours: float, label: str) -> str:
    return f"{label}: {words.figure(other)} mm, {words.ratio(other, ours)} as much"


def _series(numbers: Assessment, truth: int, values: Callable[[Distances], Array]) -> list[charts.Series]:
    """One line a contender: what ``values`` makes of its distances (T, V)."""
    results = zip(numbers.contenders, numbers.accuracy[truth], strict=True)
    return [charts.Series(e.label, e.color, values(r.distances), strong=e is numbers.subject) for e, r in results]


def _over_time(numbers: Assessment) -> str:
    if len(numbers.truths) < 2:
        return ""
    means = _series(numbers, 1, lambda distances: distances.mean(axis=1, dtype=np.float64))
    return charts.over_time(means, _series(numbers, 1, lambda distances: distances.max(axis=1).astype(np.float64)))


def live(numbers: Assessment) -> LiveCharacter | str:
    """The subject of a report in the judged motion, or in some judged poses; or why it is not there."""
    truth, distances = numbers.truths[-1], numbers.accuracy[-1][0].distances
    order, worst = np.argsort(distances.mean(axis=1)), int(distances.max(axis=1).argmax())
    rows, fps = np.arange(len(truth.poses)), FPS
    if len(numbers.truths) == 1 and not _plays(truth):  # poses that do not follow each other: one after another
        rows, fps = np.unique([*order[:: max(1, len(order) // POSES)], order[len(order) // 2], worst]), POSES_FPS
    chosen = {"typical": int(order[len(order) // 2]), "worst": worst}
    stops = {f"{name} of the {truth.title}": int(np.searchsorted(rows, row)) for name, row in chosen.items()}
    return live_character(stops, numbers.subject.model, poses=truth.poses[rows], fps=fps)


def _plays(truth: HeldOutPoses) -> bool:
    return truth.title != RANDOM
