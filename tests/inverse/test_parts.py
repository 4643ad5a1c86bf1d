"""A shot solved in parts: the same solution however often it is interrupted."""

from __future__ import annotations

import dataclasses
import os
import signal

import numpy as np
import pytest

from rigcast.inverse import Solution, Solver
from rigcast.inverse._gram import Gram
from rigcast.inverse._parts import solve_in_parts
from rigcast.inverse._request import Request
from rigcast.progress import Progress
from tests.support.made.blendshapes import random_rig

FRAMES = 40


@pytest.fixture(scope="module")
def rig():
    return random_rig(seed=3)


@pytest.fixture(scope="module")
def shot(rig):
    rng = np.random.default_rng(0)
    return rig.evaluate(rng.uniform(0, 1, (FRAMES, rig.num_shapes)) * (rng.random((FRAMES, rig.num_shapes)) < 0.5))


class Interrupt:
    """Presses Ctrl-C once, when so many frames are done."""

    def __init__(self, frames: int) -> None:
        self.frames = frames

    def __call__(self, progress: Progress) -> None:
        if progress.stage == "solving" and progress.done == self.frames:
            os.kill(os.getpid(), signal.SIGINT)


def assert_same(one: Solution, other: Solution) -> None:
    for field in dataclasses.fields(Solution):
        if field.name != "seconds":
            np.testing.assert_array_equal(getattr(one, field.name), getattr(other, field.name), err_msg=field.name)


def test_parts_as_long_as_the_methods_own_are_the_whole_solve(rig, shot, tmp_path):
    parts = solve_in_parts(Request(Gram(rig), shot, alpha=0.1), tmp_path / "parts")
    assert_same(parts, Solver(rig).solve(shot, alpha=0.1))


@pytest.mark.parametrize("smoothness", [0.0, 0.5])
def test_an_interrupted_solve_goes_on_to_the_same_solution(rig, shot, tmp_path, smoothness):
    folder, solver = tmp_path / "broken", Solver(rig)
    settings = {"alpha": 0.1, "smoothness": smoothness}
    whole = solve_in_parts(Request(solver.gram, shot, **settings), tmp_path / "whole", frames=8)
    for done in (8, 24):
        with pytest.raises(KeyboardInterrupt, match=rf"{done} of 40 frames solved and kept in .*broken"):
            solve_in_parts(Request(solver.gram, shot, progress=Interrupt(done), **settings), folder, frames=8)
        assert len(list(folder.glob("*.part"))) == done // 8
    said = []
    kept = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    again = solve_in_parts(Request(solver.gram, shot, progress=said.append, **settings), folder, frames=8)
    assert_same(again, whole)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept, "what was kept is not solved again"
    assert [report.done for report in said if report.stage == "solving"][-1] == FRAMES


def test_pins_and_threads_and_another_run_are_the_same_solve(rig, shot, tmp_path):
    pins = np.full((FRAMES, rig.num_shapes), np.nan)
    pins[5:20, 2] = 0.25
    solver = Solver(rig)
    first = solve_in_parts(Request(solver.gram, shot, fixed=pins, threads=1), tmp_path / "parts", frames=16)
    assert (first.weights[5:20, 2] == 0.25).all()
    assert not (first.weights[:5, 2] == 0.25).any()
    again = solve_in_parts(Request(Gram(rig), shot, fixed=pins, threads=2), tmp_path / "parts", frames=16, resume=True)
    assert again.seconds == first.seconds, "every part was kept"
    assert_same(again, first)


@pytest.mark.parametrize("count", [FRAMES - 1, FRAMES + 24, 1])
def test_pins_and_priors_of_another_number_of_frames_are_refused_before_work(rig, shot, tmp_path, count):
    pins = np.full((count, rig.num_shapes), np.nan)
    for name, value in (("fixed", pins), ("priors", (0.5, np.ones(pins.shape)))):
        with pytest.raises(ValueError, match=rf"solve: {name}.* is float64 \({count}, {rig.num_shapes}\)"):
            solve_in_parts(Request(Gram(rig), shot, **{name: value}), tmp_path / "parts", frames=16)
    assert not (tmp_path / "parts").exists()


def test_a_pin_outside_its_bounds_is_named_by_its_frame_in_the_shot(rig, shot, tmp_path):
    pins = np.full((FRAMES, rig.num_shapes), np.nan)
    pins[33, 2] = 1.5
    with pytest.raises(ValueError, match=r"fixed is 1.5 at frame 33, shape 2; it must be inside the bounds \[0, 1\]"):
        solve_in_parts(Request(Gram(rig), shot, fixed=pins), tmp_path / "parts", frames=16)
    pins[33, 2] = 0.75
    with pytest.raises(ValueError, match=r"0.75 at frame 33, shape 2; it must be inside the bounds \[0, 0.5\]"):
        solve_in_parts(Request(Gram(rig), shot, fixed=pins, bounds=(0.0, 0.5)), tmp_path / "parts", frames=16)
    assert not (tmp_path / "parts").exists()


