"""Writing the report of a synthesizer."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from rigcast._atomic_files import atomic_write
from rigcast._pages import words
from rigcast._pages.facts import Fact
from rigcast._pages.template import KeyFigure, check_extra, fill
from rigcast._validate import Arguments
from rigcast.progress import ProgressOption, as_callback
from rigcast.report._character import LiveCharacter, PlayedFrame, live_character
from rigcast.report._synthesis.played import play
from rigcast.report._synthesis.worst import SEED, Moment
from rigcast.synthesis import Space, Synthesizer


def write_synthesis(
    path: str | os.PathLike[str],
    synth: Synthesizer,
    *,
    name: str | None = None,
    transitions: int = 40,
    seconds: float = 30.0,
    progress: ProgressOption = None,
) -> dict[str, object]:
    """Show what a synthesizer learned, and how it plays, in one HTML file that opens offline.

    Held-out errors of each label compared with principal components and training frames, the latent spaces with their
    variance and clips, the graph of labels with its bridges, transitions against motion graphs, motion matching and
    cross-fades, idling, controls that were dropped, and where clips come from. If the synthesizer has a rig with faces
    (``load(path, rig)``), film strips of transitions and pictures of the worst moments.

    Parameters
    ----------
    path : path-like
        The HTML file, written in one step.
    synth : Synthesizer
    name : str, optional
        Heading; default the file's name.
    transitions : int
        Random transitions that players are compared by; 0 leaves them out.
    seconds : float
        Of idling at each label; 0 leaves it out.
    progress : True or callable, optional
        Draws a bar, or is called with :class:`rigcast.progress.Progress`.

    Returns
    -------
    dict
        The report's numbers by name.

    Raises
    ------
    ValueError
        If a number is out of its range.
    MissingExtra
        Without the ``report`` extra.
    """
    check = Arguments("report")
    wanted = check.whole("transitions", transitions, most=10**4), check.number("seconds", seconds, least=0.0, most=3600)
    check_extra()
    from rigcast.report._synthesis import charts

    played = play(synth, *wanted, as_callback(progress))

    poor = [label for label, space in synth.spaces.items() if space.held_out and not space.held_out.is_worth_it]
    context = {
        "name": words.title(name or Path(path).stem),
        "summary": _summary(synth),
        "key_figures": _key_figures(synth),
        "answer": _answer(synth),
        "verdicts": [_bridged(synth)] * (len(synth.labels) > 1)
        + ([_verdict(synth, label) for label in poor] or [_worth(synth)]),
        "live_text": "It plays for ever; labels, sliders and drags add to it. A button plays again what led to the "
        "moment, frame by frame the same.",
        "warnings": list(synth.metadata.get("notes", [])),
        "errors": charts.errors(synth),
        "spaces": charts.spaces(synth),
        "graph": charts.graph(synth) if len(synth.labels) > 1 else "",
        "rows": [_row(space) for space in synth.spaces.values()],
        "dropped": _dropped(synth),
        "routes": _routes(synth),
        "has_table": len(synth.labels) > charts.FEW,
        "threshold": words.figure(synth.threshold),
        "groups": [(label, _clips(space)) for label, space in synth.spaces.items()],
        "played": played,
        "live": _live(synth, played.worst),
    }
    atomic_write(path, fill("synthesis.html", context).encode("utf-8"))
    return {
        "labels": len(synth.labels),
        "frames": sum(map(len, synth.spaces.values())),
        "not_worth_it": poor,
        "bridges": len(synth.bridges) // 2,
        **played.figures(),
    }


def _live(synth: Synthesizer, worst: list[Moment]) -> LiveCharacter | str:
    if synth.rig is None:
        return "The character cannot be moved here: the synthesizer was loaded without its rig."
    stops = {f"{moment.title}: {moment.note}": PlayedFrame(moment.label, SEED, moment.frame) for moment in worst}
    return live_character(stops, synth)


def _summary(synth: Synthesizer) -> str:
    frames = words.plural(sum(map(len, synth.spaces.values())), "frame")
    labels = words.plural(len(synth.labels), "label")
    moving = len(synth.control_names) - len(synth.dropped)
    return (
        f"{labels} learned from {frames} at {synth.fps:g} frames per second: latent spaces of {moving} moving controls "
        f"of {len(synth.control_names)}."
    )


def _key_figures(synth: Synthesizer) -> list[KeyFigure]:
    measured = [space.held_out for space in synth.spaces.values() if space.held_out is not None]
    direct, pairs = _bridges(synth)
    figures = []
    if pairs:
        text = (
            f"{pairs - direct} that are joined beyond the threshold, by a jump"
            if direct < pairs
            else "every two labels"
        )
        figures.append(KeyFigure(f"{direct}", f"of {pairs}", "bridges between labels", text))
    figures.append(KeyFigure(f"{len(synth.labels)}", "", "labels", ", ".join(synth.labels[:6])))
    if measured:
        frames = sum(held.frames for held in measured)

        def mean(name: str) -> float:
            return float(sum(getattr(held, name) * held.frames for held in measured) / frames)

        same = sum(held.principal[held.dimensions] * held.frames for held in measured) / frames
        compared = (
            f"{words.figure(same)} mm with as many principal components, {words.figure(mean('nearest'))} mm to the "
        )
        title = "held-out frames, distance of the closest latent point"
        figures.insert(0, KeyFigure(words.figure(mean("latent")), "mm", title, compared + "nearest training frame"))
    figures.append(
        KeyFigure(words.figure(synth.threshold), "mm", "threshold of matching poses", "root mean square of the mesh")
    )
    return figures


def _answer(synth: Synthesizer) -> list[str]:
    """The distance from frames that it has not seen, beside that of a simple method; how labels are joined."""
    measured = [space.held_out for space in synth.spaces.values() if space.held_out is not None]
    direct, pairs = _bridges(synth)
    joined = f"{direct} of {pairs} pairs of labels have poses that match"
    if not measured:
        limit = words.length(synth.threshold)
        return [f"{direct} of {pairs} pairs of its labels have poses that match within {limit}."] if pairs else []
    frames = sum(held.frames for held in measured)
    own = sum(held.latent * held.frames for held in measured) / frames
    same = sum(held.principal[held.dimensions] * held.frames for held in measured) / frames
    first = f"It comes within {words.within(own)} of the frames it has not seen, on average over the mesh."
    compared = f"As many straight directions, the simplest method, miss by {words.length(same)}"
    return [first, f"{compared}; {joined}." if pairs else f"{compared}."]


def _bridges(synth: Synthesizer) -> tuple[int, int]:
    """Pairs of labels with poses that match within the threshold, and all pairs."""
    count = len(synth.labels)
    return sum(bridge.within for bridge in synth.bridges.values()) // 2, count * (count - 1) // 2


def _bridged(synth: Synthesizer) -> str:
    """One sentence about the pairs of labels between which a character jumps."""
    direct, pairs = _bridges(synth)
    limit = f"the threshold of {words.length(synth.threshold)}"
    if direct == pairs:
        return f"Every two labels have a bridge: poses that match within {limit}."
    if direct == 0:
        return (
            f"No two labels have a bridge within {limit}: every change between them jumps to the closest pose there "
            "is. Give clips that pass through a common pose, or raise --match-within."
        )
    return f"{pairs - direct} of {pairs} pairs of labels have no bridge within {limit}: changes take a detour or jump."


def _worth(synth: Synthesizer) -> str:
    measured = [space.held_out for space in synth.spaces.values() if space.held_out is not None]
    if not measured:
        return "Too few frames to hold some out: how well unseen frames are rebuilt is not known."
    most = max(held.latent for held in measured)
    return (
        f"Unseen frames are rebuilt to {words.figure(most)} mm or better for every label, "
        "closer than by as many principal components or by the nearest training frame."
    )


def _verdict(synth: Synthesizer, label: str) -> str:
    held = synth.space(label).held_out
    assert held is not None
    same = held.principal[held.dimensions]
    rival = f"{held.dimensions} principal components ({words.figure(same)} mm)"
    if held.latent >= held.nearest:
        rival = f"the nearest training frame ({words.figure(held.nearest)} mm)"
    return (
        f"“{label}”: the latent space ({words.figure(held.latent)} mm) rebuilds unseen frames no better than {rival}. "
        "It is not worth more there: play the clips themselves, or give more of them."
    )


def _row(space: Space) -> dict[str, Any]:
    held = space.held_out
    cells = [] if held is None else [held.latent, *(held.principal[count] for count in (3, 6, 10, 20)), held.nearest]
    return {
        "label": space.label,
        "frames": len(space),
        "held": 0 if held is None else held.frames,
        "size": f"{space.num_dimensions} of {space.num_components}",
        "explained": f"{100.0 * space.explained:.1f} %",
        "cells": [words.figure(value) for value in cells] or ["–"] * 6,
    }


def _dropped(synth: Synthesizer) -> list[tuple[str, str]]:
    """Reasons with the names of the controls."""
    found: dict[str, list[str]] = {}
    for name, reason in synth.dropped.items():
        found.setdefault(reason, []).append(name)
    return [(reason, ", ".join(names)) for reason, names in found.items()]


def _routes(synth: Synthesizer) -> list[str]:
    """The ways between labels that lead through others."""
    names = synth.labels
    ways = [synth.route(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    return [" – ".join(way) for way in ways if len(way) > 2]


def _clips(space: Space) -> list[Fact]:
    facts = []
    for segment in space.segments:
        origin = [words.plural(len(segment), "frame"), f"given at {segment.fps:g} per second", segment.origin]
        facts.append(Fact(segment.name or "unnamed", ", ".join(filter(None, [*origin, segment.licence]))))
    return facts
