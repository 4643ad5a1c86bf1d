#pragma once
#include <cstdint>

#include "rigcast/core/portable.h"
#include "rigcast/cuda/products/tangent_kernels.h"

/// From points whose coordinates lie axis by axis to vertices. Rows are frames, or tangents that belong to frames.
namespace rigcast::cuda {

/// Multiplies transforms (T, J, 12) by inverses of those at rest from the right, in place: G_j (G_j^0)^-1. Linear:
/// tangents of transforms become tangents of the result.
struct UndoRest {
    const float* inverse_rest;  // (J, 12)
    std::int64_t num_joints;
    float* transforms;  // (T, J, 12)

    RIGCAST_DEVICE void operator()(std::int64_t frame, std::int64_t j) const {
        float* g = transforms + (frame * num_joints + j) * 12;
        const float* x = inverse_rest + j * 12;
        for (int r = 0; r < 3; ++r) {
            float row[4];
            for (int c = 0; c < 4; ++c) {
                row[c] = c == 3 ? g[4 * r + 3] : 0.0f;
                for (int e = 0; e < 3; ++e) row[c] += g[4 * r + e] * x[4 * e + c];
            }
            for (int c = 0; c < 4; ++c) g[4 * r + c] = row[c];
        }
    }
};

/// The influences of the vertices.
struct Influences {
    const std::int32_t* offset;  // (V + 1)
    const std::int32_t* joint;   // (E)
    const float* weight;         // (E)
    std::int64_t num_joints;

    /// sum_j w_kj T_j of the transforms (J, 12) of row `row`.
    RIGCAST_DEVICE void blend(const float* transforms, std::int64_t row, std::int64_t k, float* blended) const {
        for (int e = 0; e < 12; ++e) blended[e] = 0.0f;
        for (std::int32_t i = offset[k]; i < offset[k + 1]; ++i) {
            const float* x = transforms + (row * num_joints + joint[i]) * 12;
            for (int e = 0; e < 12; ++e) blended[e] += weight[i] * x[e];
        }
    }
};

/// v_k = p_k + o_k: coordinates axis by axis (T, 3, V) to vertices (T, V, 3), with the offsets of a base. Linear.
struct PlaceVertices {
    const float* points;
    std::int64_t num_vertices;
    const float* base;  // (T, V, 3), or null
    float* vertices;

    RIGCAST_DEVICE void operator()(std::int64_t frame, std::int64_t k) const {
        for (int axis = 0; axis < 3; ++axis) {
            const std::int64_t place = (frame * num_vertices + k) * 3 + axis;
            vertices[place] = points[(frame * 3 + axis) * num_vertices + k] + (base == nullptr ? 0.0f : base[place]);
        }
    }
};

/// Point k of a row: axis by axis (rows, 3, V), with the offsets (rows, V, 3) of a base, which may be null.
RIGCAST_DEVICE inline void read_point(const float* points, const float* base, std::int64_t num_vertices,
                                      std::int64_t row, std::int64_t k, float* p) {
    for (int axis = 0; axis < 3; ++axis) {
        p[axis] = points[(row * 3 + axis) * num_vertices + k];
        if (base != nullptr) p[axis] += base[(row * num_vertices + k) * 3 + axis];
    }
}

/// v_k = (sum_j w_kj T_j) (p_k + o_k).
struct PlaceSkinned {
    const float* points;  // (T, 3, V)
    const float* base;    // (T, V, 3), or null
    std::int64_t num_vertices;
    const float* transforms;  // (T, J, 12)
    Influences influences;
    float* vertices;  // (T, V, 3)

    RIGCAST_DEVICE void operator()(std::int64_t frame, std::int64_t k) const {
        float x[12];
        influences.blend(transforms, frame, k, x);
        float p[3];
        read_point(points, base, num_vertices, frame, k, p);
        for (int r = 0; r < 3; ++r) {
            vertices[(frame * num_vertices + k) * 3 + r] =
                x[4 * r] * p[0] + x[4 * r + 1] * p[1] + x[4 * r + 2] * p[2] + x[4 * r + 3];
        }
    }
};

/// dv_k = sum_j w_kj (dT_j (p_k + o_k) + T_j (dp_k + do_k)).
struct PlaceSkinnedTangents {
    const float* points;          // (T, 3, V)
    const float* point_tangents;  // (R, 3, V)
    const float* base;            // (T, V, 3), or null
    const float* base_tangents;   // (R, V, 3), or null
    std::int64_t num_vertices;
    const float* transforms;          // (T, J, 12)
    const float* transform_tangents;  // (R, J, 12)
    TangentFrames frames;
    Influences influences;
    float* derivatives;  // (R, V, 3)

    RIGCAST_DEVICE void operator()(std::int64_t r, std::int64_t k) const {
        const std::int64_t frame = frames.frame(r);
        float x[12];
        float dx[12];
        influences.blend(transforms, frame, k, x);
        influences.blend(transform_tangents, r, k, dx);
        float p[3], dp[3];
        read_point(points, base, num_vertices, frame, k, p);
        read_point(point_tangents, base_tangents, num_vertices, r, k, dp);
        for (int axis = 0; axis < 3; ++axis) {
            float change = dx[4 * axis + 3];
            for (int c = 0; c < 3; ++c) {
                change += dx[4 * axis + c] * p[c] + x[4 * axis + c] * dp[c];
            }
            derivatives[(r * num_vertices + k) * 3 + axis] = change;
        }
    }
};

}  // namespace rigcast::cuda
