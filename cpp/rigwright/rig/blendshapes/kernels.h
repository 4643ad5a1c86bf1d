#pragma once
#include <cstdint>

namespace rigwright::rig {

/// The rows of a group of vertices (see GroupedColumns) that take part in a product.
struct GroupRows {
    const std::int32_t* vertex;  // members
    std::int64_t size;           // of them
    std::int64_t count;          // rows
    const std::int64_t* first;   // (count) where each begins, from the group's first number
    const std::int32_t* column;  // (count)
};

/// The numbers of a model from the first one of a group on.
template <class Number>
struct Numbers {
    const Number* data;
    std::int64_t left;  // how many may be read
};

/// The products of blendshapes, for the instruction set in use. Sums run over the columns in ascending order, a
/// multiplication and an addition at a time, so that a head gives the same bytes alone and in any batch; a column
/// whose activation is 0 may be left out. Whoever writes sums as vertices adds 0, so that there is no negative zero.
struct BlendshapeKernels {
    int lanes;  // heads in a vector
    int block;  // heads that `many` takes at most: a whole number of vectors

    /// Lists the rows of a group's columns that are among the chosen ones: bits of `words` words each, rows `size`
    /// numbers long. Writes where each begins and its column, ascending, and returns how many; up to `list_slack`
    /// places behind them are overwritten.
    std::int64_t (*list)(const std::int32_t* columns, const std::uint32_t* chosen, std::int64_t words,
                         std::int64_t size, std::int64_t* first, std::int32_t* column);
    static constexpr std::int64_t list_slack = 16;

    /// Writes a group's vertices of one head into `vertices` (V, 3): neutral + sum of activation times row.
    void (*one)(const GroupRows& rows, Numbers<float> numbers, const float* neutral, const float* activations,
                float* vertices);
    void (*one_half)(const GroupRows& rows, Numbers<std::int16_t> numbers, const float* neutral,
                     const float* activations, float* vertices);
    /// The same for `stride` heads, a whole number of vectors: activations (N, stride) in, `sums` (3 n, stride) of
    /// the vertices from `start` on out.
    void (*many)(const GroupRows& rows, const float* numbers, const float* neutral, const float* activations,
                 std::int64_t stride, std::int64_t start, float* sums);
    /// 16-bit numbers as floats.
    void (*widen)(const std::int16_t* numbers, std::int64_t count, float* out);

    /// Adds the products of a group's rows with the cotangents (V, 3) of its members to sums (N, lanes), of which
    /// `total` makes one number a column.
    void (*gradient)(const GroupRows& rows, Numbers<float> numbers, const float* cotangents, float* sums);
    void (*gradient_half)(const GroupRows& rows, Numbers<std::int16_t> numbers, const float* cotangents, float* sums);
    float (*total)(const float* sums);
};
const BlendshapeKernels& blendshape_kernels();

}  // namespace rigwright::rig
