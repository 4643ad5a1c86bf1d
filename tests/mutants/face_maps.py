"""The mutants that tests of deformation maps must notice: ``python -m tests.mutants.face_maps [--engine]``.

Each is a change of one place, made in the copy of ``python -m tests.mutants``, and the test that must fail on it. With
``--engine`` the copy's extension is built, too, for the mutants of the engine (minutes); without, those are left out.
"""

from __future__ import annotations

from tests.mutants.listed import Mutant, run_list

TRAINING = "python/rigcast/training/_face_maps"

MUTANTS = [
    Mutant(
        "a linear map from controls to texels in training",
        f"{TRAINING}/_basis_networks.py",
        "smooth_leaky_relu()(dense(x, name))",
        "dense(x, name)",
        "tests/training/test_face_maps_networks.py::test_a_basis_is_combined_by_the_formula_and_its_linear_units_in_the_file",
    ),
    Mutant(
        "a linear map from controls to texels in training, as published",
        f"{TRAINING}/_convolution_networks.py",
        "act = torch.nn.functional.leaky_relu",
        "act = lambda x, _: x",
        "tests/training/test_face_maps_networks.py::test_the_file_has_the_network_on_raw_inputs",
    ),
    Mutant(
        "linear units that bend at the mean of their input",
        f"{TRAINING}/_basis_networks.py",
        "bias = np.concatenate([bias, -scaling.low])",
        "bias = np.concatenate([bias, 0.0 * scaling.low])",
        "tests/training/test_face_maps_networks.py::test_a_basis_is_combined_by_the_formula_and_its_linear_units_in_the_file",
    ),
    Mutant(
        "one map for the whole head",
        f"{TRAINING}/_pieces.py",
        "    labels, names = np.array(cut.vertices, np.int64), list(cut.names)",
        '    labels, names = np.zeros(len(mesh.rest_vertices), np.int64), ["head"]',
        "tests/training/test_face_layout.py::test_segments_are_parts",
    ),
    Mutant(
        "every control an input of every map",
        f"{TRAINING}/_lay_out.py",
        "columns = np.flatnonzero(self.masks[vertices].any(axis=0)).astype(np.int64)",
        "columns = np.flatnonzero(self.masks.any(axis=0)).astype(np.int64)",
        "tests/training/test_face_layout.py::test_inputs_are_the_columns_that_move_the_segment",
    ),
    Mutant(
        "refinement with the coarse model unfrozen",
        f"{TRAINING}/_levels.py",
        "            fine = self._level(1, segments, ready, coarse, clock)",
        "            fine = self._level(1, segments, ready, coarse, clock)\n"
        "            learned = [replace(i, weights={k: 0.9 * w for k, w in i.weights.items()}) for i in learned]",
        "tests/training/test_face_maps_levels.py::test_the_coarse_model_is_frozen_while_refinements_are_trained",
    ),
    Mutant(
        "refinement not on the residual",
        f"{TRAINING}/_levels.py",
        "base = None if frozen is None else frozen.offsets(level.vertices, len(rows))",
        "base = None",
        "tests/training/test_face_maps_levels.py::test_refinements_learn_what_the_coarse_model_leaves",
    ),
    Mutant(
        "refinement in texels and coefficients not on the residual",
        f"{TRAINING}/_descent.py",
        "            left = left - self.problem.base[rows]",
        "            left = left + 0.0",
        "tests/training/test_face_maps_texels.py",
    ),
    Mutant(
        "rigid fits without the determinant, in training",
        f"{TRAINING}/_rigid.py",
        "sign[:, 2] = np.sign(np.linalg.det(left) * np.linalg.det(right))",
        "sign[:, 2] = 1.0",
        "tests/training/test_rigid_parts.py",
    ),
    Mutant(
        "rigid fits without the determinant, in the engine",
        "cpp/rigcast/linalg/polar.cpp",
        "signs[2] = svd.matrixU().determinant() * svd.matrixV().determinant() < 0.0 ? -1.0 : 1.0;",
        "signs[2] = 1.0;",
        "tests/face/test_rigid_parts.py::test_a_part_is_never_mirrored",
    ),
    Mutant(
        "normals only inside of segments",
        f"{TRAINING}/_problem.py",
        "corners = corners[moved[corners].any(axis=1) & ~rigid[corners].any(axis=1)]",
        "owner = np.full(num_vertices, -1)\n"
        "    for number, segment in enumerate(segments):\n"
        "        owner[segment.vertices] = number\n"
        "    corners = corners[(owner[corners] == owner[corners][:, :1]).all(axis=1) & moved[corners].all(axis=1)]",
        "tests/training/test_face_maps_loss.py::test_faces_between_segments_count",
    ),
    Mutant(
        "regions that read the controls of the whole segment",
        f"{TRAINING}/_regions.py",
        "replace(detail, name=name, level=COARSE,",
        "replace(detail, name=name, columns=segment.columns, level=COARSE,",
        "tests/training/test_map_regions.py",
    ),
    Mutant(
        "rectangles that overlap",
        f"{TRAINING}/_rectangles.py",
        "lows[upper][axis] = max(lows[upper][axis], middle + 0.5 * GAP)",
        "pass",
        "tests/training/test_refinement.py::test_rectangles_that_overlap_are_cut_and_stay_apart",
    ),
    Mutant(
        "squares that miss the corners of a mouth",
        f"{TRAINING}/_rectangles.py",
        "if most <= SPILL * total:",
        "if True:",
        "tests/training/test_refinement.py::test_a_rectangle_grows_until_it_holds_the_error",
    ),
    Mutant(
        "transfer that samples between the sides of a seam",
        "python/rigcast/transfer/_face_maps.py",
        "shares = within_seams(weights, home, label)",
        "shares = weights",
        "tests/transfer/test_face_maps_seams.py::test_no_vertex_samples_the_map_between_the_sides_of_a_seam",
    ),
]

if __name__ == "__main__":
    run_list(__doc__, MUTANTS)
