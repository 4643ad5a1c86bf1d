"""A number of threads or workers means the same everywhere: 0 all processors, what is no such number is refused."""

from __future__ import annotations

import functools
import importlib
import inspect
import os
import pkgutil

import numpy as np
import pytest

import rigcast as rc
from rigcast._processors import available_processors
from tests.core.exported import EXPORT_CALLS
from tests.core.picture_networks import PICTURE_CALLS
from tests.study.makers import MAKERS
from tests.support.characters.cylinder import CylinderRig
from tests.support.characters.plain_face import plain_face
from tests.training.laid_face import LaidData

RIG = plain_face()
REST, FACES = RIG.rest_vertices, RIG.faces
SHAPES = rc.transfer.positions_from_rig(RIG)[: RIG.num_shapes]
WEIGHTS = np.zeros((2, RIG.num_shapes))
ONE = np.eye(1, RIG.num_shapes)
MOVING = 0.5 + 0.3 * np.sin(np.arange(10.0)[:, None] * np.arange(1, RIG.num_shapes + 1))
LEARNED_POINTS = [0, 1, 2]
CROWD = rc.crowd.Crowd(RIG, WEIGHTS)
TRANSFER = rc.transfer.DeformationTransfer(REST, REST, FACES)
ANCHORED = rc.differential.Reconstructor(FACES, len(REST), [0])
FOLDED = ANCHORED.folded(SHAPES, REST)


def playing():
    from tests.support.made.players import face_synth

    return face_synth()


def training(function, threads):
    pytest.importorskip("torch", reason="PyTorch is not installed")

    class Data:
        skeleton = poses = vertices = probe = hash = take = None

    function(Data(), threads=threads)


def training_until(threads):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    rc.training.body_until(CylinderRig(), 1.0, threads=threads)


def face_ik(threads):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    return rc.training.face_ik(RIG, LEARNED_POINTS, steps=1, threads=threads)


@functools.cache
def learned_ik():
    pytest.importorskip("torch", reason="PyTorch is not installed")
    settings = rc.training.FaceIkSettings(hidden=4, rows=32)
    return rc.training.face_ik(RIG, LEARNED_POINTS, steps=1, threads=1, settings=settings)


def torch_function(threads):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    rc.torch.function(RIG, threads=threads)


def linear_blend(threads):
    class Data:
        skeleton = "some"

    rc.baselines.linear_blend(Data(), threads=threads)


def dense_network(threads):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    rc.baselines.dense_network(SAMPLES, steps=1, threads=threads)


STILL = np.tile(np.eye(3, 4, dtype=np.float32).ravel(), (4, 1))
SAMPLES = rc.baselines.Samples(rc.Skeleton(["root"], [-1], np.eye(3, 4)[None]), REST, FACES, STILL, SHAPES[:4])
KEY_POINTS = rc.baselines.key_point_subspace(SHAPES, points=4, vectors=2)

STEP = [[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0]]
ARM = rc.Skeleton(["shoulder", "elbow", "wrist"], [-1, 0, 1], [np.eye(3, 4), STEP, STEP])
ARM_REST = ARM.rest.reshape(1, -1)
LIMB = rc.ik.Limb(ARM, ARM.names, hinge=[0, 0, 1])
ACTOR = rc.capture.example_cast().actor(1)
CAMERA = rc.render.Camera(8, 8, focal=10.0, translation=[0.0, 0.0, 50.0])


