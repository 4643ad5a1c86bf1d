"""The mutants that tests of differential subspaces must notice: ``python -m tests.mutants.differential [--engine]``.

Each is a change of one place, made in the copy of ``python -m tests.mutants``, and the test that must fail on it. With
``--engine`` the copy's extension is built, too, for the mutants of the engine (minutes); without, those are left out.
"""

from __future__ import annotations

from tests.mutants.listed import Mutant, run_list

TRAINING = "python/rigcast/training/_differential"
ENGINE = "cpp/rigcast/differential"

MUTANTS = [
    Mutant(
        "the Local network sold as differential: a basis of Cartesian offsets",
        f"{TRAINING}/_labels.py",
        "seen = np.concatenate([reconstructor.encode(d, threads=threads) for _, d in _moved(ds, transforms, rows)])",
        "seen = np.concatenate([d for _, d in _moved(ds, transforms, rows)])",
        "tests/training/test_differential.py::test_what_is_learned_are_delta_coordinates",
    ),
    Mutant(
        "a basis fitted on held-out poses, too",
        f"{TRAINING}/_labels.py",
        "drawn = np.random.default_rng([settings.seed, 1]).permutation(training)",
        "drawn = np.random.default_rng([settings.seed, 1]).permutation(len(ds))",
        "tests/training/test_differential.py::test_the_basis_does_not_see_held_out_rows",
    ),
    Mutant(
        "encoding by D^-1 (D - A) in training, solving by D - A",
        f"{TRAINING}/_labels.py",
        "    reconstructor = Reconstructor(faces, count, chosen, settings.anchor_weight)\n",
        "    solver = Reconstructor(faces, count, chosen, settings.anchor_weight)\n"
        "    degree = np.zeros((count, 1), np.float32)\n"
        "    for i in range(4):\n"
        "        used = (faces[:, i] >= 0) & (faces[:, (i + 1) % 4] >= 0)\n"
        "        np.add.at(degree, faces[used, i], 1.0)\n"
        "    class reconstructor:\n"
        "        folded = solver.folded\n"
        "        @staticmethod\n"
        "        def encode(d, threads=0):\n"
        "            return solver.encode(d, threads=threads) / np.maximum(degree, 1.0)\n",
        "tests/training/test_differential.py::test_basis_and_anchors_rebuild_the_displacements",
    ),
    Mutant(
        "vertices that are no number are learned",
        f"{TRAINING}/_transforms.py",
        "wrong = np.argwhere(~np.isfinite(vertices))",
        "wrong = np.argwhere(np.zeros(vertices.shape, bool))",
        "tests/training/test_differential.py::test_a_vertex_that_is_no_number_is_named",
    ),
    Mutant(
        "encoding by D^-1 (D - A) in the engine, solving by D - A",
        f"{ENGINE}/reconstructor.cpp",
        "delta(t, k, axis) = static_cast<float>(sum[axis]);",
        "delta(t, k, axis) = static_cast<float>(sum[axis] / (neighbors_.start[k + 1] - neighbors_.start[k]));",
        "tests/differential/test_reconstructor.py",
    ),
    Mutant(
        "anchors ignored by the solve",
        f"{ENGINE}/reconstructor.cpp",
        "weights_[a] * weights_[a] * anchor_positions(t, a, axis);",
        "0.0 * anchor_positions(t, a, axis);",
        "tests/differential/test_reconstructor.py",
    ),
    Mutant(
        "anchors ignored by the model",
        f"{ENGINE}/model/model_products.cpp",
        "    anchors_.evaluate(poses, memory.anchors, count, memory.networks);\n",
        "    for (int p = 0; p < count; ++p) std::fill_n(memory.anchors.row(p), 3 * num_anchors(), 0.0f);\n",
        "tests/differential/test_model.py::test_anchors_move_the_surface",
    ),
    Mutant(
        "negative inputs skipped as if they came from relu",
        f"{ENGINE}/model/relu_layer_kernels.cpp",
        "count += x[i] != 0.0f;",
        "count += x[i] > 0.0f;",
        "tests/differential/test_model.py::test_a_pose_does_not_depend_on_the_batch_nor_on_threads",
    ),
    Mutant(
        "blocks of weights that leave out the last inputs",
        f"{ENGINE}/model/relu_blocks-inl.h",
        "std::min(inputs_of_block, layer.inputs - first)",
        "std::min(inputs_of_block, layer.inputs - first - 1)",
        "tests/differential/test_model.py::test_a_pose_does_not_depend_on_the_batch_nor_on_threads",
    ),
    Mutant(
        "a session that evaluates networks whose inputs did not change, alone",
        f"{ENGINE}/model/relu_networks.cpp",
        "if (!is_same) evaluate_network",
        "if (is_same) evaluate_network",
        "tests/rig/test_sessions.py::test_a_walk_has_the_bytes_of_evaluate",
    ),
]

if __name__ == "__main__":
    run_list(__doc__, MUTANTS)
