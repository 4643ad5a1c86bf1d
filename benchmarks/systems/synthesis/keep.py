"""Figures of a fitted synthesizer that benchmarks print and keep."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import rigcast as rc


def keep(synth: rc.synthesis.Synthesizer, seconds: float, path: Path, name: str) -> None:
    """Print held-out errors and bridges; write the model and its report beside each other.

    Parameters
    ----------
    synth : Synthesizer
    seconds : float
        That the fit took.
    path : Path
        Of both files, without their endings.
    name : str
        Heading of the report.
    """
    print(f"{synth} in {seconds:.0f} s, {len(synth.dropped)} controls dropped")
    for label, space in synth.spaces.items():
        figures = "too short to hold frames out" if space.held_out is None else space.held_out.summary()
        print(f"  {label}: {len(space)} frames, {space.num_dimensions} dimensions of {space.num_components}; {figures}")
    count = len(synth.labels) * (len(synth.labels) - 1)
    within = sum(bridge.within for bridge in synth.bridges.values())
    longest = max((synth.route(a, b) for a, b in permutations(synth.labels, 2)), key=len)
    print(f"bridges within {synth.threshold:.3g} mm: {within} of {count} ordered pairs")
    print(f"the longest route: {' - '.join(longest)}", flush=True)
    synth.save(path.with_suffix(".safetensors"))
    rc.report.write_synthesis(path.with_suffix(".html"), synth, name=name)
