"""The mutants that tests of inverse kinematics must notice: ``python -m tests.mutants.ik [--engine]``."""

from __future__ import annotations

from tests.mutants.listed import Mutant, run_list

LIMBS = "cpp/rigcast/ik/limbs"
PYTHON = "python/rigcast/ik"
TRAINING = "python/rigcast/training/_face_ik"
LEARNED = "tests/training/test_face_ik.py"
MOTION = "tests/ik/test_solve_motion.py"

MUTANTS = [
    Mutant(
        "always the straight limb",
        f"{LIMBS}/two_bone_kernels.cpp",
        "a = hn::IfThenElse(poses.too_far, limbs.upper, a);",
        "a = limbs.upper;",
        "tests/ik/test_two_bone.py",
    ),
    Mutant(
        "the unsigned square root",
        f"{LIMBS}/two_bone_kernels.cpp",
        "    a = hn::IfThenElse(poses.too_far, limbs.upper, a);",
        "    a = hn::IfThenElse(poses.too_far, limbs.upper, hn::Abs(a));",
        "tests/ik/test_two_bone.py",
    ),
    Mutant(
        "bends without a sign",
        f"{LIMBS}/bend_range.cpp",
        "signed_(least < 0.0 || most > 180.0)",
        "signed_(false)",
        "tests/ik/test_limb_reach.py",
    ),
    Mutant(
        "feet that come to a contact where the clip has them",
        f"{LIMBS}/foot_offset.cpp",
        "goals[static_cast<std::size_t>(t)] = (1.0 / count) * sum;",
        "goals[static_cast<std::size_t>(t)] = 0.0 * sum;",
        "tests/ik/test_foot_lock.py",
    ),
    Mutant(
        "elbows of matched controls not used",
        f"{LIMBS}/limb.cpp",
        "return fits ? elbow : otherwise;",
        "return fits ? otherwise : otherwise;",
        "tests/ik/test_limb.py",
    ),
    Mutant(
        "the nearest of 2,000 training poses instead of networks",
        f"{PYTHON}/_face_ik.py",
        "found = self._engine.solve(np.ascontiguousarray(points), threads).astype(np.float64)",
        "known = np.random.default_rng(0).uniform(*self._solver.bounds.T, (2000, len(self.names)))\n"
        "        seen = self._model.evaluate(self._solver.engine.poses(known, self._reference))\n"
        "        seen = seen[..., : self.dimensions]\n"
        "        found = known[[np.square(seen - goal).sum(axis=(1, 2)).argmin() for goal in points]]",
        LEARNED,
    ),
    Mutant(
        "one network for all regions",
        f"{TRAINING}/_regions.py",
        "        label = _clustered(moves)",
        "        label = np.zeros(count, np.intp)",
        LEARNED,
    ),
    Mutant(
        "parameters of several regions added, not averaged",
        f"{TRAINING}/_descent.py",
        "1.0 / np.maximum(shared, 1.0)",
        "1.0 / np.minimum(np.maximum(shared, 1.0), 1.0)",
        LEARNED,
    ),
    Mutant(
        "noise in all rows",
        f"{TRAINING}/_descent.py",
        "np.maximum(rng.uniform(-1.0, 1.0, (count, 1, 1)), 0.0)",
        "np.abs(rng.uniform(-1.0, 1.0, (count, 1, 1)))",
        "tests/training/test_face_ik_loss.py",
    ),
    Mutant(
        "regularized towards rest",
        f"{TRAINING}/_descent.py",
        "values - self._tensor(self.rows.values[rows].astype(np.float32))",
        "values - self._rest_values",
        "tests/training/test_face_ik_loss.py",
    ),
    Mutant(
        "averages in place of a joint solve",
        "cpp/rigcast/ik/learned/face_ik.cpp",
        'kind == "joint" ? joint_solve(proposers_, *tensors_) : average(proposers_)',
        'kind == "joint" ? average(proposers_) : average(proposers_)',
        "tests/training/test_face_ik_joint.py",
    ),
    Mutant(
        "a joint solve without bounds, clamped afterwards",
        "cpp/rigcast/ik/learned/agreement.cpp",
        "std::min(low_[k] - z[k], 0.0)",
        "std::min(low_[k] - z[k], 0.0) - 1e3",
        "tests/training/test_face_ik_joint.py",
    ),
    Mutant(
        "what regions propose beyond bounds is believed",
        "cpp/rigcast/ik/learned/agreement.cpp",
        "return std::clamp(static_cast<double>(y) / scale_(k), low_[k], high_[k]);",
        "return static_cast<double>(y) / scale_(k);",
        "tests/training/test_face_ik_joint.py",
    ),
    Mutant(
        "configurations of a report judged on the model",
        "python/rigcast/report/_face_ik/measure.py",
        "None if of_rig is None else _apart(of_rig, goals, ik, model)",
        "None if of_rig is None else _apart(vertices, goals, ik, model)",
        "tests/report/test_face_ik_page.py",
    ),
    Mutant(
        "errors measured on the approximation",
        "benchmarks/systems/ik/learned.py",
        '"points on the rig": distance(ours[:, points], goals, unit),',
        '"points on the rig": float(found.error.mean() * 1000.0 * unit),',
        LEARNED,
    ),
    Mutant(
        "joint limits not handed to the solver",
        f"{PYTHON}/_solve_motion.py",
        "solver.bounds if bounds is None else",
        "4.0 * solver.bounds if bounds is None else",
        MOTION,
    ),
    Mutant(
        "toes that shall stand, not must",
        f"{PYTHON}/_solve_motion.py",
        "globals_[:, toe], hard=True)",
        "globals_[:, toe])",
        MOTION,
    ),
    Mutant(
        "frames by themselves",
        f"{PYTHON}/_solver.py",
        "near, starts = near + share * (starts - before), np.clip(starts + near - before, *box.T)",
        "starts = np.clip(near, *box.T)",
        MOTION,
    ),
    Mutant(
        "offsets of markers left out",
        f"{PYTHON}/_joint_model.py",
        "vertices = (rest[..., :3] @ offsets[..., None])[..., 0] + rest[..., 3]",
        "vertices = 0.0 * offsets + rest[..., 3]",
        MOTION,
    ),
    Mutant(
        "keys without a look at what is between",
        f"{PYTHON}/_bake.py",
        "        if away[worst] > slack:",
        "        if away[worst] > 50.0 * slack:",
        "tests/ik/test_bake.py",
    ),
    Mutant(
        "drags out of reach that take all that helps to its end",
        "python/rigcast/viewer/_drags.py",
        "if (ease < 1.01).all():",
        "if (ease > 0.0).all():",
        "tests/view/test_out_of_reach.py",
    ),
    Mutant(
        "wings of the nose from a table of another layout",
        f"{PYTHON}/_landmarks.py",
        "*(98, 97, 2, 326, 327),",
        "*(75, 97, 2, 326, 305),",
        "tests/ik/test_landmarks.py",
    ),
]

if __name__ == "__main__":
    run_list(__doc__, MUTANTS)
