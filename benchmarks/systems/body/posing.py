"""Times restricted models and sessions of a learned body.

    python -m benchmarks.systems.body.posing model.safetensors

Everything is a ratio to the whole model's evaluation of one pose on one thread, in the same run. Beside each time stand
the bytes of weights and bases that had to be read.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable
from typing import Any

import numpy as np

import rigcast as rc
from benchmarks.marks import write_between_marks
from rigcast._timing import interleaved, load_average, machine

LANDMARKS = 60
# Names of joints, with the side in front (rShin) or behind (lowerleg01.R).
REGIONS = {"head": "^head$", "one hand": r"^[lr]?(wrist|hand)([._]?[lr])?$", "whole body": ""}
KNEE, LIMB = 5.0, 0.9  # goals: times as fast as the whole; as a part of 1 / (share of the bytes that are read)
LIMBS = {
    "knee": (r"^[lr]?(lowerleg01|calf|shin|knee)([._]?[lr])?$", False),
    "arm": (r"^[lr]?(clavicle|shoulder01|upperarm01|upperarm|collar|shldr)([._]?[lr])?$", True),
    "leg": (r"^[lr]?(upperleg01|thigh)([._]?[lr])?$", True),
    "root": ("^(root|body|hip)$", False),
}


class Body:
    """A learned body with what its tensors say of each vertex set."""

    def __init__(self, path: str) -> None:
        self.model = rc.load(path)
        self.skeleton = self.model.skeleton
        self.tensors = self.model.tensors()
        low, high = self.model.control_ranges.T
        share = np.random.default_rng(0).random((8, len(low)))
        self.poses = (low + share * (high - low)).astype(np.float32)

    def subtree(self, pattern: str, *, with_children: bool = True) -> list[int]:
        """The first joint whose name matches, with its descendants."""
        names = self.skeleton.names
        joints = [j for j, name in enumerate(names) if re.search(pattern, name, re.IGNORECASE)][:1]
        assert joints, f"no joint matches {pattern}: {', '.join(names)}"
        for j, parent in enumerate(self.skeleton.parents):
            if with_children and parent in joints:
                joints.append(j)
        return joints

    def turned(self, pose: np.ndarray, joints: list[int]) -> np.ndarray:
        """The pose with ten degrees more in each of the joints."""
        cosine, sine = np.cos(np.radians(10)), np.sin(np.radians(10))
        turn = np.array([[1, 0, 0], [0, cosine, -sine], [0, sine, cosine]])
        result = pose.copy()
        locals_ = result[: 12 * self.skeleton.num_joints].reshape(-1, 3, 4)
        locals_[joints, :, :3] = locals_[joints, :, :3] @ turn
        return result

    def set_bytes(self, index: int) -> int:
        """Weights, biases and basis of a set."""
        return sum(array.nbytes for name, array in self.tensors.items() if name.startswith(f"set.{index:03d}."))

    def changed_bytes(self, joints: list[int]) -> int:
        """Of the sets whose inputs hold a column of the joints."""
        offset, column = self.tensors["inputs.offset"], self.tensors["inputs.column"]
        changed = np.isin(column // 12, joints)
        sets = range(len(offset) - 1)
        return sum(self.set_bytes(i) for i in sets if changed[offset[i] : offset[i + 1]].any())

    def landmarks(self, pattern: str) -> np.ndarray:
        """Vertices spread evenly over a region, by the joints of their sets."""
        if not pattern:
            return np.linspace(0, len(self.model.rest_vertices) - 1, LANDMARKS).astype(int)
        joints, offset = self.subtree(pattern), self.tensors["sets.offset"]
        members = [
            self.tensors["sets.vertex"][offset[i] : offset[i + 1]][
                self.tensors["sets.weight"][offset[i] : offset[i + 1]] > 0.5
            ]
            for i, joint in enumerate(self.tensors["sets.joint"])
            if joint in joints
        ]
        region = np.concatenate(members)
        return region[np.linspace(0, len(region) - 1, LANDMARKS).astype(int)]


def total_bytes(model: rc.Deformer) -> int:
    return sum(array.nbytes for name, array in model.tensors().items() if name.startswith("set."))


def whole(body: Body) -> Callable[[], object]:
    out = np.empty_like(body.model.rest_vertices)
    return lambda: body.model.evaluate(body.poses[0], threads=1, out=out)


def restricted_rows(body: Body, runs: int) -> list[dict[str, Any]]:
    rows = []
    for name, pattern in REGIONS.items():
        chosen = body.landmarks(pattern)
        part = body.model.restricted(chosen)
        assert part.evaluate(body.poses).tobytes() == body.model.evaluate(body.poses)[:, chosen].tobytes()
        out = np.empty_like(part.rest_vertices)
        times = interleaved(
            {"whole": whole(body), "part": lambda: part.evaluate(body.poses[0], threads=1, out=out)},  # noqa: B023
            runs,
            in_a_row=5,
        )
        rows.append(row(f"{LANDMARKS} landmarks, {name}", times, total_bytes(part), total_bytes(body.model)))
    return rows


def session_rows(body: Body, runs: int) -> list[dict[str, Any]]:
    rows = []
    for name, (pattern, with_children) in LIMBS.items():
        joints = body.subtree(pattern, with_children=with_children)
        pair = np.stack([body.poses[0], body.turned(body.poses[0], joints)])
        session = body.model.session()
        out = np.empty_like(body.model.rest_vertices)
        turn = [0]

        def step() -> None:
            turn[0] ^= 1  # noqa: B023
            session.evaluate(pair[turn[0]], out=out)  # noqa: B023

        for _ in range(3):
            step()
            assert out.tobytes() == body.model.evaluate(pair[turn[0]]).tobytes()
        times = interleaved({"whole": whole(body), "part": step}, runs, in_a_row=5)
        rows.append(
            row(f"session, {name}: {len(joints)} joints", times, body.changed_bytes(joints), total_bytes(body.model))
        )
    return rows


def row(job: str, times: dict[str, float], read: int, whole_bytes: int) -> dict[str, Any]:
    return {"job": job, "seconds": times["part"], "whole": times["whole"], "bytes": read, "whole_bytes": whole_bytes}


def goal(entry: dict[str, Any]) -> str:
    """The goal of a session, and its verdict; landmarks and the root have no goal."""
    part = entry["job"].removeprefix("session, ").partition(":")[0]
    wanted = {"knee": KNEE}
    if entry["bytes"]:
        wanted |= dict.fromkeys(("arm", "leg"), LIMB * entry["whole_bytes"] / entry["bytes"])
    if part not in wanted:
        return ""
    return f"{wanted[part]:.1f} x: {'met' if entry['whole'] >= wanted[part] * entry['seconds'] else 'missed'}"


def table(rows: list[dict[str, Any]]) -> str:
    head = ["job", "time", "against the whole", "goal", "read", "share of the whole"]
    lines = [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head))]
    for entry in rows:
        lines.append(
            f"| {entry['job']} | {1e6 * entry['seconds']:.0f} us | {entry['whole'] / entry['seconds']:.1f} x | "
            f"{goal(entry)} | {entry['bytes'] / 1e6:.2f} MB | {entry['bytes'] / entry['whole_bytes']:.3f} |"
        )
    return "\n".join([*lines, "", machine()])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a model file of kind body")
    parser.add_argument("--runs", type=int, default=30, help="rounds of each figure")
    parser.add_argument("--write", action="store_true", help="put the table into docs/benchmarks")
    parser.add_argument("--json", action="store_true", help="everything, for machines")
    arguments = parser.parse_args()
    body = Body(arguments.model)
    rows = [*restricted_rows(body, arguments.runs), *session_rows(body, arguments.runs)]
    if arguments.json:
        print(json.dumps({"machine": machine(), "load": load_average(), "rows": rows}, indent=2))
        return
    if arguments.write:
        write_between_marks("posing figures", table(rows))
    print(f"{machine()}; load {load_average():.1f}")
    for entry in rows:
        share, time = entry["bytes"] / entry["whole_bytes"], entry["seconds"] / entry["whole"]
        print(
            f"{entry['job']}: {1e6 * entry['seconds']:.0f} us, {time:.3f} of the whole ({1 / time:.1f} x); "
            f"{entry['bytes'] / 1e6:.2f} of {entry['whole_bytes'] / 1e6:.2f} MB read, {share:.3f}"
        )


if __name__ == "__main__":
    main()