CALLS = PICTURE_CALLS | {
    **EXPORT_CALLS,
    **MAKERS,
    "render": lambda n: rc.render.render(REST, FACES, CAMERA, threads=n),
    "survey": lambda n: rc.render.survey(REST, FACES, CAMERA, threads=n),
    "visible": lambda n: rc.render.visible(REST, FACES, CAMERA, points=REST[:1], tolerance=1.0, threads=n),
    "ambient_occlusion": lambda n: rc.render.ambient_occlusion(REST, FACES, threads=n),
    "film": lambda n: rc.capture.film(ACTOR, rc.capture.ShotPlan(frames=2, size=16), threads=n),
    "BlendshapeRig.evaluate": lambda n: RIG.evaluate(WEIGHTS, threads=n),
    "Deformer.evaluate": lambda n: rc.Deformer.evaluate(RIG, WEIGHTS, threads=n),
    "Deformer.error_bound": lambda n: RIG.error_bound(WEIGHTS, threads=n),
    "Deformer.vjp": lambda n: RIG.vjp(WEIGHTS, np.zeros((2, *REST.shape)), threads=n),
    "Deformer.jvp": lambda n: RIG.jvp(WEIGHTS, np.zeros_like(WEIGHTS), threads=n),
    "Deformer.jacobian": lambda n: RIG.jacobian(WEIGHTS, threads=n),
    "Reconstructor.encode": lambda n: ANCHORED.encode(SHAPES, threads=n),
    "Reconstructor.solve": lambda n: ANCHORED.solve(SHAPES, SHAPES[:, :1], threads=n),
    "Reconstructor.gain": lambda n: ANCHORED.gain(threads=n),
    "Reconstructor.folded": lambda n: ANCHORED.folded(SHAPES, REST, threads=n),
    "FoldedReconstructor.solve": lambda n: FOLDED.solve(ONE, SHAPES[:1, :1], threads=n),
    "choose_anchors": lambda n: rc.differential.choose_anchors(FACES, len(REST), 4, threads=n),
    "differential": lambda n: training(rc.training.differential, n),
    "Crowd.evaluate": lambda n: CROWD.evaluate(0, [0, 1], threads=n),
    "Crowd.evaluate_weights": lambda n: CROWD.evaluate_weights(WEIGHTS, threads=n),
    "Crowd.instances": lambda n: CROWD.instances(0, [0, 1], threads=n),
    "linear_blend": linear_blend,
    "pca_regression": lambda n: rc.baselines.pca_regression(SAMPLES, threads=n),
    "ssdr": lambda n: rc.baselines.ssdr(SAMPLES, threads=n),
    "skinning_decomposition": lambda n: rc.baselines.skinning_decomposition(REST, SHAPES, threads=n),
    "kpsa": lambda n: rc.baselines.kpsa(SAMPLES, threads=n),
    "key_point_subspace": lambda n: rc.baselines.key_point_subspace(SHAPES, threads=n),
    "KeyPointSubspace.coefficients": lambda n: KEY_POINTS.coefficients(SHAPES[:, KEY_POINTS.points], threads=n),
    "KeyPointSubspace.reconstruct": lambda n: KEY_POINTS.reconstruct(SHAPES[:, KEY_POINTS.points], threads=n),
    "dense_network": dense_network,
    "rotational_regression": lambda n: rc.baselines.rotational_regression(SAMPLES, threads=n),
    "direct_delta_mush": lambda n: rc.baselines.direct_delta_mush(SAMPLES, threads=n),
    "pose_space_deformation": lambda n: rc.baselines.pose_space_deformation(SAMPLES, threads=n),
    "difficulty": lambda n: rc.metrics.difficulty((STILL, SHAPES[:4]), (STILL, SHAPES[:4]), threads=n),
    "two_bone": lambda n: rc.ik.two_bone([0, 0, 0], [1, 0, 0], 1, 1, [0, 0, 1], threads=n),
    "Limb.solve": lambda n: LIMB.solve(ARM_REST, [1, 1, 0], threads=n),
    "Limb.match_ik": lambda n: LIMB.match_ik(ARM_REST, threads=n),
    "Limb.match_fk": lambda n: LIMB.match_fk(ARM_REST, LIMB.match_ik(ARM_REST), threads=n),
    "solve_motion": lambda n: rc.ik.solve_motion(ARM, ARM.rest_globals[None, :, :, 3], ARM.names, fps=24, threads=n),
    "Playback.__init__": lambda n: rc.exports.Playback(RIG, WEIGHTS, threads=n),
    "Solver.solve": lambda n: rc.inverse.Solver(RIG).solve(REST, threads=n),
    "trade_off": lambda n: rc.inverse.trade_off(RIG, REST[None], alphas=[0.1], threads=n),
    "solve": lambda n: rc.inverse.solve(RIG, REST, threads=n),
    "enveloping_error": lambda n: rc.metrics.enveloping_error(
        SHAPES, SHAPES, poses=STILL, skeleton=SKELETON, rest_vertices=REST, threads=n
    ),
    "hausdorff": lambda n: rc.metrics.hausdorff(REST, REST, threads=n),
    "shape_difference": lambda n: rc.perception.shape_difference(REST, REST, FACES, threads=n),
    "seen_difference": lambda n: rc.perception.seen_difference(
        REST[None], REST[None], FACES, budget=rc.perception.VisualBudget(1.0), threads=n
    ),
    "normal_angle": lambda n: rc.metrics.normal_angle(REST, REST, FACES, threads=n),
    "seam_error": lambda n: rc.metrics.seam_error(REST, REST, FACES, labels=np.arange(len(REST)) % 2, threads=n),
    "vertex_error": lambda n: rc.metrics.vertex_error(REST, REST, threads=n),
    "weight_error": lambda n: rc.metrics.weight_error(ONE, REST[None], REST[None], threads=n),
    "body": lambda n: training(rc.training.body, n),
    "body_until": training_until,
    "face_ik": face_ik,
    "fit": lambda n: rc.synthesis.fit({"x": [MOVING]}, rig=RIG, iterations=2, threads=n),
    "FaceIk.solve": lambda n: learned_ik().solve(REST[LEARNED_POINTS], threads=n),
    "face_layout": lambda n: rc.training.face_layout(LaidData(), refine=False, fields=0, threads=n),
    "face_maps": lambda n: training(rc.training.face_maps, n),
    "map_floor": lambda n: rc.metrics.map_floor([[0.5, 0.5]], np.zeros((1, 1, 3)), 4, threads=n),
    "function": torch_function,
    "DeformationTransfer.transfer": lambda n: TRANSFER.transfer(SHAPES, threads=n),
    "DeformationTransfer.transfer_keep_rest": lambda n: TRANSFER.transfer_keep_rest(SHAPES, threads=n),
    "DeformationTransfer.transfer_with_examples": lambda n: TRANSFER.transfer_with_examples(
        SHAPES, SHAPES[:1], ONE, 0.1, threads=n
    ),
    "DeformationTransfer.resolution": lambda n: TRANSFER.resolution(SHAPES, ONE, 0.1, threads=n),
    "correspond": lambda n: rc.transfer.correspond(REST, FACES, REST, FACES, iterations=1, threads=n),
    "deformation_transfer": lambda n: rc.transfer.deformation_transfer(REST, SHAPES, REST, FACES, threads=n),
    "example_based": lambda n: rc.transfer.example_based(REST, SHAPES, REST, FACES, SHAPES[:1], ONE, threads=n),
    "find_contacts": lambda n: rc.transfer.find_contacts(REST, SHAPES, FACES, threads=n),
    "fit_example_weights": lambda n: rc.transfer.fit_example_weights(
        TRANSFER, SHAPES, REST, examples=SHAPES[:1], example_weights=ONE, threads=n
    ),
    "transfer_in_parts": lambda n: rc.transfer.transfer_in_parts(
        REST, SHAPES, REST, FACES, folder="nowhere", threads=n
    ),
    "transfer_rig": lambda n: rc.transfer.transfer_rig(RIG, REST, threads=n),
    "sample": lambda n: rc.sampling.sample(RIG, "nowhere", workers=n),
    "LocalProcesses.__init__": rc.sampling.LocalProcesses,
    "PlaySettings.__init__": lambda n: rc.synthesis.PlaySettings(threads=n),
}
SKELETON = rc.Skeleton(["root"], [-1], np.eye(3, 4)[None])
STILL = np.eye(3, 4)[None].repeat(len(SHAPES), 0).reshape(-1, 12)
NAMES = {
    "DeformationTransfer.transfer_with_examples": "example_based",
    "DeformationTransfer.resolution": "example_based",
    **{name: name for name in ("Limb.solve", "Limb.match_ik", "Limb.match_fk", "StyleTransfer.transfer")},
}


