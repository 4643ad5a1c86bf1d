"""Descriptions of a synthesizer, as values and on the console."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rigcast import _core
from rigcast._pages.words import figure, plural
from rigcast.cli._console import Console
from rigcast.synthesis import Synthesizer


def described(synth: Synthesizer) -> dict[str, Any]:
    """Facts as plain values."""
    labels = {}
    for label, space in synth.spaces.items():
        held_out = None if space.held_out is None else space.held_out.as_dict()
        labels[label] = {
            "frames": len(space),
            "clips": [
                {"name": s.name, "origin": s.origin, "licence": s.licence, "frames": len(s), "fps": s.fps}
                for s in space.segments
            ],
            "dimensions": space.num_dimensions,
            "components": space.num_components,
            "explained": space.explained,
            "held_out_mm": held_out,
            "worth_it": None if space.held_out is None else space.held_out.is_worth_it,
        }
    names = list(synth.labels)
    bridges = [
        {"from": a, "to": b, "pairs": len(bridge), "closest_mm": float(bridge.distances[0]), "within": bridge.within}
        for (a, b), bridge in synth.bridges.items()
        if names.index(a) < names.index(b)
    ]
    return {
        "type": "synthesizer",
        "kind": "synthesis",
        "fps": synth.fps,
        "controls": len(synth.control_names),
        "dropped": synth.dropped,
        "labels": labels,
        "threshold_mm": synth.threshold,
        "bridges": bridges,
        "notes": synth.metadata.get("notes", []),
    }


def is_synthesis(path: Path) -> bool:
    """True if the file's kind is synthesis. Files that are no models return False; opening them raises."""
    try:
        metadata = json.loads(_core.TensorFile.read(path).metadata or "{}")
    except (ValueError, RecursionError):
        return False
    return isinstance(metadata, dict) and metadata.get("kind") == "synthesis"


def say(console: Console, facts: dict[str, Any]) -> None:
    """Labels as a table, bridges, and what was dropped."""
    rows = []
    for label, entry in facts["labels"].items():
        held = entry["held_out_mm"]
        same = "" if held is None else figure(held["principal"][str(held["dimensions"])])
        measured = ["", "", ""] if held is None else [figure(held["latent"]), same, figure(held["nearest"])]
        size = f"{entry['dimensions']} of {entry['components']}"
        rows.append([label, entry["frames"], len(entry["clips"]), size, *measured])
    console.line("held-out frames, mm to the closest pose: of the latent space, of as many components, of other frames")
    console.table(["label", "frames", "clips", "size", "latent", "components", "nearest"], rows)
    poor = [label for label, entry in facts["labels"].items() if entry["worth_it"] is False]
    if poor:
        console.line(f"not worth more than components or the clips themselves: {', '.join(poor)}")
    console.line()
    for bridge in facts["bridges"]:
        beyond = "" if bridge["within"] else f", beyond the threshold of {figure(facts['threshold_mm'])} mm"
        pairs = plural(bridge["pairs"], "pair")
        console.line(f"{bridge['from']} - {bridge['to']}: {pairs}, closest {figure(bridge['closest_mm'])} mm{beyond}")
    if facts["dropped"]:
        by_reason: dict[str, list[str]] = {}
        for name, reason in facts["dropped"].items():
            by_reason.setdefault(reason, []).append(name)
        for reason, names in by_reason.items():
            console.line(f"{plural(len(names), 'control')} with {reason}: {', '.join(names)[:300]}"
                         if reason.startswith("no ") else f"{plural(len(names), 'control')} {reason}: "
                         f"{', '.join(names)[:300]}")  # fmt: skip
    for note in facts["notes"]:
        console.line(f"note: {note}")