def test_priors_of_each_frame_reach_their_part(rig, shot, tmp_path, tolerance):
    wish = np.random.default_rng(2).uniform(size=(FRAMES, rig.num_shapes))
    settings = {"alpha": 0.1, "priors": (wish, 3.0)}
    apart = solve_in_parts(Request(Gram(rig), shot, bounds=(0.0, 0.75), **settings), tmp_path / "apart", frames=16)
    np.testing.assert_array_equal(apart.prior_target, wish)
    np.testing.assert_array_equal(apart.bounds, [(0.0, 0.75)] * rig.num_shapes)
    parts = solve_in_parts(Request(Gram(rig), shot, smoothness=0.1, **settings), tmp_path / "parts", frames=16)
    whole = Solver(rig).solve(shot, smoothness=0.1, **settings)
    assert parts.shot_objective == pytest.approx(whole.shot_objective, rel=tolerance["float64_converged"])
    other = settings | {"priors": (wish + 0.01, 3.0)}
    with pytest.raises(ValueError, match="another solve"):
        solve_in_parts(Request(Gram(rig), shot, **other), tmp_path / "parts", frames=16, resume=True)


@pytest.mark.parametrize("change", ["alpha", "shot", "rig", "markers", "pins"])
def test_parts_of_another_solve_are_not_mixed_in(rig, shot, tmp_path, change):
    folder, settings = tmp_path / "parts", {"alpha": 0.1}
    solve_in_parts(Request(Gram(rig), shot, **settings), folder)
    solver, targets = Solver(rig), shot
    if change == "alpha":
        settings = {"alpha": 0.2}
    elif change == "shot":
        targets = shot + np.float32(0.01)
    elif change == "rig":
        solver = Solver(random_rig(seed=3, bounds=(0.0, 0.5)))
    elif change == "markers":
        solver = Solver(rig, vertices=np.arange(40))
    else:
        settings["fixed"] = np.where(np.arange(rig.num_shapes) == 1, 0.3, np.nan)
    with pytest.raises(ValueError, match=r"solve: resume is .*parts of another solve"):
        solve_in_parts(Request(solver.gram, targets, **settings), folder, resume=True)
    assert_same(solve_in_parts(Request(solver.gram, targets, **settings), folder), solver.solve(targets, **settings))


def test_a_folder_with_other_files_is_left_alone(rig, shot, tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(ValueError, match="holds other files"):
        solve_in_parts(Request(Gram(rig), shot), tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "mine"


def test_wrong_frames_are_named_by_their_number_in_the_shot(rig, shot, tmp_path):
    broken = shot.copy()
    broken[33, 7] = np.nan
    with pytest.raises(ValueError, match="not finite at frame 33, vertex 7"):
        solve_in_parts(Request(Gram(rig), broken), tmp_path / "parts", frames=8)
    with pytest.raises(ValueError, match="alpha"):
        solve_in_parts(Request(Gram(rig), shot, alpha=-1.0), tmp_path / "parts")
    assert not (tmp_path / "parts").exists()


def test_a_saved_solution_carries_names_for_other_readers(rig, shot, tmp_path):
    solution = Solver(rig).solve(shot)
    solution.save(tmp_path / "w.npz", names=rig.shape_names, fps=24.0)
    assert_same(Solution.load(tmp_path / "w.npz"), solution)
    with np.load(tmp_path / "w.npz") as stored:
        assert stored["names"].tolist() == rig.shape_names
        assert stored["fps"] == 24.0


class Second:
    """Starts another solve into the same folder once, in the middle of the first."""

    def __init__(self, solve) -> None:
        self.solve, self.refusal = solve, ""

    def __call__(self, progress: Progress) -> None:
        if progress.stage == "solving" and progress.done == 16 and not self.refusal:
            with pytest.raises(ValueError, match="which process") as caught:
                self.solve()
            self.refusal = str(caught.value)


@pytest.mark.parametrize("alpha", [0.1, 0.2])
def test_two_solves_at_once_do_not_mix_their_frames(rig, shot, tmp_path, alpha):
    solver, folder = Solver(rig), tmp_path / "parts"
    second = Second(lambda: solve_in_parts(Request(solver.gram, shot, alpha=alpha), folder, frames=8))
    first = solve_in_parts(Request(solver.gram, shot, alpha=0.1, progress=second), folder, frames=8)
    assert f"which process {os.getpid()} on" in second.refusal
    assert_same(first, solve_in_parts(Request(solver.gram, shot, alpha=0.1), tmp_path / "alone", frames=8))


@pytest.mark.parametrize("keep", [0, 100, -1])
def test_a_damaged_part_is_solved_again(rig, shot, tmp_path, keep):
    first = solve_in_parts(Request(Gram(rig), shot), tmp_path, frames=16)
    part = sorted(path for path in tmp_path.iterdir() if path.is_file())[1]
    part.write_bytes(part.read_bytes()[:keep])
    assert_same(solve_in_parts(Request(Gram(rig), shot), tmp_path, frames=16), first)


def test_equal_solves_give_equal_bytes(rig, shot, tmp_path):
    for name, seconds in (("a.npz", 1.0), ("b.npz", 2.0)):
        solution = Solver(rig).solve(shot)
        solution.seconds = seconds
        solution.save(tmp_path / name)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_a_truncated_solution_is_a_value_error(rig, shot, tmp_path):
    path = tmp_path / "w.npz"
    Solver(rig).solve(shot).save(path)
    whole = path.read_bytes()
    for keep in (0, 3, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:keep])
        with pytest.raises(ValueError, match=r"load: path is .*w.npz .*; it must be a solution saved as .npz"):
            Solution.load(path)
