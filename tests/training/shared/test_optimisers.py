"""The optimizers against NumPy, and on a problem that is badly scaled along hidden directions."""

from __future__ import annotations

import numpy as np
import pytest

from rigcast.training._budget import torch_settings
from rigcast.training._optimizers import DECAY, EPSILON, REFRESH, Adam, Soap, _eigenvectors


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="PyTorch is not installed")


def fit(torch, make, rate, steps):
    """Loss of a linear map learned from inputs that are stretched along rotated axes."""
    rng = np.random.default_rng(0)
    mix = np.linalg.qr(rng.standard_normal((12, 12)))[0] * np.logspace(0, -2, 12)
    inputs = torch.from_numpy((rng.standard_normal((200, 12)) @ mix.T).astype(np.float32))[None]
    truth = torch.from_numpy(rng.standard_normal((1, 12, 5)).astype(np.float32))
    weight = torch.zeros(1, 12, 5, requires_grad=True)
    optimizer = make(torch, {"weight": weight})
    for step in range(steps):
        loss = (inputs @ weight - inputs @ truth).square().mean()
        weight.grad = None
        loss.backward()
        optimizer.step(rate * (1.0 - step / steps))
    return float(loss.detach())


def test_soap_sees_through_a_rotation(torch):
    assert fit(torch, Soap, 0.03, 400) < 0.2 * fit(torch, Adam, 0.03, 400)


def test_eigenvectors_of_a_tiny_matrix_of_low_rank_are_found(torch):
    """As of a gradient of few poses with respect to many weights; LAPACK fails on some of these in float32."""
    rng = np.random.default_rng(0)
    for scale in (1e-20, 1e-12, 1e-6, 1.0):
        gradient = torch.from_numpy((scale * rng.standard_normal((1, 512, 3))).astype(np.float32))
        found = _eigenvectors(torch, gradient @ gradient.mT)
        assert torch.isfinite(found).all()


@pytest.mark.parametrize("failure", ["error", "nan"])
def test_eigenvectors_that_float32_does_not_find_come_from_float64(torch, monkeypatch, failure, tolerance):
    matrix = torch.diag(torch.tensor([1e-12, 3e-12, 2e-12]))[None]
    exact = torch.linalg.eigh

    def fails(moments):
        if moments.dtype == torch.float64:
            return exact(moments)
        if failure == "error":
            raise torch.linalg.LinAlgError("failed to converge")
        return torch.zeros(1, 3), torch.full_like(moments, torch.nan)

    monkeypatch.setattr(torch.linalg, "eigh", fails)
    found = _eigenvectors(torch, matrix)[0]
    np.testing.assert_allclose(np.abs(found.numpy()), np.eye(3)[:, [0, 2, 1]], atol=tolerance["float32"])


def test_first_steps_of_soap_match_numpy(torch):
    """The first gradient makes the bases; the next ones are Adam in them."""
    rng = np.random.default_rng(1)
    gradients = rng.standard_normal((4, 2, 5, 5)).astype(np.float32)
    weight = torch.zeros(2, 5, 5, requires_grad=True)
    soap = Soap(torch, {"w": weight})
    for gradient in gradients:
        weight.grad = torch.from_numpy(gradient)
        soap.step(0.1)
    for s in range(2):
        first = gradients[0, s].astype(np.float64)
        left, right = np.linalg.eigh(first @ first.T)[1], np.linalg.eigh(first.T @ first)[1]
        mean, square, expected = np.zeros((5, 5)), np.zeros((5, 5)), np.zeros((5, 5))
        for t, gradient in enumerate(gradients[1:, s].astype(np.float64), 1):
            mean = DECAY * mean + (1 - DECAY) * gradient
            square = DECAY * square + (1 - DECAY) * (left.T @ gradient @ right) ** 2
            scale = 1 - DECAY**t
            step = (left.T @ mean @ right / scale) / (np.sqrt(square / scale) + EPSILON)
            expected -= 0.1 * left @ step @ right.T
        # A float32 eigendecomposition in between.
        np.testing.assert_allclose(weight.detach().numpy()[s], expected, atol=2e-4)


def test_biases_are_left_to_adam(torch, tolerance):
    rng = np.random.default_rng(4)
    gradients = rng.standard_normal((5, 2, 1, 6)).astype(np.float32)
    weight = torch.zeros(2, 1, 6, requires_grad=True)
    soap = Soap(torch, {"b": weight})
    for gradient in gradients:
        weight.grad = torch.from_numpy(gradient)
        soap.step(0.1)
    mean, square, expected = 0.0, 0.0, 0.0
    for t, gradient in enumerate(gradients[1:].astype(np.float64), 1):
        mean, square = DECAY * mean + (1 - DECAY) * gradient, DECAY * square + (1 - DECAY) * gradient**2
        scale = 1 - DECAY**t
        expected -= 0.1 * (mean / scale) / (np.sqrt(square / scale) + EPSILON)
    np.testing.assert_allclose(weight.detach().numpy(), expected, atol=tolerance["float32_scaled"])


def test_bases_stay_orthonormal(torch, tolerance):
    rng = np.random.default_rng(2)
    weight = torch.zeros(3, 5, 7, requires_grad=True)
    soap = Soap(torch, {"w": weight})
    for _ in range(3 * REFRESH):
        weight.grad = torch.from_numpy(rng.standard_normal((3, 5, 7)).astype(np.float32))
        soap.step(0.01)
    for name, size in (("left", 5), ("right", 7)):
        basis = soap.arrays()[f"w.{name}"]
        np.testing.assert_allclose(
            basis.transpose(0, 2, 1) @ basis, np.tile(np.eye(size), (3, 1, 1)), atol=tolerance["float32_scaled"]
        )


@pytest.mark.parametrize("make", [Adam, Soap])
def test_state_restores_to_the_same_bits(torch, make):
    rng = np.random.default_rng(3)
    gradients = rng.standard_normal((2 * REFRESH, 2, 4, 6)).astype(np.float32)

    def run(weight, optimizer, part):
        for gradient in part:
            weight.grad = torch.from_numpy(gradient.copy())
            optimizer.step(0.01)

    whole = torch.ones(2, 4, 6, requires_grad=True)
    run(whole, make(torch, {"w": whole}), gradients)
    first = torch.ones(2, 4, 6, requires_grad=True)
    half = make(torch, {"w": first})
    run(first, half, gradients[:17])
    second = first.detach().clone().requires_grad_()
    other = make(torch, {"w": second})
    other.restore(half.arrays())
    run(second, other, gradients[17:])
    assert second.detach().numpy().tobytes() == whole.detach().numpy().tobytes()


@pytest.mark.parametrize("mode", [0, 1, 2])
def test_steps_are_deterministic_and_the_host_s_strictness_stays_as_it_was(torch, mode):
    before = torch.get_deterministic_debug_mode()
    torch.set_deterministic_debug_mode(mode)
    try:
        with torch_settings(torch, 0, "cpu"):
            assert torch.get_deterministic_debug_mode() == 2  # an error where there is no deterministic algorithm
        assert torch.get_deterministic_debug_mode() == mode
    finally:
        torch.set_deterministic_debug_mode(before)
