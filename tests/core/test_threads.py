"""A negative number of threads is refused at once, in the name of the function that the user called."""

from __future__ import annotations

import importlib
import inspect
import pkgutil

import numpy as np
import pytest

import rigwright as rw
from tests.support.plain_face import plain_face

RIG = plain_face()
REST, FACES = RIG.rest_vertices, RIG.faces
SHAPES = rw.transfer.expressions(RIG)[: RIG.num_shapes]
WEIGHTS = np.zeros((2, RIG.num_shapes))
ONE = np.eye(1, RIG.num_shapes)
CROWD = rw.crowd.Crowd(RIG, WEIGHTS)
TRANSFER = rw.transfer.DeformationTransfer(REST, REST, FACES)


def training(threads):
    pytest.importorskip("torch")

    class Data:
        skeleton = poses = vertices = probe = hash = take = None

    rw.training.body(Data(), threads=threads)


def torch_function(threads):
    pytest.importorskip("torch")
    rw.torch.function(RIG, threads=threads)


def linear_blend(threads):
    class Data:
        skeleton = "some"

    rw.baselines.linear_blend(Data(), threads=threads)


CALLS = {
    "BlendshapeRig.evaluate": lambda n: RIG.evaluate(WEIGHTS, threads=n),
    "Deformer.evaluate": lambda n: rw.Deformer.evaluate(RIG, WEIGHTS, threads=n),
    "Deformer.vjp": lambda n: RIG.vjp(WEIGHTS, np.zeros((2, *REST.shape)), threads=n),
    "Deformer.jvp": lambda n: RIG.jvp(WEIGHTS, np.zeros_like(WEIGHTS), threads=n),
    "Deformer.jacobian": lambda n: RIG.jacobian(WEIGHTS, threads=n),
    "Crowd.evaluate": lambda n: CROWD.evaluate(0, [0, 1], threads=n),
    "Crowd.instances": lambda n: CROWD.instances(0, [0, 1], threads=n),
    "linear_blend": linear_blend,
    "Solver.solve": lambda n: rw.inverse.Solver(RIG).solve(REST, threads=n),
    "trade_off": lambda n: rw.inverse.trade_off(RIG, REST[None], alphas=[0.1], threads=n),
    "solve": lambda n: rw.inverse.solve(RIG, REST, threads=n),
    "enveloping_error": lambda n: rw.metrics.enveloping_error(
        SHAPES, SHAPES, np.eye(3, 4)[None].repeat(len(SHAPES), 0).reshape(-1, 12), SKELETON, REST, threads=n
    ),
    "hausdorff": lambda n: rw.metrics.hausdorff(REST, REST, threads=n),
    "normal_angle": lambda n: rw.metrics.normal_angle(REST, REST, FACES, threads=n),
    "seam_error": lambda n: rw.metrics.seam_error(REST, REST, FACES, np.arange(len(REST)) % 2, threads=n),
    "vertex_error": lambda n: rw.metrics.vertex_error(REST, REST, threads=n),
    "weight_error": lambda n: rw.metrics.weight_error(ONE, REST[None], REST[None], threads=n),
    "body": training,
    "function": torch_function,
    "DeformationTransfer.transfer": lambda n: TRANSFER.transfer(SHAPES, threads=n),
    "DeformationTransfer.transfer_keep_rest": lambda n: TRANSFER.transfer_keep_rest(SHAPES, threads=n),
    "DeformationTransfer.transfer_with_examples": lambda n: TRANSFER.transfer_with_examples(
        SHAPES, SHAPES[:1], ONE, 0.1, threads=n
    ),
    "DeformationTransfer.resolution": lambda n: TRANSFER.resolution(SHAPES, ONE, 0.1, threads=n),
    "correspond": lambda n: rw.transfer.correspond(REST, FACES, REST, FACES, iterations=1, threads=n),
    "deformation_transfer": lambda n: rw.transfer.deformation_transfer(REST, SHAPES, REST, FACES, threads=n),
    "example_based": lambda n: rw.transfer.example_based(REST, SHAPES, REST, FACES, SHAPES[:1], ONE, threads=n),
    "find_contacts": lambda n: rw.transfer.find_contacts(REST, SHAPES, FACES, threads=n),
    "personalize": lambda n: rw.transfer.personalize(TRANSFER, SHAPES, REST, SHAPES[:1], ONE, threads=n),
    "transfer_in_parts": lambda n: rw.transfer.transfer_in_parts(REST, SHAPES, REST, FACES, "nowhere", threads=n),
    "transfer_rig": lambda n: rw.transfer.transfer_rig(RIG, REST, threads=n),
}
SKELETON = rw.Skeleton(["root"], [-1], np.eye(3, 4)[None])
NAMES = {
    "DeformationTransfer.transfer_with_examples": "example_based",
    "DeformationTransfer.resolution": "example_based",
}


def takes_threads(function) -> bool:
    try:
        return "threads" in inspect.signature(function).parameters
    except (ValueError, TypeError):  # of the extension: the signatures in the text, one of each overload
        lines = (function.__doc__ or "").split("\n")
        return any("threads:" in line for line in lines if " -> " in line)


def test_no_public_function_is_left_out():
    modules = ["rigwright", *(f"rigwright.{m.name}" for m in pkgutil.iter_modules(rw.__path__) if m.name[0] != "_")]
    found = set()
    for module in map(importlib.import_module, modules):
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if not inspect.isclass(value):
                found |= {name} if takes_threads(value) else set()
                continue
            own = {key: member for key, member in vars(value).items() if callable(member) and key[0] != "_"}
            found |= {f"{name}.{key}" for key, member in own.items() if takes_threads(member)}
    assert found == set(CALLS)


@pytest.mark.parametrize("name", CALLS)
def test_a_negative_number_is_named(name):
    function = NAMES.get(name, name)
    if name not in NAMES and not name.startswith("DeformationTransfer"):
        function = name.rsplit(".")[-1]
    with pytest.raises(ValueError, match=rf"^{function}: threads is -1; it must be (0 \(all|a whole number from 0)"):
        CALLS[name](-1)
