"""Tables of baselines in Markdown, the gate in their first line."""

from __future__ import annotations

from dataclasses import dataclass

import rigcast as rc
from benchmarks.systems.baselines.gate import Gates
from benchmarks.systems.baselines.sets import Subject
from rigcast import _bench
from rigcast.metrics import Difficulty

TRAINING, CLIP = "training poses", "judged clip"


@dataclass(frozen=True)
class Row:
    """One model in one protocol.

    Attributes
    ----------
    name : str
    protocol : str
        What it was fitted on.
    errors : dict from clip to {"mean", "max", "enveloping"}
        Millimeters; percent, with joints only.
    megabytes : float
        Of the model file.
    seconds : float
        That fitting took; 0 for a model that was given.
    load : float
        Of the machine at the end of fitting: processes that wanted to run, averaged over a minute.
    learned : bool
    """

    name: str
    protocol: str
    errors: dict[str, dict[str, float]]
    megabytes: float
    seconds: float
    load: float
    learned: bool


def table(found: Subject, gates: Gates, rows: list[Row], missing: list[str]) -> str:
    """A section: verdicts first, then the notes, all models, and what simple methods reach from each training set."""
    clips = list(found.judged)
    first = next(iter(gates.values()))
    lines = [f"## {found.title}", ""]
    lines += [f"- {clip}: {verdict(clip, first[clip], rows)}" for clip in clips]
    lines += ["", *found.notes, *_sizes(found), ""]
    enveloped = next(iter(found.training.values())).skeleton is not None
    head = "mean, mm | max, mm" + " | EE, %" * enveloped
    heads = " | ".join(f"{clip}: {head}" for clip in clips)
    lines += [f"| model | fitted on | {heads} | file, MB | fitted in, s | load |"]
    lines += ["| --- | --- " + "| ---: " * ((2 + enveloped) * len(clips) + 3) + "|"]
    for row in rows:
        cells = " | ".join(_cells(row, clip) + _enveloping(row, clip) * enveloped for clip in clips)
        seconds, load = (f"{row.seconds:.0f}", f"{row.load:.0f}") if row.seconds else ("given", "")
        lines.append(f"| {row.name} | {row.protocol} | {cells} | {row.megabytes:.1f} | {seconds} | {load} |")
    if enveloped:
        lines += ["", "EE: enveloping error, the share of the motion beyond that of rigid pieces that remains."]
    else:
        lines += [
            "",
            "Inputs are dials: linear blend skinning, direct delta mush and learned bodies need joints and are",
        ]
        lines += ["not applicable; the bones of SSDR are its own, moved by regression on the dials."]
    if missing:
        lines += ["", f"Not run: {', '.join(missing)}."]
    return "\n".join([*lines, "", *simple_methods(gates)])


def verdict(clip: str, gate: Difficulty, rows: list[Row]) -> str:
    """The gate's line on the best learned model; without one, what a learned model has to reach."""
    judged = [row for row in rows if row.learned and clip in row.errors]
    fitted = [row for row in rows if not row.learned and row.protocol == TRAINING]
    best_baseline = min(fitted, key=lambda row: row.errors[clip]["mean"], default=None)
    beside = ""
    if best_baseline is not None:
        beside = f" Best baseline from the training poses: {best_baseline.name}, {_cells(best_baseline, clip)} mm."
        beside = beside.replace(" | ", " mm mean, ").replace(" mm.", " mm max.")
    if judged:
        best = min(judged, key=lambda row: row.errors[clip]["mean"])
        error = best.errors[clip]["mean"] / (1e3 * (gate.meters_per_unit or 1.0))
        return f"**{best.name}: {gate.verdict(error)}**{beside}"
    scale = 1e3 * (gate.meters_per_unit or 1.0)
    where = " in the bind pose" if gate.space == "bind pose" else ""
    reached = (
        f"{gate.best.name}{where}, misses by {scale * gate.best.mean:.3f} mm mean, {scale * gate.best.max:.1f} mm max"
    )
    need = f"a learned model must miss by {scale * gate.best.mean / 2:.3f} mm at most"
    return f"**Gate: the best simple method, {reached}; no learned model stands here yet, {need}.**{beside}"


def simple_methods(gates: Gates) -> list[str]:
    """What the simple methods of the gate reach, from each training set."""
    first = next(iter(next(iter(gates.values())).values()))
    space = "the offsets in the bind pose of each vertex's joint" if first.space == "bind pose" else "the vertices"
    lines = [
        f"The simple methods of the gate predict {space}.",
        "",
        "| gate: simple method | trained on | judged on | mean, mm | max, mm |",
        "| --- | --- | --- | ---: | ---: |",
    ]
    for title, by_clip in gates.items():
        for clip, gate in by_clip.items():
            scale = 1e3 * (gate.meters_per_unit or 1.0)
            for method in gate.methods:
                figures = f"{scale * method.mean:.3f} | {scale * method.max:.2f}"
                lines.append(f"| {method.name} | {title} | {clip} | {figures} |")
            lines.append(f"| (motion: the mean training shape) | {title} | {clip} | {scale * gate.motion:.3f} | |")
    return lines


def section(text: str) -> str:
    """A character's table with the machine that it was made on."""
    machine = f"Machine: {_bench.machine()}; rigcast {rc.__version__}. Load: that of the machine while fitting."
    return f"{text}\n\n{machine}"


def _sizes(found: Subject) -> list[str]:
    training = "; ".join(f"{title}: {len(dataset):,} poses" for title, dataset in found.training.items())
    judged = "; ".join(f"{title}: {len(dataset):,} frames" for title, dataset in found.judged.items())
    vertices = len(next(iter(found.training.values())).rest_vertices)
    return [f"{vertices:,} vertices. Trained on: {training}. Judged on: {judged}."]


def _cells(row: Row, clip: str) -> str:
    if clip not in row.errors:
        return "– | –"
    return f"{row.errors[clip]['mean']:.3f} | {row.errors[clip]['max']:.2f}"


def _enveloping(row: Row, clip: str) -> str:
    return f" | {row.errors[clip]['enveloping']:.1f}" if clip in row.errors else " | –"
