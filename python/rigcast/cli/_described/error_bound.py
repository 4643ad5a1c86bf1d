"""A model's error bound, its confidence, and the error that it was trained to, in words."""

from __future__ import annotations

from typing import Any

from rigcast._core import Deformer
from rigcast._pose_statistics.expected_error import reliability


def bound_lines(model: Deformer) -> list[str]:
    """Coverage and width of the bound, and how often the flag of poses out of range is wrong; empty without a bound."""
    bound = model.metadata.get("bound")
    if bound is None:
        return []
    to_millimeters = 1000.0 * model.meters_per_unit
    width, constant = (to_millimeters * bound[name] for name in ("mean_width", "constant_mean_width"))
    missed = "how many poses out of range it misses is not known: only the rig makes poses of its channels"
    if bound["miss"] is not None:
        missed = f"missed {bound['miss']:.1%} of poses with a channel a quarter of its range outside"
    covered = f"holds for {bound['coverage']:.1%} of vertices ({bound['poses']} held-out poses, cross-validated)"
    constants = f"constants per vertex: {constant:.3g} mm, {bound['constant_coverage']:.1%}"
    return [
        f"error bound: {covered}, {width:.3g} mm wide on average ({constants})",
        f"out of range: false alarm for {bound['false_alarm']:.1%} of held-out poses, {missed}",
    ]


def bound_facts(model: Deformer) -> dict[str, Any]:
    """For ``rigcast info``."""
    facts: dict[str, Any] = {}
    lines = bound_lines(model)
    if lines:
        facts["error_bound"], facts["out_of_range"] = (line.split(": ", 1)[1] for line in lines)
    for line in reliability(model.metadata):
        facts["confidence"] = line.split(": ", 1)[1]
    until = model.metadata.get("until")
    if until is not None:
        last, to_millimeters = until["rounds"][-1], 1000.0 * model.meters_per_unit
        most = "" if last["bound"] is None else f", at most {to_millimeters * last['bound']:.3g} mm"
        found = f"{until['statistic']} {to_millimeters * last['value']:.3g} mm{most}"
        facts["trained_until"] = (
            f"{found} on {last['fresh']} fresh poses; asked for {to_millimeters * until['tolerance']:.3g} mm, "
            f"stopped by {until['stopped']} after {until['sampled']:,} poses"
        )
    return facts
