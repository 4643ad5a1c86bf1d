#include <algorithm>

#include "rigcast/core/dispatch.h"
#include "rigcast/differential/affine_tail.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "rigcast/differential/affine_tail_kernels.cpp"  // compiled once for every instruction set
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace rigcast::differential::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<float, network::Dense::outputs_per_vector>;
using V = hn::Vec<D>;
constexpr D d;
constexpr int lanes = static_cast<int>(hn::MaxLanes(d));
constexpr int tile_size = AffineTail::vertices_per_tile;
constexpr int vectors_per_tile = tile_size / lanes;

// Register tiles: sums of 3 axes of all vectors of a tile for one row, or of fewer vectors for rows that share weights:
// 3 axes * 2 vectors * 4 rows, weights and coefficients fit into 32 registers, 3 * 1 * 3 into 16 (four rows do not: a
// sum that goes through memory in each step makes the loop wait).
constexpr int shared_rows = lanes == 16 ? 4 : 3;
constexpr int vectors_for_shared_rows = lanes == 16 ? 2 : 1;

constexpr int most_rows = 32;  // whose sums, 12 KB, stay in the first-level cache; chosen, not tuned

/// Loads weights of any storage as float32.
HWY_INLINE V load(const float* weight) {
    return hn::Load(d, weight);
}
template <class Stored>
HWY_INLINE V load(const Stored* weight) {
    return hn::PromoteTo(d, hn::Load(hn::Rebind<Stored, D>(), weight));
}

/// Calls body(x), where x has the type of the stored weights.
template <class Body>
HWY_INLINE void for_storage(network::Storage storage, const Body& body) {
    switch (storage) {
        case network::Storage::float32:
            return body(float());
        case network::Storage::float16:
            return body(hwy::float16_t());
        case network::Storage::bfloat16:
            return body(hwy::bfloat16_t());
        case network::Storage::int16:
        case network::Storage::int8:
            return;  // choose_storage never gives it
    }
}

/// Coefficients and anchors in one pass over the weights. Fewer keep the weights of a pass in the first-level cache
/// while all rows use them; more load and store the sums less often. Chosen, not tuned.
constexpr std::int64_t coefficients_per_pass = 48;
constexpr std::int64_t anchors_per_pass = 3 * coefficients_per_pass;

/// Adds the products of `count` coefficients, or anchors, to the sums of `Count` rows for `Vectors` vectors of a tile.
template <int Count, int Vectors, class Stored>
HWY_INLINE void add_coefficients(const Stored* weight, Rows<const float> coefficients, std::int64_t first,
                                 std::int64_t count, V (&sum)[Count][3][Vectors]) {
    for (std::int64_t r = first; r < first + count; ++r, weight += 3 * tile_size) {
        for (int axis = 0; axis < 3; ++axis) {
            V w[Vectors];
            for (int v = 0; v < Vectors; ++v) w[v] = load(weight + axis * tile_size + v * lanes);
            for (int p = 0; p < Count; ++p) {
                const V z = hn::Set(d, coefficients.row(p)[r]);
                for (int v = 0; v < Vectors; ++v) sum[p][axis][v] = hn::MulAdd(w[v], z, sum[p][axis][v]);
            }
        }
    }
}
template <int Count, int Vectors, class Stored>
HWY_INLINE void add_anchors(const Stored* weight, Rows<const float> anchors, std::int64_t first, std::int64_t count,
                            V (&sum)[Count][3][Vectors]) {
    for (std::int64_t a = first; a < first + count; ++a, weight += tile_size) {
        V w[Vectors];
        for (int v = 0; v < Vectors; ++v) w[v] = load(weight + v * lanes);
        for (int p = 0; p < Count; ++p) {
            for (int axis = 0; axis < 3; ++axis) {
                const V point = hn::Set(d, anchors.row(p)[3 * a + axis]);
                for (int v = 0; v < Vectors; ++v) sum[p][axis][v] = hn::MulAdd(w[v], point, sum[p][axis][v]);
            }
        }
    }
}

