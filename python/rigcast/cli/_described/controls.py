"""Whether a model keeps the controls of its rig, and what that costs."""

from __future__ import annotations

from typing import Any

import rigcast as rc


def kept_control_lines(model: rc.Deformer) -> list[str]:
    """What poses the joints of a body by its channels, with the error that it adds; or which joints nothing poses."""
    entry = model.metadata.get("channels", {})
    if not model.joint_names or not model.channels:
        return []
    undecided = [f"joint {name!r} ({why})" for name, why in entry.get("joints", {}).items()]
    undecided += [f"channel {c.name!r} ({c.reason})" for c in model.channels if c.reason]
    if undecided:
        more = f" and {len(undecided) - 1} more" if len(undecided) > 1 else ""
        return [f"controls: none, the model takes joints: nothing known poses {undecided[0]}{more}"]
    count = f"controls: {len(model.channels)} channels of the rig"
    if "mechanism" not in entry:
        return [f"{count}, by plain kinematics"]
    bones = len(entry["mechanism"]["bones"])
    words = f"{count}, by the constraints, drivers and inverse kinematics of its {bones} bones"
    added = model.metadata.get("mechanism_error")
    if added is None:
        return [words]
    unit = 1000.0 * model.meters_per_unit
    mean, largest = unit * added["mean"], unit * added["max"]
    return [f"{words}: adds {mean:.2g} mm on average, {largest:.2g} mm at most, on {added['poses']} held-out poses"]


def kept_control_facts(model: rc.Deformer) -> dict[str, Any]:
    """For ``rigcast info``."""
    lines = kept_control_lines(model)
    return {"rig_controls": lines[0].split(": ", 1)[1]} if lines else {}
