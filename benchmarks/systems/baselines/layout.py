"""Tables of baselines in Markdown, the gate in their first line."""

from __future__ import annotations

from dataclasses import dataclass

import rigcast as rc
from benchmarks.systems.baselines.gate import Gates
from benchmarks.systems.baselines.sets import Subject
from rigcast._timing import machine
from rigcast.metrics import Difficulty

TRAINING, CLIP = "training poses", "judged clip"
GLANCE = (
    "| character, judged on | best learned model | mean, mm | max, mm | best simple method | mean, mm | x the model's "
    "| best baseline: mean, mm |",
    "| --- | --- | ---: | ---: | --- | ---: | ---: | --- |",
)


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
    """Verdicts, notes, the models on each clip, their cost, and what simple methods reach from each training set."""
    first = next(iter(gates.values()))
    lines = [f"- {clip}: {verdict(clip, first[clip], rows)}" for clip in found.judged]
    lines += ["", *found.notes, *_sizes(found)]
    enveloped = next(iter(found.training.values())).skeleton is not None
    for clip in found.judged:
        lines += ["", f"## Judged on {clip}", "", *errors(clip, rows, enveloped)]
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
    lines += ["", "## Files and fitting", "", *costs(rows)]
    return "\n".join([*lines, "", "## Simple methods", "", *simple_methods(gates)])


def errors(clip: str, rows: list[Row], enveloped: bool) -> list[str]:
    """The table of a clip: models from the training poses, beside them the same methods fitted to the clip itself."""
    shown = [row for row in rows if clip in row.errors]
    beside = any(row.protocol == CLIP for row in shown)
    head = ["mean, mm", "max, mm"] + ["EE, %"] * enveloped
    heads = ["model", *head] + ([f"fitted to this clip: {head[0]}", *head[1:]] if beside else [])
    lines = [f"| {' | '.join(heads)} |", f"| --- |{' ---: |' * (len(heads) - 1)}"]
    for name, (trained, fitted) in _protocols(shown).items():
        cells = [_errors(row, clip, enveloped) for row in (trained, fitted)[: 1 + beside]]
        lines.append(f"| {' | '.join([name, *cells])} |")
    return lines


def costs(rows: list[Row]) -> list[str]:
    """The table of files, of seconds that fitting took, and of the machine's load."""
    beside = any(row.protocol == CLIP for row in rows)
    head = ["file, MB", "fitted in, s", "load"]
    heads = ["model", *head] + ([f"fitted to the clip: {head[0]}", *head[1:]] if beside else [])
    lines = [f"| {' | '.join(heads)} |", f"| --- |{' ---: |' * (len(heads) - 1)}"]
    for name, (trained, fitted) in _protocols(rows).items():
        cells = [_cost(row) for row in (trained, fitted)[: 1 + beside]]
        lines.append(f"| {' | '.join([name, *cells])} |")
    return lines


def at_a_glance(found: Subject, gates: Gates, rows: list[Row], page: str) -> str:
    """Per clip the best learned model, the gate and the best baseline; other characters as ``page`` has them."""
    first, lines = next(iter(gates.values())), page.splitlines()[len(GLANCE) :]
    lines = [line for line in lines if not line.startswith(f"| {found.title}, ")]
    for clip in found.judged:
        model, baseline = _best(rows, clip, learned=True), _best(rows, clip, learned=False)
        if model is None or baseline is None:
            continue
        simple, mean = first[clip].best, model.errors[clip]["mean"]
        reached = 1e3 * (first[clip].meters_per_unit or 1.0) * simple.mean
        lines.append(
            f"| {found.title}, {clip} | {model.name} | {_cells(model, clip)} | {simple.name} | {reached:.3f} | "
            f"{reached / mean:.2g} | {baseline.name}: {baseline.errors[clip]['mean']:.3f} |"
        )
    return "\n".join([*GLANCE, *sorted(lines)])


def verdict(clip: str, gate: Difficulty, rows: list[Row]) -> str:
    """The gate's line on the best learned model; without one, what a learned model has to reach."""
    best, best_baseline = _best(rows, clip, learned=True), _best(rows, clip, learned=False)
    beside = ""
    if best_baseline is not None:
        beside = f" Best baseline from the training poses: {best_baseline.name}, {_cells(best_baseline, clip)} mm."
        beside = beside.replace(" | ", " mm mean, ").replace(" mm.", " mm max.")
    if best is not None:
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
    """The errors of the gate's simple methods, from each training set."""
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
    """A character's tables with the machine that they were made on."""
    about = f"Machine: {machine()}; rigcast {rc.__version__}. Load: that of the machine while fitting."
    return f"{text}\n\n{about}"


def _sizes(found: Subject) -> list[str]:
    training = "; ".join(f"{title}: {len(dataset):,} poses" for title, dataset in found.training.items())
    judged = "; ".join(f"{title}: {len(dataset):,} frames" for title, dataset in found.judged.items())
    vertices = len(next(iter(found.training.values())).rest_vertices)
    return [f"{vertices:,} vertices. Trained on: {training}. Judged on: {judged}."]


def _best(rows: list[Row], clip: str, learned: bool) -> Row | None:
    """The row of least mean error among the learned models, or among the baselines, of the training poses."""
    able = [row for row in rows if row.learned == learned and row.protocol == TRAINING and clip in row.errors]
    return min(able, key=lambda row: row.errors[clip]["mean"], default=None)


def _protocols(rows: list[Row]) -> dict[str, tuple[Row | None, Row | None]]:
    """By name of the method: its row from the training poses, and that from the judged clip."""
    by_key = {(row.name, row.protocol): row for row in rows}
    return {row.name: (by_key.get((row.name, TRAINING)), by_key.get((row.name, CLIP))) for row in rows}


def _cells(row: Row, clip: str) -> str:
    return f"{row.errors[clip]['mean']:.3f} | {row.errors[clip]['max']:.2f}"


def _errors(row: Row | None, clip: str, enveloped: bool) -> str:
    if row is None:
        return "– | –" + " | –" * enveloped
    return _cells(row, clip) + (f" | {row.errors[clip]['enveloping']:.1f}" if enveloped else "")


def _cost(row: Row | None) -> str:
    if row is None:
        return "– | – | –"
    spent = f"{row.seconds:.0f} | {row.load:.0f}" if row.seconds else "given | "
    return f"{row.megabytes:.1f} | {spent}"
