"""Ctrl-C ends long calls of the engine between pieces of frames."""

from __future__ import annotations

import os
import signal
import threading

import numpy as np
import pytest

import rigcast as rc

PIECE = 1 << 25  # bytes between two looks at signals
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
