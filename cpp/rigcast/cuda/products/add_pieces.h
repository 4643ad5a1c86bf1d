#pragma once
#include <cstdint>

#include "rigcast/core/portable.h"

namespace rigcast::cuda {

/// The pieces of the sum of one output of a layer.
struct PieceSum {
    std::int32_t column;  // of the output
    std::int32_t count;
};

/// Adds the pieces of the sums of a layer's N outputs in their order, and finishes them.
template <class Finish>
struct AddPieces {
    const float* pieces;      // (pieces, T, N)
    const PieceSum* sums;     // (N), in the order of the biases
    std::int64_t num_frames;  // T
    std::int64_t num_sums;    // N
    Finish finish;
    std::int64_t first_frame;  // of the output
    float* output;             // (first_frame + T or more, output_width)
    std::int64_t output_width;

    RIGCAST_DEVICE void operator()(std::int64_t t, std::int64_t i) const {
        const PieceSum of = sums[i];
        float sum = 0.0f;
        for (std::int32_t p = 0; p < of.count; ++p) sum += pieces[(p * num_frames + t) * num_sums + i];
        const std::int64_t frame = first_frame + t;
        output[frame * output_width + of.column] = finish(sum, i, frame, of.column);
    }
};

}  // namespace rigcast::cuda
