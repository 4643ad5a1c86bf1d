#pragma once
#include <cstdint>

#include "rigcast/core/portable.h"
#include "rigcast/cuda/face/detail.h"
#include "rigcast/cuda/products/grouped_product.h"

namespace rigcast::cuda {

/// The points of frames (or tangents): V vertices, and behind them followers of rigid parts that are no vertices of a
/// restricted model.
struct Points {
    float* vertices;  // (T, num_vertices, 3)
    std::int64_t num_vertices;
    float* more;  // (T, num_more, 3)
    std::int64_t num_more;

    RIGCAST_DEVICE float* at(std::int64_t frame, std::int64_t point) const {
        return point < num_vertices ? vertices + (frame * num_vertices + point) * 3
                                    : more + (frame * num_more + point - num_vertices) * 3;
    }
};

/// Where a point samples the map of a segment: four texels by their weights, which sum to `share`.
struct MapEntry {
    std::int32_t segment;
    std::int32_t texel[4];
    float weight[4];
    float share;
};

/// The last map of a segment, and the 1 x 1 convolution that makes offsets of it: W (3, channels), then b (3).
struct LastMap {
    std::int64_t column;  // of its first texel
    std::int64_t weight;  // first number of W in the weights
    std::int32_t channels;
    std::int32_t refinement;
};

/// p_k = s_k + sum_e detail_e (share_e b + W sum_i weight_ei texel_ei) over the entries e of point k, in their order.
/// s are the points at rest, or those of the base. The derivative has no b, and s is that of the base, or null for 0.
struct SampleMaps {
    const float* maps;  // (T, width)
    std::int64_t width;
    const float* start;  // (N, 3), every `start_stride` floats: 0 if all frames have the same
    std::int64_t start_stride;
    bool is_derivative;
    const std::int32_t* offset;  // (N + 1) into the entries
    const MapEntry* entries;
    const LastMap* last_maps;  // (S)
    const float* weights;
    Detail detail;
    Points points;

    RIGCAST_DEVICE void operator()(std::int64_t frame, std::int64_t k) const {
        float sum[3] = {0.0f, 0.0f, 0.0f};
        if (start != nullptr) {
            for (int axis = 0; axis < 3; ++axis) sum[axis] = start[frame * start_stride + 3 * k + axis];
        }
        for (std::int32_t e = offset[k]; e < offset[k + 1]; ++e) {
            const float factor = detail.of(frame, last_maps[entries[e].segment].refinement);
            if (factor == 0.0f) continue;
            float moved[3];
            sample(frame, entries[e], moved);
            for (int axis = 0; axis < 3; ++axis) sum[axis] += factor * moved[axis];
        }
        float* point = points.at(frame, k);
        for (int axis = 0; axis < 3; ++axis) point[axis] = sum[axis];
    }

private:
    RIGCAST_DEVICE void sample(std::int64_t frame, const MapEntry& entry, float* moved) const {
        const LastMap last = last_maps[entry.segment];
        const float* w = weights + last.weight;
        const float* texels = maps + frame * width + last.column;
        const float share = is_derivative ? 0.0f : entry.share;
        for (int axis = 0; axis < 3; ++axis) moved[axis] = share * w[3 * last.channels + axis];
        for (int c = 0; c < last.channels; c += 4) {
            const int count = last.channels - c;
            FourFloats value{};
            for (int i = 0; i < 4; ++i) {
                const FourFloats texel = load_four(texels + std::int64_t{entry.texel[i]} * last.channels + c, count);
                for (int k = 0; k < 4; ++k) value.value[k] += entry.weight[i] * texel.value[k];
            }
            for (int axis = 0; axis < 3; ++axis) {
                const FourFloats row = load_four(w + axis * last.channels + c, count);
                for (int k = 0; k < 4; ++k) moved[axis] += row.value[k] * value.value[k];
            }
        }
    }
};

}  // namespace rigcast::cuda
