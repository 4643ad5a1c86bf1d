#include "rigcast/differential/folded_reconstructor.h"

#include <algorithm>
#include <cmath>

#include "rigcast/core/check.h"
#include "rigcast/core/parallel.h"
#include "rigcast/differential/fold.h"

namespace rigcast::differential {
namespace {

constexpr std::int64_t frames_per_batch = 32;  // which share one pass over the weights; chosen, not tuned
constexpr std::int64_t tiles_per_piece = 8;

network::Storage chosen_storage(const std::string& storage, const Folded& folded, std::int64_t components) {
    if (storage == "float32") return network::Storage::float32;
    if (storage != "16-bit") {
        throw bad_argument("Reconstructor.folded", "storage", "'" + storage + "'", "\"float32\" or \"16-bit\"");
    }
    const std::int64_t rows = static_cast<std::int64_t>(folded.constant.size());
    return network::choose_storage({folded.basis.data(), {rows, components}});
}

}  // namespace

FoldedReconstructor::FoldedReconstructor(const Reconstructor& reconstructor, View<const float, 2> basis,
                                         View<const float, 1> mean, const std::string& storage, int threads) {
    const Folded folded = fold(reconstructor, basis, mean, threads);
    const std::int64_t rows = 3 * reconstructor.num_vertices();
    const std::int64_t anchors = static_cast<std::int64_t>(reconstructor.anchors().size());
    tail_ =
        pack_affine_tail({folded.basis.data(), {rows, basis.extent(1)}}, {folded.anchor.data(), {rows / 3, anchors}},
                         {folded.constant.data(), {rows}}, chosen_storage(storage, folded, basis.extent(1)), packed_);
}

void FoldedReconstructor::solve(View<const float, 2> coefficients, View<const float, 3> anchor_positions,
                                View<float, 3> displacements, int threads) const {
    constexpr const char* name = "FoldedReconstructor.solve";
    const std::int64_t frames = coefficients.extent(0);
    check_shape<const float, 2>(name, "z", coefficients, {-1, tail_.num_coefficients});
    check_shape<const float, 3>(name, "anchor_positions", anchor_positions, {frames, tail_.num_anchors, 3});
    check_shape<float, 3>(name, "displacements", displacements, {frames, tail_.num_vertices, 3});
    check_finite(name, "z", coefficients);
    check_finite(name, "anchor_positions", anchor_positions);
    evaluate_tail(tail_, packed_, {coefficients.data(), tail_.num_coefficients},
                  {anchor_positions.data(), 3 * tail_.num_anchors}, {displacements.data(), 3 * tail_.num_vertices},
                  frames, threads);
    if (!std::all_of(displacements.begin(), displacements.end(), [](float x) { return std::isfinite(x); })) {
        throw bad_argument(name, "z", "so large that the result overflows float32", "smaller");
    }
}

void evaluate_tail(const AffineTail& tail, const Packed& packed, Rows<const float> coefficients,
                   Rows<const float> anchors, Rows<float> points, std::int64_t frames, int threads) {
    const AffineTailKernels& kernels = affine_tail_kernels();
    if (frames == 1) {
        parallel_for(tail.num_tiles(), tiles_per_piece, threads, [&](std::int64_t begin, std::int64_t end) {
            kernels.evaluate(tail, packed, coefficients, anchors, points, 1, begin, end, true);
        });
        return;
    }
    parallel_for(frames, frames_per_batch, threads, [&](std::int64_t begin, std::int64_t end) {
        kernels.evaluate(tail, packed, coefficients.from(begin), anchors.from(begin), points.from(begin),
                         static_cast<int>(end - begin), 0, tail.num_tiles(), true);
    });
}

}  // namespace rigcast::differential