CLASSES = {
    "LocalProcesses.__init__": rc.sampling.LocalProcesses,
    "Playback.__init__": rc.exports.Playback,
    "PlaySettings.__init__": rc.synthesis.PlaySettings,
}
NUMBERS = ("threads", "workers")
SENTENCE = {
    "threads": "Number of threads; 0 means all processors that this process may use.",
    "workers": "Number of processes; 0 means all processors that this process may use.",
}


def argument_of(function) -> str | None:
    """Its number of threads or workers; None for a function that has neither, or of the extension."""
    try:
        return next((name for name in NUMBERS if name in inspect.signature(function).parameters), None)
    except (ValueError, TypeError):
        return None


def takes_threads(function) -> bool:
    try:
        return any(name in inspect.signature(function).parameters for name in NUMBERS)
    except (ValueError, TypeError):  # of the extension: the signatures in the text, one of each overload
        lines = (function.__doc__ or "").split("\n")
        return any("threads:" in line for line in lines if " -> " in line)


def public_functions() -> dict[str, object]:
    modules = ["rigcast", *(f"rigcast.{m.name}" for m in pkgutil.iter_modules(rc.__path__) if m.name[0] != "_")]
    found = {}
    for module in map(importlib.import_module, modules):
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if not inspect.isclass(value):
                found[name] = value
                continue
            own = {key: member for key, member in vars(value).items() if callable(member)}
            found |= {f"{name}.{key}": member for key, member in own.items() if key == "__init__" or key[0] != "_"}
    return {name: function for name, function in found.items() if takes_threads(function)}


