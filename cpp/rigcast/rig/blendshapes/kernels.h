#pragma once
#include <cstdint>

namespace rigcast::rig {

/// The columns of one group (see GroupedColumns) that take part in a product. Each is a row of the group's matrix: the
/// offsets (num_vertices, 3) of the group's vertices.
struct GroupRows {
    const std::int32_t* vertex;  // (num_vertices) the group's vertices
    std::int64_t num_vertices;
    std::int64_t num_rows;
    const std::int64_t* begin;   // (num_rows) index of each row's first value; the group's first value has index 0
    const std::int32_t* column;  // (num_rows) the column of each row, ascending
};

/// The stored values of a group, and how far a kernel may read past them.
template <class Value>
struct ValuesFrom {
    const Value* data;      // the group's first value
    std::int64_t readable;  // number of values from data[0] to the last one of the rig; no vector load goes beyond
};

/// Products of blendshape offsets with activations, compiled for the instruction set in use.
///
/// Guarantee: sums run over the columns in ascending order, one multiply-add at a time. So a frame has the same bytes
/// alone and in any batch, and columns whose activation is 0 may be left out. Only the sign of a zero may differ:
/// before sums are stored as vertices, 0 is added, which turns -0 into 0.
struct BlendshapeKernels {
    int lanes;                // floats per vector
    int max_frames_per_call;  // the largest `frames` of evaluate_frames

    /// list_rows may write up to this many entries more than it returns: one vector of the widest instruction set.
    static constexpr std::int64_t row_list_padding = 16;
    /// Lists the rows of a group whose columns are in `chosen`: writes GroupRows::begin and GroupRows::column,
    /// ascending, and returns the number of rows. `columns` (those of the group) and `chosen` are sets with one bit per
    /// column, in `words` 32-bit words. A row has `row_size` values. `begin` and `column` have room for all columns and
    /// row_list_padding more.
    std::int64_t (*list_rows)(const std::int32_t* columns, const std::uint32_t* chosen, std::int64_t words,
                              std::int64_t row_size, std::int64_t* begin, std::int32_t* column);

    /// Writes a group's vertices of one frame into `vertices` (V, 3): the neutral (V, 3) plus the sum over the rows of
    /// activation * offset, plus 0. Reads activations (N).
    void (*evaluate_frame)(const GroupRows& rows, ValuesFrom<float> values, const float* neutral,
                           const float* activations, float* vertices);
    /// The same for 16-bit offsets. The caller has multiplied each activation by its column's scale.
    void (*evaluate_frame_int16)(const GroupRows& rows, ValuesFrom<std::int16_t> values, const float* neutral,
                                 const float* activations, float* vertices);
    /// The same sums for several frames, one per lane. `frames` is a multiple of `lanes`, at most max_frames_per_call.
    /// `values` are those of the group; the kernel does not load past them. Reads activations (N, frames), aligned to
    /// vectors. Writes the rows of the group's vertices in sums (coordinates, frames), also aligned, without adding 0:
    /// row 3 * (v - first_vertex) + c is coordinate c of vertex v of the rig.
    void (*evaluate_frames)(const GroupRows& rows, const float* values, const float* neutral, const float* activations,
                            std::int64_t frames, std::int64_t first_vertex, float* sums);
    /// Converts 16-bit values to float32, without scale.
    void (*convert_int16)(const std::int16_t* values, std::int64_t count, float* out);

    /// Adds the dot product of each row with the cotangents (V, 3) of the group's vertices to partial_sums (N, lanes).
    /// The gradient with respect to the activation of column n is sum_lanes of row n; the caller applies the scales of
    /// 16-bit offsets.
    void (*add_gradient)(const GroupRows& rows, ValuesFrom<float> values, const float* cotangents, float* partial_sums);
    void (*add_gradient_int16)(const GroupRows& rows, ValuesFrom<std::int16_t> values, const float* cotangents,
                               float* partial_sums);
    /// The sum of `lanes` numbers.
    float (*sum_lanes)(const float* partial_sums);
};
/// The kernels of the instruction set in use. Throws what instruction_set() throws.
const BlendshapeKernels& blendshape_kernels();

}  // namespace rigcast::rig
