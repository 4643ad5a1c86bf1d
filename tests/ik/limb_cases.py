"""Two-bone limbs for tests: random, adversarial, and the formula in slow, obvious NumPy."""

from __future__ import annotations

import numpy as np


def random_limbs(count: int, seed: int) -> tuple[np.ndarray, ...]:
    """Base, target, upper, lower and axis; about half of the targets are in reach."""
    rng = np.random.default_rng(seed)
    base, axis = rng.normal(size=(2, count, 3))
    upper, lower = rng.uniform(0.1, 2.0, (2, count))
    return base, base + 1.2 * rng.normal(size=(count, 3)), upper, lower, axis


def adversarial_limbs(count: int, seed: int) -> tuple[np.ndarray, ...]:
    """Limbs at the limits of the formula, each case an equal share of them."""
    rng = np.random.default_rng(seed)
    base, target, upper, lower, axis = random_limbs(count, seed)
    way = rng.normal(size=(count, 3))
    way /= np.linalg.norm(way, axis=1)[:, None]
    case = np.arange(count) % 10
    reach = upper + lower
    near = np.abs(upper - lower)
    base[case < 5] = 0.0
    for number, length in enumerate([reach - 1e-12, reach + 1e-12, near - 1e-12, near + 1e-12]):
        target[case == number] = (length[:, None] * way)[case == number]
    behind = case == 4  # d_l^2 = d_u^2 + L^2: the altitude's foot is the base
    lower[behind] = np.hypot(upper, 0.7 * reach)[behind]
    target[behind] = (0.7 * reach[:, None] * way)[behind]
    parallel = case == 5
    axis[parallel] = ((target - base) * rng.uniform(-3, 3, (count, 1)))[parallel]
    upper[case == 6] = 0.0
    target[case == 7] = base[case == 7]
    both = case == 8  # nearly parallel, but not quite
    axis[both] = ((target - base) + 1e-6 * way)[both]
    rest = np.flatnonzero(case == 9)
    axis[rest[0::3]] = 0.0
    upper[rest[1::3]] = lower[rest[1::3]] = 0.0
    target[rest[2::3]] = base[rest[2::3]]
    lower[rest[2::3]] = upper[rest[2::3]]
    return base, target, upper, lower, axis


def slow_two_bone(base, target, upper, lower, axis) -> tuple[np.ndarray, np.ndarray]:
    """Elbow and end of one limb by the formula, for a target that is neither the base nor along the axis."""
    d = target - base
    length = np.sqrt(d @ d)
    n = np.cross(d, axis)
    n = n / np.sqrt(n @ n)
    if length > upper + lower:
        return base + upper * d / length, base + (upper + lower) * d / length
    if length < abs(upper - lower):
        return base + np.sign(upper - lower) * upper * d / length, base + abs(upper - lower) * d / length
    a = (upper**2 - lower**2 + length**2) / (2 * length)
    h = np.sqrt(max(upper**2 - a**2, 0.0))
    return base + a * d / length + h * n, target


def distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.linalg.norm(a - b, axis=-1)
