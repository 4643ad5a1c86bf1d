"""The bridge to PyTorch: values, gradients against finite differences, and a loss that training lowers."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import rigcast as rc
from tests.support.characters.cylinder import CylinderRig
from tests.support.characters.faces import small_face
from tests.support.made.cylinder_models import cylinder_body, cylinder_skinning

torch = pytest.importorskip("torch", reason="the training extra is not installed")

# Vertices are multilinear in each entry of a pose inside a tent's pieces, so central differences have no truncation
# error whatever the step; what is left is rounding: two float32 vertices, each off by up to 2^-23 of its size through
# a dozen additions, over two steps. A step of 2^-6 keeps steps and poses (multiples of 2^-9) exact in float32.
STEP = 2.0**-6


def tolerance_of(vertices: np.ndarray) -> float:
    return 12 * 2.0**-23 * float(np.abs(vertices).max()) / STEP


def inside(random: np.random.Generator, *shape: int) -> np.ndarray:
    """Weights farther than a step from the knots of the small face's tents (0, 1/4, 1/2 and 1), and from 1."""
    pieces = random.choice([[0.05, 0.2], [0.3, 0.45], [0.55, 0.9]], shape)
    return np.round((pieces[..., 0] + random.uniform(size=shape) * np.ptp(pieces, axis=-1)) * 512) / 512


def models():
    rig = CylinderRig(rings=6, sides=5)
    poses = rig.sample(np.round(0.25 * rig.channel_ranges[:, 1])[None])[0]
    return {
        "blendshapes": (small_face(), inside(np.random.default_rng(0), 2, 6)),
        "linear_blend": (cylinder_skinning(rig, 2), np.round(poses * 512) / 512),
        "body": (cylinder_body(rig), np.round(poses * 512) / 512),
    }


@pytest.mark.parametrize("kind", ["blendshapes", "linear_blend", "body"])
def test_gradients_pass_gradcheck(kind, tolerance):
    model, poses = models()[kind]
    inputs = torch.tensor(poses, dtype=torch.float64, requires_grad=True)
    atol = tolerance_of(model.evaluate(poses))
    assert torch.autograd.gradcheck(
        rc.torch.function(model),
        inputs,
        eps=STEP,
        atol=atol,
        rtol=tolerance["float32_scaled"],
        nondet_tol=0.0,
        check_forward_ad=True,
    )


def test_gradcheck_finds_a_wrong_gradient(monkeypatch, tolerance):
    """The tolerance is no blanket: a gradient that is a hundredth too large fails."""
    model, poses = models()["blendshapes"]

    class Wrong:
        rest_vertices, control_names, evaluate = model.rest_vertices, model.control_names, model.evaluate

        def vjp(self, *arguments, **options):
            return np.float32(1.01) * model.vjp(*arguments, **options)

    monkeypatch.setattr("rigcast.torch._function.Deformer", Wrong)
    inputs = torch.tensor(poses, dtype=torch.float64, requires_grad=True)
    assert not torch.autograd.gradcheck(
        rc.torch.function(Wrong()),
        inputs,
        eps=STEP,
        atol=tolerance_of(model.evaluate(poses)),
        rtol=tolerance["float32_scaled"],
        raise_exception=False,
    )


@pytest.mark.parametrize("leading", [(), (3,), (2, 3), (0,)])
def test_vertices_are_those_of_evaluate_for_any_leading_shape(leading):
    model = small_face()
    weights = np.random.default_rng(1).uniform(size=(*leading, 6)).astype(np.float32)
    vertices = rc.torch.function(model)(torch.from_numpy(weights))
    assert vertices.shape == (*leading, 30, 3)
    assert vertices.dtype == torch.float32
    np.testing.assert_array_equal(vertices.numpy().reshape(-1, 30, 3), model.evaluate(weights.reshape(-1, 6)))


def test_a_float64_tensor_comes_back_as_one():
    weights = torch.full((2, 6), 0.3, dtype=torch.float64, requires_grad=True)
    vertices = rc.torch.function(small_face())(weights)
    vertices.sum().backward()
    assert vertices.dtype == weights.grad.dtype == torch.float64


def test_a_transposed_tensor_and_an_expanded_gradient_are_read_right():
    model = small_face()
    weights = torch.rand((6, 4), generator=torch.Generator().manual_seed(0)).T.requires_grad_()
    rc.torch.function(model)(weights).sum().backward()  # the cotangents are one number, expanded
    expected = model.vjp(weights.detach().numpy(), np.ones((4, 30, 3), np.float32))
    np.testing.assert_array_equal(weights.grad.numpy(), expected)


def test_a_network_learns_through_the_rig():
    """A linear layer finds the codes' weights from vertices alone."""
    rig = small_face(combinations=False)
    random = torch.Generator().manual_seed(0)
    codes = torch.rand((16, 3), generator=random)
    truth = torch.rand((3, 6), generator=random) / 3
    vertices_of = rc.torch.function(rig)
    target = vertices_of(codes @ truth)
    layer = torch.nn.Linear(3, 6, bias=False)
    torch.nn.init.zeros_(layer.weight)
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.05)
    losses = []
    for _ in range(150):
        optimizer.zero_grad()
        loss = (vertices_of(layer(codes)) - target).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 1e-4 * losses[0]
    assert (layer.weight.T - truth).abs().max() < 0.02


@pytest.mark.parametrize(
    ("poses", "message"),
    [
        (np.zeros((2, 6), np.float32), "poses is a ndarray"),
        (torch.zeros(2, 5), r"poses is of shape \(2, 5\)"),
        (torch.zeros(2, 6, dtype=torch.float16), "poses is torch.float16 on cpu"),
        (torch.zeros(2, 6, dtype=torch.int64), "poses is torch.int64 on cpu"),
        (torch.full((1, 6), float("nan")), "not finite"),
    ],
)
def test_wrong_poses_are_named(poses, message):
    with pytest.raises(ValueError, match=message):
        rc.torch.function(small_face())(poses)


def test_what_is_no_model_is_named():
    with pytest.raises(ValueError, match="function: model is a CylinderRig; it must be a model or a blendshape rig"):
        rc.torch.function(CylinderRig())


def test_a_missing_torch_is_named_with_the_command_that_installs_it():
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "import rigcast as rc\n"
        "try:\n    rc.torch.function(rc.faces.example())\n"
        "except ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install "rigcast[training]"' in done.stdout
