#pragma once
#include <cstdint>

namespace rigwright::rig {

/// The columns of one group (see GroupedColumns) that take part in a product. Each is a row of the group's matrix:
/// 3 * num_vertices offset coordinates.
struct GroupRows {
    const std::int32_t* vertex;  // (num_vertices) the group's vertices
    std::int64_t num_vertices;
    std::int64_t num_rows;
    const std::int64_t* begin;   // (num_rows) index of each row's first value, from the group's first value
    const std::int32_t* column;  // (num_rows) the column of each row, ascending
};

/// A rig's stored values from the first one of a group on.
template <class Value>
struct ValuesFrom {
    const Value* data;
    std::int64_t readable;  // values from data[0] to the end of the rig's: kernels read whole vectors only inside these
};

/// Products of blendshape offsets with activations, compiled for the instruction set in use.
///
/// Guarantee: sums run over the columns in ascending order, one multiply-add at a time. So a frame has the same bytes
/// alone and in any batch, and columns whose activation is 0 may be left out, except for the sign of zeros: whoever
/// stores sums as vertices adds 0, which turns -0 into 0.
struct BlendshapeKernels {
    int lanes;                // floats per vector
    int max_frames_per_call;  // the largest `frames` of evaluate_frames

    /// list_rows may write up to this many entries more than it returns: one vector of the widest instruction set.
    static constexpr std::int64_t row_list_padding = 16;
    /// Lists the rows of a group whose columns are in `chosen`. `columns` and `chosen` are sets of columns, one bit per
    /// column in `words` words; a row has `row_size` values. Writes each row's first value and column, ascending, and
    /// returns the number of rows. `begin` and `column` have room for all columns and row_list_padding more.
    std::int64_t (*list_rows)(const std::int32_t* columns, const std::uint32_t* chosen, std::int64_t words,
                              std::int64_t row_size, std::int64_t* begin, std::int32_t* column);

    /// Writes a group's vertices of one frame into `vertices` (V, 3): the neutral plus the sum over the rows of
    /// activation * offset, plus 0.
    void (*evaluate_frame)(const GroupRows& rows, ValuesFrom<float> values, const float* neutral,
                           const float* activations, float* vertices);
    /// The same for offsets of 16 bits, whose scales the activations contain.
    void (*evaluate_frame_int16)(const GroupRows& rows, ValuesFrom<std::int16_t> values, const float* neutral,
                                 const float* activations, float* vertices);
    /// The same sums for several frames, one per lane; `frames` is a multiple of `lanes`, at most max_frames_per_call.
    /// Reads activations (N, frames). Writes sums (coordinates, frames) without adding 0; their first row is the first
    /// coordinate of vertex `first_vertex`.
    void (*evaluate_frames)(const GroupRows& rows, const float* values, const float* neutral, const float* activations,
                            std::int64_t frames, std::int64_t first_vertex, float* sums);
    /// Converts 16-bit values to float32, without scale.
    void (*convert_int16)(const std::int16_t* values, std::int64_t count, float* out);

    /// Adds the products of a group's rows with the cotangents (V, 3) of its vertices to partial_sums (N, lanes). The
    /// gradient with respect to a column's activation is the sum_lanes of its partial sums.
    void (*add_gradient)(const GroupRows& rows, ValuesFrom<float> values, const float* cotangents, float* partial_sums);
    void (*add_gradient_int16)(const GroupRows& rows, ValuesFrom<std::int16_t> values, const float* cotangents,
                               float* partial_sums);
    /// The sum of `lanes` numbers.
    float (*sum_lanes)(const float* partial_sums);
};
const BlendshapeKernels& blendshape_kernels();

}  // namespace rigwright::rig
