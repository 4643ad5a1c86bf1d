#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "rigcast/inverse/problem.h"
#include "rigcast/inverse/rig_gram.h"
#include "rigcast/optimize/products/shot.h"

namespace rigcast::inverse {

struct DescentOptions {
    /// A frame has converged if its optimality is at most this times its Problem::scale.
    double tolerance = 1e-9;
    /// Per frame; 0: 200, or 2,000 if RigGram::sharpness is below 1.
    std::int64_t max_iterations = 0;
    /// With smoothness: true solves all frames together, exactly; false solves each frame given the two before it.
    bool coupled = true;
    /// 0: all processors.
    int threads = 0;
    /// Called on the calling thread after every 1,024 frames with the number of frames solved so far. An exception
    /// from it ends the solve.
    std::function<void(std::int64_t frames)> solved;
    /// See optimize::ShotOptions::report.
    std::function<void(std::int64_t iterations, double ratio)> report;
};

/// Finds the weights of a shot by descent in Gram space.
///
/// Method. solve_frames without the temporal term; then, with smoothness, optimize::solve_coupled from that solution,
/// or solve_frames with bending if `coupled` is false; then finish_descent.
/// `result.weights` holds the start on entry, inside the box. Same bytes for any number of threads.
void descend(const RigGram& gram, const Problem& problem, const DescentOptions& options,
             const optimize::ShotResult& result);

/// The end of a descent, wherever its frames were solved: tied shapes get the weight of their variable; if the
/// tolerance was sharpened (RigGram::sharpness), frames that reached the tolerance itself count as converged; shapes
/// with equal columns (RigGram::duplicates) share their common weight, of which the first gets as much as its bounds
/// allow.
void finish_descent(const RigGram& gram, const Problem& problem, const DescentOptions& options,
                    const optimize::ShotResult& result);

/// Weights of a shot, and how good they are.
struct ShotWeights {
    std::int64_t num_frames = 0;
    std::int64_t num_shapes = 0;
    std::vector<double> weights;           // (T, K), inside the box
    std::vector<double> objective;         // (T): Problem's, without the temporal term
    std::vector<double> optimality;        // (T): largest entry of the projected gradient, temporal term included
    std::vector<double> rmse;              // (T): weighted root mean square distance of the vertices
    std::vector<std::int64_t> iterations;  // (T)
    std::vector<char> converged;           // (T)

    double weight(std::int64_t frame, std::int64_t shape) const { return weights[frame * num_shapes + shape]; }
};

/// Finds the weights that minimize a problem's objective, by descend from its start.
///
/// Example: the weights of a shot.
/// ```cpp
/// const auto file = std::make_shared<const TensorFile>(TensorFile::read("face.safetensors"));
/// const inverse::RigGram gram(std::make_shared<const rig::BlendshapeRig>(file));  // once per rig
/// const std::vector<float> targets(frames * vertices * 3);
/// inverse::ShotTargets shot{{targets.data(), {frames, vertices, 3}}};
/// shot.alpha = 0.0;  // sparsity: none
/// const inverse::ShotWeights found = inverse::solve(gram, inverse::Problem(gram, shot));
/// ```
///
/// `gram` is the one that the problem was made with. Guarantee: same bytes for any number of threads, and those of
/// Python's rigcast.inverse.solve with method "descent".
/// Throws ArgumentError if `gram` is of another rig, or `threads` is negative; NumericalError if the objective
/// overflows.
ShotWeights solve(const RigGram& gram, const Problem& problem, const DescentOptions& options = {});

}  // namespace rigcast::inverse
