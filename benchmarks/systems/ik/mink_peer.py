"""The skeleton of a scene in MuJoCo, and inverse kinematics by mink."""

from __future__ import annotations

from typing import Any

import mink
import mujoco
import numpy as np
from numpy.typing import NDArray

from benchmarks.systems.ik.scenes import Scene

AXES = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}
DT = 1.0  # each step of mink moves all the way: the solver is used as a Gauss-Newton iteration
DAMPING = 1e-6


class MinkPeer:
    """Position tasks for the scene's joints, solved by steps of quadratic programs with joint limits.

    Parameters
    ----------
    task : Scene
        Of a plain skeleton.
    tolerance : float
        Of positions.
    steps : int
        At most per solve.
    """

    def __init__(self, task: Scene, tolerance: float, steps: int) -> None:
        self.tolerance, self.steps = tolerance, steps
        self.model = mujoco.MjModel.from_xml_string(skeleton_xml(task))
        names = [task.model.channels[i].name for i in range(len(task.model.channels))]
        hinges = [c.index for c in task.model.channels if c.kind.startswith("rotate")]
        self.address = {i: int(self.model.joint(names[i]).qposadr[0]) for i in hinges}
        self.configuration = mink.Configuration(self.model)
        joints = task.model.joint_names
        self.bodies = [joints[v] for v in task.vertices]
        self.tasks = [mink.FrameTask(name, "body", position_cost=1.0, orientation_cost=0.0) for name in self.bodies]
        self.limits = [mink.ConfigurationLimit(self.model)]
        self.scene = task

    def positions(self) -> NDArray[np.float64]:
        """Of the eight joints."""
        return np.array([self.configuration.data.body(name).xpos for name in self.bodies])

    def set(self, channels: NDArray[np.float64]) -> None:
        """Pose the skeleton."""
        q = self.model.qpos0.copy()
        for index, address in self.address.items():
            q[address] = np.radians(channels[index])
        self.configuration.update(q)

    def kinematics_error(self, rows: NDArray[np.float64]) -> float:
        """The largest distance between the joints here and those of the engine."""
        part = self.scene.model.restricted(self.scene.vertices)
        worst = 0.0
        for row in rows:
            self.set(row)
            truth = part.evaluate(part.poses_from_channels(row))
            worst = max(worst, float(np.abs(self.positions() - truth).max()))
        return worst

    def solve(self, targets: NDArray[np.float32], start: NDArray[np.float64]) -> tuple[float, int]:
        """The largest position error at the end, and the steps."""
        self.set(start)
        for task, target in zip(self.tasks, targets, strict=True):
            task.set_target(mink.SE3.from_translation(np.asarray(target, np.float64)))
        for step in range(self.steps):
            error = float(np.linalg.norm(self.positions() - targets, axis=1).max())
            if error <= self.tolerance:
                return error, step
            velocity = mink.solve_ik(self.configuration, self.tasks, DT, "daqp", DAMPING, limits=self.limits)
            self.configuration.integrate_inplace(velocity, DT)
        return float(np.linalg.norm(self.positions() - targets, axis=1).max()), self.steps


def skeleton_xml(task: Scene) -> str:
    """Bodies with the rest transforms of joints and a hinge per rotation channel, in the order of their places."""
    model, skeleton = task.model, task.model.skeleton
    children: dict[int, list[int]] = {}
    for joint, parent in enumerate(skeleton.parents):
        children.setdefault(int(parent), []).append(joint)
    turns: dict[str, list[Any]] = {}
    for channel in model.channels:
        if channel.kind.startswith("rotate"):
            turns.setdefault(channel.joint, []).append(channel)

    def body(joint: int) -> str:
        name, rest = skeleton.names[joint], skeleton.rest[joint].astype(np.float64)
        quat = np.zeros(4)
        mujoco.mju_mat2Quat(quat, np.ascontiguousarray(rest[:, :3]).reshape(9))
        hinges = "".join(
            f'<joint name="{c.name}" type="hinge" axis="{AXES[c.kind[-1]]}" limited="true" range="{c.low} {c.high}"/>'
            for c in sorted(turns.get(name, []), key=lambda c: c.place)
        )
        below = "".join(body(child) for child in children.get(joint, []))
        inertia = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
        place = " ".join(f"{x:.9g}" for x in rest[:, 3])
        turned = " ".join(f"{x:.9g}" for x in quat)
        return f'<body name="{name}" pos="{place}" quat="{turned}">{inertia}{hinges}{below}</body>'

    roots = "".join(body(joint) for joint in children[-1])
    return f'<mujoco><compiler angle="degree"/><worldbody>{roots}</worldbody></mujoco>'
