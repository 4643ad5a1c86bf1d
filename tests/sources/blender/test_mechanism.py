"""The mechanism of a rig poses its joints as Blender does: by constraints, drivers and inverse kinematics."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rigcast import _core
from rigcast.sampling._check import check_rig
from rigcast.sampling._kinematics import channel_entry
from tests.sources.blender.test_rigify import blend  # noqa: F401 - the fixture
from tests.sources.conftest import Host, make_host

PARTS = {
    "base": {"rotation": 40, "location": 0.3, "scale": 0.3},
    "owner": {"rotation": 25, "location": 0.2},
    "target": {"rotation": 60, "location": 0.5, "scale": 0.3},
    "upper": {"rotation": 15},
    "pole": {"location": 0.4},
}
ROWS = 16


def channels_of(rig: Any) -> Any:
    """The engine's channels of a rig, as a model would have them."""
    facts = check_rig(rig)
    stated = {name: getattr(facts, name) for name in ("channel_names", "channel_ranges", "channel_rest", "kinematics")}
    entry = channel_entry(stated, {"channels": {}, "joints": {}})
    return _core.Channels(json.dumps(entry), rig.skeleton, facts.dial_names)


def rows_of(rig: Any, count: int) -> NDArray[np.float32]:
    """Rest, and poses in which all channels, or a quarter of them, are anywhere in their ranges."""
    rng = np.random.default_rng(0)
    low, high = np.asarray(rig.channel_ranges).T
    rows = rng.uniform(low, high, (count, len(low)))
    few = rng.random(rows.shape) < 0.25
    rows[1::2] = np.where(few, rows, rig.channel_rest)[1::2]
    rows[0] = rig.channel_rest
    return rows.astype(np.float32)


def worst_joints(rig: Any, rows: NDArray[np.float32]) -> dict[str, float]:
    """The largest difference of each joint's entries between Blender and the mechanism."""
    poses = rig.sample(rows)[0]
    made = channels_of(rig).poses(rows)
    apart = np.abs(made - poses)[:, : 12 * rig.skeleton.num_joints].reshape(len(rows), -1, 12).max(axis=(0, 2))
    return dict(zip(rig.skeleton.names, apart.tolist(), strict=True))


@pytest.fixture(scope="module", params=["bpy", "blender"])
def kinds(request: pytest.FixtureRequest) -> Iterator[Any]:
    host: Host = make_host(request.param)
    with host.open("constraint_kinds", ranges=10.0) as every:
        names = every.mechanism.skeleton.names
    limits: dict[str, tuple[float, float]] = {}
    for name in names:
        for kind, most in PARTS[name.rpartition(".")[2]].items():
            middle = float(kind == "scale")
            limits |= {f"{name}.{kind}_{axis}": (middle - most, middle + most) for axis in "xyz"}
    limits |= {f"{name}.dial": (0.0, 1.0) for name in names if name.startswith("driver") and name.endswith("target")}
    driven = [("driver", "rotation_y"), ("driver_sum", "location_x"), ("driver_least", "scale_z"),
              ("driver_mean", "location_z"), ("driver_words", "location_y"), ("driver_turn", "rotation_x")]  # fmt: skip
    for case, channel in driven:
        limits.pop(f"{case}.owner.{channel}", None)
    for name in [name for name in limits if name.startswith("chain") and ".owner.location" in name]:
        del limits[name]  # connected
    for name in [name for name in limits if name.startswith("chain") and ".rotation" in name]:
        if ".upper." in name or ".owner." in name:
            del limits[name]  # the chain turns them
    with host.open("constraint_kinds", limits=limits) as rig:
        yield rig


def test_every_kind_is_evaluated_as_blender_does(kinds: Any) -> None:
    assert not kinds.mechanism.unread
    rows = rows_of(kinds, ROWS)
    for column, name in enumerate(kinds.channel_names):  # chains under a bone that is scaled unevenly are not exact
        if name.startswith("chain") and "base.scale" in name:
            rows[:, column] = rows[:, kinds.channel_names.index(f"{name[:-1]}x")]
    worst = worst_joints(kinds, rows)
    assert len(worst) > 150
    assert {name: apart for name, apart in worst.items() if apart > 2e-4} == {}


def test_a_generated_rig_is_evaluated_as_blender_does(blend: Any) -> None:  # noqa: F811
    from rigcast._formats.blender import BlenderRig

    with BlenderRig.open(blend, ranges=20.0) as rig:
        assert not rig.mechanism.unread
        worst = worst_joints(rig, rows_of(rig, ROWS))
    assert {name: apart for name, apart in worst.items() if apart > 5e-3} == {}


def test_poses_lead_back_to_channels(blend: Any) -> None:  # noqa: F811
    from rigcast._formats.blender import BlenderRig

    with BlenderRig.open(blend, ranges="actions") as rig:
        rows = np.asarray(rig.action("moved").channels, np.float32)
        channels = channels_of(rig)
        poses = channels.poses(rows)
        found, residuals = channels.channels(poses)
    assert residuals.max() < 5e-3
    low, high = np.asarray(rig.channel_ranges, np.float32).T
    assert (found >= low - 1e-6).all()
    assert (found <= high + 1e-6).all()
    assert np.abs(channels.poses(found) - poses).max() < 5e-3