/// Loads the sums of `Count` rows from `sums` (96 floats per row: 32 x, 32 y, 32 z), lets `add` change them, and stores
/// them, for all vectors of a tile.
template <int Count, int Vectors, class Add>
HWY_INLINE void update_sums(float* sums, const Add& add) {
    for (int first = 0; first < tile_size; first += Vectors * lanes) {
        V sum[Count][3][Vectors];
        for (int p = 0; p < Count; ++p) {
            for (int axis = 0; axis < 3; ++axis) {
                for (int v = 0; v < Vectors; ++v) {
                    sum[p][axis][v] = hn::Load(d, sums + (3 * p + axis) * tile_size + first + v * lanes);
                }
            }
        }
        add(first, sum);
        for (int p = 0; p < Count; ++p) {
            for (int axis = 0; axis < 3; ++axis) {
                for (int v = 0; v < Vectors; ++v) {
                    hn::Store(sum[p][axis][v], d, sums + (3 * p + axis) * tile_size + first + v * lanes);
                }
            }
        }
    }
}

/// Calls update_sums for all rows: shared_rows at a time, then one by one. add(p, first, sum) gets the first of the
/// rows.
template <class Add>
HWY_INLINE void for_rows(int count, float* sums, const Add& add) {
    int p = 0;
    for (; p + shared_rows <= count; p += shared_rows) {
        update_sums<shared_rows, vectors_for_shared_rows>(sums + 3 * p * tile_size,
                                                          [&](int first, auto& sum) { add(p, first, sum); });
    }
    for (; p < count; ++p) {
        update_sums<1, vectors_per_tile>(sums + 3 * p * tile_size, [&](int first, auto& sum) { add(p, first, sum); });
    }
}

/// Adds the products of all weights of a tile to the sums of `count` rows.
template <class Stored>
HWY_INLINE void add_tile(const AffineTail& tail, const Stored* weight, Rows<const float> coefficients,
                         Rows<const float> anchors, int count, float* sums) {
    for (std::int64_t begin = 0; begin < tail.num_coefficients; begin += coefficients_per_pass) {
        const std::int64_t size = std::min(coefficients_per_pass, tail.num_coefficients - begin);
        for_rows(count, sums, [&](int p, int first, auto& sum) {
            add_coefficients(weight + first, coefficients.from(p), begin, size, sum);
        });
        weight += 3 * tile_size * size;
    }
    for (std::int64_t begin = 0; begin < tail.num_anchors; begin += anchors_per_pass) {
        const std::int64_t size = std::min(anchors_per_pass, tail.num_anchors - begin);
        for_rows(count, sums,
                 [&](int p, int first, auto& sum) { add_anchors(weight + first, anchors.from(p), begin, size, sum); });
        weight += tile_size * size;
    }
}

/// Writes sums (32 x, 32 y, 32 z) as points of the tile's vertices.
HWY_INLINE void write_points(const float* sums, std::int64_t count, float* points) {
    HWY_ALIGN float interleaved[3 * tile_size];
    for (int first = 0; first < tile_size; first += lanes) {
        hn::StoreInterleaved3(hn::Load(d, sums + first), hn::Load(d, sums + tile_size + first),
                              hn::Load(d, sums + 2 * tile_size + first), d, interleaved + 3 * first);
    }
    std::copy_n(interleaved, 3 * count, points);
}

