#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "rigcast/core/files/tensor_file.h"
#include "rigcast/rig/blendshapes/kernels.h"

namespace rigcast::rig {

/// Sparse offsets of V vertices in N columns (deltas), stored as small dense matrices.
///
/// Vertices are cut into windows of 512 successive ones. The vertices of a window that exactly the same columns move
/// form a group. A group is a dense matrix with one row per column that moves it and three coordinates per vertex.
/// Cost: beside the offsets, one bit per column and group and one index per moved vertex; all products are dense.
/// Vertices in no group are unmoved.
///
/// Tensors (G groups, M moved vertices, E values):
///   blendshape.group.offset I32[G + 1]: group g has blendshape.group.vertex[offset[g]] to before [offset[g + 1]];
///   blendshape.group.vertex I32[M]: no vertex twice; a group lies in one window, and windows ascend;
///   blendshape.group.columns I32[G, ceil(N / 32)]: bit n % 32 of word n / 32 is set if column n moves the group;
/// then the values, group by group, row by row in ascending order of columns, either
///   blendshape.delta F32[E], or
///   blendshape.delta16 I32[ceil(E / 2)] (pairs of int16, little endian) and blendshape.scale F32[N]: an offset is its
///   value times the scale of its column.
class GroupedColumns {
public:
    /// Part of the file format. Trades: larger windows have fewer and larger groups; smaller ones need less working
    /// memory for sums (6 KB per frame at 512). Chosen, not tuned.
    static constexpr std::int64_t vertices_per_window = 512;

    /// The vertices vertex[0 .. size) and the columns that move them; each column is a row of 3 * size values.
    struct Group {
        const std::int32_t* vertex;
        std::int64_t size;
        const std::int32_t* columns;  // num_words() words of bits
        std::int64_t data;            // index of the first row's first value among all values
    };

    /// Successive vertices.
    struct VertexRange {
        std::int32_t first;
        std::int32_t count;
    };

    /// Throws ArgumentError if sizes do not fit, a vertex index is out of range or in two groups, a group is empty or
    /// crosses windows, a column bit is beyond N, or a scale is negative.
    GroupedColumns(const TensorFile& tensors, std::int64_t num_vertices, std::int64_t num_columns);

    std::int64_t num_columns() const { return num_columns_; }
    /// 32-bit words of a set of columns.
    std::int64_t num_words() const { return columns_.extent(1); }
    std::int64_t num_windows() const { return static_cast<std::int64_t>(window_group_.size()) - 1; }
    /// Window w has the groups first_group(w) to before first_group(w + 1); first_group(num_windows()) is their number.
    std::int64_t first_group(std::int64_t w) const { return window_group_[w]; }
    Group group(std::int64_t g) const {
        return {vertex_.data() + offset_(g), offset_(g + 1) - offset_(g), columns_.row(g), data_[g]};
    }
    /// The vertices of window w that no column moves, ascending.
    std::span<const VertexRange> unmoved(std::int64_t w) const {
        return {unmoved_.data() + window_unmoved_[w], unmoved_.data() + window_unmoved_[w + 1]};
    }

    /// Number of values of group g.
    std::int64_t num_values(std::int64_t g) const { return data_[g + 1] - data_[g]; }
    std::int64_t max_values_per_group() const { return max_values_per_group_; }

    /// True if values are stored as int16 with scales: then float_values() is null, else int16_values() is.
    bool is_int16() const { return int16_ != nullptr; }
    const float* float_values() const { return float_; }
    const std::int16_t* int16_values() const { return int16_; }
    /// The values from a group's first one on.
    ValuesFrom<float> float_values_from(const Group& group) const {
        return {float_ + group.data, data_.back() - group.data};
    }
    ValuesFrom<std::int16_t> int16_values_from(const Group& group) const {
        return {int16_ + group.data, data_.back() - group.data};
    }
    /// By which the values of column n are multiplied; 1 for float32.
    float scale(std::int64_t n) const { return int16_ ? scale_(n) : 1.0f; }

    /// An upper bound of the magnitude of every offset's coordinates; exact for float32.
    double largest_offset() const;
    /// Writes the dense (V, 3) offsets of a column.
    void column(std::int64_t n, View<float, 2> delta) const;
    /// Vertices that are in a group.
    std::int64_t num_moved() const { return vertex_.extent(0); }
    /// Stored offsets: pairs of a column and a vertex.
    std::int64_t num_entries() const { return data_.back() / 3; }
    /// Bytes of memory used beside the tensors.
    std::int64_t num_bytes() const;

    /// Entries of the two lists that `rows` writes.
    std::int64_t row_list_size() const { return num_columns_ + BlendshapeKernels::row_list_padding; }
    /// The rows of a group whose columns are in the set `chosen` (num_words() words). They are listed in `begin` and
    /// `column`, which have row_list_size() entries each and must outlive the result.
    GroupRows rows(const Group& group, const std::uint32_t* chosen, std::int64_t* begin, std::int32_t* column) const {
        const std::int64_t count =
            blendshape_kernels().list_rows(group.columns, chosen, num_words(), 3 * group.size, begin, column);
        return {group.vertex, group.size, count, begin, column};
    }

private:
    void read_groups(const TensorFile& tensors, std::int64_t num_vertices);
    std::int64_t window_of(std::int64_t g, std::int64_t num_vertices) const;
    void find_unmoved(std::int64_t num_vertices);
    void read_values(const TensorFile& tensors);

    std::int64_t num_columns_;
    View<const std::int32_t, 1> offset_;
    View<const std::int32_t, 1> vertex_;
    View<const std::int32_t, 2> columns_;
    View<const float, 1> scale_;
    const float* float_ = nullptr;
    const std::int16_t* int16_ = nullptr;
    std::int64_t max_values_per_group_ = 0;
    std::vector<std::int64_t> data_;          // (G + 1) first value of each group
    std::vector<std::int32_t> window_group_;  // (windows + 1)
    std::vector<VertexRange> unmoved_;
    std::vector<std::int32_t> window_unmoved_;  // (windows + 1) into unmoved_
};

/// Copies the neutral's coordinates (V, 3) of unmoved vertices, plus 0 as in the kernels, so that none is -0.
void copy_unmoved(std::span<const GroupedColumns::VertexRange> unmoved, const float* neutral, float* vertices);

}  // namespace rigcast::rig
