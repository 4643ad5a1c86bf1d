"""Gaussian processes on latent points in slow, obvious NumPy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Setting(NamedTuple):
    """Points (N, D), values (N, P) and a kernel."""

    points: np.ndarray
    values: np.ndarray
    variance: float
    length: float
    noise: float


def setting(count=60, dimension=3, outputs=8, seed=0, *, noise=0.02) -> Setting:
    """Smooth curves in time with noise, and points along another curve."""
    rng = np.random.default_rng(seed)
    time = np.linspace(0, 6, count)[:, None]
    points = np.sin(time * (1 + rng.random(dimension)) + rng.random(dimension) * 6) + 0.05 * rng.standard_normal(
        (count, dimension)
    )
    noises = 0.1 * rng.standard_normal((count, outputs))
    values = np.sin(points @ rng.standard_normal((dimension, outputs)) + rng.random(outputs)) + noises
    return Setting(points, values, 1.3, 0.9, noise)


def covariance(a, b, variance, length):
    squared = ((a[:, None] - b[None]) ** 2).sum(-1)
    return variance * np.exp(-squared / (2 * length**2))


def total(s: Setting):
    return covariance(s.points, s.points, s.variance, s.length) + s.noise * np.eye(len(s.points))


def gaussian(matrix, values):
    """log N(values | 0, matrix) summed over columns."""
    count, outputs = values.shape
    _, log_determinant = np.linalg.slogdet(matrix)
    squared = (values * np.linalg.solve(matrix, values)).sum()
    return -0.5 * (count * outputs * np.log(2 * np.pi) + outputs * log_determinant + squared)


def exact_log_likelihood(s: Setting) -> float:
    return gaussian(total(s), s.values)


def exact_mean(s: Setting, x):
    return covariance(x, s.points, s.variance, s.length) @ np.linalg.solve(total(s), s.values)


def exact_variance(s: Setting, x):
    between = covariance(x, s.points, s.variance, s.length)
    return s.variance - (between * np.linalg.solve(total(s), between.T).T).sum(1)


def inducing_parts(s: Setting, inducing, jitter=1e-8):
    prior = covariance(inducing, inducing, s.variance, s.length) + jitter * s.variance * np.eye(len(inducing))
    between = covariance(s.points, inducing, s.variance, s.length)
    explained = between @ np.linalg.solve(prior, between.T)
    return prior, between, explained, s.variance + s.noise - np.diag(explained)


def inducing_log_likelihood(s: Setting, inducing) -> float:
    _, _, explained, rest = inducing_parts(s, inducing)
    return gaussian(explained + np.diag(rest), s.values)


def inducing_mean(s: Setting, inducing, x):
    prior, between, _, rest = inducing_parts(s, inducing)
    system = prior + between.T @ (between / rest[:, None])
    return covariance(x, inducing, s.variance, s.length) @ np.linalg.solve(
        system, between.T @ (s.values / rest[:, None])
    )


def inducing_variance(s: Setting, inducing, x):
    prior, between, _, rest = inducing_parts(s, inducing)
    system = prior + between.T @ (between / rest[:, None])
    given = covariance(x, inducing, s.variance, s.length)
    return s.variance - (given * (np.linalg.solve(prior, given.T) - np.linalg.solve(system, given.T)).T).sum(1)


def dynamics_log_prior(points, segments, length, noise) -> float:
    """log N(x | 0, K_t) of all segments and dimensions."""
    total = 0.0
    for begin, end in segments:
        time = np.arange(end - begin)[:, None]
        total += gaussian(covariance(time, time, 1.0, length) + noise * np.eye(end - begin), points[begin:end])
    return total


def connectivity_log_prior(points, frames, weight, softening=1e-6) -> float:
    """weight N times the mean logarithm of the graph's diffusion kernel; eigenvectors of the walk, not a series."""
    vertices = points[frames]
    squared = ((vertices[:, None] - vertices[None]) ** 2).sum(-1)
    squared += softening * ((vertices - vertices.mean(0)) ** 2).sum(1).mean()
    edges = squared**-2.0
    np.fill_diagonal(edges, 0.0)
    totals = edges.sum(1)
    normalized = edges / np.sqrt(np.outer(totals, totals))
    values, vectors = np.linalg.eigh(normalized - np.eye(len(vertices)))
    return weight * len(points) * np.log((vectors * np.exp(values)) @ vectors.T).mean()


def spread_frames(frames, count):
    return (2 * np.arange(count) + 1) * frames // (2 * count)
