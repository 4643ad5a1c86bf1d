"""A particle in a latent space in slow, obvious NumPy: one particle, one force after another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rigcast import _core


@dataclass
class SlowDensity:
    """-1/2 log(v / variance) from the whole kernel matrix."""

    points: np.ndarray
    variance: float
    length: float
    noise: float

    def kernel(self, a, b):
        away = a[:, None] - b[None]
        return self.variance * np.exp(-0.5 * (away**2).sum(axis=-1) / self.length**2)

    def __call__(self, x):
        inverse = np.linalg.inv(self.kernel(self.points, self.points) + self.noise * np.eye(len(self.points)))
        k = self.kernel(np.atleast_2d(x), self.points)
        left = self.variance - np.einsum("ti,ij,tj->t", k, inverse, k)
        toward = (self.points[None] - np.atleast_2d(x)[:, None]) * k[..., None] / self.length**2
        slope = -2.0 * np.einsum("ti,ij,tjd->td", k, inverse, toward)
        return -0.5 * np.log(left / self.variance), -0.5 * slope / left[:, None]


@dataclass
class SlowParticle:
    """The equations of particle.h; ``sign`` is what (5.9) prints before G: -1 is right, +1 as printed."""

    density: SlowDensity | None = None
    frame_time: float = 1 / 24
    alpha: float = 12.0
    beta: float = 12.0
    drag: float = 2.0
    likelihood_strength: float = 0.0
    likelihood_level: float = 0.0
    likelihood_width: float = 1.0
    random_strength: float = 0.0
    random_timescale: float = 0.3
    substeps: int = 2
    sign: float = -1.0
    seed: int = 0

    def force(self, x, w, time):
        total = -self.drag * w
        if self.density is not None and self.likelihood_strength:
            rho, slope = self.density(x)
            size = self.likelihood_strength / (1 + np.exp((rho[0] - self.likelihood_level) / self.likelihood_width))
            total = total + size * slope[0] / np.linalg.norm(slope[0])
        if self.random_strength:
            noise = _core.smooth_noise(self.seed, len(x), [time], self.random_timescale)[0]
            total = total + self.random_strength * noise
        return total

    def acceleration(self, x, v, time, center, velocity, radius, growth):
        g, w = x - center, v - velocity
        force = self.force(x, w, time)
        c = 0.5 * (g @ g - radius**2)
        stabilized = w @ w - growth**2 + 2 * self.alpha * (g @ w - radius * growth) + self.beta**2 * c
        bottom = max(g @ g, (0.05 * radius) ** 2)
        multiplier = min(0.0, (-(g @ force) + self.sign * stabilized) / bottom)
        return force + multiplier * g

    def collide(self, x, v, center, velocity, radius, growth):
        g, w = x - center, v - velocity
        most = 0.5 * self.alpha * radius
        if np.linalg.norm(w) > most:
            w = w * most / np.linalg.norm(w)
        slow = self.alpha - np.sqrt(max(0.0, self.alpha**2 - self.beta**2))
        outward = g @ w - radius * growth + slow * 0.5 * (g @ g - radius**2)
        if outward > 0 and g @ g > (0.05 * radius) ** 2:
            w = w - min(outward / np.linalg.norm(g), most) * g / np.linalg.norm(g)
        return velocity + w

    def run(self, x, v, path, radii, first_frame=0):
        """Positions (n + 1, D)."""
        found = [np.array(x, float)]
        x, v = np.array(x, float), np.array(v, float)
        h = self.frame_time / self.substeps
        for frame in range(len(path) - 1):
            start = (first_frame + frame) * self.frame_time
            velocity = (path[frame + 1] - path[frame]) / self.frame_time
            growth = (radii[frame + 1] - radii[frame]) / self.frame_time
            v = self.collide(x, v, path[frame], velocity, radii[frame], growth)
            for step in range(self.substeps):

                def slope(x, v, s, frame=frame, start=start, velocity=velocity, growth=growth):
                    center, radius = path[frame] + s * velocity, radii[frame] + s * growth
                    return v, self.acceleration(x, v, start + s, center, velocity, radius, growth)

                s = step * h
                a = slope(x, v, s)
                b = slope(x + h / 2 * a[0], v + h / 2 * a[1], s + h / 2)
                c = slope(x + h / 2 * b[0], v + h / 2 * b[1], s + h / 2)
                d = slope(x + h * c[0], v + h * c[1], s + h)
                x = x + h / 6 * (a[0] + 2 * b[0] + 2 * c[0] + d[0])
                v = v + h / 6 * (a[1] + 2 * b[1] + 2 * c[1] + d[1])
            found.append(x)
        return np.array(found)


def step(field, x, v, path, radii, first_frame=0, seed=0, **settings):
    """One particle of the engine: positions and velocities (n + 1, D)."""
    path = np.asarray(path, float)
    return _core.step_particles(
        field, [x], [v], path, np.broadcast_to(radii, len(path)), [0, len(path)], [first_frame],
        np.array([seed], np.uint64), **settings,
    )  # fmt: skip


def random_path(rng, frames, dimensions, speed):
    """A polyline that turns at random and keeps changing its speed."""
    steps = rng.normal(size=(frames, dimensions)) * speed
    steps[1:] += steps[:-1]
    return np.concatenate([np.zeros((1, dimensions)), np.cumsum(steps, axis=0)])
