"""Rigid parts: components that move rigidly over the samples, and vertices that show their motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rigcast.training._face_maps._layout.segments import RigidPart

Float64 = NDArray[np.float64]
Float32 = NDArray[np.float32]
Int64 = NDArray[np.int64]
Bool = NDArray[np.bool_]

FOLLOWERS = 10  # c in equation 3.4
RIGID = 0.3  # mm, RMS distance over samples and vertices from the best rigid motion
WORST = 2.0  # times that: the RMS distance over samples of any single vertex
EXPLAINED = 0.5  # the rigid motion must leave less than this of the RMS motion
LOOSE = 0.05  # mm: a vertex that leaves the rigid motion of its part farther is moved by a map, as a pupil that widens
SAME = 0.1  # mm, RMS distance within which components have one motion
NOISE = 0.1  # mm, what a follower misses by in a trained model: followers near each other amplify it
FLAT = 1e-3  # of the longest extent: points that spread less along a second direction lie on a line


def rigid_motions(rest: Float64, posed: Float64) -> tuple[Float64, Float64]:
    """The rotations (T, 3, 3) and translations (T, 3) that take points at rest to posed ones best: x R^T + t.

    Kabsch (1976), with the sign of the smallest singular direction chosen so that no rotation mirrors.

    Parameters
    ----------
    rest : (Q, 3) array
    posed : (T, Q, 3) array
    """
    middle, middles = rest.mean(axis=0), posed.mean(axis=1)
    covariance = np.einsum("qi,tqj->tij", rest - middle, posed - middles[:, None])
    left, _, right = np.linalg.svd(covariance)
    sign = np.ones((len(posed), 3))
    sign[:, 2] = np.sign(np.linalg.det(left) * np.linalg.det(right))
    rotations = np.einsum("tji,tj,tkj->tik", right, sign, left)
    return rotations, middles - rotations @ middle


def distances(rest: Float64, posed: Float64, rotations: Float64, translations: Float64) -> Float64:
    """The distances of points (Q, 3), moved rigidly, from posed ones: (T, Q)."""
    moved = np.einsum("tij,qj->tqi", rotations, rest) + translations[:, None]
    return np.asarray(np.linalg.norm(moved - posed, axis=2))


def is_line(points: Float64) -> bool:
    """Return True if points (Q, 3) lie on a line, or in one place: their rotation is not determined."""
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    return bool(len(spread) < 2 or spread[1] <= FLAT * spread[0])


@dataclass(frozen=True)
class MovingFace:
    """A mesh at rest (V, 3), and samples of it (T, V, 3): lengths in millimeters."""

    rest: Float64
    offsets: Float32

    def posed(self, vertices: Int64) -> Float64:
        """Positions (T, Q, 3)."""
        return np.asarray(self.rest[vertices] + self.offsets[:, vertices], np.float64)

    def is_rigid(self, vertices: Int64) -> bool:
        """Return True if vertices move rigidly: see RIGID, WORST and EXPLAINED."""
        if len(vertices) < 3:
            return False
        posed = self.posed(vertices)
        left = np.square(distances(self.rest[vertices], posed, *rigid_motions(self.rest[vertices], posed)))
        motion = np.square(posed - self.rest[vertices]).sum(axis=2)
        close = left.mean() < RIGID**2 and left.mean(axis=0).max() < (WORST * RIGID) ** 2
        return bool(close and left.mean() < EXPLAINED**2 * motion.mean())


@dataclass(frozen=True)
class Component:
    """Vertices of a mesh that faces connect, with the name of what they are part of."""

    name: str
    vertices: Int64


def rigid_groups(moving: MovingFace, components: list[Component]) -> tuple[list[list[Component]], list[Component]]:
    """Rigid components, grouped by their motion, and components whose rigid motion does not determine a rotation."""
    rigid = [part for part in components if moving.is_rigid(part.vertices)]
    lines = [part for part in rigid if is_line(moving.rest[part.vertices])]
    names = {id(part) for part in lines}
    groups: list[list[Component]] = []
    motions: list[tuple[Float64, Float64]] = []
    for part in sorted((part for part in rigid if id(part) not in names), key=lambda part: -len(part.vertices)):
        posed = moving.posed(part.vertices)
        for number, motion in enumerate(motions):
            left = distances(moving.rest[part.vertices], posed, *motion)
            if np.sqrt(np.square(left).mean()) < SAME:
                groups[number].append(part)
                together = np.concatenate([member.vertices for member in groups[number]])
                motions[number] = rigid_motions(moving.rest[together], moving.posed(together))
                break
        else:
            groups.append([part])
            motions.append(rigid_motions(moving.rest[part.vertices], posed))
    return groups, lines


def part_of(
    moving: MovingFace, group: list[Component], candidates: Int64, moved_by: Bool
) -> tuple[RigidPart | None, bool]:
    """A rigid part with its followers, and whether these are vertices of its own; None if it has too few vertices.

    Followers are sought among vertices that are not rigid and that no other control moves: of the 10, 20, 40, ... that
    follow the rigid motion best (equation 3.4), ten that lie far apart; which pool is decided by what the part's
    vertices then miss, with NOISE on each follower. If none shows the motion within a third of RIGID, ten vertices of
    the part itself are its followers and stay in a map segment.

    Parameters
    ----------
    moving : MovingFace
    group : list of Component
    candidates : int array
        Vertices that are not rigid.
    moved_by : (V, C) bool array
        Columns that move each vertex.
    """
    vertices = _without_loose(moving, np.sort(np.concatenate([member.vertices for member in group])))
    posed = moving.posed(vertices)
    motion = rigid_motions(moving.rest[vertices], posed)
    columns = moved_by[vertices].any(axis=0)
    usable = candidates[~(moved_by[candidates] & ~columns).any(axis=1)]
    best: Int64 | None = None
    least = np.inf
    if len(usable) >= FOLLOWERS:
        follow = np.sqrt(np.square(distances(moving.rest[usable], moving.posed(usable), *motion)).mean(axis=0))
        ranked = usable[np.argsort(follow, kind="stable")]
        size = FOLLOWERS
        while size < 2 * len(ranked):
            chosen = far_apart(moving.rest, ranked[:size], FOLLOWERS)
            missed = followed(moving, vertices, posed, chosen)
            expected = np.hypot(missed, NOISE * amplification(moving.rest[chosen], moving.rest[vertices]))
            if missed < RIGID / 3.0 and expected < least:
                best, least = chosen, expected
            size *= 2
    own = best is None
    if own:
        if len(vertices) < FOLLOWERS + 3:
            return None, True
        best = far_apart(moving.rest, vertices, FOLLOWERS)
        keep = ~np.isin(vertices, best)
        vertices, posed = vertices[keep], posed[:, keep]
    assert best is not None
    return RigidPart(named(group), vertices, np.sort(best), followed(moving, vertices, posed, best)), own


def nearest_part(moving: MovingFace, group: list[Component], candidates: Int64) -> RigidPart | None:
    """The part with the candidates that follow its rigid motion best, as published (Bailey 2020, equation 3.4).

    None if they are too few, or lie on a line.
    """
    vertices = np.sort(np.concatenate([member.vertices for member in group]))
    posed = moving.posed(vertices)
    motion = rigid_motions(moving.rest[vertices], posed)
    missed = np.square(distances(moving.rest[candidates], moving.posed(candidates), *motion)).mean(axis=0)
    chosen = np.sort(candidates[np.argsort(missed, kind="stable")[:FOLLOWERS]])
    if len(chosen) < FOLLOWERS or is_line(moving.rest[chosen]):
        return None
    return RigidPart(named(group), vertices, chosen, followed(moving, vertices, posed, chosen))


def _without_loose(moving: MovingFace, vertices: Int64) -> Int64:
    """Without the vertices that leave the rigid motion of the others by more than LOOSE in some sample.

    All of them if these are half of the vertices or more: then the part is rigid on average only, as teeth of
    blendshapes are, whose motion cuts the arc.
    """
    posed = moving.posed(vertices)
    left = np.zeros(len(vertices))
    for _ in range(3):  # least trimmed squares: the half that moves most rigidly says who leaves
        half = np.sort(np.argsort(left, kind="stable")[: -(-len(vertices) // 2)]) if left.any() else slice(None)
        motion = rigid_motions(moving.rest[vertices[half]], posed[:, half])
        left = distances(moving.rest[vertices], posed, *motion).max(axis=0)
    stays = left <= LOOSE
    return vertices[stays] if 2 * stays.sum() > len(vertices) else vertices


def followed(moving: MovingFace, vertices: Int64, posed: Float64, followers: Int64) -> float:
    """RMS distance of vertices that move by the rigid motion of their followers."""
    motion = rigid_motions(moving.rest[followers], moving.posed(followers))
    return float(np.sqrt(np.square(distances(moving.rest[vertices], posed, *motion)).mean()))


def amplification(followers: Float64, points: Float64) -> float:
    """RMS error of rigidly moved points, per axis, for an error of 1 on each axis of each follower; inf on a line."""
    if is_line(followers):
        return np.inf
    arms = followers - followers.mean(axis=0)
    inertia = np.eye(3) * np.square(arms).sum() - arms.T @ arms
    turned = np.cross(np.eye(3)[None], (points - followers.mean(axis=0))[:, None])  # (Q, 3, 3)
    swing = np.einsum("qai,ab,qbi->", turned, np.linalg.inv(inertia), turned) / (3.0 * len(points))
    return float(np.sqrt(1.0 / len(followers) + swing))


def far_apart(rest: Float64, vertices: Int64, count: int) -> Int64:
    """Some of the vertices, each farthest from those before it; the first one is farthest from the middle."""
    points = rest[vertices]
    distance = np.square(points - points.mean(axis=0)).sum(axis=1)
    chosen: list[int] = []
    for _ in range(min(count, len(vertices))):
        chosen.append(int(distance.argmax()))
        gap = np.square(points - points[chosen[-1]]).sum(axis=1)
        distance = gap if len(chosen) == 1 else np.minimum(distance, gap)
    return vertices[chosen]


def named(group: list[Component]) -> str:
    """The names in a group, with how many components of each."""
    names = [part.name for part in group]
    return ", ".join(
        name if names.count(name) == 1 else f"{name} x {names.count(name)}" for name in dict.fromkeys(names)
    )