FUNCTIONS = public_functions()
IN_PYTHON = [name for name, function in FUNCTIONS.items() if argument_of(function)]


def test_no_public_function_is_left_out():
    assert set(FUNCTIONS) == set(CALLS)


def called(name: str) -> str:
    """The function that an error names."""
    if name in NAMES or name.startswith(("DeformationTransfer", "Reconstructor", "FoldedReconstructor")):
        return NAMES.get(name, name)
    return name.removesuffix(".__init__").rsplit(".")[-1]


@pytest.mark.parametrize("name", CALLS)
def test_a_negative_number_is_named(name):
    argument = argument_of(FUNCTIONS[name]) or "threads"
    text = rf"^{called(name)}: {argument} is -1; it must be 0 \(all processors\) or more"
    with pytest.raises(ValueError, match=text):
        CALLS[name](-1)


@pytest.mark.parametrize("wrong", [None, 1.5, 2.0, True, "2", 2**31, 10**20], ids=str)
@pytest.mark.parametrize("name", IN_PYTHON)
def test_what_is_no_number_of_threads_is_named_with_its_bound(name, wrong):
    argument, bound = argument_of(FUNCTIONS[name]), r"0 \(all processors\) or more, up to 2147483647"
    with pytest.raises(ValueError, match=rf"^{called(name)}: {argument} is {wrong!r}; it must be {bound}$"):
        CALLS[name](wrong)


@pytest.mark.parametrize("name", IN_PYTHON)
def test_its_docstring_says_what_0_means(name):
    function = FUNCTIONS[name]
    text = " ".join((inspect.getdoc(function) or "").split())
    if name in CLASSES:
        text = " ".join((inspect.getdoc(CLASSES[name]) or "").split())
    refers = {"Solver.solve": "see :func:`solve`", "Crowd.instances": "parameters are those of :meth:`evaluate`"}
    assert refers.get(name, SENTENCE[argument_of(function)]) in text


def test_0_workers_are_the_processors_that_this_process_may_use():
    assert rc.sampling.LocalProcesses(0).workers == available_processors()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="the system has no affinity")
def test_processors_outside_the_affinity_do_not_count():
    usable = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(usable)})
        assert available_processors() == 1
    finally:
        os.sched_setaffinity(0, usable)


def test_training_leaves_the_host_s_threads_as_they_were():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    from rigcast.training._budget import torch_settings

    before = torch.get_num_threads()
    with torch_settings(torch, 0, "cpu"):
        assert torch.get_num_threads() == available_processors()
    assert torch.get_num_threads() == before
