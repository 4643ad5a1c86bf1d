"""The mutants that tests of synthesis must notice: ``python -m tests.mutants.synthesis [--engine]``.

Each is a change of one file, made in the copy of ``python -m tests.mutants``, and the test that must fail on it. With
``--engine`` the copy's extension is built, too, for the mutants of the engine (minutes); without, those are left out.
"""

from __future__ import annotations

from tests.mutants.listed import Mutant, run_list

PYTHON = "python/rigcast/synthesis"
PLAYING = f"{PYTHON}/_playing"
ENGINE = "cpp/rigcast/synthesis"
GROUP = f"{ENGINE}/playing/particle_group.h"
TESTS = "tests/synthesis"
PARTICLE = f"{TESTS}/test_particle.py"

MUTANTS = [
    Mutant(
        "as many principal components as dimensions in place of a latent space",
        f"{PYTHON}/_embedding.py",
        "principal_components(coordinates, scale, settings.components)",
        "principal_components(coordinates, scale, settings.dimensions)",
        f"{TESTS}/test_fit.py::test_a_curve_is_rebuilt_in_fewer_dimensions_than_it_spans",
    ),
    Mutant(
        "clips played back with cross-fades",
        f"{PYTHON}/_synthesizer.py",
        "        return Player(\n",
        "        from rigcast.baselines import cross_fade\n\n"
        "        return cross_fade(self, seed, label=label)\n"
        "        return Player(\n",
        f"{TESTS}/test_transitions.py::test_every_ordered_pair_of_labels_is_joined_smoothly",
    ),
    Mutant(
        "positions clamped in place of the constraint force",
        GROUP,
        "        state_ = sum;\n",
        "        for (std::int64_t lane = 0; lane < lanes; ++lane) {\n"
        "            const FramePath& piece = pieces_[static_cast<std::size_t>(lane)];\n"
        "            double g[most_axes];\n"
        "            for (std::int64_t a = 0; a < dimensions_; ++a)\n"
        "                g[a] = sum.x(a, lane) - piece.from[a] - h * (step + 1) * piece.velocity[a];\n"
        "            const double away = std::sqrt(dot_of(g, g, dimensions_));\n"
        "            const double kept = away > piece.radius ? piece.radius / away : 1.0;\n"
        "            for (std::int64_t a = 0; a < dimensions_; ++a) sum.x(a, lane) += (kept - 1.0) * g[a];\n"
        "        }\n"
        "        state_ = sum;\n",
        f"{PARTICLE}::test_positions_that_are_clamped_jerk_and_those_of_the_constraint_do_not",
        also=(
            ("        if (!(demand > 0.0)) return 0.0;\n", "        if (!(demand > 1e300)) return 0.0;\n"),
            ("            if (frame < frames(lane)) collide(piece, lane);\n", ""),
        ),
    ),
    Mutant(
        "one global model",
        f"{PYTHON}/_fit.py",
        "spaces = {label: _space(ready, label, given, settings, held_out, kept, told) for label in ready.frames}\n",
        "import numpy as np\n\n"
        "        from rigcast.synthesis._space import Segment\n\n"
        "        rows = np.concatenate(list(ready.frames.values()))\n"
        "        whole = replace(ready, frames={'all': rows}, segments={'all': [Segment('all', 0, len(rows))]})\n"
        "        one = _space(whole, 'all', given, settings, held_out, kept, told)\n"
        "        spaces = {label: one for label in ready.frames}\n",
        f"{TESTS}/test_labels.py::test_idling_at_a_label_never_looks_like_another",
    ),
    Mutant(
        "components for 85 % of the variance, as published",
        f"{PYTHON}/_choose.py",
        "    0.85,\n    0.95,\n    0.99,\n    0.999,\n",
        "    0.85,\n",
        f"{TESTS}/test_fit.py::test_more_components_than_the_variance_asks_for_rebuild_held_out_frames",
    ),
    Mutant(
        "held-out frames learned, too",
        f"{PYTHON}/_choose.py",
        "        kept = ready.frames[self._label][parts.kept]\n",
        "        kept = ready.frames[self._label]\n"
        "        parts = replace(parts, segments=ready.segments[self._label])\n",
        f"{TESTS}/test_fit.py::test_held_out_frames_are_not_learned",
    ),
    Mutant(
        "controls without effect on the mesh kept",
        f"{PYTHON}/_prepare.py",
        "(weights * deviation <= SMALL * float(",
        "(weights * deviation < -1.0 * float(",
        f"{TESTS}/test_controls.py",
    ),
    Mutant(
        "bridges by the distance of controls, not of the mesh",
        f"{PYTHON}/_bridges.py",
        "        apart = mesh.millimeters * mesh.distances(*controls)\n",
        "        apart = np.linalg.norm(controls[0] - controls[1], axis=1).astype(np.float64)\n",
        f"{TESTS}/test_bridges.py::test_matching_points_match_on_the_mesh",
    ),
    Mutant(
        "labels without matches left apart",
        f"{PYTHON}/_bridges.py",
        "    for pair in _joining(list(spaces), kept, found):\n",
        "    for pair in _joining(list(spaces), kept, found)[:0]:\n",
        f"{TESTS}/test_bridges.py::test_labels_that_nothing_joins_are_joined_by_their_closest_pair",
    ),
    Mutant(
        "angles blended in place of rotations",
        f"{PLAYING}/transitions.py",
        "        if len(self.rotations):\n            start = self.rotations.matrices(a)\n",
        "        if len(self.rotations) < 0:\n            start = self.rotations.matrices(a)\n",
        f"{TESTS}/test_transitions.py::test_a_blend_of_joints_is_a_rotation_half_way",
    ),
    Mutant(
        "transitions that cut",
        f"{PLAYING}/character.py",
        "            self.jump = frames\n            return self._item(",
        "            self.jump = 1\n            return self._item(",
        f"{TESTS}/test_transitions.py::test_every_ordered_pair_of_labels_is_joined_smoothly",
    ),
    Mutant(
        "all characters blink at once",
        f"{PLAYING}/layers.py",
        "        mixed = [(int(seed) * 0xBF58476D1CE4E5B9 + own) & MASK for seed in seeds]\n",
        "        mixed = [own for _ in seeds]\n",
        f"{TESTS}/test_layers.py::test_a_thousand_characters_do_not_blink_in_unison",
    ),
    Mutant(
        "no limit on the predictive variance",
        f"{PLAYING}/paths.py",
        "        self.least, self.slow = np.quantile(density, [settings.least, max(settings.slow, settings.least)])\n",
        "        self.least, self.slow = -1e9, -1e8\n",
        f"{TESTS}/test_player.py::test_the_density_limit_slows_paths_and_turns_them_back",
    ),
    Mutant(
        "a rest at every pose that idling passes",
        f"{PLAYING}/settings.py",
        "    hold: float = 0.0\n",
        "    hold: float = 0.25\n",
        f"{TESTS}/test_idling.py::test_idling_is_about_as_fast_as_the_clips",
    ),
    Mutant(
        "components for the variance alone",
        f"{PYTHON}/_choose.py",
        "    return components_that_show(coordinates, ready.weights, ready.effects, HALF * float(np.median(moved)))\n",
        "    return 1\n",
        f"{TESTS}/test_fit.py::test_components_show_small_motion_beside_large",
    ),
    Mutant(
        "the sign of G as (5.9) prints it",
        GROUP,
        "const double demand = dot_of(g, force, dimensions_) + dot_of(w, w, dimensions_) - growth * growth +\n"
        "                              2.0 * settings_.alpha * slope + settings_.beta * settings_.beta * constraint;\n",
        "const double demand = dot_of(g, force, dimensions_) - (dot_of(w, w, dimensions_) - growth * growth +\n"
        "            2.0 * settings_.alpha * slope + settings_.beta * settings_.beta * constraint);\n",
        f"{PARTICLE}::test_a_million_steps_on_random_paths_stay_in_the_ball",
    ),
    Mutant(
        "integration across the kinks of the path",
        GROUP,
        "            if (frame < frames(lane)) collide(piece, lane);\n",
        "",
        f"{PARTICLE}::test_every_force_equals_slow_numpy",
    ),
    Mutant(
        "a random force that stands still through the stages of a frame",
        GROUP,
        "noise_.weights(time + settings_.frame_time * half / (2 * substeps), window, weights);",
        "noise_.weights(time, window, weights);",
        f"{PARTICLE}::test_every_force_equals_slow_numpy",
    ),
    Mutant(
        "the midpoint method in place of the fourth order",
        GROUP,
        "share[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};",
        "share[] = {0.0, 1.0, 0.0, 0.0};",
        f"{PARTICLE}::test_the_order_is_four_on_a_smooth_path",
    ),
    Mutant(
        "the determinant of (5.4) without its logarithm",
        f"{ENGINE}/latent/exact_factors.cpp",
        "matrix_.log_determinant() + squared);",
        "std::exp(matrix_.log_determinant()) + squared);",
        f"{TESTS}/test_latent_objective.py::test_the_likelihood_is_that_of_the_dense_process",
    ),
    Mutant(
        "dynamics across the cuts between clips",
        f"{ENGINE}/latent/objective.cpp",
        "std::make_unique<DynamicsPrior>(segments, frames(), terms.dynamics_length,",
        "std::make_unique<DynamicsPrior>(std::vector<Segment>{{0, frames()}}, frames(), terms.dynamics_length,",
        f"{TESTS}/test_latent_objective.py::test_the_dynamics_prior_is_a_process_over_time_on_each_segment",
    ),
]

if __name__ == "__main__":
    run_list(__doc__, MUTANTS)
