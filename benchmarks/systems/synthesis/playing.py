"""Judges what synthesizers play: transitions, idling, limits, and speed, beside motion graphs and their kin.

    python -m benchmarks.systems.synthesis.playing SYNTH.safetensors [...] [--transitions 200] [--minutes 10] [--write]

Accelerations are those of the linearized mesh; the limit is the clips' 99th percentile. Seconds are processor seconds
of one thread, medians of ten runs. Figures of a model are kept beside it (``SYNTH.playing.json``); ``--write`` puts
those of all named models into docs/benchmarks/experiments/latent_playing.md, ``--kept`` without measuring again.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import rigcast as rc
from benchmarks.marks import write_between_marks
from benchmarks.systems.synthesis.judged import Figures, judge_idling, judge_speed, judge_transitions
from rigcast._atomic_files import atomic_write
from rigcast._timing import load_average, machine

TITLES = {
    "ict": "ICT face",
    "production": "production face",
    "antonia": "Antonia",
    "demo": "demo character",
}


def measured(path: Path, options: argparse.Namespace) -> Figures:
    """Figures of one model, kept beside it."""
    place = path.with_suffix(".playing.json")
    if options.kept and place.exists():
        return dict(json.loads(place.read_text()))
    synth = rc.synthesis.load(path)
    print(f"{path.name}: {synth}", flush=True)
    found: Figures = {"labels": len(synth.labels), "frames": sum(map(len, synth.spaces.values()))}
    for name, judge, size in (
        ("transitions", judge_transitions, options.transitions),
        ("idling", judge_idling, options.minutes),
        ("speed", judge_speed, options.characters),
    ):
        found[name] = judge(synth, size)
        print(json.dumps(found[name], indent=1), flush=True)
    found["minutes"], found["machine"] = options.minutes, f"{machine()}, load {load_average():.0f}"
    atomic_write(place, json.dumps(found, indent=1).encode())
    return found


def percent(share: float) -> str:
    """A share."""
    return f"{100 * share:.0f} %"


def idling_rows(columns: list[Figures]) -> list[tuple[str, str, list[str]]]:
    """Rows about idling: the worst of the labels."""

    def least(column: Figures, key: str) -> str:
        label, figures = min(column["idling"].items(), key=lambda entry: float(entry[1][key]))
        return f"{percent(figures[key])} ({label})"

    def speeds(column: Figures) -> str:
        found = sorted(figures["speed"] for figures in column["idling"].values())
        return f"{found[0]:.2f} to {found[-1]:.2f}"

    return [
        ("clips' frames met within the median step, least of the labels", "90 %", [least(c, "met") for c in columns]),
        ("the same of frames as the space rebuilds them", "", [least(c, "met as rebuilt") for c in columns]),
        ("frames rebuilt within the median step", "", [least(c, "rebuilt within a step") for c in columns]),
        ("speed of idling, in median steps of the clips", "about 1", [speeds(c) for c in columns]),
        ("autocorrelation beyond 2 s, largest", "0.5", [
            f"{max(figures['late'] for figures in c['idling'].values()):.2f}" for c in columns]),
        ("numbers outside the limits", "0", [
            f"{sum(figures['outside'] for figures in c['idling'].values())}" for c in columns]),
        ("predictive variance, median and worst", "", [
            f"{max(f['variance'][0] for f in c['idling'].values()):.2g}, "
            f"{max(f['variance'][1] for f in c['idling'].values()):.2g}" for c in columns]),
    ]  # fmt: skip


def transition_rows(columns: list[Figures]) -> list[tuple[str, str, list[str]]]:
    """Rows about transitions, a row per player."""

    def told(player: Figures) -> str:
        if not player["made"]:
            return "none arrives"
        share = percent(player["within"] / player["made"])
        return f"{share} of {player['made']}, {100 * player['above']:.2f} % of frames above"

    rows = []
    for name in columns[0]["transitions"]["players"]:
        goal = "95 %, fewer frames above than the graph" if name.endswith("inertialized") else ""
        title = f"transitions with the peak within the limit: {name}"
        rows.append((title, goal, [told(c["transitions"]["players"][name]) for c in columns]))
    reached = [f"{c['transitions']['pairs']} ({c['transitions']['through others']} through others)" for c in columns]
    graph = [f"{c['transitions']['pairs of the graph']} of {c['transitions']['pairs']}" for c in columns]
    pruned = [percent(c["transitions"]["pruned"]) for c in columns]
    return [
        *rows,
        ("ordered pairs of labels reached: latent spaces", "all", reached),
        ("ordered pairs of labels reached: motion graph", "", graph),
        ("frames outside the graph's largest strongly connected part", "", pruned),
    ]


def table(found: dict[str, Figures]) -> str:
    """Markdown: a column per model."""
    columns = list(found.values())
    heads = [f"{TITLES.get(name, name)}, {c['labels']} labels, {c['frames']:,} frames" for name, c in found.items()]
    speed = [c["speed"] for c in columns]
    rows = [
        *transition_rows(columns),
        *idling_rows(columns),
        ("one player, per frame", "", [f"{1e3 * s['frame']:.2f} ms" for s in speed]),
        ("one step, commands every 2 s, 99th percentile", "40 ms", [f"{1e3 * s['slow step']:.1f} ms" for s in speed]),
        ("1,000 characters, processor seconds per second", "2", [f"{s['second']:.2f}" for s in speed]),
        ("centers of the density, of the frames of the largest label", "", [
            f"{s['centers'][0]} of {s['centers'][1]}" for s in speed]),
    ]  # fmt: skip
    lines = [f"| measure | goal | {' | '.join(heads)} |", f"| --- | --- |{' --- |' * len(heads)}"]
    lines += [f"| {name} | {goal} | {' | '.join(cells)} |" for name, goal, cells in rows]
    machines = [f"{TITLES.get(name, name)}: {c['machine']}, {c['minutes']:g} minutes" for name, c in found.items()]
    return "\n".join([*lines, "", f"{'; '.join(machines)}."])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("synths", nargs="+", type=Path)
    parser.add_argument("--transitions", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--characters", type=int, default=1000)
    parser.add_argument("--kept", action="store_true", help="figures that were measured before, where there are any")
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks/experiments/latent_playing.md")
    options = parser.parse_args()
    print(machine(), load_average())
    text = table({path.stem: measured(path, options) for path in options.synths})
    print(text)
    if options.write:
        write_between_marks("playing", text)


if __name__ == "__main__":
    main()
