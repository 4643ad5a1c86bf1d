"""Solves of many frames report progress, and end when the program or Ctrl-C says so."""

from __future__ import annotations

import ctypes
import signal
import threading

import numpy as np
import pytest

from tests.runtime.library import rr
from tests.support.made.blendshapes import random_arrays

library, structures = rr._library, rr._structures
CANCELLED = 7
NEUTRAL, DELTAS, _ = random_arrays()
RIG = rr.BlendshapeRig(NEUTRAL, DELTAS)
INVERSE, SOLVER = rr.InverseRig(RIG), rr.Solver(RIG, [3, 5, 7])
WEIGHTS = np.random.default_rng(0).random((3000, RIG.num_shapes)).astype(np.float32)
SHOT = RIG.evaluate(WEIGHTS)


def inverse(frames, progress=None):
    return INVERSE.solve(SHOT[:frames], 0.01, smoothness=0.1, progress=progress)


def drag(frames, progress=None):
    return SOLVER.solve(SHOT[:frames, [3, 5, 7]], progress=progress)


@pytest.mark.parametrize("solve", [inverse, drag])
def test_progress_ends_with_all_frames(solve):
    seen = []
    solve(3000, lambda done, total: seen.append((done, total)))
    assert seen[-1] == (3000, 3000)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


@pytest.mark.parametrize("solve", [inverse, drag])
def test_progress_changes_no_byte_and_is_called_on_the_same_thread(solve):
    threads = set()
    found = solve(200, lambda done, total: threads.add(threading.current_thread()))
    expected = solve(200)
    for name in ("weights", "poses"):
        if hasattr(found, name):
            assert getattr(found, name).tobytes() == getattr(expected, name).tobytes()
    assert threads == {threading.current_thread()}


@pytest.mark.parametrize("solve", [inverse, drag])
def test_what_is_no_function_is_refused(solve):
    with pytest.raises(rr.ArgumentError, match="solve: progress is a int"):
        solve(2, 7)


def again_and_again(solve):
    while True:
        solve(3000)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no timer that sends a signal")
@pytest.mark.parametrize("solve", [inverse, drag])
def test_a_signal_ends_a_solve(solve):
    """The handler of a timer raises, as that of Ctrl-C does, while a solve is repeated that takes far less."""

    def handler(number, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            again_and_again(solve)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(solve(2).converged) == 2  # all works as before


@pytest.mark.parametrize("name", ["inverse_solve", "drag_solve"])
def test_a_program_cancels_by_a_number(name):
    seen = []

    def cancel(user, done, total):
        seen.append((done, total))
        return 1

    report = structures.REPORTS(cancel)
    out = np.full((200, RIG.num_shapes), 7.0)
    if name == "inverse_solve":
        task = structures.filled(structures.CShot, {"targets": SHOT[:200]}, frames=200, alpha=0.1, progress=report)
        result = structures.filled(structures.CShotResult, {"weights": out})
        handle = INVERSE._handle
    else:
        places = SHOT[:200, [3, 5, 7]].astype(np.float64)
        task = structures.filled(structures.CDragTask, {"targets": places}, frames=200, progress=report)
        out = out.astype(np.float32)
        result = structures.filled(structures.CDragResult, {"pose": out})
        handle = SOLVER._handle
    call = getattr(library.LIBRARY, f"rigcast_{name}")
    assert call(handle.pointer, ctypes.byref(task), ctypes.byref(result)) == CANCELLED
    assert library.LIBRARY.rigcast_error().decode() == f"{name}: cancelled by progress"
    assert (out == 7.0).all()
    assert len(seen) == 1
    assert seen[0][1] == 200
