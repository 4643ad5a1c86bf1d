"""Ctrl-C ends long calls of the engine between pieces of work."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest

import rigcast as rc
from rigcast import _core
from tests.support.made.models import random_body, random_poses

PIECE = 1 << 25  # bytes between two looks at signals
OFTEN = 8  # more than the steps in Python around a call of the engine
ATTEMPTS = 20  # a thread that is to press Ctrl-C may come late


@pytest.fixture(scope="module")
def face():
    return rc.faces.example()


def frames_of(face, pieces):
    return pieces * PIECE // (12 * len(face.rest_vertices))


def interrupted(work, begun):
    """Whether ``work`` raised KeyboardInterrupt, sent as soon as ``begun()`` is true."""
    ended = threading.Event()

    def press():
        while not begun() and not ended.is_set():
            pass
        os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=press)
    try:
        thread.start()
        try:
            work()
            ended.set()
            thread.join()
        except KeyboardInterrupt:
            return True
        finally:
            ended.set()
            thread.join()
    except KeyboardInterrupt:  # it came when the work was done
        return False
    finally:
        signal.signal(signal.SIGINT, before)
    return False


def test_evaluate_stops_between_pieces(face):
    poses = np.full((frames_of(face, 8), face.num_shapes), 0.5, np.float32)
    out = np.empty((len(poses), len(face.rest_vertices), 3), np.float32)
    for _ in range(ATTEMPTS):
        out[0, 0, 0] = out[-1, -1, -1] = np.nan
        stopped = interrupted(lambda: face.evaluate(poses, out=out), lambda: not np.isnan(out[0, 0, 0]))
        if stopped and np.isnan(out[-1, -1, -1]):
            return
    pytest.fail("no attempt was ended before its last frame")


def test_pieces_have_the_bytes_of_frames_alone(face):
    count = frames_of(face, 2) + 3
    poses = np.random.default_rng(0).uniform(0, 1, (count, face.num_shapes)).astype(np.float32)
    whole = face.evaluate(poses)
    seeds = np.ones_like(whole)
    tangents = np.ones_like(poses)
    gradients, along = face.vjp(poses, seeds), face.jvp(poses, tangents)
    for frame in (0, frames_of(face, 1) - 1, frames_of(face, 1), count - 1):
        np.testing.assert_array_equal(whole[frame], face.evaluate(poses[frame]))
        np.testing.assert_array_equal(gradients[frame], face.vjp(poses[frame], seeds[frame]))
        np.testing.assert_array_equal(along[frame], face.jvp(poses[frame], tangents[frame]))


@pytest.mark.parametrize("call", ["evaluate", "vjp", "jvp", "jacobian"])
def test_an_error_names_the_row_of_the_whole(face, call):
    poses = np.zeros((frames_of(face, 1) + 500, face.num_shapes), np.float32)
    poses[-2, 3] = np.nan
    seeds = {"vjp": (np.zeros((len(poses), len(face.rest_vertices), 3), np.float32),), "jvp": (np.zeros_like(poses),)}
    with pytest.raises(ValueError, match=rf"{call}: .* \(nan at \({len(poses) - 2}, 3\)\)"):
        getattr(face, call)(poses, *seeds.get(call, ()))


def grid(side):
    """Points (V, 3) and triangles of a wavy sheet."""
    i, j = np.meshgrid(np.arange(side), np.arange(side), indexing="ij")
    points = np.stack([i / side, j / side, 0.05 * np.sin(i / 9) * np.cos(j / 7)], -1).reshape(-1, 3)
    place = np.arange(side * side).reshape(side, side)
    quads = np.stack([place[:-1, :-1], place[1:, :-1], place[1:, 1:], place[:-1, 1:]], -1).reshape(-1, 4)
    return points.astype(np.float32), np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]).astype(np.int32)


def frames(points, count):
    return np.tile(points, (count, 1, 1))


def noisy(points, size):
    noise = np.random.default_rng(0).standard_normal(points.shape)
    return (points + size * noise).astype(np.float32)


def shot(face, count):
    return face.evaluate(np.random.default_rng(0).uniform(0, 1, (count, face.num_shapes)).astype(np.float32))


def posed(count):
    body = random_body(num_vertices=50)
    return body, np.tile(random_poses(body.skeleton, 100, numeric=2), (count, 1))


def metric(name, *more):
    def make(size, _):
        points, triangles = grid(100)
        truth = frames(points, 100 * size)
        arguments = {"triangles": triangles, "labels": np.arange(len(points)) // 5000}
        named = {key: arguments[key] for key in more if key == "labels"}
        return lambda: getattr(rc.metrics, name)(truth, truth, *[arguments[key] for key in more[:1]], **named)

    return make


def solved(method, count):
    def make(size, face):
        targets = shot(face, count * size)
        return lambda: rc.inverse.solve(face, targets, alpha=1e-3, method=method)

    return make


def crowd(distinct):
    def make(size, face):
        heads = rc.crowd.Crowd(face, [np.random.default_rng(0).uniform(0, 1, (1000, face.num_shapes))])
        at = np.linspace(0, 999, 2000 * size) if distinct else np.arange(4000 * size) % 2  # mostly copies
        return lambda: heads.evaluate(clip=np.zeros(len(at), int), frame=at, threads=1)

    return make


def detail_errors(size, face):
    weights = np.random.default_rng(0).uniform(0, 1, (400 * size, face.num_shapes))
    return lambda: rc.crowd.level_of_detail_errors(face, None, weights)


def on_sheet(call, side=60):
    """A call whose sheet grows."""

    def make(size, _):
        points, triangles = grid(round(side * np.sqrt(size)))
        return lambda: call(points, triangles)

    return make


def side_by_side(points, triangles, count):
    """Copies of a sheet as one mesh: a factorization of a large one alone looks for no signals."""
    moved = [points + 2.0 * place for place in range(count)]
    shifted = [triangles + place * len(points) for place in range(count)]
    return np.concatenate(moved).astype(points.dtype), np.concatenate(shifted).astype(triangles.dtype)


def globals_(size, _):
    body, poses = posed(1000 * size)
    return lambda: body.skeleton.globals(poses)


def confidence(size, _):
    body, poses = posed(5000 * size)
    return lambda: body.confidence(poses)


def nearest(size, _):
    points = np.random.default_rng(0).standard_normal((50_000 * size, 3)).astype(np.float32)
    tree = _core.PointTree(points[:50_000])
    return lambda: tree.nearest(points, 8)


def tree(size, _):
    points = np.random.default_rng(0).standard_normal((100_000 * size, 3)).astype(np.float32)
    return lambda: _core.PointTree(points)


def dense(size, _):
    a = np.ones((500 * (1 + size), 8000))
    return lambda: _core.matrix_product(a, a.T)


def transferred(points, triangles):
    shapes = np.stack([noisy(points, 0.001)] * 8)
    return rc.transfer.deformation_transfer(points, shapes, points * 1.1, triangles)


CALLS = {
    "vertex_error": metric("vertex_error"),
    "normal_angle": metric("normal_angle", "triangles"),
    "seam_error": metric("seam_error", "triangles", "labels"),
    "solve": solved("descent", 400),
    "solve by mm": solved("mm", 20),
    "a crowd": crowd(distinct=True),
    "a crowd of few faces": crowd(distinct=False),
    "level_of_detail_errors": detail_errors,
    "a factorization": on_sheet(lambda p, t: rc.differential.Reconstructor(t, len(p), np.arange(0, len(p), 50))),
    "choose_anchors": on_sheet(lambda p, t: rc.differential.choose_anchors(t, len(p), 100)),
    "self_intersections": on_sheet(lambda p, t: _core.self_intersections(noisy(p, 0.02), t, np.ones(len(t), np.uint8))),
    "find_contacts": on_sheet(lambda p, t: rc.transfer.find_contacts(p, np.stack([noisy(p, 0.01)] * 40), t)),
    "chart_uvs": on_sheet(lambda p, t: _core.chart_uvs(*side_by_side(p, t, 9)), side=20),
    "deformation_transfer": on_sheet(transferred),
    "closest_points": on_sheet(lambda p, t: _core.closest_points(p, t, np.tile(noisy(p, 0.1), (20, 1)))),
    "map_floor": on_sheet(lambda p, t: rc.metrics.map_floor(0.9 * p[:, :2], frames(p, 500), 32)),
    "globals": globals_,
    "confidence": confidence,
    "nearest": nearest,
    "a point tree": tree,
    "matrix_product": dense,
}


def handled(work):
    """How often the handler of Ctrl-C ran while ``work()`` lasted, with a press every hundredth of a second."""
    ran = []
    ended = threading.Event()

    def press():
        while not ended.wait(0.01):
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, lambda *_: ran.append(None))
    thread = threading.Thread(target=press)
    thread.start()
    try:
        work()
        return len(ran)
    finally:
        ended.set()
        thread.join()
        time.sleep(0)  # what was pressed last is handled here
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("make", CALLS.values(), ids=CALLS)
def test_handlers_of_ctrl_c_run_during_the_call(face, make):
    """Without a check inside, it runs when the call is done, once for all presses, and between steps in Python."""
    for size in (1, 3, 9, 27, 27, 27):  # the machine may be fast, or busy while it would look for signals
        if handled(make(size, face)) >= OFTEN:
            return
    pytest.fail("the handler did not run before the call was done")
