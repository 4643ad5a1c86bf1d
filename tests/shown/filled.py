"""Objects of all public result classes: records filled with large arrays by the types of their fields, others made."""

from __future__ import annotations

import dataclasses
import inspect
import sys
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np

import rigcast as rc
from tests.structure.test_package import PUBLIC
from tests.structure.test_signatures import resolved
from tests.support.made.kinds import MAKERS
from tests.support.made.synthesis import face, wave

# Arrays whose number of axes a line reads.
STANDING = {"contacts": (300, 2), "slide_before": (2,), "slide_after": (2,)}
SHAPED = {"Baked": {"channels": (300, 4)}, "FootLock": STANDING, "MotionSolution": STANDING}
HUNDREDS = np.linspace(-1.0, 1.0, 300 * 4 * 3).reshape(300, 4, 3)
WORDS = "word " * 40
STEP = [[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0]]


def public_classes() -> dict[str, type]:
    """All classes of ``rc.<package>.__all__``, by the names that users write."""
    found: dict[str, type] = {}
    for package in ("rigcast", *sorted(PUBLIC)):
        home = rc if package == "rigcast" else getattr(rc, package)
        for name in home.__all__:
            value = getattr(home, name)
            if inspect.isclass(value) and not issubclass(value, BaseException) and not _is_protocol(value):
                found.setdefault(f"{package}.{name}", value)
    return found


def _is_protocol(value: type) -> bool:
    return getattr(value, "_is_protocol", False) or typing.is_typeddict(value)


def records() -> Iterator[tuple[str, type]]:
    for name, value in public_classes().items():
        if dataclasses.is_dataclass(value) and name not in (*MADE, *ELSEWHERE):
            yield name, value


def filled(cls: type) -> object:
    """A record whose arrays have 3,600 numbers, whose texts have 200 letters; no constructor is called."""
    record = object.__new__(cls)
    for field in dataclasses.fields(cls):
        owner = next(base for base in cls.__mro__ if field.name in vars(base).get("__annotations__", {}))
        annotation = resolved(field.type, sys.modules[owner.__module__])
        object.__setattr__(record, field.name, value_of(annotation))
    for name, shape in SHAPED.get(cls.__name__, {}).items():
        object.__setattr__(record, name, np.zeros(shape))
    return record


def value_of(annotation: object) -> object:
    """A large value of a type."""
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return value_of(next(part for part in parts if part is not type(None)))
    if annotation is np.ndarray or origin is np.ndarray:
        kinds = str(parts)
        if "bool" in kinds:
            return HUNDREDS[:, 0, 0] > 0
        return np.asarray(HUNDREDS * 100, np.int64) if "int" in kinds else HUNDREDS.astype(np.float32)
    if origin in (list, tuple, set, frozenset) or annotation in (list, tuple):
        inner = [part for part in parts if part is not Ellipsis] or [float]
        many = (
            [value_of(inner[0]) for _ in range(30)]
            if origin is not tuple or Ellipsis in parts
            else map(value_of, inner)
        )
        return list(many) if (origin or annotation) is list else tuple(many)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {WORDS: value_of(parts[1]) if len(parts) > 1 else HUNDREDS}
    plain: dict[object, object] = {float: 0.123456789012, int: 12_345_678, bool: True, str: WORDS, Path: Path(WORDS)}
    if annotation in plain:
        return plain[annotation]
    if inspect.isclass(annotation) and dataclasses.is_dataclass(annotation):
        return filled(annotation)
    return HUNDREDS if annotation in (object, typing.Any) or "ArrayLike" in str(annotation) else None


def _synth() -> rc.synthesis.Synthesizer:
    clips = {"calm": [wave(40, [0.1, 0.2, 0.05, 0.0, 0.0, 0.0])]}
    return rc.synthesis.fit(clips, rig=face(), dimensions=2, components=3, iterations=3, held_out=False, threads=1)


def _limb() -> rc.ik.Limb:
    skeleton = rc.Skeleton(["shoulder", "elbow", "wrist"], [-1, 0, 1], [np.eye(3, 4), STEP, STEP])
    return rc.ik.Limb(skeleton, ("shoulder", "elbow", "wrist"), hinge=[0, 0, 1])


def _squares() -> rc.differential.Reconstructor:
    return rc.differential.Reconstructor([[0, 1, 2], [0, 2, 3]], 4, [1])


def _transfer() -> rc.transfer.DeformationTransfer:
    rig = face()
    return rc.transfer.DeformationTransfer(rig.rest_vertices, 1.1 * rig.rest_vertices, rig.faces)


def _crowd() -> rc.crowd.Crowd:
    return rc.crowd.Crowd(face(), [wave(5, [0.1] * 6), wave(7, [0.2] * 6)])


