"""Lines on a model that keeps the controls of its rig, or not, and on the cost of that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rigcast._core import Deformer
from rigcast.sampling import Dataset


def lost_controls(entry: dict[str, Any], joints: Sequence[str]) -> str:
    """The reason why a model takes joints instead of controls; empty if it keeps the controls.

    Parameters
    ----------
    entry : dict
        The entry ``channels`` of a model file, or a data set's ``channel_entry``.
    joints : sequence of str
        All joints.
    """
    posed: dict[str, str] = entry.get("joints", {})
    if posed:
        name, why = next(iter(posed.items()))
        some = f"{len(posed)} of {len(joints)} joints are" if len(joints) > 1 else "its joint is"
        return f"{some} posed otherwise than channels are known to do, as {name!r} ({why})"
    reasons = {record["name"]: record["reason"] for record in entry.get("list", []) if record.get("reason")}
    if not reasons:
        return ""
    name, why = next(iter(reasons.items()))
    return f"what {len(reasons)} of {len(entry['list'])} channels do is not known, as of {name!r} ({why})"


def controls_of_data(ds: Dataset) -> str:
    """The finding of sampling about the controls, if models cannot keep them; else empty."""
    lost = lost_controls(ds.channel_entry, ds.joint_names) if ds.joint_names and ds.channel_names else ""
    return f"models of these poses take joints: {lost}; narrower ranges may help" if lost else ""


def controls_of_model(model: Deformer) -> str:
    """Describe how a body's channels pose its joints, with the error that this adds, or the joints that nothing poses.

    Empty for models without joints, or without channels.
    """
    entry = model.metadata.get("channels", {})
    if not model.joint_names or not model.channels:
        return ""
    lost = lost_controls(entry, model.joint_names)
    if lost:
        return f"none, the model takes joints: {lost}"
    count = f"{len(model.channels)} channels of the rig"
    if "mechanism" not in entry:
        return f"{count}, by plain kinematics"
    bones = len(entry["mechanism"]["bones"])
    words = f"{count}, by the constraints, drivers and inverse kinematics of its {bones} bones"
    added = model.metadata.get("mechanism_error")
    if added is None:
        return words
    unit = 1000.0 * model.meters_per_unit
    mean, largest = unit * added["mean"], unit * added["max"]
    return f"{words}: adds {mean:.2g} mm on average, {largest:.2g} mm at most, on {added['poses']} held-out poses"
