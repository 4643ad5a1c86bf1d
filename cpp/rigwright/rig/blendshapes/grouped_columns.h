#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "rigwright/core/tensor_file.h"
#include "rigwright/rig/blendshapes/kernels.h"

namespace rigwright::rig {

/// The offsets of V vertices in N columns, of which only those that are not zero are stored. Vertices come in windows
/// of 512 successive ones; inside a window those that are moved by exactly the same columns form a group, and a group
/// is a dense matrix: a row a column that moves it, three coordinates a member. So the overhead is a bit a column and
/// group and an index a vertex that moves, and every product is one of dense matrices. Vertices in no group are still.
///
/// Tensors: blendshape.group.offset I32[G + 1] into blendshape.group.vertex I32[M] (M <= V, none twice; a group lies in
/// one window, windows ascend); blendshape.group.columns I32[G, ceil(N / 32)], bit n % 32 of word n / 32 set where
/// column n moves the group; the matrices one after another, row by row in the order of the columns, either
///   blendshape.delta F32[E], or
///   blendshape.delta16 I32[ceil(E / 2)] (pairs of int16, little endian) and blendshape.scale F32[N]: an offset is its
///   number times the scale of its column.
class GroupedColumns {
public:
    static constexpr std::int64_t window = 512;

    /// A group: members vertex[0 .. size), the columns that move it and their rows, 3 * size numbers each.
    struct Group {
        const std::int32_t* vertex;
        std::int64_t size;
        const std::int32_t* columns;
        std::int64_t data;  // of its first row, in numbers from the start of all
    };

    /// Successive vertices that are in no group.
    struct Run {
        std::int32_t first, count;
    };

    /// Throws ArgumentError where sizes do not fit, a vertex is no one's or two groups', or a bit stands for no column.
    GroupedColumns(const TensorFile& tensors, std::int64_t num_vertices, std::int64_t num_columns);

    std::int64_t num_columns() const { return num_columns_; }
    std::int64_t num_words() const { return columns_.extent(1); }
    std::int64_t list_room() const { return num_columns_ + BlendshapeKernels::list_slack; }
    std::int64_t num_windows() const { return static_cast<std::int64_t>(window_group_.size()) - 1; }
    /// Groups of window w are those from first_group(w) to before first_group(w + 1).
    std::int64_t first_group(std::int64_t w) const { return window_group_[w]; }
    /// Still vertices of window w, ascending.
    std::span<const Run> still(std::int64_t w) const {
        return {still_.data() + window_still_[w], still_.data() + window_still_[w + 1]};
    }
    Group group(std::int64_t g) const {
        return {vertex_.data() + offset_(g), offset_(g + 1) - offset_(g), columns_.row(g), data_[g]};
    }

    /// Numbers of group g, and the most of any group.
    std::int64_t size(std::int64_t g) const { return data_[g + 1] - data_[g]; }
    std::int64_t largest_group() const { return largest_group_; }

    bool is_half() const { return half_ != nullptr; }
    /// All numbers, of 32 or of 16 bits; one of the two is null.
    const float* numbers() const { return float_; }
    const std::int16_t* half_numbers() const { return half_; }
    /// The numbers from a group's first one on.
    Numbers<float> from(const Group& group) const { return {float_ + group.data, data_.back() - group.data}; }
    Numbers<std::int16_t> half_from(const Group& group) const {
        return {half_ + group.data, data_.back() - group.data};
    }
    /// By which a column's numbers are multiplied; 1 where they have 32 bits.
    float scale(std::int64_t n) const { return half_ ? scale_(n) : 1.0f; }

    /// The largest magnitude of all offsets' coordinates.
    double largest_offset() const;
    /// Writes the dense (V, 3) offsets of a column.
    void column(std::int64_t n, View<float, 2> delta) const;
    /// Vertices that are in a group.
    std::int64_t num_moved() const { return vertex_.extent(0); }
    /// Offsets that are stored: pairs of a column and a vertex.
    std::int64_t num_entries() const { return data_.back() / 3; }
    /// Bytes of what the tensors do not hold.
    std::int64_t num_bytes() const;

    /// The rows of a group's columns that are set in `chosen` (num_words() words), listed in `first` and `column`,
    /// which have room for list_room().
    GroupRows rows(const Group& group, const std::uint32_t* chosen, std::int64_t* first, std::int32_t* column) const {
        const std::int64_t count =
            blendshape_kernels().list(group.columns, chosen, num_words(), 3 * group.size, first, column);
        return {group.vertex, group.size, count, first, column};
    }

private:
    void read_groups(const TensorFile& tensors, std::int64_t num_vertices);
    std::int64_t window_of(std::int64_t g, std::int64_t num_vertices) const;
    void find_still(std::int64_t num_vertices);
    void read_numbers(const TensorFile& tensors);

    std::int64_t num_columns_;
    View<const std::int32_t, 1> offset_, vertex_;
    View<const std::int32_t, 2> columns_;
    View<const float, 1> scale_;
    const float* float_ = nullptr;
    const std::int16_t* half_ = nullptr;
    std::int64_t largest_group_ = 0;
    std::vector<std::int64_t> data_;          // G + 1
    std::vector<std::int32_t> window_group_;  // windows + 1
    std::vector<Run> still_;
    std::vector<std::int32_t> window_still_;  // windows + 1
};

/// Writes the neutral's coordinates (3 V) of vertices that no column moves.
void copy_still(std::span<const GroupedColumns::Run> still, const float* neutral, float* vertices);

}  // namespace rigwright::rig