void evaluate(const AffineTail& tail, const Packed& packed, Rows<const float> coefficients, Rows<const float> anchors,
              Rows<float> points, int count, std::int64_t first, std::int64_t last, bool with_constant) {
    HWY_ALIGN float sums[most_rows * 3 * tile_size];
    for_storage(tail.storage, [&](auto example) {
        using Stored = decltype(example);
        for (std::int64_t tile = first; tile < last; ++tile) {
            const Stored* weight = packed.at<Stored>(tail.weight) + tile * tail.weights_per_tile();
            const float* constant = packed.at(tail.constant) + 3 * tile * tile_size;
            const std::int64_t begin = tile * tile_size;
            const std::int64_t vertices = std::min<std::int64_t>(tile_size, tail.num_vertices - begin);
            for (int p = 0; p < count; p += most_rows) {
                const int rows = std::min(most_rows, count - p);
                for (int q = 0; q < rows; ++q) {
                    float* row = sums + 3 * q * tile_size;
                    if (with_constant) {
                        std::copy_n(constant, 3 * tile_size, row);
                    } else {
                        std::fill_n(row, 3 * tile_size, 0.0f);
                    }
                }
                add_tile(tail, weight, coefficients.from(p), anchors.from(p), rows, sums);
                for (int q = 0; q < rows; ++q) {
                    write_points(sums + 3 * q * tile_size, vertices, points.row(p + q) + 3 * begin);
                }
            }
        }
    });
}

/// Adds the products of the weights of a tile with its cotangents to one vector of sums per coefficient and per
/// coordinate of an anchor point.
template <class Stored>
HWY_INLINE void add_transposed(const AffineTail& tail, const Stored* weight, const float* cotangents, float* sums) {
    V g[3][vectors_per_tile];
    for (int v = 0; v < vectors_per_tile; ++v) {
        hn::LoadInterleaved3(d, cotangents + 3 * v * lanes, g[0][v], g[1][v], g[2][v]);
    }
    for (std::int64_t r = 0; r < tail.num_coefficients; ++r, sums += lanes, weight += 3 * tile_size) {
        V sum = hn::Load(d, sums);
        for (int axis = 0; axis < 3; ++axis) {
            for (int v = 0; v < vectors_per_tile; ++v) {
                sum = hn::MulAdd(load(weight + axis * tile_size + v * lanes), g[axis][v], sum);
            }
        }
        hn::Store(sum, d, sums);
    }
    for (std::int64_t a = 0; a < tail.num_anchors; ++a, weight += tile_size) {
        for (int axis = 0; axis < 3; ++axis, sums += lanes) {
            V sum = hn::Load(d, sums);
            for (int v = 0; v < vectors_per_tile; ++v) sum = hn::MulAdd(load(weight + v * lanes), g[axis][v], sum);
            hn::Store(sum, d, sums);
        }
    }
}

void vjp(const AffineTail& tail, const Packed& packed, const float* cotangents, float* coefficient_gradient,
         float* anchor_gradient, float* memory) {
    float* points = memory;  // the cotangents of one tile, padded
    float* sums = memory + 3 * tile_size;
    const std::int64_t rows = tail.num_coefficients + 3 * tail.num_anchors;
    std::fill_n(sums, rows * lanes, 0.0f);
    for_storage(tail.storage, [&](auto example) {
        using Stored = decltype(example);
        const Stored* weight = packed.at<Stored>(tail.weight);
        for (std::int64_t tile = 0; tile < tail.num_tiles(); ++tile, weight += tail.weights_per_tile()) {
            const std::int64_t begin = tile * tile_size;
            const std::int64_t count = std::min<std::int64_t>(tile_size, tail.num_vertices - begin);
            std::fill(std::copy_n(cotangents + 3 * begin, 3 * count, points), points + 3 * tile_size, 0.0f);
            add_transposed(tail, weight, points, sums);
        }
    });
    for (std::int64_t r = 0; r < rows; ++r) {
        float* out = r < tail.num_coefficients ? coefficient_gradient + r : anchor_gradient + r - tail.num_coefficients;
        *out = hn::GetLane(hn::SumOfLanes(d, hn::Load(d, sums + r * lanes)));
    }
}

const AffineTailKernels* table() {
    static constexpr AffineTailKernels kernels{&evaluate, &vjp};
    return &kernels;
}

}  // namespace rigcast::differential::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace rigcast::differential {

RIGCAST_EXPORT(table);

RIGCAST_KERNEL_TABLE(AffineTailKernels, affine_tail_kernels, table)

}  // namespace rigcast::differential
#endif