# Classes that are no records: how one is made, and what two equal ones have in common (as bytes or plain values).
MADE: dict[str, tuple[Callable[[], object], Callable[[object], object]]] = {
    "rigcast.BlendshapeRig": (MAKERS["blendshape"], lambda m: m.columns().tobytes()),
    "rigcast.DeltaMush": (MAKERS["delta_mush"], lambda m: m.rest_vertices.tobytes()),
    "rigcast.DualQuaternionSkinning": (MAKERS["dual_quaternion"], lambda m: m.rest_vertices.tobytes()),
    "rigcast.LinearBlendSkinning": (MAKERS["linear_blend"], lambda m: m.rest_vertices.tobytes()),
    "rigcast.Deformer": (MAKERS["body"], lambda m: m.rest_vertices.tobytes()),
    "rigcast.Skeleton": (lambda: MAKERS["body"]().skeleton, lambda s: s.rest.tobytes()),
    "baselines.MotionGraph": (lambda: rc.baselines.motion_graph(_synth()), lambda g: g.kept.tobytes()),
    "baselines.MotionMatching": (lambda: rc.baselines.motion_matching(_synth()), lambda g: g.queries.tobytes()),
    "capture.CaptureNetwork": (rc.capture.load_network, lambda n: n.error.tobytes()),
    "crowd.Crowd": (_crowd, lambda c: c.evaluate([0, 1], [3, 4]).tobytes()),
    "crowd.LevelOfDetail": (lambda: rc.crowd.LevelOfDetail(face()), lambda d: d.errors.tobytes()),
    "differential.Reconstructor": (_squares, lambda r: r.encode(np.ones((1, 4, 3))).tobytes()),
    "exports.Playback": (lambda: rc.exports.Playback(face(), np.ones((3, 6))), lambda p: p[:].tobytes()),
    "ik.Limb": (
        _limb,
        lambda limb: (
            limb.joints,
            limb.solve(np.stack([np.eye(3, 4), STEP, STEP]).reshape(1, -1), [[1, 1, 0]]).poses.tobytes(),
        ),
    ),
    "ik.LimbFlag": (lambda: rc.ik.LimbFlag.TOO_FAR, int),
    "ik.Solver": (lambda: rc.ik.Solver(face(), [0, 3]), lambda s: (s.names, s.bounds.tobytes(), s.vertices.tobytes())),
    "inverse.Solver": (lambda: rc.inverse.Solver(face(), vertices=[1, 2, 5]), lambda s: s.gram.matrix.tobytes()),
    "plot.Image": (lambda: rc.plot.Image(np.zeros((2, 3, 3), np.uint8)), lambda i: i.pixels.tobytes()),
    "sampling.DataRow": (
        lambda: rc.sampling.DataRow(HUNDREDS[0, 0], HUNDREDS[0, 0], HUNDREDS[0]),
        lambda r: r[2].tobytes(),
    ),
    "sampling.InProcess": (rc.sampling.InProcess, type),
    "sampling.LocalProcesses": (lambda: rc.sampling.LocalProcesses(2), lambda e: (e.workers, e.start_method)),
    "sources.SkinnedRig": (rc.sources.example_body, lambda r: r.rest_vertices.tobytes()),
    "synthesis.Script": (lambda: rc.synthesis.Script([]), lambda s: s.commands),
    "synthesis.Space": (lambda: _synth().space("calm"), lambda s: s.controls(s.points).tobytes()),
    "synthesis.Synthesizer": (_synth, lambda s: s.space("calm").points.tobytes()),
    "transfer.DeformationTransfer": (_transfer, lambda t: t.target_neutral.tobytes()),
    "viewer.ViewPage": (lambda: rc.viewer.record(face(), poses=np.zeros((2, 6))), lambda p: p.page),
}
# Those with a state or a handle: how one is made.
HANDLES: dict[str, Callable[[], object]] = {
    "rigcast.Channel": lambda: MAKERS["blendshape"]().channels[0],
    "rigcast.Session": lambda: MAKERS["body"]().session(),
    "differential.FoldedReconstructor": lambda: _squares().folded(np.ones((12, 2)), np.zeros(12)),
    "synthesis.Player": lambda: _synth().player(seed=0),
    "synthesis.PlayerCrowd": lambda: _synth().crowd(2),
}
# Tested where they are made, since that needs files, programs or minutes.
ELSEWHERE = {
    "progress.Progress": "handed to a callback, and made before NumPy is loaded: tests/core",
    "rigcast.Dataset": "tests/sampling/store/test_pickling.py",
    "sampling.Dataset": "tests/sampling/store/test_pickling.py",
    "sampling.ShardWork": "what a worker is sent: tests/sampling",
    "sampling.DaskWorkers": "tests/farm",
    "capture.Pictures": "tests/capture/videos",
    "ik.FaceIk": "tests/rig/test_pickling.py",
    "ik.TargetFile": "tests/ik",
    "plot.Studio": "tests/plot/test_studio.py",
    "sources.BlenderRig": "tests/sources/test_pickling.py",
    "sources.GltfRig": "tests/sources",
    "sources.GltfSkeleton": "tests/sources",
    "study.StudyAnalysis": "its line reads a table of answers: tests/study",
    "study.StudyAnswers": "the same",
    "study.StudyServer": "tests/study",
    "training.MotionLoss": "tests/training",
    "training.StyleTransfer": "tests/training",
    "viewer.LiveView": "tests/view/test_server.py",
}
