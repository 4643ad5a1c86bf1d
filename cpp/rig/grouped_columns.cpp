#include "rig/grouped_columns.h"

#include <algorithm>
#include <bit>
#include <string>

#include "core/error.h"
#include "rig/offsets.h"

namespace rigwright::rig {
namespace {

std::int64_t num_rows(const std::int32_t* columns, std::int64_t words) {
    std::int64_t rows = 0;
    for (std::int64_t i = 0; i < words; ++i) rows += std::popcount(static_cast<std::uint32_t>(columns[i]));
    return rows;
}

/// Every vertex once, and none outside its window.
void check_permutation(View<const std::int32_t, 1> vertex) {
    std::vector<bool> seen(static_cast<std::size_t>(vertex.extent(0)));
    for (std::int64_t i = 0; i < vertex.extent(0); ++i) {
        const std::int32_t v = vertex(i);
        const bool good = v >= 0 && v < vertex.extent(0) && v / GroupedColumns::window == i / GroupedColumns::window;
        if (!good || seen[v]) {
            throw bad_argument("load", "blendshape.group.vertex",
                               "holding " + std::to_string(v) + " at " + std::to_string(i),
                               "each vertex once, inside its window");
        }
        seen[v] = true;
    }
}

}  // namespace

GroupedColumns::GroupedColumns(const TensorFile& tensors, std::int64_t num_vertices, std::int64_t num_columns)
    : num_columns_(num_columns) {
    read_groups(tensors, num_vertices);
    read_numbers(tensors);
}

void GroupedColumns::read_groups(const TensorFile& tensors, std::int64_t num_vertices) {
    columns_ = tensors.get<std::int32_t, 2>("blendshape.group.columns", {-1, (num_columns_ + 31) / 32});
    vertex_ = tensors.get<std::int32_t, 1>("blendshape.group.vertex", {num_vertices});
    const std::int64_t groups = columns_.extent(0);
    offset_ = read_offsets(tensors, "blendshape.group.offset", groups, num_vertices);
    check_permutation(vertex_);
    const int used = static_cast<int>(num_columns_ % 32);
    data_.assign(1, 0);
    for (std::int64_t g = 0; g < groups; ++g) {
        const std::int64_t size = offset_(g + 1) - offset_(g), start = offset_(g);
        if (size == 0 || start / window != (start + size - 1) / window) {
            throw bad_argument("load", "blendshape.group.offset at group " + std::to_string(g),
                               "empty or across windows", "a group inside a window");
        }
        if (used != 0 && static_cast<std::uint32_t>(columns_(g, num_words() - 1)) >> used != 0) {
            throw bad_argument("load", "blendshape.group.columns of group " + std::to_string(g),
                               "beyond the last column", "bits below " + std::to_string(num_columns_));
        }
        if (start % window == 0) window_group_.push_back(static_cast<std::int32_t>(g));
        const std::int64_t numbers = 3 * size * num_rows(columns_.row(g), num_words());
        data_.push_back(data_.back() + numbers);
        largest_group_ = std::max(largest_group_, numbers);
    }
    window_group_.push_back(static_cast<std::int32_t>(groups));
}

void GroupedColumns::read_numbers(const TensorFile& tensors) {
    const std::int64_t count = data_.back();
    if (!tensors.contains("blendshape.delta16")) {
        float_ = tensors.get<float, 1>("blendshape.delta", {count}).data();
        return;
    }
    half_ = reinterpret_cast<const std::int16_t*>(
        tensors.get<std::int32_t, 1>("blendshape.delta16", {(count + 1) / 2}).data());
    scale_ = tensors.get<float, 1>("blendshape.scale", {num_columns_});
    if (std::any_of(scale_.begin(), scale_.end(), [](float x) { return x < 0.0f; })) {
        throw bad_argument("load", "blendshape.scale", "negative somewhere", "zero or more");
    }
}

void GroupedColumns::column(std::int64_t n, View<float, 2> delta) const {
    std::fill(delta.begin(), delta.end(), 0.0f);
    std::vector<std::uint32_t> chosen(static_cast<std::size_t>(num_words()));
    chosen[n / 32] = std::uint32_t{1} << (n % 32);
    std::int64_t first = 0;
    std::int32_t found = 0;
    for (std::int64_t g = 0; g < columns_.extent(0); ++g) {
        const Group own = group(g);
        if (rows(own, chosen.data(), &first, &found).count == 0) continue;
        for (std::int64_t i = 0; i < 3 * own.size; ++i) {
            const std::int64_t at = own.data + first + i;
            delta(own.vertex[i / 3], i % 3) = half_ ? static_cast<float>(half_[at]) * scale(n) : float_[at];
        }
    }
}

std::int64_t GroupedColumns::num_bytes() const {
    return static_cast<std::int64_t>(data_.size() * sizeof(data_[0]) + window_group_.size() * sizeof(window_group_[0]));
}

}  // namespace rigwright::rig
